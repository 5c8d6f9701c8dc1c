"""Stock is received, moved and corrected, and its movements are listed."""

from collections.abc import Sequence
from typing import Any

from haulier.contexts.warehouse.products.queries import find_products_by_sku, get_product_rows
from haulier.contexts.warehouse.stock.actions import load_locations, load_products, write_movements
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
    PIECES_NOT_TOLD_APART,
    SERIAL_IN_STOCK,
    UNKNOWN_SKU,
)
from haulier.contexts.warehouse.stock.rules.movements import NewMovement
from haulier.contexts.warehouse.stock.serializers import movement_record
from haulier.contexts.warehouse.stock.store import movements as store
from haulier.contexts.warehouse.stock.store.tables import MovementRow
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
    errors=(*REFUSALS, SERIAL_IN_STOCK),
)
async def receive_stock(call: Call, request: ReceiveStock) -> StockMoved:
    """Receive goods, up to 200 lines at a time: all of them, or none."""
    filled = {line.location_id for line in request.lines}
    locations = await load_locations(call, filled, filled=filled)
    products = await load_products(call, request.lines)
    _require_days(request, {sku for sku, product in products.items() if product.expires})
    movements = [
        NewMovement(
            kind=MovementKind.RETURN if request.returned else MovementKind.RECEIVE,
            product_id=products[line.sku].id,
            from_location_id=None,
            to_location_id=line.location_id,
            expires_on=line.expires_on,
            reference=request.reference,
            occurred_at=call.now,
            **_pieces(line),
        )
        for line in request.lines
    ]
    return await _answer(call, await write_movements(call, movements, locations))


def _require_days(request: ReceiveStock, expiring: set[str]) -> None:
    missing = [at for at, line in enumerate(request.lines) if line.sku in expiring and line.expires_on is None]
    if missing:
        raise INVALID_REQUEST.for_fields(*(FieldError(f"lines.{at}.expires_on", "field.missing") for at in missing))


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
            **_pieces(line),
        )
        for line in request.lines
        if line.from_location_id != line.to_location_id
    ]
    return await _answer(call, await write_movements(call, movements, locations))


@writes(
    "adjust_stock",
    audience=OFFICE,
    scopes={Scope.WMS_WRITE},
    risk=Risk.HIGH,
    doors=(Rest("POST", "/v1/wms/stock/adjustments"), GraphQL("adjustStock")),
    errors=(*REFUSALS, SERIAL_IN_STOCK, INSUFFICIENT_STOCK),
)
async def adjust_stock(call: Call, request: AdjustStock) -> StockMoved:
    """Correct what the books say of a location, with a reason."""
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
        **_pieces(pieces),
    )
    return await _answer(call, await write_movements(call, [movement], locations))


@reads(
    "list_stock_movements",
    audience=OFFICE,
    scopes={Scope.WMS_READ},
    doors=(Rest("GET", "/v1/wms/stock/movements"), GraphQL("stockMovements")),
)
async def list_stock_movements(call: Call, request: ListStockMovements) -> StockMovementList:
    """List what came, left and moved, the newest first."""
    wanted: dict[str, Any] = {} if request.reference is None else {"reference": request.reference}
    if request.sku is not None:
        found = await find_products_by_sku(call, [request.sku])
        if not found:
            return StockMovementList(movements=[], next_cursor=None)
        wanted["product_id"] = found[request.sku].id
    before = parse_cursor(request.cursor, tuple[int])[0] if request.cursor else None
    rows = await store.list_movement_rows(
        call.work, wanted, warehouse_id=request.warehouse_id, before=before, limit=request.per_page + 1
    )
    page = rows[: request.per_page]
    next_cursor = make_cursor(page[-1].id) if len(rows) > request.per_page else None
    return StockMovementList(movements=(await _answer(call, page)).movements, next_cursor=next_cursor)


def _pieces(line: StockPieces) -> dict[str, Any]:
    return {
        "quantity": line.quantity,
        "lot": line.lot or "",
        "serial": line.serial or "",
        "condition": line.condition,
    }


async def _answer(call: Call, rows: Sequence[MovementRow]) -> StockMoved:
    products = await get_product_rows(call, {row.product_id for row in rows})
    return StockMoved(movements=[movement_record(call, row, products) for row in rows])
