"""What was picked is packed, and leaves."""

from collections import Counter
from collections.abc import Sequence

from haulier.contexts.warehouse.events import StockShipped
from haulier.contexts.warehouse.packing.errors import PACKING_PLAN_STALE
from haulier.contexts.warehouse.picking.actions.cartons import choose_carton, pieces_to_pack
from haulier.contexts.warehouse.picking.contract import (
    ListPickPackages,
    PackStock,
    PickPackageAnswer,
    PickPackageList,
    PickPackageRef,
    ShipStock,
    StockShippedAnswer,
)
from haulier.contexts.warehouse.picking.errors import (
    CARTON_PACKED,
    NOT_PICKED_YET,
    PACK_EXCEEDS_PICKED,
    PACKAGE_SHIPPED,
)
from haulier.contexts.warehouse.picking.serializers import package_records
from haulier.contexts.warehouse.picking.store import packages as store
from haulier.contexts.warehouse.picking.store.tables import PickPackageRow
from haulier.contexts.warehouse.stock.actions.reserved import take_reserved
from haulier.contexts.warehouse.stock.contract import MovementKind
from haulier.contexts.warehouse.stock.errors import INSUFFICIENT_STOCK, PIECES_NOT_TOLD_APART, UNKNOWN_SKU
from haulier.contexts.warehouse.stock.queries import (
    ReservedRow,
    get_stock_levels,
    list_reservations,
    lock_reservations,
)
from haulier.contexts.warehouse.stock.serializers import moved
from haulier.contexts.warehouse.warehouses.contract import STAGING_KINDS
from haulier.contexts.warehouse.warehouses.queries import get_location_rows, get_warehouse
from haulier.kernel.call import Call
from haulier.kernel.operations.answers import Done
from haulier.kernel.operations.declaration import GraphQL, Rest, reads, writes
from haulier.kernel.operations.enums import OFFICE, Risk, Scope
from haulier.kernel.operations.errors import NOT_FOUND, record_not_found

PACKAGES_PATH = "/v1/wms/pick-packages"


@writes(
    "pack_stock",
    audience=OFFICE,
    scopes={Scope.WMS_WRITE},
    risk=Risk.MEDIUM,
    doors=(Rest("POST", PACKAGES_PATH), GraphQL("packStock")),
    errors=(NOT_FOUND, UNKNOWN_SKU, PACK_EXCEEDS_PICKED, PACKING_PLAN_STALE, CARTON_PACKED, PIECES_NOT_TOLD_APART),
)
async def pack_stock(call: Call, request: PackStock) -> PickPackageAnswer:
    """Pack a package of what was picked for an order. Nothing is packed twice.

    Pieces that are named, or the next carton of a packing plan: by default the plan of the order that the reference names.
    """
    warehouse = await get_warehouse(call, request.warehouse_id)
    rows = await _lock_reserved(call, warehouse.id, request.reference)
    plan_id, carton = await choose_carton(call, request)
    picked, _ = await _picked(call, rows)
    before = await store.sum_packed(call.work, warehouse.id, request.reference)
    free = picked - Counter(before)
    packed = await pieces_to_pack(call, request, carton, free)
    id = await store.insert_package(
        call.work,
        [
            {"product_id": product, "lot": lot, "serial": serial, "quantity": pieces}
            for (product, lot, serial), pieces in packed.items()
        ],
        warehouse_id=warehouse.id,
        reference=request.reference,
        weight_g=request.weight_g or (carton.weight_g if carton else 0),
        barcode=request.barcode,
        packing_plan_id=plan_id,
        carton=carton.number if carton else None,
        created_at=call.now,
    )
    if id is None:
        raise CARTON_PACKED(carton=carton.number if carton else 0)
    call.add_audit_subjects("pick_package", id)
    return PickPackageAnswer(package=(await package_records(call, [await _find(call, id)]))[0])


@reads(
    "list_pick_packages",
    audience=OFFICE,
    scopes={Scope.WMS_READ},
    doors=(Rest("GET", PACKAGES_PATH), GraphQL("pickPackages")),
)
async def list_pick_packages(call: Call, request: ListPickPackages) -> PickPackageList:
    """List packages, the newest first."""
    wanted = request.model_dump(include={"warehouse_id", "reference", "packing_plan_id"}, exclude_none=True)
    rows, total = await store.list_package_rows(call.work, wanted, limit=request.per_page, offset=request.offset)
    shown = await package_records(call, rows)
    return PickPackageList(total=total, page=request.page, per_page=request.per_page, packages=shown)


@writes(
    "unpack_stock",
    allowed_where={"shipped_at": None},
    audience=OFFICE,
    scopes={Scope.WMS_WRITE},
    risk=Risk.MEDIUM,
    doors=(Rest("DELETE", f"{PACKAGES_PATH}/{{pick_package_id}}"), GraphQL("unpackStock")),
    errors=(NOT_FOUND, PACKAGE_SHIPPED),
)
async def unpack_stock(call: Call, request: PickPackageRef) -> Done:
    """Unpack a package that has not left: what was in it can be packed again."""
    row = await _find(call, request.pick_package_id, lock=True)
    if row.shipped_at is not None:
        raise PACKAGE_SHIPPED(reference=row.reference)
    await store.delete_package(call.work, row.id)
    call.add_audit_subjects("pick_package", row.id)
    return Done(message=call.translate("package_unpacked"))


@writes(
    "ship_stock",
    audience=OFFICE,
    scopes={Scope.WMS_WRITE},
    risk=Risk.MEDIUM,
    doors=(Rest("POST", "/v1/wms/warehouses/{warehouse_id}/shipments"), GraphQL("shipStock")),
    errors=(NOT_FOUND, NOT_PICKED_YET, INSUFFICIENT_STOCK),
)
async def ship_stock(call: Call, request: ShipStock) -> StockShippedAnswer:
    """Let what is reserved for an order leave: its stock and its reservation are gone, and its packages have left."""
    warehouse = await get_warehouse(call, request.warehouse_id)
    rows = await _lock_reserved(call, warehouse.id, request.reference)
    _, left = await _picked(call, rows)
    if left and not request.unpicked:
        raise NOT_PICKED_YET(count=left)
    taken = {row.id: row.quantity for row in rows}
    written = await take_reserved(call, rows, taken, kind=MovementKind.SHIP, to=None)
    package_ids = await store.ship_packages(call.work, warehouse.id, request.reference, call.now)
    call.add_audit_subjects("warehouse", warehouse.id)
    pieces = sum(taken.values())
    await call.publish(
        StockShipped(warehouse_id=warehouse.id, reference=request.reference, pieces=pieces, packages=len(package_ids))
    )
    return StockShippedAnswer(
        warehouse_id=warehouse.id,
        reference=request.reference,
        movements=(await moved(call, written)).movements,
        package_ids=package_ids,
    )


async def _lock_reserved(call: Call, warehouse_id: int, reference: str) -> list[ReservedRow]:
    """What is reserved for something, locked until the call ends. Raises `NOT_FOUND` where nothing is."""
    rows = await list_reservations(call, warehouse_id, [reference])
    locked = list((await lock_reservations(call, [row.id for row in rows])).values())
    if not locked:
        raise record_not_found(reference=reference)
    return locked


async def _picked(call: Call, rows: Sequence[ReservedRow]) -> tuple[Counter[tuple[int, str, str]], int]:
    """How many pieces of what stand where picked stock waits, and how many are still to be picked."""
    levels = await get_stock_levels(call, [row.level_id for row in rows])
    locations = await get_location_rows(call, {level.location_id for level in levels.values()})
    picked: Counter[tuple[int, str, str]] = Counter()
    left = 0
    for row in rows:
        level = levels[row.level_id]
        if locations[level.location_id].kind in STAGING_KINDS:
            picked[level.product_id, level.lot, level.serial] += row.quantity
        else:
            left += row.quantity
    return picked, left


async def _find(call: Call, package_id: int, *, lock: bool = False) -> PickPackageRow:
    row = await (PickPackageRow.lock if lock else PickPackageRow.get)(call.work, package_id)
    if row is None:
        raise record_not_found(pick_package_id=package_id)
    return row
