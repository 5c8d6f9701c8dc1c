"""Shortages as other contexts read them."""

from collections.abc import Collection

from haulier.contexts.orders.public import OpenShortage
from haulier.contexts.warehouse.products.queries import get_product_rows
from haulier.contexts.warehouse.shortages import store
from haulier.kernel.call import Call
from haulier.kernel.operations.records import record

OPEN_SHORTAGES_MOST = 1_000


async def count_stock_shortages(call: Call) -> int:
    """Count open shortages, up to `OPEN_SHORTAGES_MOST`."""
    return await store.count_open_shortages(call.work, OPEN_SHORTAGES_MOST)


async def list_open_shortages(call: Call, order_ids: Collection[int]) -> list[OpenShortage]:
    """Return the open shortages of orders, oldest first. At most two statements."""
    rows = await store.list_open_shortages(call.work, order_ids)
    products = await get_product_rows(call, {row.product_id for row in rows}) if rows else {}
    return [record(OpenShortage, row, sku=products[row.product_id].sku) for row in rows]
