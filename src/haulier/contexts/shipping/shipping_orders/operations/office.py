"""The office sees the orders of all customers, confirms them, says how far they are, and cancels them."""

from haulier.contexts.shipping.shipping_orders.actions.steps import cancel_order, confirm_order, move_order
from haulier.contexts.shipping.shipping_orders.contract.orders import (
    CancelCustomersShippingOrder,
    ListCustomersShippingOrders,
    MoveShippingOrder,
    ShippingOrderAnswer,
    ShippingOrderList,
    ShippingOrderRef,
)
from haulier.contexts.shipping.shipping_orders.operations.orders import (
    WRITE_SCOPES,
    load_shipping_order,
    shipping_order_page,
)
from haulier.contexts.shipping.shipping_orders.operations.services import READ_SCOPES
from haulier.contexts.shipping.shipping_orders.queries import get_visible_shipping_order
from haulier.contexts.shipping.shipping_orders.rules.lifecycle import (
    SHIPPING_ORDER_LIFE,
    SHIPPING_ORDER_STEP_REFUSED,
    ShippingOrderStep,
)
from haulier.kernel.call import Call
from haulier.kernel.operations.declaration import GraphQL, Rest, reads, writes
from haulier.kernel.operations.enums import OFFICE, Risk
from haulier.kernel.operations.errors import NOT_FOUND

PATH = "/v1/shipping-orders"
ORDER_PATH = f"{PATH}/{{shipping_order_id}}"
STEPS = {"in_progress": ShippingOrderStep.BEGIN, "completed": ShippingOrderStep.COMPLETE}


@reads(
    "list_customers_shipping_orders",
    audience=OFFICE,
    scopes=READ_SCOPES,
    doors=(Rest("GET", PATH), GraphQL("customersShippingOrders")),
)
async def list_customers_shipping_orders(call: Call, request: ListCustomersShippingOrders) -> ShippingOrderList:
    """List the shipping orders of customers, newest first."""
    return await shipping_order_page(call, request, customer_id=request.customer_id, paid=request.paid)


@reads(
    "get_customers_shipping_order",
    audience=OFFICE,
    scopes=READ_SCOPES,
    doors=(Rest("GET", ORDER_PATH), GraphQL("customersShippingOrder")),
    errors=(NOT_FOUND,),
)
async def get_customers_shipping_order(call: Call, request: ShippingOrderRef) -> ShippingOrderAnswer:
    """Show a customer's shipping order."""
    return await load_shipping_order(call, request.shipping_order_id)


@writes(
    "confirm_shipping_order",
    allowed_where={"state": SHIPPING_ORDER_LIFE.allowing(ShippingOrderStep.CONFIRM)},
    audience=OFFICE,
    scopes=WRITE_SCOPES,
    risk=Risk.MEDIUM,
    doors=(Rest("POST", f"{ORDER_PATH}/confirm"), GraphQL("confirmShippingOrder")),
    errors=(NOT_FOUND, SHIPPING_ORDER_STEP_REFUSED),
)
async def confirm_shipping_order(call: Call, request: ShippingOrderRef) -> ShippingOrderAnswer:
    """Confirm an order: it becomes a delivery, a carrier's label, or both, as its service says.

    The label is bought in the background; where that failed, confirming the order again tries once more.
    """
    row = await get_visible_shipping_order(call, request.shipping_order_id, lock=True)
    await confirm_order(call, row)
    return await load_shipping_order(call, row.id)


@writes(
    "move_shipping_order",
    allowed_where={"state": SHIPPING_ORDER_LIFE.allowing(ShippingOrderStep.BEGIN, ShippingOrderStep.COMPLETE)},
    audience=OFFICE,
    scopes=WRITE_SCOPES,
    risk=Risk.MEDIUM,
    doors=(Rest("POST", f"{ORDER_PATH}/state"), GraphQL("moveShippingOrder")),
    errors=(NOT_FOUND, SHIPPING_ORDER_STEP_REFUSED),
)
async def move_shipping_order(call: Call, request: MoveShippingOrder) -> ShippingOrderAnswer:
    """Say that a confirmed order is begun or completed, where no delivery and no carrier tells it."""
    row = await get_visible_shipping_order(call, request.shipping_order_id, lock=True)
    if row.state != request.state and not await move_order(call, row, STEPS[request.state]):
        raise SHIPPING_ORDER_STEP_REFUSED(step=STEPS[request.state].value, state=row.state)
    return await load_shipping_order(call, row.id)


@writes(
    "cancel_customers_shipping_order",
    allowed_where={"state": SHIPPING_ORDER_LIFE.allowing(ShippingOrderStep.CANCEL)},
    audience=OFFICE,
    scopes=WRITE_SCOPES,
    risk=Risk.HIGH,
    doors=(Rest("POST", f"{ORDER_PATH}/cancel"), GraphQL("cancelCustomersShippingOrder")),
    errors=(NOT_FOUND, SHIPPING_ORDER_STEP_REFUSED),
)
async def cancel_customers_shipping_order(call: Call, request: CancelCustomersShippingOrder) -> ShippingOrderAnswer:
    """Cancel an order that is pending or confirmed. What its customer paid is in their credit again at once."""
    row = await get_visible_shipping_order(call, request.shipping_order_id, lock=True)
    await cancel_order(call, row, request.reason)
    return await load_shipping_order(call, row.id)
