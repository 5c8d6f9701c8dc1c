"""Writes of delivery orders for other families: ratings by recipients."""

from haulier.contexts.orders.delivery_orders.actions.corrections import write_order_step
from haulier.contexts.orders.delivery_orders.actions.order_sums import change_orders
from haulier.contexts.orders.delivery_orders.rules.lifecycle import OrderStatus
from haulier.contexts.orders.delivery_orders.rules.ratings import (
    CHANGEABLE_FOR,
    RATING_CLOSED,
    RATING_MAX,
    RATING_NOT_OPEN,
    is_rating_closed,
)
from haulier.contexts.orders.delivery_orders.store import orders as orders_store
from haulier.contexts.orders.events import DeliveryRated
from haulier.kernel.call import Call
from haulier.kernel.operations.errors import record_not_found

RATED = "rated"
"""The name of the step in an order's history. It leads to no other status."""


async def rate_order(call: Call, order_id: int, rating: int, comment: str | None) -> None:
    """Set the recipient's rating of a delivered order.

    The caller checks access. Raises `NOT_FOUND`, `RATING_NOT_OPEN` or `RATING_CLOSED`. The same rating again changes
    nothing.
    """
    rows = await orders_store.list_order_rows(call.work, [order_id], lock=True)
    if not rows:
        raise record_not_found(order_id=order_id)
    (row,) = rows
    if row.status != OrderStatus.DELIVERED:
        raise RATING_NOT_OPEN(status=OrderStatus(row.status).name)
    if is_rating_closed(row.rated_at, call.now):
        raise RATING_CLOSED(days=CHANGEABLE_FOR.days)
    call.add_audit_subjects("order", order_id)
    if (row.rating, row.rating_comment) == (rating, comment):
        return
    rated_at = row.rated_at or call.now
    await change_orders(call, [order_id], rating=rating, rating_comment=comment, rated_at=rated_at)
    if row.rating != rating:
        await write_order_step(call, rows, RATED, f"{rating}/{RATING_MAX}")
    await call.publish(DeliveryRated(order_id=order_id, tracking_number=row.tracking_number, rating=rating))
