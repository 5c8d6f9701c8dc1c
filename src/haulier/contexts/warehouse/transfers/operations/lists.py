"""Transfers and their packages are listed and shown."""

from haulier.contexts.warehouse.transfers.contract import (
    ListTransferPackages,
    ListTransfers,
    TransferAnswer,
    TransferList,
    TransferPackageList,
    TransferRef,
)
from haulier.contexts.warehouse.transfers.queries import get_transfer_row
from haulier.contexts.warehouse.transfers.serializers import load_transfer, transfer_records, transferred_package
from haulier.contexts.warehouse.transfers.store import transfer_packages as package_store
from haulier.contexts.warehouse.transfers.store import transfers as store
from haulier.kernel.call import Call
from haulier.kernel.operations.declaration import GraphQL, Rest, reads
from haulier.kernel.operations.enums import OFFICE, Scope
from haulier.kernel.operations.errors import NOT_FOUND


@reads(
    "list_transfers",
    audience=OFFICE,
    scopes={Scope.WMS_READ},
    doors=(Rest("GET", "/v1/wms/transfers"), GraphQL("warehouseTransfers")),
)
async def list_transfers(call: Call, request: ListTransfers) -> TransferList:
    """List batches of packages that go from warehouse to warehouse, the newest first."""
    wanted = request.model_dump(include={"status", "from_warehouse_id", "to_warehouse_id"}, exclude_none=True)
    rows, total = await store.list_transfer_rows(call.work, wanted, limit=request.per_page, offset=request.offset)
    shown = await transfer_records(call, rows)
    return TransferList(total=total, page=request.page, per_page=request.per_page, transfers=shown)


@reads(
    "get_transfer",
    audience=OFFICE,
    scopes={Scope.WMS_READ},
    doors=(Rest("GET", "/v1/wms/transfers/{transfer_id}"), GraphQL("warehouseTransfer")),
    errors=(NOT_FOUND,),
)
async def get_transfer(call: Call, request: TransferRef) -> TransferAnswer:
    """Show a batch: how many of its packages came, and who did what with it."""
    return await load_transfer(call, request.transfer_id)


@reads(
    "list_transfer_packages",
    audience=OFFICE,
    scopes={Scope.WMS_READ},
    doors=(Rest("GET", "/v1/wms/transfers/{transfer_id}/packages"), GraphQL("transferPackages")),
    errors=(NOT_FOUND,),
)
async def list_transfer_packages(call: Call, request: ListTransferPackages) -> TransferPackageList:
    """List the packages of a batch, in the order in which they were scanned."""
    await get_transfer_row(call, request.transfer_id)
    wanted = request.model_dump(include={"transfer_id", "state", "damaged"}, exclude_none=True)
    rows, total = await package_store.list_transfer_package_rows(
        call.work, wanted, limit=request.per_page, offset=request.offset
    )
    shown = [transferred_package(call, row) for row in rows]
    return TransferPackageList(total=total, page=request.page, per_page=request.per_page, packages=shown)
