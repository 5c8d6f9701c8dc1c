"""Packages are scanned out of one warehouse and into another."""

from collections.abc import Collection
from datetime import datetime

from haulier.contexts.warehouse.events import TransferReceived
from haulier.contexts.warehouse.packages.actions import NewMove, hold_packages, move_packages, register_packages
from haulier.contexts.warehouse.packages.contract import PackageMoveKind
from haulier.contexts.warehouse.packages.queries import WarehousePackageRow
from haulier.contexts.warehouse.transfers.actions.steps import require_action, take_step
from haulier.contexts.warehouse.transfers.contract import TRANSFER_PACKAGES_MAX, TransferPackageState
from haulier.contexts.warehouse.transfers.errors import PACKAGE_HELD, TRANSFER_FULL
from haulier.contexts.warehouse.transfers.rules.lifecycle import TransferAction, TransferState
from haulier.contexts.warehouse.transfers.store import transfer_packages as store
from haulier.contexts.warehouse.transfers.store.tables import TransferPackageRow, WarehouseTransferRow
from haulier.kernel.call import Call


async def scan_out(call: Call, row: WarehouseTransferRow, numbers: Collection[str], at: datetime) -> None:
    """Put packages on a draft that is locked. One that was known elsewhere is where it was scanned from now on.

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
    """Packages of a batch that is locked came. One that nobody scanned out is extra; the last one that was awaited ends it.

    Raises `TRANSFER_STEP_REFUSED` and `PACKAGE_HELD`.
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
    """Let a batch be received once no package of it is awaited any more."""
    if row.status != TransferState.IN_TRANSIT:
        return
    counts = {each.state: each for each in await store.count_transfer_packages(call.work, [row.id])}
    if TransferPackageState.OUT in counts:
        return
    await take_step(call, row, TransferAction.RECEIVE)
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
