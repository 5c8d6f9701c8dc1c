"""Rows of counts to answers."""

from collections.abc import Sequence

from haulier.contexts.warehouse.counts import store
from haulier.contexts.warehouse.counts.contract import StockCount, StockCountAnswer, StockCountLine, StockCountState
from haulier.contexts.warehouse.counts.store import StockCountLineRow, StockCountRow
from haulier.contexts.warehouse.products.queries import get_product_rows
from haulier.contexts.warehouse.warehouses.queries import get_location_rows
from haulier.kernel.call import Call
from haulier.kernel.operations.errors import record_not_found
from haulier.kernel.operations.records import record


async def count_records(call: Call, rows: Sequence[StockCountRow]) -> list[StockCount]:
    """Return counts as callers see them."""
    lines, places = await store.sum_counts(call.work, [row.id for row in rows])
    return [
        record(
            StockCount,
            row,
            locations=places.get(row.id, 0),
            lines=lines[row.id].lines if row.id in lines else 0,
            counted=lines[row.id].counted if row.id in lines else 0,
            differences=None if is_hidden(row) else int(lines[row.id].differences or 0) if row.id in lines else 0,
            created_at=call.local_time(row.created_at),
            decided_at=row.decided_at and call.local_time(row.decided_at),
        )
        for row in rows
    ]


async def load_count(call: Call, count_id: int) -> StockCountAnswer:
    """Return a count as callers see it. Raises `NOT_FOUND`."""
    return StockCountAnswer(count=(await count_records(call, [await find_count(call, count_id)]))[0])


async def find_count(call: Call, count_id: int, *, lock: bool = False) -> StockCountRow:
    """Return a count of this client. Raises `NOT_FOUND`."""
    row = await (StockCountRow.lock if lock else StockCountRow.get)(call.work, count_id)
    if row is None:
        raise record_not_found(count_id=count_id)
    return row


def is_hidden(count: StockCountRow) -> bool:
    """Return True if the quantities in the books are hidden from the counter."""
    return count.blind and count.state == StockCountState.OPEN


async def line_records(call: Call, count: StockCountRow, rows: Sequence[StockCountLineRow]) -> list[StockCountLine]:
    """Return lines of a count as callers see them."""
    products = await get_product_rows(call, {row.product_id for row in rows})
    locations = await get_location_rows(call, {row.location_id for row in rows})
    hidden = is_hidden(count)
    return [
        record(
            StockCountLine,
            row,
            location=locations[row.location_id].code,
            sku=products[row.product_id].sku,
            lot=row.lot or None,
            serial=row.serial or None,
            expected=None if hidden else row.expected,
            difference=None if hidden or row.counted is None else row.counted - row.expected,
        )
        for row in rows
    ]
