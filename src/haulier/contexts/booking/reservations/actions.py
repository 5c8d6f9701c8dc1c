"""Visits: confirmation with a code, check-in, and missed visits."""

from datetime import datetime, timedelta

from haulier.contexts.booking.reservations.actions.money import charge_no_show, charge_visit, give_fee_back
from haulier.contexts.booking.reservations.actions.waiting_lists import offer_free_places, tell_reservation
from haulier.contexts.booking.reservations.actions.window_places import is_visit, require_free_place
from haulier.contexts.booking.reservations.actions.work import BOOKED, MISSED, schedule_no_show, send_letter
from haulier.contexts.booking.reservations.rules import (
    NO_VISIT,
    ReservationStatus,
    check_visit,
    current_reservation_status,
)
from haulier.contexts.booking.reservations.store.tables import (
    CODE_LENGTH,
    BookingWindowRow,
    BookingZoneRow,
    ReservationRow,
)
from haulier.kernel.call import Call
from haulier.kernel.data.unit_of_work import UniqueConflict
from haulier.kernel.operations.enums import OFFICE
from haulier.kernel.operations.errors import record_not_found
from haulier.kernel.values.ids import CROCKFORD_ALPHABET
from haulier.kernel.values.one_time_codes import make_public_code

TRIES = 5
"""Attempts to draw an unused code out of a thousand million."""


def no_show_at(window: BookingWindowRow, zone: BookingZoneRow) -> datetime:
    """Return the time at which an unattended visit counts as missed."""
    return min(window.starts_at + timedelta(minutes=zone.grace_min), window.ends_at)


def check_in_from(window: BookingWindowRow, zone: BookingZoneRow) -> datetime:
    """Return the time at which check-in opens."""
    return window.starts_at - timedelta(minutes=zone.check_in_before_min)


async def book_visit(call: Call, row: ReservationRow, window: BookingWindowRow, zone: BookingZoneRow) -> None:
    """Confirm a visit or move it to a window, with payment, code and no-show job.

    Raises `CREDIT_INSUFFICIENT`.
    """
    await charge_visit(call, row, window.price_minor)
    if row.code is None:
        await _give_code(call, row.id)
    await schedule_no_show(call, row.id, no_show_at(window, zone))
    if row.customer_id is not None:
        await send_letter(call, row.id, BOOKED)


async def _give_code(call: Call, reservation_id: int) -> None:
    for left in reversed(range(TRIES)):
        code = make_public_code(CROCKFORD_ALPHABET, CODE_LENGTH)
        try:
            async with call.savepoint():
                await ReservationRow.update(call.work, reservation_id, {"code": code})
                return
        except UniqueConflict:
            if not left:
                raise


async def check_in(call: Call, reservation_id: int) -> None:
    """Check in a visit. Repeated calls change nothing.

    Customers can check in until the grace period ends. Staff can do so until the window ends, also for a missed
    visit: it gets a place again if one is available, and the fee is refunded.

    Raises `NO_VISIT`, `NOT_CONFIRMED`, `CHECK_IN_CLOSED`, `HOLD_EXPIRED`, `RESERVATION_OVER` or `WINDOW_FULL`.
    """
    row = await ReservationRow.lock(call.work, reservation_id)
    if row is None:
        raise record_not_found(reservation_id=reservation_id)
    window = (await BookingWindowRow.lock_many(call.work, [row.window_id]))[row.window_id]
    zone = await BookingZoneRow.get(call.work, window.zone_id)
    if zone is None or not is_visit(zone):
        raise NO_VISIT()
    status = status_of(row, call.now)
    if status is ReservationStatus.CHECKED_IN:
        return
    late = call.principal.account in OFFICE
    closes_at = window.ends_at if late else no_show_at(window, zone)
    if error := check_visit(status, check_in_from(window, zone), closes_at, call.now, late=late):
        raise error
    if status is ReservationStatus.NO_SHOW:
        await require_free_place(call, window)
        await give_fee_back(call, row)
    came = {"checked_in_at": call.now, "checked_in_by": call.actor, "outcome": None, "ended_at": None}
    await ReservationRow.update(call.work, row.id, came)
    await tell_reservation(call, row, ReservationStatus.CHECKED_IN)


def status_of(row: ReservationRow, now: datetime) -> ReservationStatus:
    """Return the status of a reservation at `now`."""
    confirmed, checked_in = row.confirmed_at is not None, row.checked_in_at is not None
    return current_reservation_status(confirmed, row.outcome, row.expires_at, now, checked_in=checked_in)


async def mark_missed(call: Call, reservation_id: int) -> None:
    """Mark a confirmed visit as missed after its grace period.

    The place becomes available and the fee is charged. Nothing changes for repeated calls, or for a visit that was
    checked in, cancelled or moved to a later time.
    """
    row = await ReservationRow.lock(call.work, reservation_id)
    if row is None or status_of(row, call.now) is not ReservationStatus.CONFIRMED:
        return
    window = (await BookingWindowRow.lock_many(call.work, [row.window_id]))[row.window_id]
    zone = await BookingZoneRow.get(call.work, window.zone_id)
    if zone is None or not is_visit(zone) or call.now < no_show_at(window, zone):
        return
    ended = {"outcome": ReservationStatus.NO_SHOW.value, "ended_at": no_show_at(window, zone)}
    await ReservationRow.update(call.work, row.id, ended)
    await charge_no_show(call, row, zone)
    await tell_reservation(call, row, ReservationStatus.NO_SHOW)
    if row.customer_id is not None:
        await send_letter(call, row.id, MISSED)
    await offer_free_places(call, window.id)
