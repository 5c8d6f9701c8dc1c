"""The office confirms orders for storage, receives their packages and closes them."""

from datetime import timedelta

from haulier.contexts.storage.storage_orders.actions.charges import charge_next_month, charge_until
from haulier.contexts.storage.storage_orders.actions.orders import take_step
from haulier.contexts.storage.storage_orders.contract.orders import (
    ListCustomerStorageOrders,
    ReceivedPackages,
    ReceiveStoredPackages,
    StorageOrderAnswer,
    StorageOrderList,
    StorageOrderRef,
)
from haulier.contexts.storage.storage_orders.operations.answers import list_orders, load_detail
from haulier.contexts.storage.storage_orders.queries.orders import get_visible_order
from haulier.contexts.storage.storage_orders.rules.lifecycle import (
    STORAGE_NOT_EMPTY,
    STORAGE_ORDER_LIFE,
    STORAGE_STEP_REFUSED,
    StorageOrderStatus,
    StorageOrderStep,
    next_storage_status,
)
from haulier.contexts.storage.stored_packages.actions import receive_packages
from haulier.contexts.storage.stored_packages.queries import count_packages_in_stock
from haulier.contexts.storage.stored_packages.serializers import package_record
from haulier.contexts.warehouse.public import LOCATION_NOT_USABLE
from haulier.kernel.call import Call
from haulier.kernel.operations.declaration import GraphQL, Rest, reads, writes
from haulier.kernel.operations.enums import OFFICE, Risk, Scope
from haulier.kernel.operations.errors import NOT_FOUND

PATH = "/v1/storage/orders"
ORDER_PATH = f"{PATH}/{{storage_order_id}}"


@reads(
    "list_customer_storage_orders",
    audience=OFFICE,
    scopes={Scope.WMS_READ},
    doors=(Rest("GET", PATH), GraphQL("storageOrders")),
)
async def list_customer_storage_orders(call: Call, request: ListCustomerStorageOrders) -> StorageOrderList:
    """List storage orders of customers, newest first."""
    return await list_orders(call, request)


@reads(
    "get_customer_storage_order",
    audience=OFFICE,
    scopes={Scope.WMS_READ},
    doors=(Rest("GET", ORDER_PATH), GraphQL("storageOrder")),
    errors=(NOT_FOUND,),
)
async def get_customer_storage_order(call: Call, request: StorageOrderRef) -> StorageOrderAnswer:
    """Retrieve a storage order of a customer.

    Includes its cost to date.
    """
    row = await get_visible_order(call, request.storage_order_id)
    return StorageOrderAnswer(storage_order=await load_detail(call, row))


@writes(
    "confirm_storage_order",
    allowed_where={"status": STORAGE_ORDER_LIFE.allowing(StorageOrderStep.CONFIRM)},
    audience=OFFICE,
    scopes={Scope.WMS_WRITE},
    risk=Risk.MEDIUM,
    doors=(Rest("POST", f"{ORDER_PATH}/confirm"), GraphQL("confirmStorageOrder")),
    errors=(NOT_FOUND, STORAGE_STEP_REFUSED),
)
async def confirm_storage_order(call: Call, request: StorageOrderRef) -> StorageOrderAnswer:
    """Confirm a storage order.

    Its packages can be received from now on.
    """
    row = await get_visible_order(call, request.storage_order_id, lock=True)
    changed = await take_step(call, row, StorageOrderStep.CONFIRM, confirmed_at=call.now)
    return StorageOrderAnswer(storage_order=await load_detail(call, changed))


@writes(
    "receive_stored_packages",
    allowed_where={"status": STORAGE_ORDER_LIFE.allowing(StorageOrderStep.RECEIVE)},
    audience=OFFICE,
    scopes={Scope.WMS_WRITE},
    risk=Risk.MEDIUM,
    doors=(Rest("POST", f"{ORDER_PATH}/packages"), GraphQL("receiveStoredPackages")),
    errors=(NOT_FOUND, STORAGE_STEP_REFUSED, LOCATION_NOT_USABLE),
)
async def receive_stored_packages(call: Call, request: ReceiveStoredPackages) -> ReceivedPackages:
    """Receive packages of a storage order.

    The packages enter stock with weight and dimensions. Storage fees start on this day.
    """
    row = await get_visible_order(call, request.storage_order_id, lock=True)
    next_storage_status(StorageOrderStep.RECEIVE, row.status)
    received = await receive_packages(call, row.customer_id, row.id, request.packages)
    changed = await take_step(call, row, StorageOrderStep.RECEIVE)
    if row.status != StorageOrderStatus.STORED:
        await charge_next_month(call, row.id)
    return ReceivedPackages(
        storage_order=await load_detail(call, changed), received=[package_record(call, each) for each in received]
    )


@writes(
    "close_storage_order",
    allowed_where={"status": STORAGE_ORDER_LIFE.allowing(StorageOrderStep.CLOSE)},
    audience=OFFICE,
    scopes={Scope.WMS_WRITE},
    risk=Risk.MEDIUM,
    doors=(Rest("POST", f"{ORDER_PATH}/close"), GraphQL("closeStorageOrder")),
    errors=(NOT_FOUND, STORAGE_STEP_REFUSED, STORAGE_NOT_EMPTY),
)
async def close_storage_order(call: Call, request: StorageOrderRef) -> StorageOrderAnswer:
    """Close a storage order.

    All packages must have left. Outstanding fees are charged.
    """
    row = await get_visible_order(call, request.storage_order_id, lock=True)
    next_storage_status(StorageOrderStep.CLOSE, row.status)
    if stored := await count_packages_in_stock(call, row.id):
        raise STORAGE_NOT_EMPTY(stored=stored)
    charged = await charge_until(call, row, call.today + timedelta(days=1))
    changed = await take_step(call, charged, StorageOrderStep.CLOSE, ended_at=call.now)
    return StorageOrderAnswer(storage_order=await load_detail(call, changed))
