"""Writes of scans for other families."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, cast

from msgspec import Struct

from haulier.contexts.routes.public import get_route_ids_by_order
from haulier.contexts.warehouse.counts.actions import ScannedCount, count_scanned
from haulier.contexts.warehouse.events import PackageMisrouted
from haulier.contexts.warehouse.loading.actions import load_parcels
from haulier.contexts.warehouse.loading.queries import get_load
from haulier.contexts.warehouse.packages.actions import NewMove, move_packages, register_packages
from haulier.contexts.warehouse.packages.contract import PackageMoveKind
from haulier.contexts.warehouse.packages.queries import WarehousePackageRow, find_packages
from haulier.contexts.warehouse.picking.actions import lock_reserved, use_reserved
from haulier.contexts.warehouse.picking.rules import FetchedPieces
from haulier.contexts.warehouse.scans import store
from haulier.contexts.warehouse.scans.contract import DeviceScan, ScanKind, ScanOutcome, ScanRefusal
from haulier.contexts.warehouse.scans.queries import load_known
from haulier.contexts.warehouse.scans.rules import Meaning, interpret_scan
from haulier.contexts.warehouse.scans.store import ExpectedArrivalRow, WarehouseScanRow
from haulier.contexts.warehouse.stock.actions import Locations, write_movements
from haulier.contexts.warehouse.stock.contract import MovementKind
from haulier.contexts.warehouse.stock.rules import NewMovement
from haulier.contexts.warehouse.transfers.actions import begin_transfer, scan_in, scan_out
from haulier.contexts.warehouse.transfers.queries import WarehouseTransferRow, find_draft, lock_transfers
from haulier.contexts.warehouse.transfers.rules import TransferState
from haulier.contexts.warehouse.warehouses.queries import get_warehouse_rows
from haulier.kernel.call import Call
from haulier.kernel.operations.errors import record_not_found
from haulier.kernel.values.device_times import DeviceClock

Scanned = tuple[WarehouseScanRow, DeviceScan]


class PackageScanResult(Struct, kw_only=True):
    """Result of a package scan."""

    outcome: ScanOutcome = ScanOutcome.DONE
    refusal: ScanRefusal | None = None
    belongs_to_warehouse_id: int | None = None
    transfer_id: int | None = None
    belongs_on_route_id: int | None = None


class _ScanContext(Struct, kw_only=True):
    """State while package scans are processed."""

    packages: Mapping[str, WarehousePackageRow]
    transfers: Mapping[int, WarehouseTransferRow]
    expected: Mapping[str, Sequence[ExpectedArrivalRow]]
    routes: Mapping[int, int]
    """Route of each order."""
    places: dict[str, int | None]
    """Location of each package after the moves so far."""
    moves: list[NewMove]
    arrived: list[dict[str, Any]]
    came_with: defaultdict[int, list[WarehouseScanRow]]
    """Scans that receive packages, by transfer."""
    loaded: defaultdict[int, list[str]]
    """Packages loaded into the vehicle, by route."""


async def apply_package_scans(call: Call, scans: Sequence[Scanned]) -> None:
    """Apply package scans and record their results.

    Statements grow with transfers, not with scans.
    """
    of_packages = sorted(
        ((row, scan) for row, scan in scans if row.package_number and row.outcome == ScanOutcome.DONE),
        key=lambda each: (each[0].occurred_at, each[0].scan_id),
    )
    if not of_packages:
        return
    scene = await _load_scan_context(call, of_packages)
    settled = {row.id: _apply_scan(row, scene) for row, _ in of_packages}
    await move_packages(call, scene.moves)
    await store.set_arrived(call.work, scene.arrived)
    for transfer_id, rows in scene.came_with.items():
        numbers = [str(row.package_number) for row in rows]
        await scan_in(call, scene.transfers[transfer_id], numbers, max(row.occurred_at for row in rows))
    for route_id, numbers in sorted(scene.loaded.items()):
        # Only these orders: a vehicle takes hundreds of parcels, and each is scanned.
        orders = {order_id for number in numbers if (order_id := scene.packages[number].order_id) is not None}
        await load_parcels(call, await get_load(call, route_id, orders), numbers)
    misrouted = [(row, scan) for row, scan in of_packages if settled[row.id].outcome == ScanOutcome.WRONG_WAREHOUSE]
    await _assign_to_transfers(call, misrouted, settled)
    await _write(call, settled)


async def _load_scan_context(call: Call, scans: Sequence[Scanned]) -> _ScanContext:
    numbers = {str(row.package_number) for row, _ in scans}
    # Lock transfers before packages, as everywhere, to avoid deadlocks.
    held = {package.transfer_id for package in (await find_packages(call, numbers)).values()} - {None}
    transfers = await lock_transfers(call, {id for id in held if id is not None})
    packages = await register_packages(call, numbers)
    expected: defaultdict[str, list[ExpectedArrivalRow]] = defaultdict(list)
    for arrival in await store.list_open_arrivals(call.work, numbers):
        expected[arrival.number].append(arrival)
    loaded = {
        order_id
        for row, _ in scans
        if row.kind == ScanKind.LOAD and (order_id := packages[str(row.package_number)].order_id)
    }
    return _ScanContext(
        packages=packages,
        transfers=transfers,
        expected=expected,
        routes=await get_route_ids_by_order(call, loaded) if loaded else {},
        places={number: package.warehouse_id for number, package in packages.items()},
        moves=[],
        arrived=[],
        came_with=defaultdict(list),
        loaded=defaultdict(list),
    )


def _apply_scan(row: WarehouseScanRow, scene: _ScanContext) -> PackageScanResult:
    package = scene.packages[str(row.package_number)]
    if row.kind == ScanKind.EXCEPTION:
        return PackageScanResult(transfer_id=package.transfer_id)
    if package.transfer_id is not None:
        return _apply_held_scan(row, scene, package.transfer_id)
    return _load(row, scene, package) if row.kind == ScanKind.LOAD else _arrive(row, scene, package)


def _apply_held_scan(row: WarehouseScanRow, scene: _ScanContext, transfer_id: int) -> PackageScanResult:
    """Return a package that a transfer holds comes with it, or stays on it."""
    transfer = scene.transfers.get(transfer_id)
    if transfer and row.kind == ScanKind.RECEIVE:
        on_its_way = transfer.status in (TransferState.IN_TRANSIT, TransferState.RECEIVED)
        if on_its_way and transfer.to_warehouse_id == row.warehouse_id:
            scene.came_with[transfer_id].append(row)
            _mark_arrived(row, scene)
            return PackageScanResult(transfer_id=transfer_id)
        if transfer.status == TransferState.DRAFT and transfer.from_warehouse_id == row.warehouse_id:
            return PackageScanResult(transfer_id=transfer_id)
    refused = PackageScanResult(outcome=ScanOutcome.REFUSED, refusal=ScanRefusal.ON_A_TRANSFER, transfer_id=transfer_id)
    if transfer:
        refused.belongs_to_warehouse_id = transfer.to_warehouse_id
    return refused


def _arrive(row: WarehouseScanRow, scene: _ScanContext, package: WarehousePackageRow) -> PackageScanResult:
    if scene.places[package.number] != row.warehouse_id:
        _move(row, scene, package, PackageMoveKind.ARRIVED, row.warehouse_id)
    expected = scene.expected.get(package.number, ())
    if not _mark_arrived(row, scene) and expected:
        return PackageScanResult(outcome=ScanOutcome.WRONG_WAREHOUSE, belongs_to_warehouse_id=expected[0].warehouse_id)
    return PackageScanResult()


def _mark_arrived(row: WarehouseScanRow, scene: _ScanContext) -> bool:
    """Record an expected arrival. Return False if the package is not expected here."""
    expected = scene.expected.get(str(row.package_number), ())
    here = [arrival.id for arrival in expected if arrival.warehouse_id == row.warehouse_id]
    scene.arrived += [{"row": id, "at": row.occurred_at} for id in here]
    return bool(here)


def _load(row: WarehouseScanRow, scene: _ScanContext, package: WarehousePackageRow) -> PackageScanResult:
    right = scene.routes.get(package.order_id or 0)
    if right is None or right != row.route_id:
        return PackageScanResult(outcome=ScanOutcome.WRONG_ROUTE, belongs_on_route_id=right)
    _move(row, scene, package, PackageMoveKind.SENT, None)
    scene.loaded[right].append(package.number)
    return PackageScanResult()


def _move(
    row: WarehouseScanRow, scene: _ScanContext, package: WarehousePackageRow, kind: PackageMoveKind, place: int | None
) -> None:
    late = package.moved_at is not None and row.occurred_at < package.moved_at
    scene.moves.append(
        NewMove(
            package=package,
            kind=kind,
            from_warehouse_id=row.warehouse_id if kind is PackageMoveKind.SENT else scene.places[package.number],
            to_warehouse_id=place,
            reason=row.note,
            occurred_at=row.occurred_at,
            late=late,
        )
    )
    if not late:
        scene.places[package.number] = place


async def _assign_to_transfers(call: Call, scans: Sequence[Scanned], settled: Mapping[int, PackageScanResult]) -> None:
    """Name the draft transfer for misrouted packages, and add those that request it."""
    ways: defaultdict[tuple[int, int], list[Scanned]] = defaultdict(list)
    for row, scan in scans:
        belongs = settled[row.id].belongs_to_warehouse_id
        if belongs is not None:
            ways[row.warehouse_id, belongs].append((row, scan))
            number = str(row.package_number)
            await call.publish(
                PackageMisrouted(number=number, warehouse_id=row.warehouse_id, belongs_to_warehouse_id=belongs)
            )
    for (here, there), on_the_way in ways.items():
        draft = await find_draft(call, here, there)
        starting = [row for row, scan in on_the_way if scan.start_transfer]
        if starting:
            draft = draft or await begin_transfer(call, here, there, None)
            draft = (await lock_transfers(call, [draft.id]))[draft.id]
            await scan_out(call, draft, [str(row.package_number) for row in starting], call.now)
        for row, _ in on_the_way:
            settled[row.id].transfer_id = draft and draft.id


async def _write(call: Call, settled: Mapping[int, PackageScanResult]) -> None:
    await store.update_scan_results(
        call.work,
        [
            {
                "scan": id,
                "new_outcome": each.outcome,
                "new_refusal": each.refusal,
                "belongs_to": each.belongs_to_warehouse_id,
                "transfer": each.transfer_id,
                "belongs_on": each.belongs_on_route_id,
            }
            for id, each in settled.items()
        ],
    )


MOVEMENTS: Mapping[ScanKind, MovementKind] = {
    ScanKind.RECEIVE: MovementKind.RECEIVE,
    ScanKind.PUT_AWAY: MovementKind.PUT_AWAY,
    ScanKind.MOVE: MovementKind.MOVE,
    ScanKind.PICK: MovementKind.PICK,
}


async def apply_scans(
    call: Call, device_id: str, scans: Sequence[DeviceScan], sent_at: datetime | None
) -> tuple[dict[str, WarehouseScanRow], set[str]]:
    """Record scans of a device and apply new ones.

    Returns all by `scan_id`, and the ids of the new ones. Raises `NOT_FOUND` for an unknown warehouse.
    """
    warehouses = await get_warehouse_rows(call, {scan.warehouse_id for scan in scans})
    for scan in scans:
        if scan.warehouse_id not in warehouses:
            raise record_not_found(warehouse_id=scan.warehouse_id)
    first = {scan.scan_id: scan for scan in reversed(scans)}
    known = await load_known(call, scans)
    meanings = {id: interpret_scan(scan, known) for id, scan in first.items()}
    clock = DeviceClock(received_at=call.now, sent_at=sent_at)
    columns = [_columns(call, device_id, first[id], meanings[id], clock) for id in sorted(first)]
    new = await store.insert_scans(call.work, columns)
    await _move_stock(call, [(new[id], first[id], meanings[id]) for id in sorted(new)])
    await _count_stock(call, [(new[id], first[id], meanings[id]) for id in sorted(new)])
    await apply_package_scans(call, [(new[id], first[id]) for id in sorted(new)])
    return await store.find_scan_rows(call.work, device_id, first.keys()), set(new)


def _columns(call: Call, device_id: str, scan: DeviceScan, meaning: Meaning, clock: DeviceClock) -> dict[str, Any]:
    time = clock.read_time(scan.occurred_at)
    return {
        "device_id": device_id,
        "scan_id": scan.scan_id,
        "kind": scan.kind,
        "code": scan.code,
        "warehouse_id": scan.warehouse_id,
        "outcome": meaning.outcome,
        "refusal": meaning.refusal,
        "sku": meaning.product and meaning.product.sku,
        "package_number": meaning.package_number,
        "quantity": meaning.quantity,
        "lot": meaning.lot,
        "serial": meaning.serial,
        "expires_on": meaning.expires_on,
        "location_id": meaning.location and meaning.location.id,
        "to_location_id": meaning.to_location and meaning.to_location.id,
        "belongs_to_warehouse_id": meaning.belongs_to_warehouse_id,
        "route_id": scan.route_id,
        "reference": scan.reference,
        "note": scan.note,
        "user_id": call.actor,
        "occurred_at": time.at,
        "device_at": time.stored_device_at,
        "recorded_at": call.now,
    }


async def _move_stock(call: Call, scans: Sequence[tuple[WarehouseScanRow, DeviceScan, Meaning]]) -> None:
    """Record movements of scans without checking levels: they have happened."""
    moving = [
        (row, scan, meaning)
        for row, scan, meaning in scans
        if meaning.outcome == ScanOutcome.DONE and meaning.product and scan.kind in MOVEMENTS
    ]
    if not moving:
        return
    named = (place for _, _, meaning in moving for place in (meaning.location, meaning.to_location))
    fetched = [
        _fetched(row, scan, meaning) for row, scan, meaning in moving if scan.kind == ScanKind.PICK and scan.reference
    ]
    reserved = await lock_reserved(call, fetched)
    # The rules type rows by protocol; these are the rows that `load_known` found.
    locations = cast("Locations", {location.id: location for location in named if location})
    await write_movements(
        call, [_movement(row, scan, meaning) for row, scan, meaning in moving], locations, must_be_there=False
    )
    await use_reserved(call, reserved, fetched)


def _fetched(row: WarehouseScanRow, scan: DeviceScan, meaning: Meaning) -> FetchedPieces:
    movement = _movement(row, scan, meaning)
    return FetchedPieces(
        warehouse_id=row.warehouse_id,
        reference=scan.reference or "",
        level=movement.level(row.location_id or 0),
        quantity=movement.quantity,
        to_location_id=row.to_location_id,
    )


async def _count_stock(call: Call, scans: Sequence[tuple[WarehouseScanRow, DeviceScan, Meaning]]) -> None:
    """Record counted lines; the books change on approval."""
    await count_scanned(
        call,
        [
            ScannedCount(
                scan_id=row.id,
                warehouse_id=row.warehouse_id,
                level=_movement(row, scan, meaning).level(row.location_id or 0),
                quantity=meaning.quantity or 0,
                expires_on=meaning.expires_on,
                counted_at=row.occurred_at,
            )
            for row, scan, meaning in scans
            if meaning.outcome == ScanOutcome.DONE and meaning.product and scan.kind == ScanKind.COUNT
        ],
    )


def _movement(row: WarehouseScanRow, scan: DeviceScan, meaning: Meaning) -> NewMovement:
    received = scan.kind == ScanKind.RECEIVE
    target = row.location_id if received else row.to_location_id
    return NewMovement(
        kind=MOVEMENTS.get(scan.kind, MovementKind.COUNT),
        product_id=meaning.product.id if meaning.product else 0,
        quantity=meaning.quantity or 1,
        from_location_id=None if received else row.location_id,
        to_location_id=target,
        lot=meaning.lot or "",
        serial=meaning.serial or "",
        condition=scan.condition,
        expires_on=meaning.expires_on if received else None,
        reference=scan.reference,
        note=scan.note,
        occurred_at=row.occurred_at,
        key=f"scan:{row.id}",
    )
