"""Checks for available places in windows."""

from haulier.contexts.booking.reservations.rules import (
    WINDOW_ELSEWHERE,
    BookingKind,
    BookingWindowState,
    check_window_bookable,
)
from haulier.contexts.booking.reservations.store import bookings as store
from haulier.contexts.booking.reservations.store import waiting_lists as waiting
from haulier.contexts.booking.reservations.store.tables import BookingWindowRow, BookingZoneRow
from haulier.kernel.call import Call
from haulier.kernel.operations.enums import OFFICE
from haulier.kernel.operations.errors import INVALID_REQUEST, FieldError
from haulier.kernel.values.postal_codes import find_longest_postal_prefix


def is_visit(zone: BookingZoneRow) -> bool:
    """Return True if the zone is a place for visits instead of deliveries."""
    return zone.kind != BookingKind.DELIVERY


async def find_delivery_zone(call: Call, postal_code: str) -> int | None:
    """Return the delivery zone with the longest matching postal code prefix, or None.

    The oldest zone wins among equals.
    """
    zones = [
        (row.id, row.postal_prefixes) for row in await store.list_all_booking_zones(call.work) if not is_visit(row)
    ]
    return find_longest_postal_prefix(postal_code, zones)


async def require_zone(call: Call, postal_code: str | None, window: BookingWindowRow) -> None:
    """Raise `WINDOW_ELSEWHERE` for a window that is not offered at a postal code.

    A missing postal code is reported as a validation error.
    """
    zone = await BookingZoneRow.get(call.work, window.zone_id)
    if zone is not None and is_visit(zone):
        return
    if postal_code is None:
        raise INVALID_REQUEST.for_fields(FieldError("postal_code", "field.missing"))
    if await find_delivery_zone(call, postal_code) != window.zone_id:
        raise WINDOW_ELSEWHERE()


async def require_free_place(call: Call, window: BookingWindowRow) -> None:
    """Raise an error if no place in the window can be taken now.

    Raises `WINDOW_CLOSED`, `WINDOW_CUT_OFF` or `WINDOW_FULL`. Free places belong to the waiting list first. Staff
    can accept visitors without a reservation until the window ends.
    """
    late = call.principal.account in OFFICE and call.now < window.ends_at
    zone = await BookingZoneRow.get(call.work, window.zone_id) if late and call.now >= window.cut_off_at else None
    until = window.ends_at if zone is not None and is_visit(zone) else window.cut_off_at
    state = BookingWindowState(
        capacity=window.capacity,
        taken=(await store.count_taken_places(call.work, [window.id], call.now)).get(window.id, 0),
        waiting=(await waiting.count_waiting(call.work, [window.id])).get(window.id, 0)
        if until == window.cut_off_at
        else 0,
        cut_off_at=until,
        closed=bool(window.closed),
    )
    if error := check_window_bookable(state, call.now):
        raise error
