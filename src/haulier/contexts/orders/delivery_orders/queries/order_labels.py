"""Reads of delivery orders for other families: shipments and their labels."""

from collections.abc import Sequence

from haulier.contexts.orders.ports import OrderShipment, OrderShipments
from haulier.kernel.call import Call


async def list_shipments_of_orders(call: Call, order_ids: Sequence[int]) -> Sequence[OrderShipment]:
    """Return the shipments of orders, newest first; none without the module."""
    shipments = call.app.find_adapter(OrderShipments)
    return await shipments.list_of_orders(call, order_ids) if shipments else ()


async def has_bought_label(call: Call, order_id: int) -> bool:
    """Return True if a bought label delivers an order."""
    return any(each.live and each.bought for each in await list_shipments_of_orders(call, [order_id]))
