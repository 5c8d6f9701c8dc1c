"""Creation of pattern windows 28 days ahead, one more day every night."""

from datetime import date, datetime, time, timedelta
from typing import Any

from msgspec import Struct

from haulier.contexts.booking.reservations.rules import WindowPattern, pattern_days, window_times
from haulier.contexts.booking.reservations.serializers import business_today
from haulier.contexts.booking.reservations.store import bookings as store
from haulier.contexts.booking.reservations.store.tables import BookingPatternRow, BookingWindowRow
from haulier.kernel.background.jobs import job
from haulier.kernel.call import Call
from haulier.kernel.job_run import JobRun

EXTEND_PATTERN_JOB = "booking_pattern.extend"
BOOKING_HORIZON_DAYS = 28
"""Number of days ahead for which a pattern's windows can be booked."""


class ExtendPattern(Struct, frozen=True, kw_only=True):
    """Pattern whose next windows are created."""

    pattern_id: int


@job(EXTEND_PATTERN_JOB, ExtendPattern)
async def extend_pattern(run: JobRun, args: ExtendPattern) -> None:
    """Create the missing windows and schedule the job for tomorrow.

    Repeated runs create no duplicates.
    """
    async with run.call() as call:
        row = await BookingPatternRow.lock(call.work, args.pattern_id)
        if row is not None and row.ended_at is None:
            await create_pattern_windows(call, row)


async def create_pattern_windows(call: Call, row: BookingPatternRow) -> int:
    """Create the missing windows of a pattern up to the horizon. Return the number."""
    first, until = business_today(call), business_today(call) + timedelta(days=BOOKING_HORIZON_DAYS)
    pattern = WindowPattern(
        weekdays=frozenset(row.weekdays),
        starts=time.fromisoformat(row.starts),
        ends=time.fromisoformat(row.ends),
        cut_off_min=row.cut_off_min,
        first_day=row.first_day,
        last_day=row.last_day,
    )
    existing = await store.list_window_times(call.work, row.zone_id, call.now)
    all_times = (
        (day, *window_times(day, pattern.starts, pattern.ends, call.time_zone))
        for day in pattern_days(pattern, first, until)
    )
    missing = [times for times in all_times if times[1] > call.now and times[1:] not in existing]
    await BookingWindowRow.insert_many(call.work, [pattern_window_row(row, *times) for times in missing])
    await BookingPatternRow.update(call.work, row.id, {"made_until": until})
    if row.last_day is None or row.last_day > until:
        tomorrow = datetime.combine(first + timedelta(days=1), time(), call.time_zone)
        args = ExtendPattern(pattern_id=row.id)
        await call.enqueue(EXTEND_PATTERN_JOB, args, run_at=tomorrow, idempotency_key=f"{row.id}:{tomorrow.date()}")
    return len(missing)


def pattern_window_row(row: BookingPatternRow, day: date, starts_at: datetime, ends_at: datetime) -> dict[str, Any]:
    """Return the columns of a pattern's window on a day."""
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
