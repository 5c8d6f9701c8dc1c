"""A whole batch leaves, is undone, or is given up: in one transaction, in a constant number of statements."""

from haulier.contexts.warehouse.events import TransferCompleted, TransferDispatched, TransferRolledBack
from haulier.contexts.warehouse.packages.actions import NewMove, hold_packages, move_packages
from haulier.contexts.warehouse.packages.contract import PackageMoveKind
from haulier.contexts.warehouse.packages.queries import lock_packages
from haulier.contexts.warehouse.transfers.actions.steps import require_action, take_step
from haulier.contexts.warehouse.transfers.contract import TransferPackageState
from haulier.contexts.warehouse.transfers.errors import PACKAGE_MOVED_ON, TRANSFER_EMPTY
from haulier.contexts.warehouse.transfers.rules.lifecycle import TransferAction
from haulier.contexts.warehouse.transfers.store import transfer_packages as store
from haulier.contexts.warehouse.transfers.store.tables import WarehouseTransferRow
from haulier.kernel.call import Call


async def dispatch(call: Call, row: WarehouseTransferRow) -> None:
    """Let a draft that is locked leave with its packages. Raises `TRANSFER_STEP_REFUSED` and `TRANSFER_EMPTY`."""
    await take_step(call, row, TransferAction.DISPATCH)
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
    """Close a batch that is locked; it holds what is missing no longer. Raises `TRANSFER_STEP_REFUSED`."""
    await take_step(call, row, TransferAction.COMPLETE)
    rows = await store.list_all_package_rows(call.work, row.id)
    missing = [each.warehouse_package_id for each in rows if each.state == TransferPackageState.MISSING]
    await hold_packages(call, (await lock_packages(call, missing)).keys(), None)
    await call.publish(TransferCompleted(transfer_id=row.id))


async def roll_back(call: Call, row: WarehouseTransferRow, reason: str) -> None:
    """Put every package of a batch that is locked where it was before: all of them, or none.

    Raises `TRANSFER_STEP_REFUSED`, and `PACKAGE_MOVED_ON` once one of them went on since the batch brought it.
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
    await take_step(call, row, TransferAction.ROLL_BACK, reason)
    await call.publish(TransferRolledBack(transfer_id=row.id, packages=len(rows)))


async def cancel(call: Call, row: WarehouseTransferRow) -> None:
    """Give up a draft that is locked; its packages stay where they are. Raises `TRANSFER_STEP_REFUSED`."""
    await take_step(call, row, TransferAction.CANCEL)
    rows = await store.list_all_package_rows(call.work, row.id)
    packages = await lock_packages(call, [each.warehouse_package_id for each in rows])
    await hold_packages(call, packages.keys(), None)
