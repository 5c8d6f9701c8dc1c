"""Shortages as other contexts read them."""

from haulier.contexts.warehouse.shortages import store
from haulier.kernel.call import Call

OPEN_SHORTAGES_MOST = 1_000


async def count_stock_shortages(call: Call) -> int:
    """Count open shortages, up to `OPEN_SHORTAGES_MOST`."""
    return await store.count_open_shortages(call.work, OPEN_SHORTAGES_MOST)
