"""The delivery window of an order is set and removed with its reservation."""

from haulier.contexts.booking.reservations import store
from haulier.contexts.booking.reservations.rules import BOOKABLE_ORDER_STATUSES, ORDER_NOT_BOOKABLE, ORDER_RESERVED
from haulier.contexts.booking.reservations.store import BookingWindowRow
from haulier.contexts.orders.public import OrderFacts, get_order_facts, set_order_window
from haulier.kernel.call import Call
from haulier.kernel.operations.enums import Account
from haulier.kernel.operations.errors import record_not_found


async def get_bookable_order(call: Call, order_id: int, *, reserved: int | None = None) -> OrderFacts:
    """An order that a window can be set for, locked. `reserved` is the id of the reservation that it may have.

    Raises `NOT_FOUND` for an order that the caller may not see, `ORDER_NOT_BOOKABLE` for one that is planned, under way or
    over, and `ORDER_RESERVED` for one that has another reservation.
    """
    order = (await get_order_facts(call, [order_id], lock=True)).get(order_id)
    if order is None or (call.principal.account is Account.CUSTOMER and order.customer_id != call.actor):
        raise record_not_found(order_id=order_id)
    if order.status.name not in BOOKABLE_ORDER_STATUSES:
        raise ORDER_NOT_BOOKABLE(status=order.status.name)
    reservation = await store.get_reservation_of_order(call.work, order_id)
    if reservation is not None and reservation.id != reserved:
        raise ORDER_RESERVED()
    return order


async def promise_order_window(call: Call, order: OrderFacts, window: BookingWindowRow) -> None:
    """Set the delivery window of an order."""
    await set_order_window(call, [order.id], window.starts_at, window.ends_at, window.day)


async def clear_promised_window(call: Call, order_id: int) -> None:
    """Remove the delivery window of an order; its day stays. A planned order keeps its window."""
    order = (await get_order_facts(call, [order_id], lock=True)).get(order_id)
    if order is not None and order.status.name in BOOKABLE_ORDER_STATUSES:
        await set_order_window(call, [order_id], None, None, order.scheduled_date)
