"""Rate limits: number of calls per period, counted across all nodes.

Limits of writes, and limits declared exact, lock and update a row in a log of calls. All others are counted in memory
and shared with other nodes every 50 ms, or sooner as a limit fills (docs/decisions/nodes.md). SQLite runs on one
machine, where limits that are not exact are logs in the memory of each process.
"""

import asyncio
import logging
from collections.abc import Callable, Mapping
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from typing import Any

from msgspec.structs import replace
from sqlalchemy import bindparam, delete, update
from sqlalchemy.dialects.postgresql import insert

from haulier.kernel.data.unit_of_work import Database, UnitOfWork
from haulier.kernel.http.rate_windows import Window, admit, limit_key, rate_logs, rate_windows, tell_windows
from haulier.kernel.operations.declaration import RateLimit
from haulier.kernel.operations.errors import RATE_LIMITED, OperationError

TELL_EVERY_S = 0.05
"""Interval at which a node shares its counts."""
MAX_WINDOWS = 20_000
"""Number of windows in memory above which past ones are dropped."""
ANY_OPERATION = "*"
"""Name in the setting of factors for operations without one of their own."""
Fact = Callable[[str], Any]
_fresh_log = insert(rate_logs).values(
    key=bindparam("key"), hits=bindparam("hits"), expires_at=bindparam("expires_at", type_=rate_logs.c.expires_at.type)
)
_lock_log = _fresh_log.on_conflict_do_update(index_elements=["key"], set_={"key": _fresh_log.excluded.key}).returning(
    rate_logs.c.hits
)
_write_log = (
    update(rate_logs)
    .where(rate_logs.c.key == bindparam("log_key"))
    .values(hits=bindparam("hits"), expires_at=bindparam("expires_at"))
)
_forget = [delete(table).where(table.c.expires_at < bindparam("now")) for table in (rate_windows, rate_logs)]
log = logging.getLogger("haulier.limits")


def parse_rate_limit_factors(text: str | None) -> dict[str, float]:
    """Return the factors of the setting by operation; `*` stands for all others."""
    entries = (entry.partition("=") for entry in (text.split(",") if text else ()))
    return {name: float(factor) for name, _, factor in entries}


def scale_limit(limit: RateLimit, operation: str, factors: Mapping[str, float]) -> RateLimit:
    """Return a limit multiplied by the factor of its operation; at least one call."""
    factor = factors.get(operation, factors.get(ANY_OPERATION, 1.0))
    return limit if factor == 1.0 else replace(limit, times=max(1, round(limit.times * factor)))


class RateLimiter:
    """The counts of one process, synchronized with those of other processes."""

    def __init__(
        self, database: Database | None = None, *, enabled: bool = True, factors: Mapping[str, float] | None = None
    ) -> None:
        """Create a rate limiter.

        Without a database, calls are counted in this process alone. `factors` multiply the limits of operations.
        """
        self.enabled = enabled
        self._factors = factors or {}
        self._database = database
        self._is_shared = database is not None and database.dialect != "sqlite"
        self._windows: dict[str, Window] = {}
        self._logs: dict[str, list[int]] = {}
        self._telling = asyncio.Lock()
        self._tasks: set[asyncio.Task[None]] = set()

    def scale_limits(self, operation: str, limits: tuple[RateLimit, ...]) -> tuple[RateLimit, ...]:
        """Return the limits of an operation, multiplied by its factor."""
        if not self._factors:
            return limits
        return tuple(scale_limit(limit, operation, self._factors) for limit in limits)

    async def consume(
        self,
        operation: str,
        limits: tuple[RateLimit, ...],
        fact: Fact,
        now: datetime,
        *,
        exact: bool = False,
        count: bool = True,
    ) -> None:
        """Count one call; `fact` returns the value that a limit counts by.

        `exact` makes all limits exact.

        Raises `RATE_LIMITED` with a `Retry-After` in seconds when a limit is exceeded. A refused call does not count.
        Without `count`, exact limits are checked but not changed.
        """
        if not self.enabled:
            return
        keys = {limit_key(operation, limit, tuple(str(fact(name)) for name in limit.by)): limit for limit in limits}
        exactly = {} if self._database is None else {key: one for key, one in keys.items() if exact or one.exact}
        for key, limit in keys.items():
            if key in exactly:
                continue
            if self._is_shared:
                await self._count_approximately(key, limit, now)
            else:
                self._count_alone(key, limit, now, count=count)
        if exactly:
            await self._count_exactly(exactly, now, count=count)

    async def _count_exactly(self, limits: Mapping[str, RateLimit], now: datetime, *, count: bool) -> None:
        """Count a call exactly. Locks the logs in key order to prevent deadlocks."""
        assert self._database
        async with self._database.write(None) as work:
            for key in sorted(limits):
                limit, now_ms = limits[key], int(now.timestamp() * 1000)
                until = now + timedelta(seconds=limit.seconds)
                hits = await work.value(_lock_log, key=key, hits=[], expires_at=until)
                counted, wait_s = admit(hits, limit, now_ms)
                if wait_s:
                    raise _limited(wait_s)
                if count:
                    await work.run(_write_log, log_key=key, hits=counted, expires_at=until)

    def _count_alone(self, key: str, limit: RateLimit, now: datetime, *, count: bool) -> None:
        hits = self._logs.pop(key, [])
        counted, wait_s = admit(hits, limit, int(now.timestamp() * 1000))
        self._logs[key] = counted if count else hits
        if wait_s:
            raise _limited(wait_s)
        if len(self._logs) > MAX_WINDOWS:
            del self._logs[next(iter(self._logs))]  # the least recently used one

    async def _count_approximately(self, key: str, limit: RateLimit, now: datetime) -> None:
        now_s = now.timestamp()
        window = self._windows.get(key)
        if window is None:
            window = self._windows[key] = Window(limit.times, limit.seconds)
        if window.left(now_s) < 1:
            raise _limited(window.wait_s(now_s))
        window.unsent += 1
        if window.is_due(now_s):
            await self._notify_others(now)
            if window.left(now_s) < 0:
                window.unsent -= 1
                raise _limited(window.wait_s(now_s))
        elif not self._tasks:
            self._tasks.add(task := asyncio.create_task(self._notify_later(now), name="rate-limits"))
            task.add_done_callback(self._tasks.discard)

    async def _notify_later(self, now: datetime) -> None:
        await asyncio.sleep(TELL_EVERY_S)
        await self._notify_others(now + timedelta(seconds=TELL_EVERY_S))

    async def _notify_others(self, now: datetime) -> None:
        """Add this node's counts to the shared ones.

        If the database is unavailable, they are sent later.
        """
        assert self._database
        async with self._telling:
            told = {key: window for key, window in sorted(self._windows.items()) if window.unsent}
            if not told:
                return
            for window in told.values():
                window.sending, window.unsent = window.unsent, 0
            try:
                async with self._database.write(None) as work:
                    rows = await _store_windows(work, told)
                for row in rows:
                    told[row.key].learn(row.slot, row.current_count, row.previous_count)
            except Exception:
                log.warning("could not share rate limit counts with other nodes", exc_info=True)
                for window in told.values():
                    window.unsent += window.sending
            finally:
                for window in told.values():
                    window.sending = 0
            self._drop_past(now.timestamp())

    def _drop_past(self, now_s: float) -> None:
        if len(self._windows) > MAX_WINDOWS:
            kept = {k: w for k, w in self._windows.items() if w.unsent or w.slot >= now_s // w.seconds - 1}
            self._windows = kept if len(kept) <= MAX_WINDOWS else {}

    async def close(self) -> None:
        """Share the remaining counts."""
        for task in tuple(self._tasks):
            with suppress(asyncio.CancelledError):
                await task


async def _store_windows(work: UnitOfWork, windows: Mapping[str, Window]) -> list[Any]:
    ends_s = [(window.slot + 2) * window.seconds for window in windows.values()]
    return await work.all(
        tell_windows,
        keys=list(windows),
        slots=[window.slot for window in windows.values()],
        current_counts=[window.sending for window in windows.values()],
        expires_ats=[datetime.fromtimestamp(end_s, UTC) for end_s in ends_s],
    )


async def delete_past_counts(work: UnitOfWork, now: datetime) -> None:
    """Delete expired counts."""
    for statement in _forget:
        await work.run(statement, now=now)


def _limited(wait_s: int) -> OperationError:
    error = RATE_LIMITED(retry_after_s=wait_s)
    error.headers = {"Retry-After": str(wait_s)}
    return error
