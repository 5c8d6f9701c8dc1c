"""Scans are written down, and take effect: once each, in any order."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, cast

from haulier.contexts.warehouse.counts.actions import ScannedCount, count_scanned
from haulier.contexts.warehouse.picking.actions.scanned import lock_reserved, use_reserved
from haulier.contexts.warehouse.picking.rules import FetchedPieces
from haulier.contexts.warehouse.scans.actions.packages import settle_packages
from haulier.contexts.warehouse.scans.contract import DeviceScan, ScanKind, ScanOutcome
from haulier.contexts.warehouse.scans.queries import load_known
from haulier.contexts.warehouse.scans.rules.decisions import Meaning, judge
from haulier.contexts.warehouse.scans.store import scans as store
from haulier.contexts.warehouse.scans.store.tables import WarehouseScanRow
from haulier.contexts.warehouse.stock.actions.movements import Locations, write_movements
from haulier.contexts.warehouse.stock.contract import MovementKind
from haulier.contexts.warehouse.stock.rules.movements import NewMovement
from haulier.contexts.warehouse.warehouses.queries import get_warehouse_rows
from haulier.kernel.call import Call
from haulier.kernel.operations.errors import record_not_found
from haulier.kernel.values.device_times import DeviceClock

MOVEMENTS: Mapping[ScanKind, MovementKind] = {
    ScanKind.RECEIVE: MovementKind.RECEIVE,
    ScanKind.PUT_AWAY: MovementKind.PUT_AWAY,
    ScanKind.MOVE: MovementKind.MOVE,
    ScanKind.PICK: MovementKind.PICK,
}


async def settle_scans(
    call: Call, device_id: str, scans: Sequence[DeviceScan], sent_at: datetime | None
) -> tuple[dict[str, WarehouseScanRow], set[str]]:
    """Write scans of a device and let those take effect that were not known. Returns all by `scan_id`, and the ids of the new.

    Raises `NOT_FOUND` for a warehouse that is not there.
    """
    warehouses = await get_warehouse_rows(call, {scan.warehouse_id for scan in scans})
    for scan in scans:
        if scan.warehouse_id not in warehouses:
            raise record_not_found(warehouse_id=scan.warehouse_id)
    first = {scan.scan_id: scan for scan in reversed(scans)}
    known = await load_known(call, scans)
    meanings = {id: judge(scan, known) for id, scan in first.items()}
    clock = DeviceClock(received_at=call.now, sent_at=sent_at)
    columns = [_columns(call, device_id, first[id], meanings[id], clock) for id in sorted(first)]
    new = await store.insert_scans(call.work, columns)
    await _move_stock(call, [(new[id], first[id], meanings[id]) for id in sorted(new)])
    await _count_stock(call, [(new[id], first[id], meanings[id]) for id in sorted(new)])
    await settle_packages(call, [(new[id], first[id]) for id in sorted(new)])
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
    """Write the movements of scans, and say nothing of what should have been there: it happened."""
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
    # Why: rules know rows by what they read of them; these are the rows that `load_known` found.
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
    """Write what was counted: the books change once somebody approves of it."""
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
