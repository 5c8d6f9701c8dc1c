"""Operations on stock."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

from haulier.contexts.custom_fields.public import ResourceKind, read_custom_field_filters
from haulier.contexts.warehouse.events import StockAdjusted
from haulier.contexts.warehouse.products.queries import (
    ProductRow,
    find_product_by_barcode,
    find_products_by_sku,
    get_product_rows,
    list_product_page,
    product_filter,
)
from haulier.contexts.warehouse.stock.actions import (
    choose_levels,
    free_reserved,
    load_known_products,
    load_locations,
    load_products,
    pieces_of,
    post_corrections,
    publish_shortages,
    receive_pieces,
    write_movements,
)
from haulier.contexts.warehouse.stock.contract import (
    AdjustStock,
    CorrectStockLot,
    GetInventory,
    InventoryList,
    ListStockLevels,
    ListStockMovements,
    MovementKind,
    MoveStock,
    ReceiveStock,
    ReserveStock,
    StockLevelList,
    StockLot,
    StockLotAnswer,
    StockMoved,
    StockMovementList,
    StockPieces,
    StockReservationAnswer,
    StockReservationRef,
)
from haulier.contexts.warehouse.stock.errors import (
    INSUFFICIENT_STOCK,
    LOCATION_FULL,
    LOCATION_NOT_USABLE,
    LOT_EXPIRY_DIFFERS,
    PIECES_NOT_TOLD_APART,
    SERIAL_IN_STOCK,
    STOCK_RESERVED_ALREADY,
    UNKNOWN_SKU,
)
from haulier.contexts.warehouse.stock.rules import NewMovement
from haulier.contexts.warehouse.stock.serializers import inventory_records, level_record, moved, reserved_record
from haulier.contexts.warehouse.stock.store import levels as levels_store
from haulier.contexts.warehouse.stock.store import reservations as reservations_store
from haulier.contexts.warehouse.stock.store.tables import LevelRow, StockReservationRow
from haulier.contexts.warehouse.warehouses.queries import get_warehouse
from haulier.kernel.call import Call
from haulier.kernel.operations.declaration import GraphQL, Mcp, Rest, reads, writes
from haulier.kernel.operations.enums import OFFICE, Account, Risk, Scope
from haulier.kernel.operations.errors import INVALID_REQUEST, NOT_FOUND, FieldError, record_not_found
from haulier.kernel.values.pagination import make_cursor, parse_cursor


@reads(
    "get_inventory",
    audience=OFFICE,
    scopes={Scope.WMS_READ},
    interfaces=(
        Rest("POST", "/v1/wms/inventory"),
        GraphQL("wmsInventory"),
        Mcp("get_inventory", title="Get the inventory"),
    ),
)
async def get_inventory(call: Call, request: GetInventory) -> InventoryList:
    """Get stock quantities by product.

    Returns on hand, reserved and available items, in total and by warehouse.
    """
    products, next_cursor = await _wanted_products(call, request)
    sums = await levels_store.sum_levels(
        call.work, [product.id for product in products], request.warehouse_id, call.today
    )
    return InventoryList(inventory=await inventory_records(call, products, sums), next_cursor=next_cursor)


async def _wanted_products(call: Call, request: GetInventory) -> tuple[list[ProductRow], str | None]:
    if request.barcode is not None:
        found = await find_product_by_barcode(call, request.barcode)
        return ([found] if found else []), None
    if request.skus is not None:
        by_sku = await find_products_by_sku(call, request.skus)
        return [by_sku[sku] for sku in sorted(by_sku)], None
    if request.short:
        return await _short_products(call, request)
    rows, next_cursor = await list_product_page(
        call,
        text=None,
        cursor=request.cursor,
        archived=True,
        per_page=request.per_page,
        custom_fields=request.custom_fields,
    )
    return list(rows), next_cursor


async def _short_products(call: Call, request: GetInventory) -> tuple[list[ProductRow], str | None]:
    skus = await levels_store.list_short_skus(
        call.work,
        warehouse_id=request.warehouse_id,
        by_fields=await read_custom_field_filters(call, ResourceKind.PRODUCT, request.custom_fields),
        today=call.today,
        after=parse_cursor(request.cursor, tuple[str])[0] if request.cursor else "",
        limit=request.per_page + 1,
    )
    page = skus[: request.per_page]
    by_sku = await find_products_by_sku(call, page)
    return [by_sku[sku] for sku in page], make_cursor(page[-1]) if len(skus) > request.per_page else None


@reads(
    "list_stock_levels",
    audience=OFFICE,
    scopes={Scope.WMS_READ},
    interfaces=(Rest("GET", "/v1/wms/stock/levels"), GraphQL("stockLevels")),
)
async def list_stock_levels(call: Call, request: ListStockLevels) -> StockLevelList:
    """List stock levels by location and lot."""
    names = {"warehouse_id", "location_id"}
    product = await product_filter(call, request.sku)
    if product is None:
        return StockLevelList(levels=[], next_cursor=None)
    wanted = request.model_dump(include=names, exclude_none=True) | product
    after = parse_cursor(request.cursor, tuple[int])[0] if request.cursor else 0
    rows = await levels_store.list_level_rows(
        call.work,
        wanted,
        expires_before=request.expires_before,
        location_kind=request.location_kind,
        today=call.today,
        after=after,
        limit=request.per_page + 1,
    )
    page = rows[: request.per_page]
    products = await get_product_rows(call, {row.product_id for row in page})
    return StockLevelList(
        levels=[level_record(row, products) for row in page],
        next_cursor=make_cursor(page[-1].id) if len(rows) > request.per_page else None,
    )


@writes(
    "correct_stock_lot",
    audience={Account.CLIENT_ADMIN},
    scopes={Scope.WMS_WRITE},
    risk=Risk.HIGH,
    interfaces=(Rest("PUT", "/v1/wms/products/{product_id}/lots/{lot}"), GraphQL("correctStockLot")),
    errors=(NOT_FOUND,),
)
async def correct_stock_lot(call: Call, request: CorrectStockLot) -> StockLotAnswer:
    """Correct the expiry day of a lot.

    Applies wherever its items are. Requires an admin account. The audit entry stores the new day and the reason.
    """
    products = await get_product_rows(call, {request.product_id})
    if request.product_id not in products:
        raise record_not_found(product_id=request.product_id)
    key = (request.product_id, request.lot)
    recorded = await reservations_store.lock_lots(call.work, [key])
    if key not in recorded:
        raise record_not_found(lot=request.lot)
    await reservations_store.set_lot_days(call.work, {key: request.expires_on})
    call.add_audit_subjects("product", request.product_id)
    lot = StockLot(
        product_id=request.product_id,
        sku=products[request.product_id].sku,
        lot=request.lot,
        expires_on=request.expires_on,
    )
    return StockLotAnswer(lot=lot, previous=recorded[key])


REFUSALS = (NOT_FOUND, UNKNOWN_SKU, PIECES_NOT_TOLD_APART, LOCATION_NOT_USABLE, LOCATION_FULL)


@writes(
    "receive_stock",
    audience=OFFICE,
    scopes={Scope.WMS_WRITE},
    risk=Risk.MEDIUM,
    interfaces=(Rest("POST", "/v1/wms/stock/receipts"), GraphQL("receiveStock")),
    errors=(*REFUSALS, SERIAL_IN_STOCK, LOT_EXPIRY_DIFFERS),
)
async def receive_stock(call: Call, request: ReceiveStock) -> StockMoved:
    """Receive goods.

    Up to 200 lines per call. All lines are recorded, or none.
    """
    kind = MovementKind.RETURN if request.returned else MovementKind.RECEIVE
    return await moved(call, await receive_pieces(call, request.lines, kind=kind, reference=request.reference))


@writes(
    "move_stock",
    audience=OFFICE,
    scopes={Scope.WMS_WRITE},
    risk=Risk.MEDIUM,
    interfaces=(Rest("POST", "/v1/wms/stock/moves"), GraphQL("moveStock")),
    errors=(*REFUSALS, INSUFFICIENT_STOCK),
)
async def move_stock(call: Call, request: MoveStock) -> StockMoved:
    """Move goods between locations.

    Up to 200 lines per call. All lines are recorded, or none.
    """
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
    interfaces=(Rest("POST", "/v1/wms/stock/adjustments"), GraphQL("adjustStock")),
    errors=(*REFUSALS, SERIAL_IN_STOCK, INSUFFICIENT_STOCK),
)
async def adjust_stock(call: Call, request: AdjustStock) -> StockMoved:
    """Correct the quantity at a location.

    A reason is required. Reservations whose stock is gone are released, newest first: `released` lists them, and each
    becomes a stock shortage.
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
        await publish_shortages(call, [(product, pieces.quantity)])
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
    interfaces=(Rest("GET", "/v1/wms/stock/movements"), GraphQL("stockMovements")),
)
async def list_stock_movements(call: Call, request: ListStockMovements) -> StockMovementList:
    """List stock movements, newest first."""
    product = await product_filter(call, request.sku)
    if product is None:
        return StockMovementList(movements=[], next_cursor=None)
    wanted: dict[str, Any] = product if request.reference is None else {**product, "reference": request.reference}
    before = parse_cursor(request.cursor, tuple[int])[0] if request.cursor else None
    rows = await reservations_store.list_movement_rows(
        call.work, wanted, warehouse_id=request.warehouse_id, before=before, limit=request.per_page + 1
    )
    page = rows[: request.per_page]
    next_cursor = make_cursor(page[-1].id) if len(rows) > request.per_page else None
    return StockMovementList(movements=(await moved(call, page)).movements, next_cursor=next_cursor)


PATH = "/v1/wms/warehouses/{warehouse_id}/reservations/{reference}"


@writes(
    "reserve_stock",
    audience=OFFICE,
    scopes={Scope.WMS_WRITE},
    risk=Risk.MEDIUM,
    interfaces=(Rest("POST", "/v1/wms/warehouses/{warehouse_id}/reservations"), GraphQL("reserveStock")),
    errors=(NOT_FOUND, UNKNOWN_SKU, INSUFFICIENT_STOCK, STOCK_RESERVED_ALREADY),
)
async def reserve_stock(call: Call, request: ReserveStock) -> StockReservationAnswer:
    """Reserve stock.

    All lines are reserved, or none. Stock that expires first is reserved first, then in walking order.
    """
    warehouse = await get_warehouse(call, request.warehouse_id)
    if await reservations_store.list_reservation_rows(call.work, warehouse.id, request.reference):
        raise STOCK_RESERVED_ALREADY(reference=request.reference)
    products = await load_known_products(call, [line.sku for line in request.lines])
    wanted: Counter[str] = Counter()
    for line in request.lines:
        wanted[line.sku] += line.quantity
    skus = {product.id: sku for sku, product in products.items()}
    by_product, missing = await choose_levels(call, warehouse.id, {id: wanted[sku] for id, sku in skus.items()})
    for id, short in missing.items():
        raise INSUFFICIENT_STOCK(location=skus[id], count=wanted[skus[id]] - short)
    chosen = {level: pieces for levels in by_product.values() for level, pieces in levels.items()}
    await levels_store.change_reserved(call.work, chosen)
    await publish_shortages(call, [(products[sku], pieces) for sku, pieces in wanted.items()])
    rows = [
        {
            "warehouse_id": warehouse.id,
            "reference": request.reference,
            "level_id": level_id,
            "quantity": quantity,
            "created_at": call.now,
        }
        for level_id, quantity in sorted(chosen.items())
    ]
    await StockReservationRow.insert_many(call.work, rows)
    call.add_audit_subjects("warehouse", warehouse.id)
    return await _load(call, warehouse.id, request.reference)


@reads(
    "get_stock_reservation",
    audience=OFFICE,
    scopes={Scope.WMS_READ},
    interfaces=(Rest("GET", PATH), GraphQL("stockReservation")),
    errors=(NOT_FOUND,),
)
async def get_stock_reservation(call: Call, request: StockReservationRef) -> StockReservationAnswer:
    """Get a stock reservation."""
    return await _load(call, request.warehouse_id, request.reference)


@writes(
    "release_stock_reservation",
    audience=OFFICE,
    scopes={Scope.WMS_WRITE},
    risk=Risk.MEDIUM,
    interfaces=(Rest("DELETE", PATH), GraphQL("releaseStockReservation")),
    errors=(NOT_FOUND,),
)
async def release_stock_reservation(call: Call, request: StockReservationRef) -> StockReservationAnswer:
    """Release a stock reservation.

    Returns the stock that was reserved.
    """
    rows = await reservations_store.lock_whole_reservation(call.work, request.warehouse_id, request.reference)
    answer = await _show(call, request.warehouse_id, request.reference, rows)
    await free_reserved(call, rows, {row.id: row.quantity for row in rows})
    call.add_audit_subjects("warehouse", request.warehouse_id)
    return answer


async def _load(call: Call, warehouse_id: int, reference: str) -> StockReservationAnswer:
    return await _show(
        call,
        warehouse_id,
        reference,
        await reservations_store.list_reservation_rows(call.work, warehouse_id, reference),
    )


async def _show(
    call: Call, warehouse_id: int, reference: str, rows: Sequence[StockReservationRow]
) -> StockReservationAnswer:
    if not rows:
        raise record_not_found(reference=reference)
    levels = await LevelRow.get_many(call.work, [row.level_id for row in rows])
    reserved = [reserved_record(levels[row.level_id], row.quantity) for row in rows]
    return StockReservationAnswer(warehouse_id=warehouse_id, reference=reference, reserved=reserved)
