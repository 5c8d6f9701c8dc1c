"""Whether a place in a window can be taken."""

from haulier.contexts.booking.reservations import store
from haulier.contexts.booking.reservations.rules import (
    WINDOW_ELSEWHERE,
    BookingWindowState,
    check_window_bookable,
    find_booking_zone,
)
from haulier.kernel.call import Call


async def require_zone(call: Call, postal_code: str, window: store.BookingWindowRow) -> None:
    """Raises `WINDOW_ELSEWHERE` for a window that is not offered at a postal code."""
    zones = [(row.id, row.postal_prefixes) for row in await store.list_all_booking_zones(call.work)]
    if find_booking_zone(postal_code, zones) != window.zone_id:
        raise WINDOW_ELSEWHERE()


async def require_free_place(call: Call, window: store.BookingWindowRow) -> None:
    """Raises `WINDOW_CLOSED`, `WINDOW_CUT_OFF` or `WINDOW_FULL` for a window in which no place can be taken now."""
    taken = (await store.count_taken_places(call.work, [window.id], call.now)).get(window.id, 0)
    state = BookingWindowState(
        capacity=window.capacity, taken=taken, cut_off_at=window.cut_off_at, closed=bool(window.closed)
    )
    if error := check_window_bookable(state, call.now):
        raise error
