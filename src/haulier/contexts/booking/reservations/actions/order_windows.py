"""Delivery windows of orders, set and removed with their reservation."""

from haulier.contexts.booking.reservations.actions.endings import cancel_place
from haulier.contexts.booking.reservations.actions.waiting_lists import offer_free_places
from haulier.contexts.booking.reservations.actions.window_places import is_visit
from haulier.contexts.booking.reservations.rules import (
    BOOKABLE_ORDER_STATUSES,
    ORDER_NOT_BOOKABLE,
    ORDER_RESERVED,
)
from haulier.contexts.booking.reservations.store import bookings as store
from haulier.contexts.booking.reservations.store import waiting_lists as waiting
from haulier.contexts.booking.reservations.store.tables import BookingWindowRow, BookingZoneRow, ReservationRow
from haulier.contexts.orders.public import OrderFacts, get_order_facts, leave_route, set_order_charge, set_order_window
from haulier.kernel.call import Call
from haulier.kernel.operations.enums import OFFICE, Account
from haulier.kernel.operations.errors import record_not_found

WINDOW_CHARGE = "window"
"""Price line of an order for its window."""
MOST_OF_A_DAY = 1000
"""Maximum number of windows examined per zone and day. There are a few dozen."""
ORDER_MOVED = "order_moved"
"""Cancellation reason for an order that staff moved to a time without an available window."""


async def get_bookable_order(call: Call, order_id: int, *, reserved: int | None = None) -> OrderFacts:
    """Lock and return an order whose window can be set.

    `reserved` is the id of its current reservation. For staff, a planned order leaves its route, like an order that
    is put on hold.

    Raises `NOT_FOUND` for an order that the caller may not see, `ORDER_NOT_BOOKABLE` for one that is planned, in
    transit or over, and `ORDER_RESERVED` for one with another reservation.
    """
    if call.principal.account in OFFICE:
        await leave_route(call, order_id)
    order = (await get_order_facts(call, [order_id], lock=True)).get(order_id)
    if order is None or (call.principal.account is Account.CUSTOMER and order.customer_id != call.actor):
        raise record_not_found(order_id=order_id)
    if order.status.name not in BOOKABLE_ORDER_STATUSES:
        raise ORDER_NOT_BOOKABLE(status=order.status.name)
    reservation = await store.get_reservation_of_order(call.work, order_id)
    if reservation is not None and reservation.id != reserved:
        raise ORDER_RESERVED()
    return order


async def get_visiting_order(call: Call, order_id: int) -> OrderFacts:
    """Lock and return the order of a visit. It may be in transit.

    Raises `NOT_FOUND` for an order that the caller may not see, and `ORDER_RESERVED` for one with a reservation.
    """
    order = (await get_order_facts(call, [order_id], lock=True)).get(order_id)
    if order is None or (call.principal.account is Account.CUSTOMER and order.customer_id != call.actor):
        raise record_not_found(order_id=order_id)
    if await store.get_reservation_of_order(call.work, order_id) is not None:
        raise ORDER_RESERVED()
    return order


async def promise_order_window(call: Call, order: OrderFacts, window: BookingWindowRow) -> None:
    """Set the delivery window of an order and charge its price."""
    await set_order_charge(call, order.id, WINDOW_CHARGE, window.price_minor)
    await set_order_window(call, [order.id], window.starts_at, window.ends_at, window.day)


async def clear_promised_window(call: Call, order_id: int) -> None:
    """Remove the delivery window of an order and its charge.

    The day stays. A planned order keeps both.
    """
    order = (await get_order_facts(call, [order_id], lock=True)).get(order_id)
    if order is not None and order.status.name in BOOKABLE_ORDER_STATUSES:
        await set_order_charge(call, order_id, WINDOW_CHARGE, None)
        await set_order_window(call, [order_id], None, None, order.scheduled_date)


async def follow_order(call: Call, order_id: int) -> None:
    """Move the reservation of an order to the order's new time.

    The reservation moves to the zone's window at that time if it has capacity. Otherwise it ends and the order is no
    longer charged for a window. Repeated calls change nothing.
    """
    order = (await get_order_facts(call, [order_id], lock=True)).get(order_id)
    row = await store.get_reservation_of_order(call.work, order_id)
    if order is None or row is None or row.confirmed_at is None:
        return
    window = (await BookingWindowRow.lock_many(call.work, [row.window_id]))[row.window_id]
    zone = await BookingZoneRow.get(call.work, window.zone_id)
    if zone is not None and is_visit(zone):  # a visit's time does not depend on its order's delivery
        return
    if (order.window_start, order.window_end) == (window.starts_at, window.ends_at):
        return
    found = await _find_window_of(call, order, window.zone_id)
    if found is not None and await _has_room(call, found.id):
        await ReservationRow.update(call.work, row.id, {"window_id": found.id})
        await set_order_charge(call, order.id, WINDOW_CHARGE, found.price_minor)
        await offer_free_places(call, window.id)
    else:
        await cancel_place(call, row, ORDER_MOVED)
        await set_order_charge(call, order.id, WINDOW_CHARGE, None)
    call.add_audit_subjects("reservation", row.id)


async def _find_window_of(call: Call, order: OrderFacts, zone_id: int) -> BookingWindowRow | None:
    """Return the window of a zone at the order's time, or None."""
    if order.window_start is None:
        return None
    day = call.local_time(order.window_start).date()
    rows, _ = await store.list_booking_windows(call.work, (day, day), [zone_id], limit=MOST_OF_A_DAY, offset=0)
    promised = (order.window_start, order.window_end)
    return next((row for row in rows if (row.starts_at, row.ends_at) == promised), None)


async def _has_room(call: Call, window_id: int) -> bool:
    window = (await BookingWindowRow.lock_many(call.work, [window_id]))[window_id]
    taken = (await store.count_taken_places(call.work, [window_id], call.now)).get(window_id, 0)
    waits = (await waiting.count_waiting(call.work, [window_id])).get(window_id, 0)
    return not window.closed and taken + waits < window.capacity
