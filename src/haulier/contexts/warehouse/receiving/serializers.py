"""Rows of receiving to answers."""

from collections import defaultdict
from collections.abc import Sequence

from haulier.contexts.warehouse.products.queries import get_product_rows
from haulier.contexts.warehouse.receiving import store
from haulier.contexts.warehouse.receiving.contract import StockAdvice, StockAdviceLine
from haulier.contexts.warehouse.receiving.rules import advice_state
from haulier.contexts.warehouse.receiving.store import StockAdviceRow
from haulier.kernel.call import Call
from haulier.kernel.operations.records import record


async def advice_records(call: Call, rows: Sequence[StockAdviceRow]) -> list[StockAdvice]:
    """Return inbound shipments as callers see them."""
    ids = [row.id for row in rows]
    lines = await store.list_advice_line_rows(call.work, ids)
    products = await get_product_rows(call, {line.product_id for line in lines})
    photos: defaultdict[int, list[int]] = defaultdict(list)
    for photo in await store.list_photo_rows(call.work, ids):
        photos[photo.advice_id].append(photo.file_id)
    shown: defaultdict[int, list[StockAdviceLine]] = defaultdict(list)
    for line in lines:
        shown[line.advice_id].append(
            record(
                StockAdviceLine,
                line,
                sku=products[line.product_id].sku,
                missing=max(0, line.expected - line.received),
                over=max(0, line.received - line.expected),
            )
        )
    return [
        record(
            StockAdvice,
            row,
            state=advice_state(
                ((line.expected, line.received) for line in shown[row.id]), closed=row.closed_at is not None
            ),
            created_at=call.local_time(row.created_at),
            closed_at=row.closed_at and call.local_time(row.closed_at),
            lines=shown[row.id],
            photo_file_ids=photos[row.id],
        )
        for row in rows
    ]
