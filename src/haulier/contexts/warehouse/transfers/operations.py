"""Operations on transfers."""

from haulier.contexts.warehouse.packages.actions import hold_packages
from haulier.contexts.warehouse.packages.queries import lock_packages
from haulier.contexts.warehouse.transfers import actions, store
from haulier.contexts.warehouse.transfers.actions import begin_transfer, require_action
from haulier.contexts.warehouse.transfers.contract import (
    CreateTransfer,
    ListTransferPackages,
    ListTransfers,
    RemovePackages,
    ReportDiscrepancy,
    RollBackTransfer,
    ScanPackages,
    TransferAnswer,
    TransferList,
    TransferPackageList,
    TransferRef,
)
from haulier.contexts.warehouse.transfers.errors import (
    PACKAGE_HELD,
    PACKAGE_MOVED_ON,
    PACKAGE_NOT_IN_TRANSFER,
    TRANSFER_EMPTY,
    TRANSFER_FULL,
    WAREHOUSE_CLOSED,
)
from haulier.contexts.warehouse.transfers.queries import get_transfer_row, lock_transfer
from haulier.contexts.warehouse.transfers.rules import TRANSFER_LIFE, TRANSFER_STEP_REFUSED, TransferAction
from haulier.contexts.warehouse.transfers.serializers import load_transfer, transfer_records, transferred_package
from haulier.kernel.call import Call
from haulier.kernel.operations.declaration import GraphQL, Rest, reads, writes
from haulier.kernel.operations.enums import OFFICE, Risk, Scope
from haulier.kernel.operations.errors import NOT_FOUND

TRANSFER_PATH = "/v1/wms/transfers/{transfer_id}"


@writes(
    "create_transfer",
    audience=OFFICE,
    scopes={Scope.WMS_WRITE},
    risk=Risk.MEDIUM,
    interfaces=(Rest("POST", "/v1/wms/transfers"), GraphQL("createWarehouseTransfer")),
    errors=(NOT_FOUND, WAREHOUSE_CLOSED, PACKAGE_HELD),
)
async def create_transfer(call: Call, request: CreateTransfer) -> TransferAnswer:
    """Create a transfer of misrouted packages.

    The transfer is a draft. The first packages can be scanned at once.
    """
    row = await begin_transfer(call, request.from_warehouse_id, request.to_warehouse_id, request.reason)
    if request.numbers:
        await actions.scan_out(call, row, request.numbers, call.now)
    return await load_transfer(call, row.id)


@writes(
    "scan_transfer_out",
    available_when={"allowed_actions": "scan_out"},
    audience=OFFICE,
    scopes={Scope.WMS_WRITE},
    risk=Risk.LOW,
    interfaces=(Rest("POST", f"{TRANSFER_PATH}/out"), GraphQL("scanTransferOut")),
    errors=(NOT_FOUND, TRANSFER_STEP_REFUSED, PACKAGE_HELD, TRANSFER_FULL),
)
async def scan_transfer_out(call: Call, request: ScanPackages) -> TransferAnswer:
    """Scan packages onto a transfer draft.

    A package is on one transfer at most.
    """
    row = await lock_transfer(call, request.transfer_id)
    await actions.scan_out(call, row, request.numbers, call.now)
    call.add_audit_subjects("warehouse_transfer", row.id)
    return await load_transfer(call, row.id)


@writes(
    "remove_transfer_packages",
    available_when={"status": TRANSFER_LIFE.allowing(TransferAction.SCAN_OUT)},
    audience=OFFICE,
    scopes={Scope.WMS_WRITE},
    risk=Risk.LOW,
    interfaces=(Rest("POST", f"{TRANSFER_PATH}/removals"), GraphQL("removeTransferPackages")),
    errors=(NOT_FOUND, TRANSFER_STEP_REFUSED, PACKAGE_NOT_IN_TRANSFER),
)
async def remove_transfer_packages(call: Call, request: RemovePackages) -> TransferAnswer:
    """Remove packages from a transfer draft.

    They stay where they are.
    """
    row = await lock_transfer(call, request.transfer_id)
    require_action(row, TransferAction.SCAN_OUT)
    rows = await actions.find_in_transfer(call, row.id, request.numbers)
    packages = await lock_packages(call, [each.warehouse_package_id for each in rows])
    await hold_packages(call, packages.keys(), None)
    await store.delete_transfer_packages(call.work, [each.id for each in rows])
    call.add_audit_subjects("warehouse_transfer", row.id)
    return await load_transfer(call, row.id)


@writes(
    "dispatch_transfer",
    available_when={"allowed_actions": "dispatch"},
    audience=OFFICE,
    scopes={Scope.WMS_WRITE},
    risk=Risk.MEDIUM,
    interfaces=(Rest("POST", f"{TRANSFER_PATH}/dispatch"), GraphQL("dispatchTransfer")),
    errors=(NOT_FOUND, TRANSFER_STEP_REFUSED, TRANSFER_EMPTY),
)
async def dispatch_transfer(call: Call, request: TransferRef) -> TransferAnswer:
    """Dispatch a transfer.

    Its packages are then in transit, and recipients see this.
    """
    await actions.dispatch(call, await lock_transfer(call, request.transfer_id))
    return await load_transfer(call, request.transfer_id)


@writes(
    "scan_transfer_in",
    available_when={"allowed_actions": "scan_in"},
    audience=OFFICE,
    scopes={Scope.WMS_WRITE},
    risk=Risk.LOW,
    interfaces=(Rest("POST", f"{TRANSFER_PATH}/in"), GraphQL("scanTransferIn")),
    errors=(NOT_FOUND, TRANSFER_STEP_REFUSED, PACKAGE_HELD),
)
async def scan_transfer_in(call: Call, request: ScanPackages) -> TransferAnswer:
    """Scan received packages of a transfer.

    Packages that were not scanned out are extra. The last expected package marks the transfer as received.
    """
    row = await lock_transfer(call, request.transfer_id)
    await actions.scan_in(call, row, request.numbers, call.now)
    call.add_audit_subjects("warehouse_transfer", row.id)
    return await load_transfer(call, row.id)


@writes(
    "report_transfer_discrepancy",
    available_when={"allowed_actions": "report"},
    audience=OFFICE,
    scopes={Scope.WMS_WRITE},
    risk=Risk.LOW,
    interfaces=(Rest("POST", f"{TRANSFER_PATH}/discrepancies"), GraphQL("reportTransferDiscrepancy")),
    errors=(NOT_FOUND, TRANSFER_STEP_REFUSED, PACKAGE_NOT_IN_TRANSFER, PACKAGE_HELD),
)
async def report_transfer_discrepancy(call: Call, request: ReportDiscrepancy) -> TransferAnswer:
    """Report missing, extra or damaged packages.

    Scan missing packages in when they turn up.
    """
    row = await lock_transfer(call, request.transfer_id)
    await actions.report(call, row, request)
    call.add_audit_subjects("warehouse_transfer", row.id)
    return await load_transfer(call, row.id)


@writes(
    "complete_transfer",
    available_when={"allowed_actions": "complete"},
    audience=OFFICE,
    scopes={Scope.WMS_WRITE},
    risk=Risk.MEDIUM,
    interfaces=(Rest("POST", f"{TRANSFER_PATH}/completion"), GraphQL("completeTransfer")),
    errors=(NOT_FOUND, TRANSFER_STEP_REFUSED),
)
async def complete_transfer(call: Call, request: TransferRef) -> TransferAnswer:
    """Complete a received transfer.

    Missing packages stay missing, and can be scanned anywhere.
    """
    await actions.complete(call, await lock_transfer(call, request.transfer_id))
    return await load_transfer(call, request.transfer_id)


@writes(
    "roll_back_transfer",
    available_when={"allowed_actions": "roll_back"},
    audience=OFFICE,
    scopes={Scope.WMS_WRITE},
    risk=Risk.HIGH,
    interfaces=(Rest("POST", f"{TRANSFER_PATH}/rollback"), GraphQL("rollBackTransfer")),
    errors=(NOT_FOUND, TRANSFER_STEP_REFUSED, PACKAGE_MOVED_ON),
)
async def roll_back_transfer(call: Call, request: RollBackTransfer) -> TransferAnswer:
    """Roll a dispatched transfer back.

    Every package returns to its former location. Rejected if a package has moved since.
    """
    row = await lock_transfer(call, request.transfer_id)
    await actions.roll_back(call, row, request.reason)
    return await load_transfer(call, row.id)


@writes(
    "cancel_transfer",
    available_when={"allowed_actions": "cancel"},
    audience=OFFICE,
    scopes={Scope.WMS_WRITE},
    risk=Risk.MEDIUM,
    interfaces=(Rest("POST", f"{TRANSFER_PATH}/cancellation"), GraphQL("cancelTransfer")),
    errors=(NOT_FOUND, TRANSFER_STEP_REFUSED),
)
async def cancel_transfer(call: Call, request: TransferRef) -> TransferAnswer:
    """Cancel a transfer draft.

    Its packages stay where they are.
    """
    await actions.cancel(call, await lock_transfer(call, request.transfer_id))
    return await load_transfer(call, request.transfer_id)


@reads(
    "list_transfers",
    audience=OFFICE,
    scopes={Scope.WMS_READ},
    interfaces=(Rest("GET", "/v1/wms/transfers"), GraphQL("warehouseTransfers")),
)
async def list_transfers(call: Call, request: ListTransfers) -> TransferList:
    """List transfers between warehouses, newest first."""
    wanted = request.model_dump(include={"status", "from_warehouse_id", "to_warehouse_id"}, exclude_none=True)
    rows, total = await store.list_transfer_rows(call.work, wanted, limit=request.per_page, offset=request.offset)
    shown = await transfer_records(call, rows)
    return TransferList(total=total, page=request.page, per_page=request.per_page, transfers=shown)


@reads(
    "get_transfer",
    audience=OFFICE,
    scopes={Scope.WMS_READ},
    interfaces=(Rest("GET", "/v1/wms/transfers/{transfer_id}"), GraphQL("warehouseTransfer")),
    errors=(NOT_FOUND,),
)
async def get_transfer(call: Call, request: TransferRef) -> TransferAnswer:
    """Get a transfer with its steps.

    Returns the numbers of received packages and the user of each step.
    """
    return await load_transfer(call, request.transfer_id)


@reads(
    "list_transfer_packages",
    audience=OFFICE,
    scopes={Scope.WMS_READ},
    interfaces=(Rest("GET", "/v1/wms/transfers/{transfer_id}/packages"), GraphQL("transferPackages")),
    errors=(NOT_FOUND,),
)
async def list_transfer_packages(call: Call, request: ListTransferPackages) -> TransferPackageList:
    """List the packages of a transfer.

    Ordered by scan.
    """
    await get_transfer_row(call, request.transfer_id)
    wanted = request.model_dump(include={"transfer_id", "state", "damaged"}, exclude_none=True)
    rows, total = await store.list_transfer_package_rows(
        call.work, wanted, limit=request.per_page, offset=request.offset
    )
    shown = [transferred_package(call, row) for row in rows]
    return TransferPackageList(total=total, page=request.page, per_page=request.per_page, packages=shown)
