"""Stock is received, moved and corrected, and its movements are listed."""

from typing import Any

from haulier.contexts.warehouse.events import StockAdjusted
from haulier.contexts.warehouse.products.queries import product_filter
from haulier.contexts.warehouse.stock.actions.corrections import post_corrections
from haulier.contexts.warehouse.stock.actions.lines import load_locations, load_products, pieces_of
from haulier.contexts.warehouse.stock.actions.movements import receive_pieces, write_movements
from haulier.contexts.warehouse.stock.actions.reserved import announce_shortages
from haulier.contexts.warehouse.stock.contract import (
    AdjustStock,
    ListStockMovements,
    MovementKind,
    MoveStock,
    ReceiveStock,
    StockMoved,
    StockMovementList,
    StockPieces,
)
from haulier.contexts.warehouse.stock.errors import (
    INSUFFICIENT_STOCK,
    LOCATION_FULL,
    LOCATION_NOT_USABLE,
    LOT_EXPIRY_DIFFERS,
    PIECES_NOT_TOLD_APART,
    SERIAL_IN_STOCK,
    UNKNOWN_SKU,
)
from haulier.contexts.warehouse.stock.rules.movements import NewMovement
from haulier.contexts.warehouse.stock.serializers import moved
from haulier.contexts.warehouse.stock.store import movements as store
from haulier.kernel.call import Call
from haulier.kernel.operations.declaration import GraphQL, Rest, reads, writes
from haulier.kernel.operations.enums import OFFICE, Risk, Scope
from haulier.kernel.operations.errors import INVALID_REQUEST, NOT_FOUND, FieldError
from haulier.kernel.values.pagination import make_cursor, parse_cursor

REFUSALS = (NOT_FOUND, UNKNOWN_SKU, PIECES_NOT_TOLD_APART, LOCATION_NOT_USABLE, LOCATION_FULL)


@writes(
    "receive_stock",
    audience=OFFICE,
    scopes={Scope.WMS_WRITE},
    risk=Risk.MEDIUM,
    doors=(Rest("POST", "/v1/wms/stock/receipts"), GraphQL("receiveStock")),
    errors=(*REFUSALS, SERIAL_IN_STOCK, LOT_EXPIRY_DIFFERS),
)
async def receive_stock(call: Call, request: ReceiveStock) -> StockMoved:
    """Receive goods, up to 200 lines at a time: all of them, or none."""
    kind = MovementKind.RETURN if request.returned else MovementKind.RECEIVE
    return await moved(call, await receive_pieces(call, request.lines, kind=kind, reference=request.reference))


@writes(
    "move_stock",
    audience=OFFICE,
    scopes={Scope.WMS_WRITE},
    risk=Risk.MEDIUM,
    doors=(Rest("POST", "/v1/wms/stock/moves"), GraphQL("moveStock")),
    errors=(*REFUSALS, INSUFFICIENT_STOCK),
)
async def move_stock(call: Call, request: MoveStock) -> StockMoved:
    """Move goods from location to location, up to 200 lines at a time: all of them, or none."""
    filled = {line.to_location_id for line in request.lines}
    locations = await load_locations(call, filled | {line.from_location_id for line in request.lines}, filled=filled)
    products = await load_products(call, request.lines)
    movements = [
        NewMovement(
            kind=MovementKind.MOVE,
            product_id=products[line.sku].id,
            from_location_id=line.from_location_id,
            to_location_id=line.to_location_id,
            reference=request.reference,
            occurred_at=call.now,
            **pieces_of(line),
        )
        for line in request.lines
        if line.from_location_id != line.to_location_id
    ]
    return await moved(call, await write_movements(call, movements, locations))


@writes(
    "adjust_stock",
    audience=OFFICE,
    scopes={Scope.WMS_WRITE},
    risk=Risk.HIGH,
    doors=(Rest("POST", "/v1/wms/stock/adjustments"), GraphQL("adjustStock")),
    errors=(*REFUSALS, SERIAL_IN_STOCK, INSUFFICIENT_STOCK),
)
async def adjust_stock(call: Call, request: AdjustStock) -> StockMoved:
    """Correct the quantity at a location, with a reason.

    Reservations whose stock is gone are released, newest first: `released` lists them, and each becomes a stock shortage.
    """
    if request.change == 0:
        raise INVALID_REQUEST.for_fields(FieldError("change", "field.changes_nothing"))
    pieces = StockPieces.model_validate(
        {**request.model_dump(include=set(StockPieces.model_fields)), "quantity": abs(request.change)}
    )
    more = request.change > 0
    locations = await load_locations(call, {request.location_id}, filled={request.location_id} if more else ())
    products = await load_products(call, [pieces], path="")
    movement = NewMovement(
        kind=MovementKind.ADJUST,
        product_id=products[request.sku].id,
        from_location_id=None if more else request.location_id,
        to_location_id=request.location_id if more else None,
        reason=request.reason,
        note=request.note,
        occurred_at=call.now,
        **pieces_of(pieces),
    )
    source = f"{MovementKind.ADJUST}:{request.reason}"
    rows, released = await post_corrections(call, [movement], locations, source=source)
    product = products[request.sku]
    if not more:
        await announce_shortages(call, [(product, pieces.quantity)])
    await call.publish(
        StockAdjusted(
            product_id=product.id,
            sku=product.sku,
            warehouse_id=locations[request.location_id].warehouse_id,
            change=request.change,
            reason=request.reason,
        )
    )
    return StockMoved(movements=(await moved(call, rows)).movements, released=released)


@reads(
    "list_stock_movements",
    audience=OFFICE,
    scopes={Scope.WMS_READ},
    doors=(Rest("GET", "/v1/wms/stock/movements"), GraphQL("stockMovements")),
)
async def list_stock_movements(call: Call, request: ListStockMovements) -> StockMovementList:
    """List what came, left and moved, the newest first."""
    product = await product_filter(call, request.sku)
    if product is None:
        return StockMovementList(movements=[], next_cursor=None)
    wanted: dict[str, Any] = product if request.reference is None else {**product, "reference": request.reference}
    before = parse_cursor(request.cursor, tuple[int])[0] if request.cursor else None
    rows = await store.list_movement_rows(
        call.work, wanted, warehouse_id=request.warehouse_id, before=before, limit=request.per_page + 1
    )
    page = rows[: request.per_page]
    next_cursor = make_cursor(page[-1].id) if len(rows) > request.per_page else None
    return StockMovementList(movements=(await moved(call, page)).movements, next_cursor=next_cursor)
