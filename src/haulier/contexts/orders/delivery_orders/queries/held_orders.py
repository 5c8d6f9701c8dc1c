"""Orders that a contractor holds, as other contexts ask for them."""

from collections.abc import Collection
from datetime import date

from haulier.contexts.orders.delivery_orders.store import held as store
from haulier.kernel.call import Call


async def list_open_contractor_orders(call: Call, contractor_id: int) -> list[int]:
    """The ids of the orders that a contractor holds and that are not over, oldest first."""
    return await store.list_open_order_ids(call.work, contractor_id)


async def count_contractor_orders(call: Call, contractor_id: int, days: Collection[date]) -> dict[date, int]:
    """How many orders a contractor has of each of some days, those that are over included."""
    return await store.count_orders_of_days(call.work, contractor_id, days)
