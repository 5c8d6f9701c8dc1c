"""Rate limits: how many calls, in how many seconds, counted by what the declaration says."""

import time
from collections.abc import Callable
from functools import lru_cache
from typing import Any

from limits import RateLimitItemPerSecond
from limits.storage import MemoryStorage
from limits.strategies import MovingWindowRateLimiter

from haulier.kernel.operations.declaration import RateLimit
from haulier.kernel.operations.errors import RATE_LIMITED, OperationError


class RateLimiter:
    """Moving windows in the memory of this process. With several processes each counts for itself."""

    def __init__(self, *, enabled: bool = True) -> None:
        self.enabled = enabled
        self._limiter = MovingWindowRateLimiter(MemoryStorage())

    def consume(self, operation: str, limits: tuple[RateLimit, ...], fact: Callable[[str], Any]) -> None:
        """Count one call; `fact` tells what a limit counts by.

        Raises `RATE_LIMITED` with a `Retry-After` in seconds when a limit is used up.
        """
        if not self.enabled:
            return
        for limit in limits:
            item = _limit_item(limit)
            key = (operation, *(str(fact(name)) for name in limit.by))
            if not self._limiter.hit(item, *key):
                raise self._error(item, key)

    def _error(self, item: RateLimitItemPerSecond, key: tuple[str, ...]) -> OperationError:
        resets_at, _ = self._limiter.get_window_stats(item, *key)
        wait_s = max(1, int(resets_at - time.time()) + 1)
        error = RATE_LIMITED(retry_after_s=wait_s)
        error.headers = {"Retry-After": str(wait_s)}
        return error


@lru_cache
def _limit_item(limit: RateLimit) -> RateLimitItemPerSecond:
    return RateLimitItemPerSecond(limit.times, limit.seconds)
