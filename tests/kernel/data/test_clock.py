"""The database's clock is independent of the machines' clocks."""

from datetime import datetime, timedelta

from haulier.kernel.data.clock import DatabaseClock, local_clock, utc_now
from haulier.kernel.data.unit_of_work import Database

MINUTE = timedelta(seconds=60)


async def test_machines_with_clocks_minutes_apart_use_the_same_time(database: Database) -> None:
    clocks = [DatabaseClock(database, local=local_clock(offset_s)) for offset_s in (-60, 0, 60)]
    for clock in clocks:
        await clock.synchronise()
    if database.dialect == "sqlite":  # one machine has one clock
        assert clocks[2]() - clocks[0]() > MINUTE
        return
    assert max(clock() for clock in clocks) - min(clock() for clock in clocks) < timedelta(seconds=1)
    assert [round(clock.skew_s, -1) for clock in clocks] == [-60, 0, 60]


async def test_between_synchronizations_time_advances_despite_clock_changes(database: Database) -> None:
    offset, seconds = timedelta(), 100.0

    def local() -> datetime:
        return utc_now() + offset

    clock = DatabaseClock(database, local, lambda: seconds)
    await clock.synchronise()
    began = clock()
    offset, seconds = MINUTE, 103.0
    if database.dialect != "sqlite":
        assert clock() - began == timedelta(seconds=3)
