"""Stock is reserved for what will take it, and set free again."""

from collections import Counter
from collections.abc import Sequence

from haulier.contexts.warehouse.products.queries import find_products_by_sku
from haulier.contexts.warehouse.stock.actions.lines import load_known_products
from haulier.contexts.warehouse.stock.actions.reserved import announce_shortages, choose_levels, free_reserved
from haulier.contexts.warehouse.stock.contract import (
    ListStockReservations,
    ReserveStock,
    StockReservation,
    StockReservationAnswer,
    StockReservationList,
    StockReservationRef,
)
from haulier.contexts.warehouse.stock.errors import INSUFFICIENT_STOCK, STOCK_RESERVED_ALREADY, UNKNOWN_SKU
from haulier.contexts.warehouse.stock.serializers import reserved_record
from haulier.contexts.warehouse.stock.store import levels as level_store
from haulier.contexts.warehouse.stock.store import reservations as store
from haulier.contexts.warehouse.stock.store.tables import LevelRow, StockReservationRow
from haulier.contexts.warehouse.warehouses.queries import get_warehouse
from haulier.kernel.call import Call
from haulier.kernel.operations.declaration import GraphQL, Rest, reads, writes
from haulier.kernel.operations.enums import OFFICE, Risk, Scope
from haulier.kernel.operations.errors import NOT_FOUND, record_not_found
from haulier.kernel.operations.records import record

PATH = "/v1/wms/warehouses/{warehouse_id}/reservations/{reference}"


@writes(
    "reserve_stock",
    audience=OFFICE,
    scopes={Scope.WMS_WRITE},
    risk=Risk.MEDIUM,
    doors=(Rest("POST", "/v1/wms/warehouses/{warehouse_id}/reservations"), GraphQL("reserveStock")),
    errors=(NOT_FOUND, UNKNOWN_SKU, INSUFFICIENT_STOCK, STOCK_RESERVED_ALREADY),
)
async def reserve_stock(call: Call, request: ReserveStock) -> StockReservationAnswer:
    """Reserve stock: all that is wanted, or nothing. What expires first goes first, then what stands first on the walk."""
    warehouse = await get_warehouse(call, request.warehouse_id)
    if await store.list_reservation_rows(call.work, warehouse.id, request.reference):
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
    await level_store.change_reserved(call.work, chosen)
    await announce_shortages(call, [(products[sku], pieces) for sku, pieces in wanted.items()])
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
    "list_stock_reservations",
    audience=OFFICE,
    scopes={Scope.WMS_READ},
    doors=(Rest("GET", "/v1/wms/reservations"), GraphQL("stockReservations")),
)
async def list_stock_reservations(call: Call, request: ListStockReservations) -> StockReservationList:
    """List what is reserved for whom, the oldest first: what waits to be picked, or to be shipped."""
    product_id = None
    if request.sku is not None:
        products = await find_products_by_sku(call, {request.sku})
        product_id = products[request.sku].id if request.sku in products else 0
    rows, total = await store.list_reservation_sums(
        call.work,
        warehouse_id=request.warehouse_id,
        product_id=product_id,
        picked=request.picked,
        limit=request.per_page,
        offset=request.offset,
    )
    shown = [
        record(
            StockReservation,
            row,
            pieces=int(row.pieces),
            to_pick=int(row.to_pick),
            reserved_at=call.local_time(row.reserved_at),
        )
        for row in rows
    ]
    return StockReservationList(total=total, page=request.page, per_page=request.per_page, reservations=shown)


@reads(
    "get_stock_reservation",
    audience=OFFICE,
    scopes={Scope.WMS_READ},
    doors=(Rest("GET", PATH), GraphQL("stockReservation")),
    errors=(NOT_FOUND,),
)
async def get_stock_reservation(call: Call, request: StockReservationRef) -> StockReservationAnswer:
    """Show what is reserved for something."""
    return await _load(call, request.warehouse_id, request.reference)


@writes(
    "release_stock_reservation",
    audience=OFFICE,
    scopes={Scope.WMS_WRITE},
    risk=Risk.MEDIUM,
    doors=(Rest("DELETE", PATH), GraphQL("releaseStockReservation")),
    errors=(NOT_FOUND,),
)
async def release_stock_reservation(call: Call, request: StockReservationRef) -> StockReservationAnswer:
    """Set reserved stock free. The answer says what was reserved."""
    rows = await store.lock_whole_reservation(call.work, request.warehouse_id, request.reference)
    answer = await _show(call, request.warehouse_id, request.reference, rows)
    await free_reserved(call, rows, {row.id: row.quantity for row in rows})
    call.add_audit_subjects("warehouse", request.warehouse_id)
    return answer


async def _load(call: Call, warehouse_id: int, reference: str) -> StockReservationAnswer:
    return await _show(
        call, warehouse_id, reference, await store.list_reservation_rows(call.work, warehouse_id, reference)
    )


async def _show(
    call: Call, warehouse_id: int, reference: str, rows: Sequence[StockReservationRow]
) -> StockReservationAnswer:
    if not rows:
        raise record_not_found(reference=reference)
    levels = await LevelRow.get_many(call.work, [row.level_id for row in rows])
    reserved = [reserved_record(levels[row.level_id], row.quantity) for row in rows]
    return StockReservationAnswer(warehouse_id=warehouse_id, reference=reference, reserved=reserved)
