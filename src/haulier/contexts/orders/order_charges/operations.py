"""Operations on charges of delivered orders."""

from haulier.contexts.orders.order_charges import store
from haulier.contexts.orders.order_charges.actions import reconcile_order_charge
from haulier.contexts.orders.order_charges.contract import (
    ChargeDeliveredOrders,
    ChargedOrders,
    ListUnchargedOrders,
    UnchargedOrder,
    UnchargedOrderList,
    UnchargedSum,
)
from haulier.kernel.call import Call
from haulier.kernel.operations.declaration import GraphQL, Rest, reads, writes
from haulier.kernel.operations.enums import OFFICE, Risk, Scope
from haulier.kernel.operations.records import record
from haulier.kernel.values.pagination import make_cursor, parse_cursor

PATH = "/v1/billing/uncharged-orders"


@reads(
    "list_uncharged_orders",
    audience=OFFICE,
    scopes={Scope.ANALYTICS_READ},
    interfaces=(Rest("GET", PATH), GraphQL("unchargedOrders")),
)
async def list_uncharged_orders(call: Call, request: ListUnchargedOrders) -> UnchargedOrderList:
    """List delivered orders that are not charged.

    Results are ordered oldest first, with the sums of all matching orders.
    """
    after = parse_cursor(request.cursor, tuple[int])[0] if request.cursor else 0
    found = await store.list_uncharged_rows(
        call.work, customer_id=request.customer_id, after=after, most=request.limit + 1
    )
    page = found[: request.limit]
    sums = await store.sum_uncharged(call.work, customer_id=request.customer_id)
    return UnchargedOrderList(
        sums=[record(UnchargedSum, each, credit_currency=each.currency) for each in sums],
        orders=[record(UnchargedOrder, each, credit_currency=each.currency) for each in page],
        next_cursor=make_cursor(page[-1].id) if len(found) > len(page) else None,
    )


@writes(
    "charge_delivered_orders",
    audience=OFFICE,
    scopes={Scope.BILLING_WRITE},
    risk=Risk.HIGH,
    interfaces=(Rest("POST", PATH), GraphQL("chargeDeliveredOrders")),
)
async def charge_delivered_orders(call: Call, request: ChargeDeliveredOrders) -> ChargedOrders:
    """Charge delivered orders to their customers.

    Posts the price of each order to its customer's credit, also beyond the credit limit. Each order is charged once.
    """
    charged = [
        order_id
        for order_id in sorted(set(request.order_ids))
        if (await reconcile_order_charge(call, order_id, charge_now=True)).minor > 0
    ]
    return ChargedOrders(charged=charged)
