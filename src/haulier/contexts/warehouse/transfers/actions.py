"""Writes of transfers for other families."""

from collections.abc import Collection
from datetime import datetime

from haulier.contexts.warehouse.events import (
    TransferCompleted,
    TransferDispatched,
    TransferReceived,
    TransferRolledBack,
)
from haulier.contexts.warehouse.packages.actions import NewMove, hold_packages, move_packages, register_packages
from haulier.contexts.warehouse.packages.contract import PackageMoveKind
from haulier.contexts.warehouse.packages.queries import WarehousePackageRow, find_packages, lock_packages
from haulier.contexts.warehouse.packages.rules import package_keys
from haulier.contexts.warehouse.transfers import store
from haulier.contexts.warehouse.transfers.contract import (
    TRANSFER_PACKAGES_MAX,
    Discrepancy,
    ReportDiscrepancy,
    TransferPackageState,
)
from haulier.contexts.warehouse.transfers.errors import (
    PACKAGE_HELD,
    PACKAGE_MOVED_ON,
    PACKAGE_NOT_IN_TRANSFER,
    TRANSFER_EMPTY,
    TRANSFER_FULL,
    WAREHOUSE_CLOSED,
)
from haulier.contexts.warehouse.transfers.queries import get_transfer_row
from haulier.contexts.warehouse.transfers.rules import TRANSFER_LIFE, TransferAction, TransferState
from haulier.contexts.warehouse.transfers.store import TransferPackageRow, TransferStepRow, WarehouseTransferRow
from haulier.contexts.warehouse.warehouses.queries import get_warehouse_rows
from haulier.kernel.call import Call
from haulier.kernel.operations.errors import INVALID_REQUEST, FieldError, record_not_found


async def begin_transfer(
    call: Call, from_warehouse_id: int, to_warehouse_id: int, reason: str | None
) -> WarehouseTransferRow:
    """Create a transfer without packages.

    Raises `NOT_FOUND`, `INVALID_REQUEST` and `WAREHOUSE_CLOSED`.
    """
    warehouses = await get_warehouse_rows(call, {from_warehouse_id, to_warehouse_id})
    if from_warehouse_id not in warehouses:
        raise record_not_found(from_warehouse_id=from_warehouse_id)
    if to_warehouse_id not in warehouses:
        raise record_not_found(to_warehouse_id=to_warehouse_id)
    if from_warehouse_id == to_warehouse_id:
        raise INVALID_REQUEST.for_fields(FieldError("to_warehouse_id", "field.same_warehouse"))
    if warehouses[to_warehouse_id].closed:
        raise WAREHOUSE_CLOSED(code=warehouses[to_warehouse_id].code)
    id = await WarehouseTransferRow.insert(
        call.work,
        from_warehouse_id=from_warehouse_id,
        to_warehouse_id=to_warehouse_id,
        status=TransferState.DRAFT,
        reason=reason,
        created_at=call.now,
    )
    await _write_step(call, id, TransferAction.CREATE, reason)
    return await get_transfer_row(call, id)


def require_action(row: WarehouseTransferRow, action: TransferAction) -> TransferState:
    """Return the state after an action. Raises `TRANSFER_STEP_REFUSED`."""
    return TRANSFER_LIFE.next_status_or_raise(action, TransferState(row.status))


async def apply_step(call: Call, row: WarehouseTransferRow, action: TransferAction, reason: str | None = None) -> None:
    """Apply and record a step of a locked transfer. Raises `TRANSFER_STEP_REFUSED`."""
    await store.set_transfer_status(call.work, row.id, require_action(row, action))
    await _write_step(call, row.id, action, reason)


async def _write_step(call: Call, transfer_id: int, action: TransferAction, reason: str | None) -> None:
    call.add_audit_subjects("warehouse_transfer", transfer_id)
    await TransferStepRow.insert(
        call.work, transfer_id=transfer_id, step=action, reason=reason, user_id=call.actor, at=call.now
    )


async def dispatch(call: Call, row: WarehouseTransferRow) -> None:
    """Dispatch a locked draft with its packages.

    Raises `TRANSFER_STEP_REFUSED` and `TRANSFER_EMPTY`.
    """
    await apply_step(call, row, TransferAction.DISPATCH)
    rows = await store.list_all_package_rows(call.work, row.id)
    if not rows:
        raise TRANSFER_EMPTY()
    packages = await lock_packages(call, [each.warehouse_package_id for each in rows])
    await move_packages(
        call,
        [
            NewMove(
                package=packages[each.warehouse_package_id],
                kind=PackageMoveKind.SENT,
                from_warehouse_id=packages[each.warehouse_package_id].warehouse_id,
                to_warehouse_id=None,
                holder=row.id,
                transfer_id=row.id,
                reason=row.reason,
                occurred_at=call.now,
            )
            for each in rows
        ],
    )
    await store.count_moves_of_all(call.work, row.id)
    await call.publish(
        TransferDispatched(
            transfer_id=row.id,
            from_warehouse_id=row.from_warehouse_id,
            to_warehouse_id=row.to_warehouse_id,
            packages=len(rows),
        )
    )


async def complete(call: Call, row: WarehouseTransferRow) -> None:
    """Complete a locked transfer and release its missing packages.

    Raises `TRANSFER_STEP_REFUSED`.
    """
    await apply_step(call, row, TransferAction.COMPLETE)
    rows = await store.list_all_package_rows(call.work, row.id)
    missing = [each.warehouse_package_id for each in rows if each.state == TransferPackageState.MISSING]
    await hold_packages(call, (await lock_packages(call, missing)).keys(), None)
    await call.publish(TransferCompleted(transfer_id=row.id))


async def roll_back(call: Call, row: WarehouseTransferRow, reason: str) -> None:
    """Move every package of a locked transfer back, or none.

    Raises `TRANSFER_STEP_REFUSED`, and `PACKAGE_MOVED_ON` if one of them has moved since.
    """
    require_action(row, TransferAction.ROLL_BACK)
    rows = await store.list_all_package_rows(call.work, row.id)
    packages = await lock_packages(call, [each.warehouse_package_id for each in rows])
    for each in rows:
        package = packages[each.warehouse_package_id]
        if package.moves != each.moves or package.transfer_id not in (None, row.id):
            raise PACKAGE_MOVED_ON(number=each.number)
    await move_packages(
        call,
        [
            NewMove(
                package=packages[each.warehouse_package_id],
                kind=PackageMoveKind.ROLLED_BACK,
                from_warehouse_id=packages[each.warehouse_package_id].warehouse_id,
                to_warehouse_id=each.from_warehouse_id,
                transfer_id=row.id,
                reason=reason,
                occurred_at=call.now,
            )
            for each in rows
        ],
    )
    await apply_step(call, row, TransferAction.ROLL_BACK, reason)
    await call.publish(TransferRolledBack(transfer_id=row.id, packages=len(rows)))


async def cancel(call: Call, row: WarehouseTransferRow) -> None:
    """Cancel a locked draft; its packages stay where they are.

    Raises `TRANSFER_STEP_REFUSED`.
    """
    await apply_step(call, row, TransferAction.CANCEL)
    rows = await store.list_all_package_rows(call.work, row.id)
    packages = await lock_packages(call, [each.warehouse_package_id for each in rows])
    await hold_packages(call, packages.keys(), None)


async def scan_out(call: Call, row: WarehouseTransferRow, numbers: Collection[str], at: datetime) -> None:
    """Add packages to a locked draft. The scan sets their current location.

    Raises `TRANSFER_STEP_REFUSED`, `PACKAGE_HELD` and `TRANSFER_FULL`.
    """
    require_action(row, TransferAction.SCAN_OUT)
    packages = await register_packages(call, numbers)
    new = [package for package in packages.values() if package.transfer_id != row.id]
    _require_free(new)
    held = sum(each.packages for each in await store.count_transfer_packages(call.work, [row.id]))
    if held + len(new) > TRANSFER_PACKAGES_MAX:
        raise TRANSFER_FULL(count=TRANSFER_PACKAGES_MAX)
    came = [package for package in new if package.warehouse_id != row.from_warehouse_id]
    await move_packages(
        call,
        [
            NewMove(
                package=package,
                kind=PackageMoveKind.ARRIVED,
                from_warehouse_id=package.warehouse_id,
                to_warehouse_id=row.from_warehouse_id,
                holder=row.id,
                transfer_id=row.id,
                occurred_at=at,
            )
            for package in came
        ],
    )
    moved = {package.id for package in came}
    await hold_packages(call, [package.id for package in new if package.id not in moved], row.id)
    await store.insert_transfer_packages(
        call.work,
        [
            _transfer_package(row, package, TransferPackageState.OUT)
            | {
                "from_warehouse_id": row.from_warehouse_id,
                "moves": package.moves + (package.id in moved),
                "scanned_out_at": at,
            }
            for package in new
        ],
    )


async def scan_in(call: Call, row: WarehouseTransferRow, numbers: Collection[str], at: datetime) -> None:
    """Receive packages of a locked transfer.

    Packages that were not scanned out are extra; the last expected one completes the receipt. Raises
    `TRANSFER_STEP_REFUSED` and `PACKAGE_HELD`.
    """
    require_action(row, TransferAction.SCAN_IN)
    packages = await register_packages(call, numbers)
    known = await store.find_transfer_packages(call.work, row.id, [package.id for package in packages.values()])
    awaited = [package for package in packages.values() if package.id in known and _awaited(known[package.id])]
    extra = [package for package in packages.values() if package.id not in known]
    _require_free(extra)
    await move_packages(
        call,
        [
            NewMove(
                package=package,
                kind=PackageMoveKind.ARRIVED,
                from_warehouse_id=package.warehouse_id,
                to_warehouse_id=row.to_warehouse_id,
                transfer_id=row.id,
                occurred_at=at,
            )
            for package in (*awaited, *extra)
        ],
    )
    states = [
        {
            "row": known[package.id].id,
            "new_state": TransferPackageState.IN,
            "new_moves": package.moves + 1,
            "scanned_at": at,
        }
        for package in awaited
    ]
    await store.set_package_states(call.work, states)
    await store.insert_transfer_packages(
        call.work,
        [
            _transfer_package(row, package, TransferPackageState.EXTRA)
            | {"from_warehouse_id": package.warehouse_id, "moves": package.moves + 1, "scanned_in_at": at}
            for package in extra
        ],
    )
    await receive_if_settled(call, row)


async def receive_if_settled(call: Call, row: WarehouseTransferRow) -> None:
    """Mark a transfer as received if no more packages are expected."""
    if row.status != TransferState.IN_TRANSIT:
        return
    counts = {each.state: each for each in await store.count_transfer_packages(call.work, [row.id])}
    if TransferPackageState.OUT in counts:
        return
    await apply_step(call, row, TransferAction.RECEIVE)
    packages = {state: each.packages for state, each in counts.items()}
    await call.publish(
        TransferReceived(
            transfer_id=row.id,
            missing=packages.get(TransferPackageState.MISSING, 0),
            extra=packages.get(TransferPackageState.EXTRA, 0),
            damaged=sum(int(each.damaged) for each in counts.values()),
        )
    )


def _awaited(row: TransferPackageRow) -> bool:
    return row.state in (TransferPackageState.OUT, TransferPackageState.MISSING)


def _require_free(packages: Collection[WarehousePackageRow]) -> None:
    for package in packages:
        if package.transfer_id is not None:
            raise PACKAGE_HELD(number=package.number, transfer=package.transfer_id)


def _transfer_package(
    row: WarehouseTransferRow, package: WarehousePackageRow, state: TransferPackageState
) -> dict[str, object]:
    return {
        "transfer_id": row.id,
        "warehouse_package_id": package.id,
        "number": package.number,
        "state": state,
        "damaged": False,
        "from_warehouse_id": None,
        "moves": 0,
        "scanned_out_at": None,
        "scanned_in_at": None,
    }


MISSABLE = (TransferPackageState.OUT, TransferPackageState.MISSING)


async def find_in_transfer(call: Call, transfer_id: int, numbers: list[str]) -> list[TransferPackageRow]:
    """Return packages of a transfer by number.

    Raises `PACKAGE_NOT_IN_TRANSFER` for a package of no part of it.
    """
    packages = await find_packages(call, numbers)
    rows = await store.find_transfer_packages(call.work, transfer_id, [package.id for package in packages.values()])
    found = {row.number: row for row in rows.values()}
    for number in package_keys(numbers):
        if number not in found:
            raise PACKAGE_NOT_IN_TRANSFER(number=number)
    return list(found.values())


async def report(call: Call, row: WarehouseTransferRow, request: ReportDiscrepancy) -> None:
    """Record a discrepancy of packages of a locked transfer.

    Raises `TRANSFER_STEP_REFUSED`, `PACKAGE_NOT_IN_TRANSFER`, and `PACKAGE_HELD` for an extra one that another transfer
    holds.
    """
    require_action(row, TransferAction.REPORT)
    if request.kind == Discrepancy.EXTRA:
        await scan_in(call, row, request.numbers, call.now)
    rows = await find_in_transfer(call, row.id, request.numbers)
    if request.kind == Discrepancy.MISSING:
        for each in rows:
            if each.state not in MISSABLE:
                raise PACKAGE_NOT_IN_TRANSFER(number=each.number)
        await store.set_packages_missing(call.work, [each.id for each in rows])
    damaged = request.kind == Discrepancy.DAMAGED
    await store.set_packages_wrong(call.work, [each.id for each in rows], damaged=damaged, reason=request.reason)
    if request.kind == Discrepancy.MISSING:
        await receive_if_settled(call, row)
