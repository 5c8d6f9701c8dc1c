"""Operations on picking."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

from haulier.contexts.warehouse.events import StockShipped
from haulier.contexts.warehouse.picking import store
from haulier.contexts.warehouse.picking.actions import choose_carton, pieces_to_pack
from haulier.contexts.warehouse.picking.contract import (
    CancelPickWave,
    ConfirmPicks,
    CreatePickWave,
    ListPickPackages,
    ListPickWaves,
    ListStockReservations,
    MissingPieces,
    PackStock,
    PickPackageAnswer,
    PickPackageList,
    PickPackageRef,
    PicksConfirmed,
    PickWaveCancelled,
    PickWaveDetail,
    PickWaveList,
    PickWaveRef,
    ShipStock,
    StockReservation,
    StockReservationList,
    StockShippedAnswer,
)
from haulier.contexts.warehouse.picking.errors import (
    CARTON_PACKED,
    NOT_A_STAGING_LOCATION,
    NOT_PICKED_YET,
    NOTHING_TO_PICK,
    PACK_EXCEEDS_PICKED,
    PACKAGE_SHIPPED,
    PACKING_PLAN_STALE,
    PICK_EXCEEDED,
    PICK_UNDERWAY,
)
from haulier.contexts.warehouse.picking.serializers import package_records, task_records, wave_records
from haulier.contexts.warehouse.picking.store import PickPackageRow, PickTaskRow, PickWaveRow
from haulier.contexts.warehouse.products.queries import get_product_rows
from haulier.contexts.warehouse.stock.actions import (
    choose_levels,
    consume_reserved,
    free_reserved,
    load_locations,
    reserve_levels,
)
from haulier.contexts.warehouse.stock.contract import MovementKind
from haulier.contexts.warehouse.stock.errors import (
    INSUFFICIENT_STOCK,
    LOCATION_ELSEWHERE,
    LOCATION_FULL,
    LOCATION_NOT_USABLE,
    PIECES_NOT_TOLD_APART,
    UNKNOWN_SKU,
)
from haulier.contexts.warehouse.stock.queries import (
    ReservedRow,
    get_stock_levels,
    list_reservation_sums,
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
from haulier.kernel.operations.records import record

PACKAGES_PATH = "/v1/wms/pick-packages"


@writes(
    "pack_stock",
    audience=OFFICE,
    scopes={Scope.WMS_WRITE},
    risk=Risk.MEDIUM,
    interfaces=(Rest("POST", PACKAGES_PATH), GraphQL("packStock")),
    errors=(NOT_FOUND, UNKNOWN_SKU, PACK_EXCEEDS_PICKED, PACKING_PLAN_STALE, CARTON_PACKED, PIECES_NOT_TOLD_APART),
)
async def pack_stock(call: Call, request: PackStock) -> PickPackageAnswer:
    """Pack a package of picked stock.

    Packs the given items, or the next carton of a packing plan, by default the plan of the order with this reference.
    Each item is packed once.
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
    return PickPackageAnswer(package=(await package_records(call, [await _require_package(call, id)]))[0])


@reads(
    "list_pick_packages",
    audience=OFFICE,
    scopes={Scope.WMS_READ},
    interfaces=(Rest("GET", PACKAGES_PATH), GraphQL("pickPackages")),
)
async def list_pick_packages(call: Call, request: ListPickPackages) -> PickPackageList:
    """List packages, newest first."""
    wanted = request.model_dump(include={"warehouse_id", "reference", "packing_plan_id"}, exclude_none=True)
    rows, total = await store.list_package_rows(call.work, wanted, limit=request.per_page, offset=request.offset)
    shown = await package_records(call, rows)
    return PickPackageList(total=total, page=request.page, per_page=request.per_page, packages=shown)


@writes(
    "unpack_stock",
    available_when={"shipped_at": None},
    audience=OFFICE,
    scopes={Scope.WMS_WRITE},
    risk=Risk.MEDIUM,
    interfaces=(Rest("DELETE", f"{PACKAGES_PATH}/{{pick_package_id}}"), GraphQL("unpackStock")),
    errors=(NOT_FOUND, PACKAGE_SHIPPED),
)
async def unpack_stock(call: Call, request: PickPackageRef) -> Done:
    """Unpack a package that has not left.

    Its contents can be packed again.
    """
    row = await _require_package(call, request.pick_package_id, lock=True)
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
    interfaces=(Rest("POST", "/v1/wms/warehouses/{warehouse_id}/shipments"), GraphQL("shipStock")),
    errors=(NOT_FOUND, NOT_PICKED_YET, INSUFFICIENT_STOCK),
)
async def ship_stock(call: Call, request: ShipStock) -> StockShippedAnswer:
    """Ship the reserved stock of an order.

    Removes stock and reservation, and marks the packages as shipped.
    """
    warehouse = await get_warehouse(call, request.warehouse_id)
    rows = await _lock_reserved(call, warehouse.id, request.reference)
    _, left = await _picked(call, rows)
    if left and not request.unpicked:
        raise NOT_PICKED_YET(count=left)
    taken = {row.id: row.quantity for row in rows}
    written = await consume_reserved(call, rows, taken, kind=MovementKind.SHIP, to=None)
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
    """Lock and return a reservation. Raises `NOT_FOUND` if nothing is reserved."""
    rows = await list_reservations(call, warehouse_id, [reference])
    locked = list((await lock_reservations(call, [row.id for row in rows])).values())
    if not locked:
        raise record_not_found(reference=reference)
    return locked


async def _picked(call: Call, rows: Sequence[ReservedRow]) -> tuple[Counter[tuple[int, str, str]], int]:
    """Return the picked items that wait in staging, and the number left to pick."""
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


async def _require_package(call: Call, package_id: int, *, lock: bool = False) -> PickPackageRow:
    row = await (PickPackageRow.lock if lock else PickPackageRow.get)(call.work, package_id)
    if row is None:
        raise record_not_found(pick_package_id=package_id)
    return row


@reads(
    "list_stock_reservations",
    audience=OFFICE,
    scopes={Scope.WMS_READ},
    interfaces=(Rest("GET", "/v1/wms/reservations"), GraphQL("stockReservations")),
)
async def list_stock_reservations(call: Call, request: ListStockReservations) -> StockReservationList:
    """List stock reservations, oldest first.

    They wait to be picked or shipped.
    """
    rows, total = await list_reservation_sums(
        call,
        warehouse_id=request.warehouse_id,
        sku=request.sku,
        picked=request.picked,
        condition=store.covered_by_wave(request.in_wave),
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


WAVES_PATH = "/v1/wms/pick-waves"
WAVE_PATH = f"{WAVES_PATH}/{{wave_id}}"


@writes(
    "create_pick_wave",
    audience=OFFICE,
    scopes={Scope.WMS_WRITE},
    risk=Risk.MEDIUM,
    interfaces=(Rest("POST", WAVES_PATH), GraphQL("createPickWave")),
    errors=(
        *(NOT_FOUND, LOCATION_NOT_USABLE, LOCATION_ELSEWHERE, NOT_A_STAGING_LOCATION),
        *(NOTHING_TO_PICK, PICK_UNDERWAY),
    ),
)
async def create_pick_wave(call: Call, request: CreatePickWave) -> PickWaveDetail:
    """Create a pick wave.

    A wave picks the reserved stock of up to 50 orders in one walk.
    """
    warehouse = await get_warehouse(call, request.warehouse_id)
    staging = request.staging_location_id
    location = (await load_locations(call, {staging}, filled={staging}))[staging]
    if location.warehouse_id != warehouse.id:
        raise LOCATION_ELSEWHERE(location=location.code)
    if location.kind not in STAGING_KINDS:
        raise NOT_A_STAGING_LOCATION(location=location.code)
    rows = await list_reservations(call, warehouse.id, request.references)
    for reference in sorted(request.references - {row.reference for row in rows}):
        raise record_not_found(reference=reference)
    wave_id = await PickWaveRow.insert(
        call.work, warehouse_id=warehouse.id, staging_location_id=staging, created_at=call.now
    )
    tasks = await _task_columns(call, rows)
    if not tasks:
        raise NOTHING_TO_PICK()
    if taken := await store.insert_tasks(call.work, wave_id, tasks):
        raise PICK_UNDERWAY(reference=next(row.reference for row in rows if row.id in taken))
    return await _load(call, wave_id)


async def _task_columns(call: Call, rows: Sequence[ReservedRow]) -> list[dict[str, Any]]:
    """Return tasks for reserved items that are not where picked stock waits."""
    levels = await get_stock_levels(call, [row.level_id for row in rows])
    locations = await get_location_rows(call, {level.location_id for level in levels.values()})
    names = ("location_id", "product_id", "lot", "serial")
    return [
        {name: getattr(levels[row.level_id], name) for name in names}
        | {"reservation_id": row.id, "reference": row.reference, "quantity": row.quantity}
        for row in rows
        if locations[levels[row.level_id].location_id].kind not in STAGING_KINDS
    ]


@reads(
    "list_pick_waves",
    audience=OFFICE,
    scopes={Scope.WMS_READ},
    interfaces=(Rest("GET", WAVES_PATH), GraphQL("pickWaves")),
)
async def list_pick_waves(call: Call, request: ListPickWaves) -> PickWaveList:
    """List waves, newest first."""
    wanted = request.model_dump(include={"warehouse_id"}, exclude_none=True)
    rows, total = await store.list_wave_rows(
        call.work, wanted, open=request.open, limit=request.per_page, offset=request.offset
    )
    shown = await wave_records(call, rows)
    return PickWaveList(total=total, page=request.page, per_page=request.per_page, waves=shown)


@reads(
    "get_pick_wave",
    audience=OFFICE,
    scopes={Scope.WMS_READ},
    interfaces=(Rest("GET", WAVE_PATH), GraphQL("pickWave")),
    errors=(NOT_FOUND,),
)
async def get_pick_wave(call: Call, request: PickWaveRef) -> PickWaveDetail:
    """Get a pick wave with its tasks.

    Tasks are in walking order.
    """
    return await _show(call, await _require_wave(call, request.wave_id))


@writes(
    "cancel_pick_wave",
    audience=OFFICE,
    scopes={Scope.WMS_WRITE},
    risk=Risk.MEDIUM,
    interfaces=(Rest("POST", f"{WAVE_PATH}/cancel"), GraphQL("cancelPickWave")),
    errors=(NOT_FOUND,),
)
async def cancel_pick_wave(call: Call, request: CancelPickWave) -> PickWaveCancelled:
    """Remove orders or untouched tasks from a wave.

    Their stock stays reserved and can be added to another wave.
    """
    wave = await _require_wave(call, request.wave_id, lock=True)
    removed, left = await store.delete_untouched_tasks(call.work, wave.id, request.references)
    call.add_audit_subjects("pick_wave", wave.id)
    return PickWaveCancelled(wave_id=wave.id, removed=removed, tasks=left)


@writes(
    "confirm_picks",
    audience=OFFICE,
    scopes={Scope.WMS_WRITE},
    risk=Risk.MEDIUM,
    interfaces=(Rest("POST", f"{WAVE_PATH}/picks"), GraphQL("confirmPicks")),
    errors=(NOT_FOUND, PICK_EXCEEDED, INSUFFICIENT_STOCK, LOCATION_NOT_USABLE, LOCATION_FULL),
)
async def confirm_picks(call: Call, request: ConfirmPicks) -> PicksConfirmed:
    """Confirm picked tasks of a wave.

    Picked stock waits in staging and stays reserved. Short items are reserved elsewhere in the warehouse and become a
    task of the same wave; items that cannot be found are `missing`.
    """
    wave = await _require_wave(call, request.wave_id, lock=True)
    tasks = {task.id: task for task in await store.list_task_rows(call.work, wave.id)}
    done = _require_left(request, tasks)
    rows = await lock_reservations(call, [tasks[id].reservation_id for id in done])
    taken = {tasks[id].reservation_id: pieces for id, (pieces, _) in done.items() if pieces}
    for id, (pieces, _) in done.items():
        row = rows.get(tasks[id].reservation_id)
        if pieces > (row.quantity if row else 0):
            raise PICK_EXCEEDED(task=id, count=row.quantity if row else 0)
    picked = [rows[id] for id in taken]
    written = await consume_reserved(call, picked, taken, kind=MovementKind.PICK, to=wave.staging_location_id)
    await store.confirm_tasks(call.work, done)
    missing = await _replace_short(call, wave, tasks, done)
    shown = await _load(call, wave.id)
    movements = (await moved(call, written)).movements
    return PicksConfirmed(wave=shown.wave, tasks=shown.tasks, movements=movements, missing=missing)


def _require_left(request: ConfirmPicks, tasks: dict[int, PickTaskRow]) -> dict[int, tuple[int, int]]:
    """Return picked and short items of each task.

    Raises for tasks of other waves and for more items than a task has left.
    """
    done: dict[int, tuple[int, int]] = {}
    for line in request.lines:
        if line.task_id not in tasks:
            raise record_not_found(task_id=line.task_id)
        task = tasks[line.task_id]
        pieces, gone = done.get(task.id, (0, 0))
        left = task.quantity - task.picked - task.short - pieces - gone
        if line.quantity > left:
            raise PICK_EXCEEDED(task=task.id, count=left)
        done[task.id] = (pieces + line.quantity, gone + (left - line.quantity if line.short else 0))
    return done


async def _replace_short(
    call: Call, wave: PickWaveRow, tasks: dict[int, PickTaskRow], done: dict[int, tuple[int, int]]
) -> list[MissingPieces]:
    """Reserve short items elsewhere and create tasks for them. Return missing items."""
    short = {tasks[id].reservation_id: gone for id, (_, gone) in done.items() if gone}
    rows = list((await lock_reservations(call, list(short))).values())
    if not rows:
        return []
    short = {row.id: min(short[row.id], row.quantity) for row in rows}  # some may have been released meanwhile
    await free_reserved(call, rows, short)
    products = {task.reservation_id: task.product_id for task in tasks.values()}
    wanted: Counter[int] = Counter()
    for row in rows:
        wanted[products[row.id]] += short[row.id]
    chosen, _ = await choose_levels(call, wave.warehouse_id, wanted, without={row.level_id for row in rows})
    more: Counter[tuple[str, int]] = Counter()
    missing: Counter[tuple[str, int]] = Counter()
    for row in rows:
        left = short[row.id]
        levels = chosen[products[row.id]]
        for level in list(levels):
            pieces = min(left, levels[level])
            if pieces:
                more[row.reference, level] += pieces
                levels[level] -= pieces
                left -= pieces
        if left:
            missing[row.reference, products[row.id]] += left
    await reserve_levels(call, wave.warehouse_id, more)
    await _add_tasks(call, wave, more)
    known = await get_product_rows(call, {product for _, product in missing})
    return [
        MissingPieces(reference=reference, sku=known[product].sku, quantity=pieces)
        for (reference, product), pieces in sorted(missing.items())
    ]


async def _add_tasks(call: Call, wave: PickWaveRow, more: Counter[tuple[str, int]]) -> None:
    rows = await list_reservations(call, wave.warehouse_id, {reference for reference, _ in more})
    added = [row for row in rows if (row.reference, row.level_id) in more]
    columns = await _task_columns(call, added)
    in_tasks = await store.insert_tasks(call.work, wave.id, columns)
    await store.extend_tasks(
        call.work, {row.id: more[row.reference, row.level_id] for row in added if row.id in in_tasks}
    )


async def _require_wave(call: Call, wave_id: int, *, lock: bool = False) -> PickWaveRow:
    row = await (PickWaveRow.lock if lock else PickWaveRow.get)(call.work, wave_id)
    if row is None:
        raise record_not_found(wave_id=wave_id)
    return row


async def _show(call: Call, row: PickWaveRow) -> PickWaveDetail:
    tasks = await store.list_task_rows(call.work, row.id)
    return PickWaveDetail(wave=(await wave_records(call, [row]))[0], tasks=await task_records(call, tasks))


async def _load(call: Call, wave_id: int) -> PickWaveDetail:
    call.add_audit_subjects("pick_wave", wave_id)
    return await _show(call, await _require_wave(call, wave_id))
