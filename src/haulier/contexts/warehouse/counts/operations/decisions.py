"""Differences of counts are posted, or not."""

from haulier.contexts.warehouse.counts.contract import (
    COUNT_LINES_MAX,
    StockCountAnswer,
    StockCountPosted,
    StockCountRef,
    StockCountState,
)
from haulier.contexts.warehouse.counts.errors import STOCK_COUNT_STATE
from haulier.contexts.warehouse.counts.serializers import find_count, load_count
from haulier.contexts.warehouse.counts.store import counts as store
from haulier.contexts.warehouse.counts.store.scanned import refresh_expected
from haulier.contexts.warehouse.counts.store.tables import StockCountLineRow
from haulier.contexts.warehouse.events import StockCountApproved
from haulier.contexts.warehouse.products.queries import get_product_rows
from haulier.contexts.warehouse.stock.actions.corrections import post_corrections
from haulier.contexts.warehouse.stock.actions.lines import load_locations
from haulier.contexts.warehouse.stock.actions.reserved import announce_shortages
from haulier.contexts.warehouse.stock.contract import MovementKind
from haulier.contexts.warehouse.stock.errors import SERIAL_IN_STOCK
from haulier.contexts.warehouse.stock.rules.movements import NewMovement
from haulier.contexts.warehouse.stock.serializers import moved
from haulier.kernel.call import Call
from haulier.kernel.operations.declaration import GraphQL, Rest, writes
from haulier.kernel.operations.enums import OFFICE, Account, Risk, Scope
from haulier.kernel.operations.errors import NOT_FOUND

COUNT_PATH = "/v1/wms/counts/{count_id}"
DIFFERENCES_MAX = 10 * COUNT_LINES_MAX


@writes(
    "approve_stock_count",
    allowed_where={"state": StockCountState.COUNTED.value},
    audience={Account.CLIENT_ADMIN},
    scopes={Scope.WMS_WRITE},
    risk=Risk.HIGH,
    doors=(Rest("POST", f"{COUNT_PATH}/approve"), GraphQL("approveStockCount")),
    errors=(NOT_FOUND, STOCK_COUNT_STATE, SERIAL_IN_STOCK),
)
async def approve_stock_count(call: Call, request: StockCountRef) -> StockCountPosted:
    """Post the differences of a count in one transaction. Requires an admin account.

    Reservations whose stock is gone are released, newest first: `released` lists them, and each becomes a stock shortage.
    """
    count = await find_count(call, request.count_id, lock=True)
    if count.state != StockCountState.COUNTED:
        raise STOCK_COUNT_STATE(state=count.state)
    await refresh_expected(call.work, [count.id])
    lines = await store.list_line_rows(call.work, count.id, limit=DIFFERENCES_MAX, differences=True)
    movements = [_difference(call, line) for line in lines]
    locations = await load_locations(call, {line.location_id for line in lines})
    rows, released = await post_corrections(call, movements, locations, source=f"COUNT-{count.id}", counted=True)
    products = await get_product_rows(call, {line.product_id for line in lines})
    lost = [(products[line.product_id], -_change(line)) for line in lines if _change(line) < 0]
    await announce_shortages(call, lost)
    await store.decide_count(call.work, count.id, StockCountState.APPROVED, call.now, call.actor)
    call.add_audit_subjects("stock_count", count.id)
    await call.publish(
        StockCountApproved(count_id=count.id, warehouse_id=count.warehouse_id, differences=len(movements))
    )
    answer = await load_count(call, count.id)
    return StockCountPosted(count=answer.count, movements=(await moved(call, rows)).movements, released=released)


@writes(
    "reject_stock_count",
    allowed_where={"state": frozenset({StockCountState.OPEN, StockCountState.COUNTED})},
    audience=OFFICE,
    scopes={Scope.WMS_WRITE},
    risk=Risk.MEDIUM,
    doors=(Rest("POST", f"{COUNT_PATH}/reject"), GraphQL("rejectStockCount")),
    errors=(NOT_FOUND, STOCK_COUNT_STATE),
)
async def reject_stock_count(call: Call, request: StockCountRef) -> StockCountAnswer:
    """End a count without posting anything; also one that nobody counted to its end."""
    count = await find_count(call, request.count_id, lock=True)
    if count.state not in {StockCountState.OPEN, StockCountState.COUNTED}:
        raise STOCK_COUNT_STATE(state=count.state)
    await store.decide_count(call.work, count.id, StockCountState.REJECTED, call.now, call.actor)
    call.add_audit_subjects("stock_count", count.id)
    return await load_count(call, count.id)


def _change(line: StockCountLineRow) -> int:
    return (line.counted or 0) - line.expected


def _difference(call: Call, line: StockCountLineRow) -> NewMovement:
    change = _change(line)
    return NewMovement(
        kind=MovementKind.COUNT,
        product_id=line.product_id,
        quantity=abs(change),
        from_location_id=line.location_id if change < 0 else None,
        to_location_id=line.location_id if change > 0 else None,
        lot=line.lot,
        serial=line.serial,
        condition=line.condition,
        expires_on=line.expires_on,
        reference=f"COUNT-{line.count_id}",
        occurred_at=call.now,
        key=f"count-line:{line.id}",
    )
