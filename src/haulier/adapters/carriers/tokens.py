"""Cached OAuth 2 access tokens of carriers (client credentials grant)."""

import asyncio
import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable

from msgspec import Struct

EARLY_S = 60.0
"""Time before its expiry at which a token is renewed, to cover the call that uses it."""
MAX_TOKENS = 2_000


class AccessToken(Struct, frozen=True):
    """Access token with its lifetime in seconds."""

    value: str
    expires_in_s: float


FetchToken = Callable[[], Awaitable[AccessToken]]


class TokenCache:
    """Cache of the most recently used tokens of all accounts.

    Concurrent callers share one token request.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._tokens: OrderedDict[str, tuple[str, float]] = OrderedDict()
        self._waiting: dict[str, asyncio.Lock] = {}

    async def token(self, account: str, fetch: FetchToken) -> str:
        """Return the token of an account. Raises the errors of `fetch`."""
        lock = self._waiting.setdefault(account, asyncio.Lock())
        try:
            async with lock:
                kept = self._tokens.get(account)
                if kept is None or kept[1] <= self._clock():
                    kept = self._keep(account, await fetch())
                self._tokens.move_to_end(account)
                return kept[0]
        finally:
            if not lock.locked():
                self._waiting.pop(account, None)

    def forget(self, account: str, token: str) -> None:
        """Drop a refused token, unless a newer one has replaced it."""
        if self._tokens.get(account, ("",))[0] == token:
            del self._tokens[account]

    def _keep(self, account: str, token: AccessToken) -> tuple[str, float]:
        kept = (token.value, self._clock() + max(token.expires_in_s - EARLY_S, token.expires_in_s / 2))
        self._tokens[account] = kept
        if len(self._tokens) > MAX_TOKENS:
            self._tokens.popitem(last=False)
        return kept
