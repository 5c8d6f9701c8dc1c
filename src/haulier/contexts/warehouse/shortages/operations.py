"""Operations on shortages."""

from typing import Any

from haulier.contexts.identity.public import require_office_user
from haulier.contexts.orders.public import lock_order_goods
from haulier.contexts.warehouse.shortages import store
from haulier.contexts.warehouse.shortages.actions import mark_order
from haulier.contexts.warehouse.shortages.contract import (
    ListStockShortages,
    StockShortageAnswer,
    StockShortageList,
    UpdateStockShortage,
)
from haulier.contexts.warehouse.shortages.serializers import shortage_records
from haulier.contexts.warehouse.shortages.store import StockShortageRow
from haulier.kernel.call import Call
from haulier.kernel.operations.declaration import GraphQL, Rest, reads, writes
from haulier.kernel.operations.enums import OFFICE, Risk, Scope
from haulier.kernel.operations.errors import NOT_FOUND, record_not_found

SHORTAGES_PATH = "/v1/wms/shortages"


@reads(
    "list_stock_shortages",
    audience=OFFICE,
    scopes={Scope.WMS_READ},
    interfaces=(Rest("GET", SHORTAGES_PATH), GraphQL("stockShortages")),
)
async def list_stock_shortages(call: Call, request: ListStockShortages) -> StockShortageList:
    """List stock shortages.

    A shortage is a reservation that was released because a count or an adjustment found less stock.
    """
    wanted = request.model_dump(include={"warehouse_id", "reference", "owner_id"}, exclude_none=True)
    rows, total = await store.list_shortage_rows(
        call.work, wanted, resolved=request.resolved, limit=request.per_page, offset=request.offset
    )
    shown = await shortage_records(call, rows)
    return StockShortageList(total=total, page=request.page, per_page=request.per_page, shortages=shown)


@writes(
    "update_stock_shortage",
    audience=OFFICE,
    scopes={Scope.WMS_WRITE},
    risk=Risk.LOW,
    interfaces=(Rest("PUT", f"{SHORTAGES_PATH}/{{shortage_id}}"), GraphQL("updateStockShortage")),
    errors=(NOT_FOUND,),
)
async def update_stock_shortage(call: Call, request: UpdateStockShortage) -> StockShortageAnswer:
    """Assign or resolve a stock shortage.

    Its order stops being an exception once no shortage of it is open. Shortages also close when the units are
    backordered, removed from the order or reserved again.
    """
    seen = await StockShortageRow.get(call.work, request.shortage_id)
    if seen is not None and seen.order_id is not None:
        await lock_order_goods(call, seen.order_id)
    row = await StockShortageRow.lock(call.work, request.shortage_id)
    if row is None:
        raise record_not_found(shortage_id=request.shortage_id)
    values: dict[str, Any] = request.model_dump(include={"owner_id", "note"}, exclude_none=True)
    if request.owner_id is not None:
        await require_office_user(call, owner_id=request.owner_id)
    if request.resolved is not None and request.resolved != (row.resolved_at is not None):
        values |= {
            "resolved_at": call.now if request.resolved else None,
            "resolved_by": call.actor if request.resolved else None,
        }
    if values:
        await StockShortageRow.update(call.work, row.id, values)
    if "resolved_at" in values and row.order_id is not None:
        await mark_order(call, row.order_id)
    call.add_audit_subjects("stock_shortage", row.id)
    changed = await StockShortageRow.get(call.work, row.id)
    assert changed is not None  # it is locked
    return StockShortageAnswer(shortage=(await shortage_records(call, [changed]))[0])
