"""Shortage rows as responses."""

from collections.abc import Sequence

from haulier.contexts.warehouse.products.queries import get_product_rows
from haulier.contexts.warehouse.shortages.contract import StockShortage
from haulier.contexts.warehouse.shortages.store import StockShortageRow
from haulier.kernel.call import Call
from haulier.kernel.operations.records import record


async def shortage_records(call: Call, rows: Sequence[StockShortageRow]) -> list[StockShortage]:
    """Return shortages as callers see them."""
    products = await get_product_rows(call, {row.product_id for row in rows})
    return [
        record(
            StockShortage,
            row,
            sku=products[row.product_id].sku,
            created_at=call.local_time(row.created_at),
            resolved_at=row.resolved_at and call.local_time(row.resolved_at),
        )
        for row in rows
    ]
