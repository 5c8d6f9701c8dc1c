"""Operations for staff: ship device orders and confirm their delivery."""

from haulier.contexts.lockers.device_orders.actions import sent_devices
from haulier.contexts.lockers.device_orders.contract.orders import DeviceOrderAnswer, DeviceOrderRef, ShipDeviceOrder
from haulier.contexts.lockers.device_orders.operations.answers import answer_with
from haulier.contexts.lockers.device_orders.operations.orders import ORDER_PATH
from haulier.contexts.lockers.device_orders.queries import get_visible_device_order
from haulier.contexts.lockers.device_orders.rules import (
    DEVICE_ORDER_LIFE,
    DEVICE_ORDER_STEP_REFUSED,
    DEVICE_SERIALS_MISMATCH,
    DeviceOrderStep,
)
from haulier.contexts.lockers.devices.rules import DEVICE_SERIAL_TAKEN
from haulier.kernel.call import Call
from haulier.kernel.operations.declaration import GraphQL, Rest, writes
from haulier.kernel.operations.enums import OFFICE, Risk, Scope
from haulier.kernel.operations.errors import NOT_FOUND


@writes(
    "ship_device_order",
    allowed_where={"status": DEVICE_ORDER_LIFE.allowing(DeviceOrderStep.SHIP)},
    audience=OFFICE,
    scopes={Scope.WMS_WRITE},
    risk=Risk.MEDIUM,
    doors=(Rest("POST", f"{ORDER_PATH}/ship"), GraphQL("shipDeviceOrder")),
    errors=(NOT_FOUND, DEVICE_ORDER_STEP_REFUSED, DEVICE_SERIALS_MISMATCH, DEVICE_SERIAL_TAKEN),
)
async def ship_device_order(call: Call, request: ShipDeviceOrder) -> DeviceOrderAnswer:
    """Ship a paid device order.

    Every device is named by its serial number. Devices go with a carrier or with a local delivery by your own drivers.
    """
    row = await get_visible_device_order(call, request.device_order_id, lock=True)
    return await answer_with(call, await sent_devices.ship_device_order(call, row, request))


@writes(
    "deliver_device_order",
    allowed_where={"status": DEVICE_ORDER_LIFE.allowing(DeviceOrderStep.DELIVER)},
    audience=OFFICE,
    scopes={Scope.WMS_WRITE},
    risk=Risk.MEDIUM,
    doors=(Rest("POST", f"{ORDER_PATH}/deliver"), GraphQL("deliverDeviceOrder")),
    errors=(NOT_FOUND, DEVICE_ORDER_STEP_REFUSED),
)
async def deliver_device_order(call: Call, request: DeviceOrderRef) -> DeviceOrderAnswer:
    """Mark a device order as delivered.

    Use this for orders shipped with a carrier. Local deliveries are marked as delivered automatically.
    """
    row = await get_visible_device_order(call, request.device_order_id, lock=True)
    return await answer_with(call, await sent_devices.deliver_device_order(call, row))
