"""Operations on order returns."""

from typing import Any

from haulier.contexts.billing.ledger.rules import REFUND_TOO_MUCH
from haulier.contexts.identity.public import is_customer
from haulier.contexts.orders.delivery_orders.actions.create import SERVICE_UNKNOWN
from haulier.contexts.orders.delivery_orders.rules.lifecycle import ORDER_STEP_REFUSED
from haulier.contexts.orders.order_returns import actions, store
from haulier.contexts.orders.order_returns.contract import (
    CancelOrderReturn,
    CreateOrderReturn,
    DecideReturnRefunds,
    InspectOrderReturn,
    ListOrderReturns,
    OrderReturnAnswer,
    OrderReturnList,
    OrderReturnRef,
    ProposeReturnRefunds,
)
from haulier.contexts.orders.order_returns.queries import get_visible_return
from haulier.contexts.orders.order_returns.rules import (
    ORDER_RETURN_NOT_RECEIVED,
    ORDER_RETURN_STEP_REFUSED,
    RETURN_QUANTITY_EXCEEDED,
    RETURN_REFUND_DECIDED,
    OrderReturnState,
)
from haulier.contexts.orders.order_returns.serializers import return_answer, return_records
from haulier.contexts.orders.quotes.rules import RATE_NOT_AVAILABLE, ZONE_ERRORS
from haulier.kernel.call import Call
from haulier.kernel.operations.declaration import GraphQL, Mcp, Rest, reads, writes
from haulier.kernel.operations.enums import OFFICE, Account, Risk, Scope
from haulier.kernel.operations.errors import NOT_FOUND
from haulier.kernel.values.pagination import total_fields

PATH = "/v1/order-returns"
ONE = f"{PATH}/{{order_return_id}}"
OPEN = {"state": frozenset({OrderReturnState.OPEN.value})}
INSPECTED = {"state": frozenset({OrderReturnState.INSPECTED.value})}


@writes(
    "create_order_return",
    audience=OFFICE,
    scopes={Scope.ORDERS_WRITE},
    risk=Risk.MEDIUM,
    interfaces=(
        Rest("POST", "/v1/orders/{order_id}/returns"),
        GraphQL("createOrderReturn"),
        Mcp("create_order_return", title="Return an order"),
    ),
    errors=(
        *(NOT_FOUND, ORDER_STEP_REFUSED, RETURN_QUANTITY_EXCEEDED, SERVICE_UNKNOWN, RATE_NOT_AVAILABLE),
        *ZONE_ERRORS,
    ),
    available_when={"status": frozenset({"DELIVERED"})},
)
async def create_order_return(call: Call, request: CreateOrderReturn) -> OrderReturnAnswer:
    """Create a return of a delivered order.

    The return is listed among the fulfilments of the order. With `carrier` or `own_fleet`, a return order brings the
    goods back: buy its label with `ship_order`, or plan it on a route.
    """
    return await return_answer(call, await actions.create_return(call, request))


@reads(
    "list_order_returns",
    audience=OFFICE | {Account.CUSTOMER},
    scopes={Scope.ORDERS_READ},
    interfaces=(Rest("GET", PATH), GraphQL("orderReturns")),
)
async def list_order_returns(call: Call, request: ListOrderReturns) -> OrderReturnList:
    """List returns of orders, newest first.

    Includes returns that recipients began. Customers see the returns of their own orders.
    """
    wanted: dict[str, Any] = request.model_dump(mode="json", include={"order_id", "state"}, exclude_none=True)
    if is_customer(call):
        wanted["customer_id"] = call.actor
    rows, counted = await store.list_return_rows(call.work, wanted, limit=request.per_page, offset=request.offset)
    return OrderReturnList(
        **total_fields(counted),
        page=request.page,
        per_page=request.per_page,
        order_returns=await return_records(call, rows),
    )


@reads(
    "get_order_return",
    audience=OFFICE | {Account.CUSTOMER},
    scopes={Scope.ORDERS_READ},
    interfaces=(Rest("GET", ONE), GraphQL("orderReturn"), Mcp("get_order_return", title="Show a return")),
    errors=(NOT_FOUND,),
)
async def get_order_return(call: Call, request: OrderReturnRef) -> OrderReturnAnswer:
    """Get a return of an order.

    The office also gets the charges of the order that can be refunded.
    """
    return await return_answer(call, await get_visible_return(call, request.order_return_id))


@writes(
    "cancel_order_return",
    audience=OFFICE,
    scopes={Scope.ORDERS_WRITE},
    risk=Risk.MEDIUM,
    interfaces=(Rest("POST", f"{ONE}/cancel"), GraphQL("cancelOrderReturn")),
    errors=(NOT_FOUND, ORDER_RETURN_STEP_REFUSED, ORDER_STEP_REFUSED),
    available_when=OPEN,
)
async def cancel_order_return(call: Call, request: CancelOrderReturn) -> OrderReturnAnswer:
    """Cancel a return and its return order.

    Possible until the goods are picked up. Labels of the return order are voided.
    """
    return await return_answer(call, await actions.cancel_return(call, request))


@writes(
    "inspect_order_return",
    audience=OFFICE,
    scopes={Scope.ORDERS_WRITE, Scope.WMS_WRITE},
    risk=Risk.MEDIUM,
    interfaces=(
        Rest("POST", f"{ONE}/inspection"),
        GraphQL("inspectOrderReturn"),
        Mcp("inspect_order_return", title="Inspect a return"),
    ),
    errors=(NOT_FOUND, ORDER_RETURN_STEP_REFUSED, ORDER_RETURN_NOT_RECEIVED),
    available_when=OPEN,
)
async def inspect_order_return(call: Call, request: InspectOrderReturn) -> OrderReturnAnswer:
    """Record the inspection of returned goods.

    Each unit gets a grade. Units with a location are put back into stock as good, B-grade or damaged stock.
    """
    return await return_answer(call, await actions.inspect_return(call, request))


@writes(
    "propose_return_refunds",
    audience=OFFICE,
    scopes={Scope.ORDERS_WRITE},
    risk=Risk.MEDIUM,
    interfaces=(
        Rest("POST", f"{ONE}/refunds"),
        GraphQL("proposeReturnRefunds"),
        Mcp("propose_return_refunds", title="Propose refunds of a return"),
    ),
    errors=(NOT_FOUND, ORDER_RETURN_STEP_REFUSED, REFUND_TOO_MUCH),
    available_when=INSPECTED,
)
async def propose_return_refunds(call: Call, request: ProposeReturnRefunds) -> OrderReturnAnswer:
    """Propose refunds for an inspected return.

    One refund per charge of the order, never more than its remaining amount. Nothing is refunded before approval.
    """
    return await return_answer(call, await actions.propose_refunds(call, request))


@writes(
    "decide_return_refunds",
    audience=OFFICE,
    scopes={Scope.BILLING_WRITE},
    risk=Risk.HIGH,
    interfaces=(
        Rest("POST", f"{ONE}/refunds/decision"),
        GraphQL("decideReturnRefunds"),
        Mcp("decide_return_refunds", title="Approve or reject refunds of a return"),
    ),
    errors=(NOT_FOUND, RETURN_REFUND_DECIDED, REFUND_TOO_MUCH),
    available_when=INSPECTED,
)
async def decide_return_refunds(call: Call, request: DecideReturnRefunds) -> OrderReturnAnswer:
    """Approve or reject proposed refunds of a return.

    Approved amounts are refunded to the customer's credit. Invoiced charges get a credit note for these lines.
    """
    return await return_answer(call, await actions.decide_refunds(call, request))
