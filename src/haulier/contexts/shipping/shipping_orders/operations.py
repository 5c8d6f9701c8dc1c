"""Operations on shipping orders."""

from datetime import datetime

from msgspec import Struct

from haulier.contexts.billing.public import (
    CREDIT_INSUFFICIENT,
    SERVICE_OUT_OF_AREA,
    SERVICE_PRICE_OUT_OF_RANGE,
    SERVICE_QUOTE_EXPIRED,
    SERVICE_QUOTE_TAKEN,
    Service,
    find_offered_service,
    list_offered_services,
    store_service_quote,
)
from haulier.contexts.shipping.labels.queries import call_of
from haulier.contexts.shipping.shipping_orders import store
from haulier.contexts.shipping.shipping_orders.actions import (
    MEASURES,
    PricedOrder,
    cancel_order,
    confirm_order,
    move_order,
    order_service,
    pay_shipping_order_from_credit,
    price_order,
)
from haulier.contexts.shipping.shipping_orders.contract import (
    CancelCustomersShippingOrder,
    CreatedShippingOrder,
    CreateShippingOrder,
    EstimateShippingOrder,
    ListCustomersShippingOrders,
    ListShippingOrders,
    ListShippingServices,
    MoveShippingOrder,
    ShippingOrderAnswer,
    ShippingOrderEstimate,
    ShippingOrderList,
    ShippingOrderRef,
    ShippingServiceConfig,
    ShippingServiceList,
    ShippingServiceRef,
)
from haulier.contexts.shipping.shipping_orders.queries import get_visible_shipping_order, list_conditions
from haulier.contexts.shipping.shipping_orders.rules import (
    ORDERABLE_KINDS,
    SHIPPING_ORDER_LIFE,
    SHIPPING_ORDER_PAID,
    SHIPPING_ORDER_QUOTE_MISMATCH,
    SHIPPING_ORDER_REF_TAKEN,
    SHIPPING_ORDER_STEP_REFUSED,
    ShippingOrderState,
    ShippingOrderStep,
)
from haulier.contexts.shipping.shipping_orders.serializers import (
    charges,
    order_detail,
    order_summary,
    service_config,
    service_record,
)
from haulier.kernel.call import Call
from haulier.kernel.operations.declaration import GraphQL, Mcp, Rest, reads, writes
from haulier.kernel.operations.enums import OFFICE, Account, Risk, Scope
from haulier.kernel.operations.errors import NOT_FOUND, PRICE_HIDDEN
from haulier.kernel.request_context import RequestContext
from haulier.kernel.values.pagination import MAX_COUNT, total_fields

SERVICES_PATH = "/v1/customer/shipping-orders/services"
SERVICE_PATH = f"{SERVICES_PATH}/{{service_code}}"
CUSTOMERS = {Account.CUSTOMER}
READ_SCOPES = {Scope.CUSTOMER_SHIPPING_READ}
NOT_KEPT = 0


@reads(
    "list_shipping_services",
    audience=CUSTOMERS,
    scopes=READ_SCOPES,
    interfaces=(
        Rest("GET", SERVICES_PATH),
        GraphQL("shippingServices"),
        Mcp("list_shipping_services", title="List shipping services"),
    ),
)
async def list_shipping_services(call: Call, request: ListShippingServices) -> ShippingServiceList:
    """List services that you can order.

    Parcels, LTL freight and moving.
    """
    services = await list_offered_services(call, ORDERABLE_KINDS)
    return ShippingServiceList(
        services=[service_record(service) for service in services if request.kind in (None, service.kind.value)]
    )


@reads(
    "get_shipping_service_config",
    audience=CUSTOMERS,
    scopes=READ_SCOPES,
    interfaces=(
        Rest("GET", SERVICE_PATH),
        GraphQL("shippingServiceConfig"),
        Mcp("get_shipping_service_config", title="Get the form of a shipping service"),
    ),
    errors=(NOT_FOUND,),
)
async def get_shipping_service_config(call: Call, request: ShippingServiceRef) -> ShippingServiceConfig:
    """Get the form of a shipping service.

    Returns its fields, also as JSON Schema.
    """
    return service_config(call, await find_offered_service(call, request.service_code, ORDERABLE_KINDS))


class KeptEstimate(Struct, frozen=True):
    """A stored price."""

    service: Service
    priced: PricedOrder
    quote_id: int
    expires_at: datetime


async def store_estimate(context: RequestContext, request: EstimateShippingOrder) -> KeptEstimate:
    """Price an order and store it as a quote, except in a dry run."""
    async with context.app.database.write(context.principal.client_id) as work:
        call = call_of(context, work)
        service = await find_offered_service(call, request.service_code, ORDERABLE_KINDS)
        priced = price_order(service, request)
        if context.dry_run:
            return KeptEstimate(service, priced, NOT_KEPT, call.now)
        quote = await store_service_quote(
            call,
            service,
            priced.price,
            customer_id=call.actor,
            values=priced.values,
            details={MEASURES: priced.measures},
        )
        return KeptEstimate(service, priced, quote.id, quote.expires_at)


@reads(
    "estimate_shipping_order",
    audience=CUSTOMERS,
    scopes=READ_SCOPES,
    interfaces=(
        Rest("POST", f"{SERVICE_PATH}/estimate-price"),
        GraphQL("shippingOrderEstimate"),
        Mcp("estimate_shipping_order", title="Estimate a shipping order"),
    ),
    prepare=store_estimate,
    errors=(NOT_FOUND, SERVICE_OUT_OF_AREA, SERVICE_PRICE_OUT_OF_RANGE),
)
async def estimate_shipping_order(call: Call, request: EstimateShippingOrder) -> ShippingOrderEstimate:
    """Estimate the price of a shipping order.

    Orders with its `quote_id` get this price until it expires.
    """
    kept: KeptEstimate = call.prepared
    price = kept.priced.price
    return ShippingOrderEstimate(
        service_code=kept.service.code,
        quote_id=kept.quote_id,
        expires_at=call.local_time(kept.expires_at),
        price_family=kept.service.family,
        shipping_price=price.total_minor,
        tax=price.tax_minor,
        currency=price.currency,
        price_details=charges(call, price.lines),
    )


ORDERS_PATH = "/v1/customer/shipping-orders"
ORDER_PATH = f"{ORDERS_PATH}/{{shipping_order_id}}"
WRITE_SCOPES = {Scope.CUSTOMER_SHIPPING_WRITE}


@writes(
    "create_shipping_order",
    audience=CUSTOMERS,
    scopes=WRITE_SCOPES,
    risk=Risk.MEDIUM,
    interfaces=(
        Rest("POST", f"{SERVICE_PATH}/orders"),
        GraphQL("createShippingOrder"),
        Mcp("create_shipping_order", title="Create a shipping order"),
    ),
    errors=(
        *(NOT_FOUND, SERVICE_OUT_OF_AREA, SERVICE_PRICE_OUT_OF_RANGE, SERVICE_QUOTE_EXPIRED, SERVICE_QUOTE_TAKEN),
        *(SHIPPING_ORDER_REF_TAKEN, SHIPPING_ORDER_QUOTE_MISMATCH),
    ),
)
async def create_shipping_order(call: Call, request: CreateShippingOrder) -> CreatedShippingOrder:
    """Order a shipping service.

    The price is that of a quote, or the current one. The business confirms the order. A repeat with the same
    `order_ref` creates nothing and returns the existing order, with `existing: true`.
    """
    order_id, existing = await order_service(call, call.actor or 0, request)
    row = await get_visible_shipping_order(call, order_id)
    return CreatedShippingOrder(shipping_order=order_detail(call, row), existing=existing)


@reads(
    "list_shipping_orders",
    audience=CUSTOMERS,
    scopes=READ_SCOPES,
    interfaces=(
        Rest("GET", ORDERS_PATH),
        GraphQL("shippingOrders"),
        Mcp("list_shipping_orders", title="List your shipping orders"),
    ),
)
async def list_shipping_orders(call: Call, request: ListShippingOrders) -> ShippingOrderList:
    """List your shipping orders, newest first."""
    return await shipping_order_page(call, request, customer_id=call.actor or 0)


async def shipping_order_page(
    call: Call, request: ListShippingOrders, *, customer_id: int | None, paid: bool | None = None
) -> ShippingOrderList:
    """Return a page of orders, optionally of one customer."""
    conditions = list_conditions(call, request, customer_id=customer_id, paid=paid)
    rows, counted = await store.list_shipping_order_rows(
        call.work, conditions, limit=request.per_page, offset=request.offset, most=MAX_COUNT + 1
    )
    return ShippingOrderList(
        **total_fields(counted),
        page=request.page,
        per_page=request.per_page,
        shipping_orders=[order_summary(call, row) for row in rows],
    )


@reads(
    "get_shipping_order",
    audience=CUSTOMERS,
    scopes=READ_SCOPES,
    interfaces=(
        Rest("GET", ORDER_PATH),
        GraphQL("shippingOrder"),
        Mcp("get_shipping_order", title="Get a shipping order"),
    ),
    errors=(NOT_FOUND,),
)
async def get_shipping_order(call: Call, request: ShippingOrderRef) -> ShippingOrderAnswer:
    """Get one of your shipping orders."""
    return await load_shipping_order(call, request.shipping_order_id)


@writes(
    "pay_shipping_order",
    available_when={"state": frozenset(ShippingOrderState) - {ShippingOrderState.CANCELLED}},
    audience=CUSTOMERS,
    scopes=WRITE_SCOPES,
    risk=Risk.HIGH,
    confirm=True,
    interfaces=(
        Rest("POST", f"{ORDER_PATH}/pay"),
        GraphQL("payShippingOrder"),
        Mcp("pay_shipping_order", title="Pay a shipping order"),
    ),
    errors=(NOT_FOUND, PRICE_HIDDEN, SHIPPING_ORDER_STEP_REFUSED, SHIPPING_ORDER_PAID, CREDIT_INSUFFICIENT),
)
async def pay_shipping_order(call: Call, request: ShippingOrderRef) -> ShippingOrderAnswer:
    """Pay a shipping order from your credit.

    Pays the whole rest, or nothing if the credit is too small.
    """
    await pay_shipping_order_from_credit(call, request.shipping_order_id)
    return await load_shipping_order(call, request.shipping_order_id)


@writes(
    "cancel_shipping_order",
    available_when={"state": SHIPPING_ORDER_LIFE.allowing(ShippingOrderStep.CANCEL)},
    audience=CUSTOMERS,
    scopes=WRITE_SCOPES,
    risk=Risk.HIGH,
    confirm=True,
    interfaces=(
        Rest("POST", f"{ORDER_PATH}/cancel"),
        GraphQL("cancelShippingOrder"),
        Mcp("cancel_shipping_order", title="Cancel a shipping order"),
    ),
    errors=(NOT_FOUND, SHIPPING_ORDER_STEP_REFUSED),
)
async def cancel_shipping_order(call: Call, request: ShippingOrderRef) -> ShippingOrderAnswer:
    """Cancel one of your shipping orders.

    Pending and confirmed orders can be cancelled. Your payment is returned to your credit immediately.
    """
    row = await get_visible_shipping_order(call, request.shipping_order_id, lock=True)
    await cancel_order(call, row, None)
    return await load_shipping_order(call, row.id)


async def load_shipping_order(call: Call, id: int) -> ShippingOrderAnswer:
    """Return an order as it is now."""
    return ShippingOrderAnswer(shipping_order=order_detail(call, await get_visible_shipping_order(call, id)))


OFFICE_PATH = "/v1/shipping-orders"
OFFICE_ORDER_PATH = f"{OFFICE_PATH}/{{shipping_order_id}}"
STEPS = {"in_progress": ShippingOrderStep.BEGIN, "completed": ShippingOrderStep.COMPLETE}


@reads(
    "list_customers_shipping_orders",
    audience=OFFICE,
    scopes=READ_SCOPES,
    interfaces=(Rest("GET", OFFICE_PATH), GraphQL("customersShippingOrders")),
)
async def list_customers_shipping_orders(call: Call, request: ListCustomersShippingOrders) -> ShippingOrderList:
    """List the shipping orders of customers, newest first."""
    return await shipping_order_page(call, request, customer_id=request.customer_id, paid=request.paid)


@reads(
    "get_customers_shipping_order",
    audience=OFFICE,
    scopes=READ_SCOPES,
    interfaces=(Rest("GET", OFFICE_ORDER_PATH), GraphQL("customersShippingOrder")),
    errors=(NOT_FOUND,),
)
async def get_customers_shipping_order(call: Call, request: ShippingOrderRef) -> ShippingOrderAnswer:
    """Get a customer's shipping order."""
    return await load_shipping_order(call, request.shipping_order_id)


@writes(
    "confirm_shipping_order",
    available_when={"state": SHIPPING_ORDER_LIFE.allowing(ShippingOrderStep.CONFIRM)},
    audience=OFFICE,
    scopes=WRITE_SCOPES,
    risk=Risk.MEDIUM,
    interfaces=(Rest("POST", f"{OFFICE_ORDER_PATH}/confirm"), GraphQL("confirmShippingOrder")),
    errors=(NOT_FOUND, SHIPPING_ORDER_STEP_REFUSED),
)
async def confirm_shipping_order(call: Call, request: ShippingOrderRef) -> ShippingOrderAnswer:
    """Confirm a customer's shipping order.

    It becomes a delivery, a carrier's label, or both, as its service defines. The label is bought in the background;
    confirm the order again to retry a failed label.
    """
    row = await get_visible_shipping_order(call, request.shipping_order_id, lock=True)
    await confirm_order(call, row)
    return await load_shipping_order(call, row.id)


@writes(
    "move_shipping_order",
    available_when={"state": SHIPPING_ORDER_LIFE.allowing(ShippingOrderStep.BEGIN, ShippingOrderStep.COMPLETE)},
    audience=OFFICE,
    scopes=WRITE_SCOPES,
    risk=Risk.MEDIUM,
    interfaces=(Rest("POST", f"{OFFICE_ORDER_PATH}/state"), GraphQL("moveShippingOrder")),
    errors=(NOT_FOUND, SHIPPING_ORDER_STEP_REFUSED),
)
async def move_shipping_order(call: Call, request: MoveShippingOrder) -> ShippingOrderAnswer:
    """Start or complete a shipping order.

    For confirmed orders without a delivery or carrier that reports it.
    """
    row = await get_visible_shipping_order(call, request.shipping_order_id, lock=True)
    if row.state != request.state and not await move_order(call, row, STEPS[request.state]):
        raise SHIPPING_ORDER_STEP_REFUSED(step=STEPS[request.state].value, state=row.state)
    return await load_shipping_order(call, row.id)


@writes(
    "cancel_customers_shipping_order",
    available_when={"state": SHIPPING_ORDER_LIFE.allowing(ShippingOrderStep.CANCEL)},
    audience=OFFICE,
    scopes=WRITE_SCOPES,
    risk=Risk.HIGH,
    interfaces=(Rest("POST", f"{OFFICE_ORDER_PATH}/cancel"), GraphQL("cancelCustomersShippingOrder")),
    errors=(NOT_FOUND, SHIPPING_ORDER_STEP_REFUSED),
)
async def cancel_customers_shipping_order(call: Call, request: CancelCustomersShippingOrder) -> ShippingOrderAnswer:
    """Cancel a customer's shipping order.

    Pending and confirmed orders can be cancelled. The payment is returned to the customer's credit immediately.
    """
    row = await get_visible_shipping_order(call, request.shipping_order_id, lock=True)
    await cancel_order(call, row, request.reason)
    return await load_shipping_order(call, row.id)
