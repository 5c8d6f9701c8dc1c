"""Waiting lists, whose entries are offered free places in order."""

from datetime import timedelta

from haulier.contexts.booking.events import ReservationChanged, WaitingEntryChanged
from haulier.contexts.booking.reservations.actions.work import OFFERED, schedule_hold_expiry, send_letter
from haulier.contexts.booking.reservations.rules import ReservationStatus, WaitingStatus
from haulier.contexts.booking.reservations.store import bookings as store
from haulier.contexts.booking.reservations.store import waiting_lists as waiting
from haulier.contexts.booking.reservations.store.tables import (
    BookingWindowRow,
    BookingZoneRow,
    ReservationRow,
    WaitingEntryRow,
)
from haulier.kernel.call import Call


async def tell_reservation(call: Call, row: ReservationRow, status: ReservationStatus) -> None:
    """Publish the status of a reservation."""
    await call.publish(
        ReservationChanged(
            reservation_id=row.id,
            window_id=row.window_id,
            status=status.value,
            customer_id=row.customer_id,
            order_id=row.order_id,
        )
    )


async def set_entry_status(call: Call, entry: WaitingEntryRow, status: WaitingStatus) -> None:
    """End a waiting list entry as accepted, lapsed, withdrawn or closed."""
    await WaitingEntryRow.update(call.work, entry.id, {"status": status.value, "ended_at": call.now})
    await _tell_entry(call, entry, status, entry.reservation_id)


async def settle_offer(call: Call, reservation_id: int, status: WaitingStatus) -> WaitingEntryRow | None:
    """End the offer of a held place as accepted, lapsed or declined.

    Return None if the place was not offered.
    """
    entry = await waiting.get_offered_entry(call.work, reservation_id)
    if entry is not None:
        await set_entry_status(call, entry, status)
    return entry


async def offer_free_places(call: Call, window_id: int) -> None:
    """Offer free places in a window to the longest waiting entries.

    The window is locked, so that a place is offered once. Repeated calls offer nothing twice.
    """
    window = (await BookingWindowRow.lock_many(call.work, [window_id])).get(window_id)
    if window is None or window.closed or call.now >= window.cut_off_at:
        return
    taken = (await store.count_taken_places(call.work, [window.id], call.now)).get(window.id, 0)
    if taken >= window.capacity:
        return
    entries = await waiting.lock_next_waiting(call.work, window.id, window.capacity - taken)
    zone = await BookingZoneRow.get(call.work, window.zone_id) if entries else None
    for entry in entries:
        await _offer(call, entry, window, zone.offer_min if zone else 0)


async def _offer(call: Call, entry: WaitingEntryRow, window: BookingWindowRow, minutes: int) -> None:
    """Hold a place for a waiting entry, at most until the window's cut-off."""
    until = min(call.now + timedelta(minutes=minutes), window.cut_off_at)
    reservation_id = await ReservationRow.insert(
        call.work,
        window_id=window.id,
        postal_code=entry.postal_code,
        customer_id=entry.customer_id,
        held_at=call.now,
        expires_at=until,
    )
    await schedule_hold_expiry(call, reservation_id, until)
    offered = {"status": WaitingStatus.OFFERED.value, "reservation_id": reservation_id, "offered_until": until}
    await WaitingEntryRow.update(call.work, entry.id, offered)
    await _tell_entry(call, entry, WaitingStatus.OFFERED, reservation_id)
    await send_letter(call, entry.id, OFFERED)


async def tell_waiting(call: Call, entry: WaitingEntryRow) -> None:
    """Publish the status of a waiting list entry."""
    await _tell_entry(call, entry, WaitingStatus(entry.status), None)


async def _tell_entry(call: Call, entry: WaitingEntryRow, status: WaitingStatus, reservation_id: int | None) -> None:
    await call.publish(
        WaitingEntryChanged(
            waiting_entry_id=entry.id,
            window_id=entry.window_id,
            customer_id=entry.customer_id,
            status=status.value,
            reservation_id=reservation_id,
        )
    )
