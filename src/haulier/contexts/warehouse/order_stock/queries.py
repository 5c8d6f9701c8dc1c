"""Stock of orders as other contexts read it."""

from haulier.contexts.warehouse.order_stock import store
from haulier.kernel.call import Call


async def has_picked_stock(call: Call, reference: str) -> bool:
    """Return True if stock was picked, packed or shipped for a reference."""
    return await store.is_picked(call.work, reference)
