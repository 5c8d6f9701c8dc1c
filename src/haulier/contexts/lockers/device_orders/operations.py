"""Operations on device orders."""

from typing import Any

from haulier.contexts.billing.public import CREDIT_INSUFFICIENT
from haulier.contexts.identity.accounts.rules import NOT_A_CUSTOMER
from haulier.contexts.identity.public import is_customer
from haulier.contexts.lockers.device_orders import actions, store
from haulier.contexts.lockers.device_orders.actions import activate_device
from haulier.contexts.lockers.device_orders.contract import (
    DEVICES,
    STOCK_MAX,
    ActivateOrderedDevice,
    AdjustDeviceStock,
    CreateDeviceOrder,
    DeviceOrderAnswer,
    DeviceOrderList,
    DeviceOrderRef,
    DeviceOrderReport,
    DeviceOrderSums,
    DeviceProductAnswer,
    DeviceProductList,
    DeviceProductRef,
    DeviceQuote,
    DeviceRefundSums,
    DeviceReturnAnswer,
    DeviceReturnList,
    DeviceReturnRef,
    GetDeviceOrderReport,
    ListDeviceOrders,
    ListDeviceProducts,
    ListDeviceReturns,
    OrderedDeviceCode,
    QuoteDeviceOrder,
    ReceiveDeviceReturn,
    RequestDeviceReturn,
    SetDeviceProduct,
    SettleDeviceReturn,
    ShipDeviceOrder,
    UpdateDeviceOrder,
)
from haulier.contexts.lockers.device_orders.queries import (
    get_visible_device_order,
    get_visible_product,
    get_visible_return,
    price_items,
)
from haulier.contexts.lockers.device_orders.rules import (
    DEVICE_NOT_RETURNABLE,
    DEVICE_ORDER_LIFE,
    DEVICE_ORDER_STEP_REFUSED,
    DEVICE_OUT_OF_STOCK,
    DEVICE_PRICES_EXPIRED,
    DEVICE_REFUND_TOO_MUCH,
    DEVICE_RETURN_LIFE,
    DEVICE_RETURN_STEP_REFUSED,
    DEVICE_SERIALS_MISMATCH,
    DEVICE_STOCK_REFUSED,
    DeviceOrderStep,
    DeviceReturnStep,
)
from haulier.contexts.lockers.device_orders.serializers import (
    code_record,
    device_order_detail,
    device_order_summary,
    product_record,
    quote_record,
    return_record,
)
from haulier.contexts.lockers.device_orders.store import DeviceOrderRow
from haulier.contexts.lockers.devices.rules import DEVICE_NOT_USABLE, DEVICE_SERIAL_TAKEN
from haulier.kernel.call import Call
from haulier.kernel.operations.declaration import GraphQL, Rest, reads, writes
from haulier.kernel.operations.enums import OFFICE, Account, Risk, Scope
from haulier.kernel.operations.errors import INVALID_REQUEST, NOT_FOUND, PRICE_HIDDEN, FieldError, record_not_found
from haulier.kernel.operations.records import record
from haulier.kernel.pipeline.hide_prices import require_price_visible
from haulier.kernel.values.pagination import total_fields


async def answer_with(call: Call, row: DeviceOrderRow) -> DeviceOrderAnswer:
    """Return an order with its lines and shipped devices."""
    lines = await store.list_line_rows(call.work, row.id)
    units = await store.list_units(call.work, row.id)
    return DeviceOrderAnswer(device_order=device_order_detail(call, row, lines, units))


ORDERS_PATH = "/v1/device-orders"
ORDER_PATH = f"{ORDERS_PATH}/{{device_order_id}}"
BUYERS = OFFICE | {Account.CUSTOMER}


@reads(
    "quote_device_order",
    audience=BUYERS,
    scopes={Scope.ORDERS_READ},
    interfaces=(Rest("POST", f"{ORDERS_PATH}/quote"), GraphQL("quoteDeviceOrder")),
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
    interfaces=(Rest("POST", ORDERS_PATH), GraphQL("createDeviceOrder")),
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
    interfaces=(Rest("GET", ORDERS_PATH), GraphQL("deviceOrders")),
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
    interfaces=(Rest("GET", ORDER_PATH), GraphQL("deviceOrder")),
    errors=(NOT_FOUND,),
)
async def get_device_order(call: Call, request: DeviceOrderRef) -> DeviceOrderAnswer:
    """Retrieve a device order.

    Includes the shipped devices by serial number.
    """
    return await answer_with(call, await get_visible_device_order(call, request.device_order_id))


@writes(
    "update_device_order",
    available_when={"status": DEVICE_ORDER_LIFE.allowing(DeviceOrderStep.UPDATE)},
    audience=BUYERS,
    scopes={Scope.ORDERS_WRITE},
    risk=Risk.MEDIUM,
    interfaces=(Rest("PATCH", ORDER_PATH), GraphQL("updateDeviceOrder")),
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
    available_when={"status": DEVICE_ORDER_LIFE.allowing(DeviceOrderStep.CONFIRM)},
    audience=BUYERS,
    scopes={Scope.ORDERS_WRITE},
    risk=Risk.MEDIUM,
    interfaces=(Rest("POST", f"{ORDER_PATH}/confirm"), GraphQL("confirmDeviceOrder")),
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
    available_when={"status": DEVICE_ORDER_LIFE.allowing(DeviceOrderStep.PAY)},
    audience=BUYERS,
    scopes={Scope.ORDERS_WRITE},
    risk=Risk.HIGH,
    confirm=True,
    interfaces=(Rest("POST", f"{ORDER_PATH}/pay"), GraphQL("payDeviceOrder")),
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
    available_when={"status": DEVICE_ORDER_LIFE.allowing(DeviceOrderStep.CANCEL)},
    audience=BUYERS,
    scopes={Scope.ORDERS_WRITE},
    risk=Risk.HIGH,
    confirm=True,
    interfaces=(Rest("POST", f"{ORDER_PATH}/cancel"), GraphQL("cancelDeviceOrder")),
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
    available_when={"status": DEVICE_ORDER_LIFE.allowing(DeviceOrderStep.ACTIVATE)},
    replayable=False,
    audience=BUYERS,
    scopes={Scope.ORDERS_WRITE},
    risk=Risk.MEDIUM,
    interfaces=(Rest("POST", f"{ORDER_PATH}/activate"), GraphQL("activateOrderedDevice")),
    errors=(NOT_FOUND, DEVICE_ORDER_STEP_REFUSED, DEVICE_NOT_USABLE),
)
async def activate_ordered_device(call: Call, request: ActivateOrderedDevice) -> OrderedDeviceCode:
    """Activate a shipped device.

    Returns a registration code, shown only once. The device must register within a day.
    """
    row = await get_visible_device_order(call, request.device_order_id, lock=True)
    return code_record(call, await activate_device(call, row, request.serial))


@writes(
    "ship_device_order",
    available_when={"status": DEVICE_ORDER_LIFE.allowing(DeviceOrderStep.SHIP)},
    audience=OFFICE,
    scopes={Scope.WMS_WRITE},
    risk=Risk.MEDIUM,
    interfaces=(Rest("POST", f"{ORDER_PATH}/ship"), GraphQL("shipDeviceOrder")),
    errors=(NOT_FOUND, DEVICE_ORDER_STEP_REFUSED, DEVICE_SERIALS_MISMATCH, DEVICE_SERIAL_TAKEN),
)
async def ship_device_order(call: Call, request: ShipDeviceOrder) -> DeviceOrderAnswer:
    """Ship a paid device order.

    Every device is named by its serial number. Devices go with a carrier or with a local delivery by your own drivers.
    """
    row = await get_visible_device_order(call, request.device_order_id, lock=True)
    return await answer_with(call, await actions.ship_device_order(call, row, request))


@writes(
    "deliver_device_order",
    available_when={"status": DEVICE_ORDER_LIFE.allowing(DeviceOrderStep.DELIVER)},
    audience=OFFICE,
    scopes={Scope.WMS_WRITE},
    risk=Risk.MEDIUM,
    interfaces=(Rest("POST", f"{ORDER_PATH}/deliver"), GraphQL("deliverDeviceOrder")),
    errors=(NOT_FOUND, DEVICE_ORDER_STEP_REFUSED),
)
async def deliver_device_order(call: Call, request: DeviceOrderRef) -> DeviceOrderAnswer:
    """Mark a device order as delivered.

    Use this for orders shipped with a carrier. Local deliveries are marked as delivered automatically.
    """
    row = await get_visible_device_order(call, request.device_order_id, lock=True)
    return await answer_with(call, await actions.deliver_device_order(call, row))


PRODUCTS_PATH = "/v1/device-products"
PRODUCT_PATH = f"{PRODUCTS_PATH}/{{product_code}}"
READERS = OFFICE | {Account.CUSTOMER}


@writes(
    "set_device_product",
    audience=OFFICE,
    scopes={Scope.WMS_WRITE},
    risk=Risk.HIGH,
    interfaces=(Rest("PUT", PRODUCT_PATH), GraphQL("setDeviceProduct")),
)
async def set_device_product(call: Call, request: SetDeviceProduct) -> DeviceProductAnswer:
    """Create or update a device product.

    Existing orders keep their prices.
    """
    values: dict[str, Any] = {
        **request.model_dump(exclude={"product_code"}),
        "currency": call.business.currency,
        "updated_at": call.now,
    }
    if not await store.insert_product(call.work, {**values, "product_code": request.product_code}):
        await store.update_product(call.work, request.product_code, values)
    return await _changed(call, request.product_code)


@reads(
    "list_device_products",
    audience=READERS,
    scopes={Scope.ORDERS_READ},
    interfaces=(Rest("GET", PRODUCTS_PATH), GraphQL("deviceProducts")),
)
async def list_device_products(call: Call, request: ListDeviceProducts) -> DeviceProductList:
    """List the products in the device catalogue.

    Ordered by code, with price and stock.
    """
    wanted = request.model_dump(include={"kind", "active"}, exclude_none=True)
    if is_customer(call):
        wanted["active"] = True
    rows, counted = await store.list_product_rows(
        call.work, wanted, in_stock=request.in_stock, limit=request.per_page, offset=request.offset
    )
    return DeviceProductList(
        **total_fields(counted),
        page=request.page,
        per_page=request.per_page,
        products=[product_record(call, row) for row in rows],
    )


@reads(
    "get_device_product",
    audience=READERS,
    scopes={Scope.ORDERS_READ},
    interfaces=(Rest("GET", PRODUCT_PATH), GraphQL("deviceProduct")),
    errors=(NOT_FOUND,),
)
async def get_device_product(call: Call, request: DeviceProductRef) -> DeviceProductAnswer:
    """Retrieve a product from the device catalogue."""
    return DeviceProductAnswer(product=product_record(call, await get_visible_product(call, request.product_code)))


@writes(
    "adjust_device_stock",
    audience=OFFICE,
    scopes={Scope.WMS_WRITE},
    risk=Risk.MEDIUM,
    interfaces=(Rest("POST", f"{PRODUCT_PATH}/stock"), GraphQL("adjustDeviceStock")),
    errors=(NOT_FOUND, DEVICE_STOCK_REFUSED),
)
async def adjust_device_stock(call: Call, request: AdjustDeviceStock) -> DeviceProductAnswer:
    """Adjust the stock of a device product.

    The change is added to the stock, or subtracted if negative. Stock reserved by confirmed orders is already deducted.
    """
    row = await store.get_product_row(call.work, request.product_code, lock=True)
    if row is None:
        raise record_not_found(product_code=request.product_code)
    if not 0 <= row.stock + request.change <= STOCK_MAX:
        raise DEVICE_STOCK_REFUSED(stock=row.stock, change=request.change, most=STOCK_MAX)
    await store.move_stock(call.work, {row.id: request.change})
    return await _changed(call, request.product_code)


async def _changed(call: Call, product_code: str) -> DeviceProductAnswer:
    row = await get_visible_product(call, product_code)
    call.add_audit_subjects("device_product", row.id)
    return DeviceProductAnswer(product=product_record(call, row))


REPORT_DAYS_MAX = 366


@reads(
    "get_device_order_report",
    audience=OFFICE,
    scopes={Scope.ANALYTICS_READ},
    interfaces=(Rest("GET", "/v1/device-order-report"), GraphQL("deviceOrderReport")),
)
async def get_device_order_report(call: Call, request: GetDeviceOrderReport) -> DeviceOrderReport:
    """Summarize payments for device orders by day.

    Groups the orders paid in a period by product or customer, including cancellations, returns and refunds.
    """
    if not 0 <= (request.date_to - request.date_from).days <= REPORT_DAYS_MAX:
        raise INVALID_REQUEST.for_fields(FieldError("date_to", "field.shop_days"))
    begins, ends = call.span_of_days(request.date_from, request.date_to)
    rows = await store.list_device_order_sums(call.work, request.by, begins, ends, most=request.limit)
    refunds = await store.list_device_refunds(call.work, begins, ends)
    return DeviceOrderReport(
        groups=[record(DeviceOrderSums, row) for row in rows],
        refunded=[record(DeviceRefundSums, row) for row in refunds],
    )


RETURNS_PATH = "/v1/device-returns"
RETURN_PATH = f"{RETURNS_PATH}/{{device_return_id}}"


@writes(
    "request_device_return",
    available_when={"status": DEVICE_ORDER_LIFE.allowing(DeviceOrderStep.REQUEST_RETURN)},
    audience=BUYERS,
    scopes={Scope.ORDERS_WRITE},
    risk=Risk.MEDIUM,
    interfaces=(Rest("POST", f"{ORDER_PATH}/returns"), GraphQL("requestDeviceReturn")),
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
    interfaces=(Rest("GET", RETURNS_PATH), GraphQL("deviceReturns")),
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
    interfaces=(Rest("GET", RETURN_PATH), GraphQL("deviceReturn")),
    errors=(NOT_FOUND,),
)
async def get_device_return(call: Call, request: DeviceReturnRef) -> DeviceReturnAnswer:
    """Retrieve a device return."""
    row = await get_visible_return(call, request.device_return_id)
    return DeviceReturnAnswer(device_return=return_record(call, row))


@writes(
    "cancel_device_return",
    available_when={"status": DEVICE_RETURN_LIFE.allowing(DeviceReturnStep.CANCEL)},
    audience=BUYERS,
    scopes={Scope.ORDERS_WRITE},
    risk=Risk.MEDIUM,
    interfaces=(Rest("POST", f"{RETURN_PATH}/cancel"), GraphQL("cancelDeviceReturn")),
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
    available_when={"status": DEVICE_RETURN_LIFE.allowing(DeviceReturnStep.RECEIVE)},
    audience=OFFICE,
    scopes={Scope.WMS_WRITE},
    risk=Risk.HIGH,
    interfaces=(Rest("POST", f"{RETURN_PATH}/receive"), GraphQL("receiveDeviceReturn")),
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
    available_when={
        "status": DEVICE_RETURN_LIFE.allowing(
            DeviceReturnStep.REFUND, DeviceReturnStep.REPLACE, DeviceReturnStep.REFUSE
        )
    },
    audience=OFFICE,
    scopes={Scope.WMS_WRITE},
    risk=Risk.HIGH,
    interfaces=(Rest("POST", f"{RETURN_PATH}/settle"), GraphQL("settleDeviceReturn")),
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
    settled = await actions.complete_return(call, order, row, request)
    return DeviceReturnAnswer(device_return=return_record(call, settled))
