"""Stock is reserved for what will take it, and set free again."""

from collections import Counter, defaultdict

from haulier.contexts.warehouse.products.queries import find_products_by_sku
from haulier.contexts.warehouse.stock.contract import ReserveStock, StockReservationAnswer, StockReservationRef
from haulier.contexts.warehouse.stock.errors import INSUFFICIENT_STOCK, STOCK_RESERVED_ALREADY, UNKNOWN_SKU
from haulier.contexts.warehouse.stock.rules.allocation import FreeLevel, allocate
from haulier.contexts.warehouse.stock.serializers import reserved_record
from haulier.contexts.warehouse.stock.store import levels as level_store
from haulier.contexts.warehouse.stock.store import reservations as store
from haulier.contexts.warehouse.warehouses.queries import get_warehouse
from haulier.kernel.call import Call
from haulier.kernel.operations.declaration import GraphQL, Rest, reads, writes
from haulier.kernel.operations.enums import OFFICE, Risk, Scope
from haulier.kernel.operations.errors import NOT_FOUND, FieldError, record_not_found

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
    chosen = await _choose(call, request)
    await level_store.change_reserved(call.work, chosen)
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
    await store.insert_reservations(call.work, rows)
    call.add_audit_subjects("warehouse", warehouse.id)
    return await _load(call, warehouse.id, request.reference)


async def _choose(call: Call, request: ReserveStock) -> dict[int, int]:
    """How many pieces of which level, by its id."""
    products = await find_products_by_sku(call, {line.sku for line in request.lines})
    if unknown := [at for at, line in enumerate(request.lines) if line.sku not in products]:
        faults = (FieldError(f"lines.{at}.sku", "unknown_sku", {"sku": request.lines[at].sku}) for at in unknown)
        raise UNKNOWN_SKU.for_fields(*faults, sku=request.lines[unknown[0]].sku)
    wanted: Counter[str] = Counter()
    for line in request.lines:
        wanted[line.sku] += line.quantity
    free: defaultdict[int, list[FreeLevel]] = defaultdict(list)
    ids = [product.id for product in products.values()]
    for row in await level_store.lock_free_levels(call.work, ids, request.warehouse_id, call.today):
        free[row.product_id].append(FreeLevel(row.id, row.on_hand - row.reserved, row.expires_on, row.walk_order))
    chosen: dict[int, int] = {}
    for sku, quantity in wanted.items():
        levels, missing = allocate(free[products[sku].id], quantity)
        if missing:
            raise INSUFFICIENT_STOCK(location=sku, count=quantity - missing)
        chosen.update(levels)
    return chosen


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
    answer = await _load(call, request.warehouse_id, request.reference)
    rows = await store.list_reservation_rows(call.work, request.warehouse_id, request.reference, lock=True)
    await level_store.change_reserved(call.work, {row.level_id: -row.quantity for row in rows})
    await store.delete_reservations(call.work, request.warehouse_id, request.reference)
    call.add_audit_subjects("warehouse", request.warehouse_id)
    return answer


async def _load(call: Call, warehouse_id: int, reference: str) -> StockReservationAnswer:
    rows = await store.list_reservation_rows(call.work, warehouse_id, reference)
    if not rows:
        raise record_not_found(reference=reference)
    levels = await level_store.get_level_rows(call.work, [row.level_id for row in rows])
    reserved = [reserved_record(levels[row.level_id], row.quantity) for row in rows]
    return StockReservationAnswer(warehouse_id=warehouse_id, reference=reference, reserved=reserved)
