"""The database's clock, shared by all nodes, for leases and deadlines."""

import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

from sqlalchemy import func, select

from haulier.kernel.data.unit_of_work import Database

_now = select(func.now())


def utc_now() -> datetime:
    """Return the time of this machine's clock."""
    return datetime.now(UTC)


def local_clock(offset_s: float) -> Callable[[], datetime]:
    """Return this machine's clock with an offset. Used to test clock differences."""
    return (lambda: utc_now() + timedelta(seconds=offset_s)) if offset_s else utc_now


class DatabaseClock:
    """The database's time, measured at intervals and advanced by a monotonic clock.

    Before the first measurement, and on SQLite, it is this machine's time. Its error is at most half of the time that
    the measurement took.
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
        """Seconds that this machine's clock was ahead at the last measurement."""

    def __call__(self) -> datetime:
        """Return the current time, aware, in UTC."""
        if self._told is None:
            return self._local()
        return self._told + timedelta(seconds=self._seconds() - self._told_at_s)

    async def synchronise(self) -> None:
        """Measure the database's time.

        After an error, the clock continues from the last measurement.
        """
        if self._database.dialect == "sqlite":
            return
        began_s = self._seconds()
        async with self._database.read(None) as work:
            measured: datetime = await work.value(_now)
        ended_s = self._seconds()
        self._told, self._told_at_s = measured, (began_s + ended_s) / 2
        self.skew_s = (self._local() - self()).total_seconds()
