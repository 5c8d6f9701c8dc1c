"""The database's clock: the one that all nodes share, so that leases and deadlines do not depend on whose machine is fast."""

import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

from sqlalchemy import func, select

from haulier.kernel.data.unit_of_work import Database

_now = select(func.now())


def utc_now() -> datetime:
    """This machine's clock."""
    return datetime.now(UTC)


def local_clock(offset_s: float) -> Callable[[], datetime]:
    """This machine's clock, wrong by so many seconds: for trials of what other clocks do."""
    return (lambda: utc_now() + timedelta(seconds=offset_s)) if offset_s else utc_now


class DatabaseClock:
    """The time of the database, as it was told last and counted on since by a clock that nobody sets.

    Until it was first told, and on SQLite, whose processes share a machine, it is this machine's. Between two looks it is as
    exact as the way to the server is short: half of the time that asking took.
    """

    def __init__(
        self, database: Database, local: Callable[[], datetime] = utc_now, seconds: Callable[[], float] = time.monotonic
    ) -> None:
        self._database = database
        self._local = local
        self._seconds = seconds
        self._told: datetime | None = None
        self._told_at_s = 0.0
        self.skew_s = 0.0
        """How much this machine's clock was ahead when the database was last asked."""

    def __call__(self) -> datetime:
        """Now, aware, in UTC."""
        if self._told is None:
            return self._local()
        return self._told + timedelta(seconds=self._seconds() - self._told_at_s)

    async def synchronise(self) -> None:
        """Ask the database. Raises what it raises when it is away; the time then goes on from the last answer."""
        if self._database.dialect == "sqlite":
            return
        began_s = self._seconds()
        async with self._database.read(None) as work:
            told: datetime = await work.value(_now)
        ended_s = self._seconds()
        self._told, self._told_at_s = told, (began_s + ended_s) / 2
        self.skew_s = (self._local() - self()).total_seconds()
