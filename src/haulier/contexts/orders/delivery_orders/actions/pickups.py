"""Writes of delivery orders for other families: customer pickups."""

from collections.abc import Collection
from typing import Any

from haulier.contexts.orders.delivery_orders.store import orders as orders_store
from haulier.kernel.call import Call

NOT_READY = {"pickup_ready_at": None, "pickup_until": None}
"""Columns of an order that the customer cannot collect yet."""


async def update_pickups(call: Call, order_ids: Collection[int], **values: Any) -> None:
    """Set columns of locked orders that customers collect."""
    if order_ids:
        await orders_store.update_orders(call.work, order_ids, **values, updated_at=call.now)
        call.add_audit_subjects("order", *order_ids)
