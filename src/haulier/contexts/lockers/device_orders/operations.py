"""Operations for buyers of devices."""

from haulier.contexts.billing.public import CREDIT_INSUFFICIENT
from haulier.contexts.identity.accounts.rules import NOT_A_CUSTOMER
from haulier.contexts.identity.public import is_customer
from haulier.contexts.lockers.device_orders.actions import orders as actions
from haulier.contexts.lockers.device_orders.actions.sent_devices import activate_device
from haulier.contexts.lockers.device_orders.contract.orders import (
    ActivateOrderedDevice,
    CreateDeviceOrder,
    DeviceOrderAnswer,
    DeviceOrderList,
    DeviceOrderRef,
    DeviceQuote,
    ListDeviceOrders,
    OrderedDeviceCode,
    QuoteDeviceOrder,
    UpdateDeviceOrder,
)
from haulier.contexts.lockers.device_orders.contract.products import DEVICES
from haulier.contexts.lockers.device_orders.operations.answers import answer_with
from haulier.contexts.lockers.device_orders.queries import get_visible_device_order, price_items
from haulier.contexts.lockers.device_orders.rules import (
    DEVICE_ORDER_LIFE,
    DEVICE_ORDER_STEP_REFUSED,
    DEVICE_OUT_OF_STOCK,
    DEVICE_PRICES_EXPIRED,
    DeviceOrderStep,
)
from haulier.contexts.lockers.device_orders.serializers import code_record, device_order_summary, quote_record
from haulier.contexts.lockers.device_orders.store import orders as store
from haulier.contexts.lockers.devices.rules import DEVICE_NOT_USABLE
from haulier.kernel.call import Call
from haulier.kernel.operations.declaration import GraphQL, Rest, reads, writes
from haulier.kernel.operations.enums import OFFICE, Account, Risk, Scope
from haulier.kernel.operations.errors import NOT_FOUND, PRICE_HIDDEN
from haulier.kernel.pipeline.hide_prices import require_price_visible
from haulier.kernel.values.pagination import total_fields

PATH = "/v1/device-orders"
ORDER_PATH = f"{PATH}/{{device_order_id}}"
BUYERS = OFFICE | {Account.CUSTOMER}


@reads(
    "quote_device_order",
    audience=BUYERS,
    scopes={Scope.ORDERS_READ},
    doors=(Rest("POST", f"{PATH}/quote"), GraphQL("quoteDeviceOrder")),
    errors=(NOT_FOUND,),
)
async def quote_device_order(call: Call, request: QuoteDeviceOrder) -> DeviceQuote:
    """Quote the current price of devices.

    Returns the price and availability of each product. Nothing is reserved. To hold the prices for a week, create a
    draft.
    """
    return quote_record(await price_items(call, request.items))


@writes(
    "create_device_order",
    audience=BUYERS,
    scopes={Scope.ORDERS_WRITE},
    risk=Risk.MEDIUM,
    doors=(Rest("POST", PATH), GraphQL("createDeviceOrder")),
    errors=(NOT_FOUND, NOT_A_CUSTOMER),
)
async def create_device_order(call: Call, request: CreateDeviceOrder) -> DeviceOrderAnswer:
    """Create a draft order for devices.

    The prices are held for a week. No stock is reserved until the order is confirmed.
    """
    return await answer_with(call, await actions.create_device_order(call, request))


@reads(
    "list_device_orders",
    audience=BUYERS,
    scopes={Scope.ORDERS_READ},
    doors=(Rest("GET", PATH), GraphQL("deviceOrders")),
)
async def list_device_orders(call: Call, request: ListDeviceOrders) -> DeviceOrderList:
    """List device orders, newest first.

    Customers see only their own orders.
    """
    names = {"status", "customer_id", "order_ref", "tracking_number"}
    wanted = request.model_dump(include=names, exclude_none=True)
    if is_customer(call):
        wanted["customer_id"] = call.actor or 0
    rows, counted = await store.list_device_order_rows(call.work, wanted, limit=request.per_page, offset=request.offset)
    return DeviceOrderList(
        **total_fields(counted),
        page=request.page,
        per_page=request.per_page,
        device_orders=[device_order_summary(call, row) for row in rows],
    )


@reads(
    "get_device_order",
    audience=BUYERS,
    scopes={Scope.ORDERS_READ},
    doors=(Rest("GET", ORDER_PATH), GraphQL("deviceOrder")),
    errors=(NOT_FOUND,),
)
async def get_device_order(call: Call, request: DeviceOrderRef) -> DeviceOrderAnswer:
    """Retrieve a device order.

    Includes the shipped devices by serial number.
    """
    return await answer_with(call, await get_visible_device_order(call, request.device_order_id))


@writes(
    "update_device_order",
    allowed_where={"status": DEVICE_ORDER_LIFE.allowing(DeviceOrderStep.UPDATE)},
    audience=BUYERS,
    scopes={Scope.ORDERS_WRITE},
    risk=Risk.MEDIUM,
    doors=(Rest("PATCH", ORDER_PATH), GraphQL("updateDeviceOrder")),
    errors=(NOT_FOUND, DEVICE_ORDER_STEP_REFUSED),
)
async def update_device_order(call: Call, request: UpdateDeviceOrder) -> DeviceOrderAnswer:
    """Update a draft device order.

    The draft is repriced at current prices, which are then held for another week.
    """
    row = await get_visible_device_order(call, request.device_order_id, lock=True)
    return await answer_with(call, await actions.update_device_order(call, row, request))


@writes(
    "confirm_device_order",
    allowed_where={"status": DEVICE_ORDER_LIFE.allowing(DeviceOrderStep.CONFIRM)},
    audience=BUYERS,
    scopes={Scope.ORDERS_WRITE},
    risk=Risk.MEDIUM,
    doors=(Rest("POST", f"{ORDER_PATH}/confirm"), GraphQL("confirmDeviceOrder")),
    errors=(NOT_FOUND, DEVICE_ORDER_STEP_REFUSED, DEVICE_PRICES_EXPIRED, DEVICE_OUT_OF_STOCK),
)
async def confirm_device_order(call: Call, request: DeviceOrderRef) -> DeviceOrderAnswer:
    """Confirm a draft device order.

    The order becomes binding. Its devices are reserved in stock for a week, until it is paid.
    """
    row = await get_visible_device_order(call, request.device_order_id, lock=True)
    return await answer_with(call, await actions.confirm_device_order(call, row))


@writes(
    "pay_device_order",
    allowed_where={"status": DEVICE_ORDER_LIFE.allowing(DeviceOrderStep.PAY)},
    audience=BUYERS,
    scopes={Scope.ORDERS_WRITE},
    risk=Risk.HIGH,
    confirm=True,
    doors=(Rest("POST", f"{ORDER_PATH}/pay"), GraphQL("payDeviceOrder")),
    errors=(NOT_FOUND, PRICE_HIDDEN, DEVICE_ORDER_STEP_REFUSED, CREDIT_INSUFFICIENT),
)
async def pay_device_order(call: Call, request: DeviceOrderRef) -> DeviceOrderAnswer:
    """Pay a confirmed device order.

    The full amount is charged to the customer's credit. Staff pay for customers who can't see prices.
    """
    row = await get_visible_device_order(call, request.device_order_id, lock=True)
    require_price_visible(call.principal.hidden_prices, DEVICES)
    return await answer_with(call, await actions.pay_device_order(call, row))


@writes(
    "cancel_device_order",
    allowed_where={"status": DEVICE_ORDER_LIFE.allowing(DeviceOrderStep.CANCEL)},
    audience=BUYERS,
    scopes={Scope.ORDERS_WRITE},
    risk=Risk.HIGH,
    confirm=True,
    doors=(Rest("POST", f"{ORDER_PATH}/cancel"), GraphQL("cancelDeviceOrder")),
    errors=(NOT_FOUND, DEVICE_ORDER_STEP_REFUSED),
)
async def cancel_device_order(call: Call, request: DeviceOrderRef) -> DeviceOrderAnswer:
    """Cancel a device order before it ships.

    Its devices return to stock, and any payment is refunded to the customer's credit.
    """
    row = await get_visible_device_order(call, request.device_order_id, lock=True)
    return await answer_with(call, await actions.cancel_device_order(call, row))


@writes(
    "activate_ordered_device",
    allowed_where={"status": DEVICE_ORDER_LIFE.allowing(DeviceOrderStep.ACTIVATE)},
    replayable=False,
    audience=BUYERS,
    scopes={Scope.ORDERS_WRITE},
    risk=Risk.MEDIUM,
    doors=(Rest("POST", f"{ORDER_PATH}/activate"), GraphQL("activateOrderedDevice")),
    errors=(NOT_FOUND, DEVICE_ORDER_STEP_REFUSED, DEVICE_NOT_USABLE),
)
async def activate_ordered_device(call: Call, request: ActivateOrderedDevice) -> OrderedDeviceCode:
    """Activate a shipped device.

    Returns a registration code, shown only once. The device must register within a day.
    """
    row = await get_visible_device_order(call, request.device_order_id, lock=True)
    return code_record(call, await activate_device(call, row, request.serial))
