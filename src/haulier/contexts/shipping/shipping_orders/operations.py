"""Customers order services, see their orders, pay and cancel them."""

from haulier.contexts.billing.public import (
    CREDIT_INSUFFICIENT,
    SERVICE_OUT_OF_AREA,
    SERVICE_PRICE_OUT_OF_RANGE,
    SERVICE_QUOTE_EXPIRED,
    SERVICE_QUOTE_TAKEN,
)
from haulier.contexts.shipping.shipping_orders import store
from haulier.contexts.shipping.shipping_orders.actions.orders import order_service
from haulier.contexts.shipping.shipping_orders.actions.payments import pay_shipping_order_from_credit
from haulier.contexts.shipping.shipping_orders.actions.steps import cancel_order
from haulier.contexts.shipping.shipping_orders.contract.orders import (
    CreatedShippingOrder,
    CreateShippingOrder,
    ListShippingOrders,
    ShippingOrderAnswer,
    ShippingOrderList,
    ShippingOrderRef,
)
from haulier.contexts.shipping.shipping_orders.operations.services import CUSTOMERS, READ_SCOPES, SERVICE_PATH
from haulier.contexts.shipping.shipping_orders.queries import get_visible_shipping_order, list_conditions
from haulier.contexts.shipping.shipping_orders.rules.lifecycle import (
    SHIPPING_ORDER_LIFE,
    SHIPPING_ORDER_PAID,
    SHIPPING_ORDER_QUOTE_MISMATCH,
    SHIPPING_ORDER_REF_TAKEN,
    SHIPPING_ORDER_STEP_REFUSED,
    ShippingOrderState,
    ShippingOrderStep,
)
from haulier.contexts.shipping.shipping_orders.serializers import order_detail, order_summary
from haulier.kernel.call import Call
from haulier.kernel.operations.declaration import GraphQL, Mcp, Rest, reads, writes
from haulier.kernel.operations.enums import Risk, Scope
from haulier.kernel.operations.errors import NOT_FOUND, PRICE_HIDDEN
from haulier.kernel.values.pagination import MAX_COUNT, total_fields

PATH = "/v1/customer/shipping-orders"
ORDER_PATH = f"{PATH}/{{shipping_order_id}}"
WRITE_SCOPES = {Scope.CUSTOMER_SHIPPING_WRITE}


@writes(
    "create_shipping_order",
    audience=CUSTOMERS,
    scopes=WRITE_SCOPES,
    risk=Risk.MEDIUM,
    doors=(
        Rest("POST", f"{SERVICE_PATH}/orders"),
        GraphQL("createShippingOrder"),
        Mcp("create_shipping_order", title="Order a service"),
    ),
    errors=(
        *(NOT_FOUND, SERVICE_OUT_OF_AREA, SERVICE_PRICE_OUT_OF_RANGE, SERVICE_QUOTE_EXPIRED, SERVICE_QUOTE_TAKEN),
        *(SHIPPING_ORDER_REF_TAKEN, SHIPPING_ORDER_QUOTE_MISMATCH),
    ),
)
async def create_shipping_order(call: Call, request: CreateShippingOrder) -> CreatedShippingOrder:
    """Order a service, at the price of a quote or at what it costs now. The business confirms the order.

    A repeat with the same `order_ref` creates nothing and gives the existing order, with `existing: true`.
    """
    order_id, existing = await order_service(call, call.actor or 0, request)
    row = await get_visible_shipping_order(call, order_id)
    return CreatedShippingOrder(shipping_order=order_detail(call, row), existing=existing)


@reads(
    "list_shipping_orders",
    audience=CUSTOMERS,
    scopes=READ_SCOPES,
    doors=(
        Rest("GET", PATH),
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
    """A page of orders; of one customer where one is named."""
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
    doors=(
        Rest("GET", ORDER_PATH),
        GraphQL("shippingOrder"),
        Mcp("get_shipping_order", title="Show a shipping order"),
    ),
    errors=(NOT_FOUND,),
)
async def get_shipping_order(call: Call, request: ShippingOrderRef) -> ShippingOrderAnswer:
    """Show one of your shipping orders."""
    return await load_shipping_order(call, request.shipping_order_id)


@writes(
    "pay_shipping_order",
    allowed_where={"state": frozenset(ShippingOrderState) - {ShippingOrderState.CANCELLED}},
    audience=CUSTOMERS,
    scopes=WRITE_SCOPES,
    risk=Risk.HIGH,
    confirm=True,
    doors=(
        Rest("POST", f"{ORDER_PATH}/pay"),
        GraphQL("payShippingOrder"),
        Mcp("pay_shipping_order", title="Pay a shipping order"),
    ),
    errors=(NOT_FOUND, PRICE_HIDDEN, SHIPPING_ORDER_STEP_REFUSED, SHIPPING_ORDER_PAID, CREDIT_INSUFFICIENT),
)
async def pay_shipping_order(call: Call, request: ShippingOrderRef) -> ShippingOrderAnswer:
    """Pay all that is left of an order from your credit, or nothing where the credit is too small."""
    await pay_shipping_order_from_credit(call, request.shipping_order_id)
    return await load_shipping_order(call, request.shipping_order_id)


@writes(
    "cancel_shipping_order",
    allowed_where={"state": SHIPPING_ORDER_LIFE.allowing(ShippingOrderStep.CANCEL)},
    audience=CUSTOMERS,
    scopes=WRITE_SCOPES,
    risk=Risk.HIGH,
    confirm=True,
    doors=(
        Rest("POST", f"{ORDER_PATH}/cancel"),
        GraphQL("cancelShippingOrder"),
        Mcp("cancel_shipping_order", title="Cancel a shipping order"),
    ),
    errors=(NOT_FOUND, SHIPPING_ORDER_STEP_REFUSED),
)
async def cancel_shipping_order(call: Call, request: ShippingOrderRef) -> ShippingOrderAnswer:
    """Cancel an order that is pending or confirmed. What you paid is in your credit again at once."""
    row = await get_visible_shipping_order(call, request.shipping_order_id, lock=True)
    await cancel_order(call, row, None)
    return await load_shipping_order(call, row.id)


async def load_shipping_order(call: Call, id: int) -> ShippingOrderAnswer:
    """An order as it is now."""
    return ShippingOrderAnswer(shipping_order=order_detail(call, await get_visible_shipping_order(call, id)))
