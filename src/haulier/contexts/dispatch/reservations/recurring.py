"""Patterns make windows: so many days ahead at once, and a day more every night."""

from datetime import date, datetime, time, timedelta
from typing import Any

from msgspec import Struct

from haulier.contexts.dispatch.reservations import store
from haulier.contexts.dispatch.reservations.rules import Pattern, days, moments
from haulier.contexts.dispatch.reservations.showing import today
from haulier.kernel.call import Call
from haulier.kernel.errands import errand
from haulier.kernel.run import Run

EXTEND = "booking_pattern.extend"
HORIZON_DAYS = 28
"""So many days ahead a pattern's windows can be booked."""


class ExtendPattern(Struct, frozen=True, kw_only=True):
    """Which pattern makes its next windows."""

    pattern_id: int


@errand(EXTEND, ExtendPattern)
async def extend_pattern(run: Run, args: ExtendPattern) -> None:
    """Make the windows that are missing, and come again tomorrow. Running it again makes none twice."""
    async with run.call() as call:
        row = await store.one(call.work, store.patterns, args.pattern_id, lock=True)
        if row is not None and row.ended_at is None:
            await make_windows(call, row)


async def make_windows(call: Call, row: Any) -> int:
    """Make the windows of a pattern up to the horizon, but for those that are there; how many."""
    first, until = today(call), today(call) + timedelta(days=HORIZON_DAYS)
    pattern = Pattern(
        weekdays=frozenset(row.weekdays),
        starts=time.fromisoformat(row.starts),
        ends=time.fromisoformat(row.ends),
        cut_off_min=row.cut_off_min,
        first_day=row.first_day,
        last_day=row.last_day,
    )
    there = await store.made(call.work, row.zone_id, call.now)
    wanted = ((day, *moments(day, pattern.starts, pattern.ends, call.time_zone)) for day in days(pattern, first, until))
    new = [each for each in wanted if each[1] > call.now and each[1:] not in there]
    await store.add_windows(call.work, [window_values(row, *each) for each in new])
    await store.change(call.work, store.patterns, row.id, made_until=until)
    if row.last_day is None or row.last_day > until:
        tomorrow = datetime.combine(first + timedelta(days=1), time(), call.time_zone)
        again = ExtendPattern(pattern_id=row.id)
        await call.post(EXTEND, again, run_at=tomorrow, idempotency_key=f"{row.id}:{tomorrow.date()}")
    return len(new)


def window_values(row: Any, day: date, starts_at: datetime, ends_at: datetime) -> dict[str, Any]:
    """The columns of a pattern's window on a day."""
    return {
        "zone_id": row.zone_id,
        "pattern_id": row.id,
        "day": day,
        "starts_at": starts_at,
        "ends_at": ends_at,
        "cut_off_at": starts_at - timedelta(minutes=row.cut_off_min),
        "capacity": row.capacity,
        "price_minor": row.price_minor,
        "closed": False,
    }
