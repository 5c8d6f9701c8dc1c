"""Orders of a period, for those who look at what was ordered in the past."""

from datetime import datetime

from haulier.contexts.orders.delivery_orders.store import periods as store
from haulier.kernel.call import Call


async def list_order_ids_of_period(call: Call, begins: datetime, ends: datetime, *, most: int) -> list[int]:
    """The ids of the client's orders that were made from one moment until before another, the newest first, at most so many."""
    return await store.list_ids_of_period(call.work, begins, ends, most)
