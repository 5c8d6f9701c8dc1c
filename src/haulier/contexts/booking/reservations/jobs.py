"""Background jobs of reservations."""

from datetime import date, datetime, time, timedelta
from typing import Any

from msgspec import Struct

from haulier.contexts.booking.reservations import store
from haulier.contexts.booking.reservations.actions import (
    CLOSE_WAITING_JOB,
    CLOSED,
    EXPIRE_HOLD_JOB,
    LAPSED,
    NO_SHOW_JOB,
    CloseWaiting,
    ExpireHold,
    MissedVisit,
    cancel_place,
    close_offer,
    enqueue_email,
    mark_missed,
    offer_free_places,
    publish_reservation,
    schedule_close_of_waiting,
    set_entry_status,
    sync_reservation_with_order,
)
from haulier.contexts.booking.reservations.rules import (
    ReservationStatus,
    WaitingStatus,
    WindowPattern,
    pattern_days,
    window_times,
)
from haulier.contexts.booking.reservations.serializers import business_today
from haulier.contexts.booking.reservations.store import BookingPatternRow, BookingWindowRow, ReservationRow
from haulier.contexts.orders.events import OrderCancelled, OrderChanged
from haulier.kernel.background.events import subscriber
from haulier.kernel.background.jobs import job
from haulier.kernel.call import Call
from haulier.kernel.job_run import JobRun

ORDER_CANCELLED_REASON = "order_cancelled"


@job(EXPIRE_HOLD_JOB, ExpireHold)
async def expire_hold(run: JobRun, args: ExpireHold) -> None:
    """Mark a hold as expired and offer its place to the next entry.

    A confirmed or cancelled reservation does not change.
    """
    async with run.call() as call:
        expired = await store.expire_reservation(call.work, args.reservation_id, call.now)
        row = await ReservationRow.get(call.work, args.reservation_id) if expired else None
        if row is None:
            return
        await publish_reservation(call, row, ReservationStatus.EXPIRED)
        entry = await close_offer(call, row.id, WaitingStatus.LAPSED)
        if entry is not None:
            await enqueue_email(call, entry.id, LAPSED)
        await offer_free_places(call, row.window_id)


@subscriber(OrderCancelled)
async def cancel_reservation_of_order(call: Call, event: OrderCancelled) -> None:
    """Cancel the reservation of a cancelled order. Repeated events change nothing."""
    row = await store.get_reservation_of_order(call.work, event.order_id)
    if row is not None and row.checked_in_at is None:
        await cancel_place(call, row, ORDER_CANCELLED_REASON)


@subscriber(OrderChanged)
async def move_reservation_of_order(call: Call, event: OrderChanged) -> None:
    """Move the reservation to its order's new time. Repeated events change nothing."""
    await sync_reservation_with_order(call, event.order_id)


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


@job(NO_SHOW_JOB, MissedVisit)
async def mark_missed_visit(run: JobRun, args: MissedVisit) -> None:
    """Mark a visit as missed after its grace period, once."""
    async with run.call() as call:
        await mark_missed(call, args.reservation_id)


@job(CLOSE_WAITING_JOB, CloseWaiting)
async def close_waiting_list(run: JobRun, args: CloseWaiting) -> None:
    """Notify the remaining waiting list at a window's cut-off that no place is left.

    If the cut-off was postponed, wait for the new time.
    """
    async with run.call() as call:
        window = (await BookingWindowRow.lock_many(call.work, [args.window_id])).get(args.window_id)
        if window is None:
            return
        entries = await store.list_waiting_of_window(call.work, window.id)
        if entries and call.now < window.cut_off_at:
            await schedule_close_of_waiting(call, window.id, window.cut_off_at)
            return
        for entry in entries:
            await set_entry_status(call, entry, WaitingStatus.CLOSED)
            await enqueue_email(call, entry.id, CLOSED)
