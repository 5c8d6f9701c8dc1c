"""What is wrong with packages of a batch is written down."""

from haulier.contexts.warehouse.packages.queries import find_packages
from haulier.contexts.warehouse.packages.rules import package_keys
from haulier.contexts.warehouse.transfers.actions.scans import receive_if_settled, scan_in
from haulier.contexts.warehouse.transfers.actions.steps import require_action
from haulier.contexts.warehouse.transfers.contract import Discrepancy, ReportDiscrepancy, TransferPackageState
from haulier.contexts.warehouse.transfers.errors import PACKAGE_NOT_IN_TRANSFER
from haulier.contexts.warehouse.transfers.rules.lifecycle import TransferAction
from haulier.contexts.warehouse.transfers.store import transfer_packages as store
from haulier.contexts.warehouse.transfers.store.tables import TransferPackageRow, WarehouseTransferRow
from haulier.kernel.call import Call

MISSABLE = (TransferPackageState.OUT, TransferPackageState.MISSING)


async def find_in_transfer(call: Call, transfer_id: int, numbers: list[str]) -> list[TransferPackageRow]:
    """Packages of a transfer by their numbers. Raises `PACKAGE_NOT_IN_TRANSFER` where one is not of it."""
    packages = await find_packages(call, numbers)
    rows = await store.find_transfer_packages(call.work, transfer_id, [package.id for package in packages.values()])
    found = {row.number: row for row in rows.values()}
    for number in package_keys(numbers):
        if number not in found:
            raise PACKAGE_NOT_IN_TRANSFER(number=number)
    return list(found.values())


async def report(call: Call, row: WarehouseTransferRow, request: ReportDiscrepancy) -> None:
    """Write what is wrong with packages of a batch that is locked.

    Raises `TRANSFER_STEP_REFUSED`, `PACKAGE_NOT_IN_TRANSFER`, and `PACKAGE_HELD` for an extra one that another batch holds.
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
