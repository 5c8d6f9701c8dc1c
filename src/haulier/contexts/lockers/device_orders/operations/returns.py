"""Operations on device returns."""

from haulier.contexts.identity.public import is_customer
from haulier.contexts.lockers.device_orders.actions import returns as actions
from haulier.contexts.lockers.device_orders.contract.returns import (
    DeviceReturnAnswer,
    DeviceReturnList,
    DeviceReturnRef,
    ListDeviceReturns,
    ReceiveDeviceReturn,
    RequestDeviceReturn,
    SettleDeviceReturn,
)
from haulier.contexts.lockers.device_orders.operations.orders import BUYERS, ORDER_PATH
from haulier.contexts.lockers.device_orders.queries import get_visible_device_order, get_visible_return
from haulier.contexts.lockers.device_orders.rules import (
    DEVICE_NOT_RETURNABLE,
    DEVICE_ORDER_LIFE,
    DEVICE_ORDER_STEP_REFUSED,
    DEVICE_OUT_OF_STOCK,
    DEVICE_REFUND_TOO_MUCH,
    DEVICE_RETURN_LIFE,
    DEVICE_RETURN_STEP_REFUSED,
    DEVICE_SERIALS_MISMATCH,
    DeviceOrderStep,
    DeviceReturnStep,
)
from haulier.contexts.lockers.device_orders.serializers import return_record
from haulier.contexts.lockers.device_orders.store import units as store
from haulier.contexts.lockers.devices.rules import DEVICE_SERIAL_TAKEN
from haulier.kernel.call import Call
from haulier.kernel.operations.declaration import GraphQL, Rest, reads, writes
from haulier.kernel.operations.enums import OFFICE, Risk, Scope
from haulier.kernel.operations.errors import NOT_FOUND
from haulier.kernel.values.pagination import total_fields

PATH = "/v1/device-returns"
RETURN_PATH = f"{PATH}/{{device_return_id}}"


@writes(
    "request_device_return",
    allowed_where={"status": DEVICE_ORDER_LIFE.allowing(DeviceOrderStep.REQUEST_RETURN)},
    audience=BUYERS,
    scopes={Scope.ORDERS_WRITE},
    risk=Risk.MEDIUM,
    doors=(Rest("POST", f"{ORDER_PATH}/returns"), GraphQL("requestDeviceReturn")),
    errors=(NOT_FOUND, DEVICE_ORDER_STEP_REFUSED, DEVICE_NOT_RETURNABLE),
)
async def request_device_return(call: Call, request: RequestDeviceReturn) -> DeviceReturnAnswer:
    """Request a return of devices.

    Write the id of the return on the parcel.
    """
    order = await get_visible_device_order(call, request.device_order_id, lock=True)
    row = await actions.request_return(call, order, request)
    return DeviceReturnAnswer(device_return=return_record(call, row))


@reads(
    "list_device_returns",
    audience=BUYERS,
    scopes={Scope.ORDERS_READ},
    doors=(Rest("GET", PATH), GraphQL("deviceReturns")),
)
async def list_device_returns(call: Call, request: ListDeviceReturns) -> DeviceReturnList:
    """List device returns, newest first.

    Customers see only their own returns.
    """
    wanted = request.model_dump(include={"status", "device_order_id", "customer_id"}, exclude_none=True)
    if is_customer(call):
        wanted["customer_id"] = call.actor or 0
    rows, counted = await store.list_return_rows(call.work, wanted, limit=request.per_page, offset=request.offset)
    return DeviceReturnList(
        **total_fields(counted),
        page=request.page,
        per_page=request.per_page,
        device_returns=[return_record(call, row) for row in rows],
    )


@reads(
    "get_device_return",
    audience=BUYERS,
    scopes={Scope.ORDERS_READ},
    doors=(Rest("GET", RETURN_PATH), GraphQL("deviceReturn")),
    errors=(NOT_FOUND,),
)
async def get_device_return(call: Call, request: DeviceReturnRef) -> DeviceReturnAnswer:
    """Retrieve a device return."""
    row = await get_visible_return(call, request.device_return_id)
    return DeviceReturnAnswer(device_return=return_record(call, row))


@writes(
    "cancel_device_return",
    allowed_where={"status": DEVICE_RETURN_LIFE.allowing(DeviceReturnStep.CANCEL)},
    audience=BUYERS,
    scopes={Scope.ORDERS_WRITE},
    risk=Risk.MEDIUM,
    doors=(Rest("POST", f"{RETURN_PATH}/cancel"), GraphQL("cancelDeviceReturn")),
    errors=(NOT_FOUND, DEVICE_RETURN_STEP_REFUSED),
)
async def cancel_device_return(call: Call, request: DeviceReturnRef) -> DeviceReturnAnswer:
    """Cancel a device return before it is received.

    The customer keeps the devices.
    """
    row = await get_visible_return(call, request.device_return_id, lock=True)
    return DeviceReturnAnswer(device_return=return_record(call, await actions.cancel_return(call, row)))


@writes(
    "receive_device_return",
    allowed_where={"status": DEVICE_RETURN_LIFE.allowing(DeviceReturnStep.RECEIVE)},
    audience=OFFICE,
    scopes={Scope.WMS_WRITE},
    risk=Risk.HIGH,
    doors=(Rest("POST", f"{RETURN_PATH}/receive"), GraphQL("receiveDeviceReturn")),
    errors=(NOT_FOUND, DEVICE_RETURN_STEP_REFUSED),
)
async def receive_device_return(call: Call, request: ReceiveDeviceReturn) -> DeviceReturnAnswer:
    """Receive returned devices.

    Their codes and credentials are revoked immediately. Devices that can be sold again are added to stock.
    """
    row = await get_visible_return(call, request.device_return_id, lock=True)
    received = await actions.receive_return(call, row, restock=request.restock)
    return DeviceReturnAnswer(device_return=return_record(call, received))


@writes(
    "settle_device_return",
    allowed_where={
        "status": DEVICE_RETURN_LIFE.allowing(
            DeviceReturnStep.REFUND, DeviceReturnStep.REPLACE, DeviceReturnStep.REFUSE
        )
    },
    audience=OFFICE,
    scopes={Scope.WMS_WRITE},
    risk=Risk.HIGH,
    doors=(Rest("POST", f"{RETURN_PATH}/settle"), GraphQL("settleDeviceReturn")),
    errors=(
        NOT_FOUND,
        DEVICE_RETURN_STEP_REFUSED,
        DEVICE_REFUND_TOO_MUCH,
        DEVICE_SERIALS_MISMATCH,
        DEVICE_SERIAL_TAKEN,
        DEVICE_OUT_OF_STOCK,
    ),
)
async def settle_device_return(call: Call, request: SettleDeviceReturn) -> DeviceReturnAnswer:
    """Settle a device return.

    Refund or replace devices that were received, or refuse a return before anything was received.
    """
    seen = await get_visible_return(call, request.device_return_id)
    order = await get_visible_device_order(call, seen.device_order_id, lock=True)
    row = await get_visible_return(call, request.device_return_id, lock=True)
    settled = await actions.settle_return(call, order, row, request)
    return DeviceReturnAnswer(device_return=return_record(call, settled))
