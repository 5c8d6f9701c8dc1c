"""The planning pool: what a planner may put on a route."""

from haulier.contexts.access.public import user_of_kind
from haulier.contexts.dispatch.pools.contract import AskPool, OrderType, PlannableOrder, Pool
from haulier.contexts.dispatch.pools.membership import pool_order, rules_of
from haulier.contexts.dispatch.pools.rules import in_pool
from haulier.contexts.orders.public import OrderFacts, waiting
from haulier.kernel.call import Call
from haulier.kernel.declarations import OFFICE, Account, Scope
from haulier.kernel.errors import INVALID_REQUEST, Fault
from haulier.kernel.operation import GraphQL, Rest, reads

TAG = "Dispatch"
LOOKED_AT = 5000
"""At most so many waiting orders are looked through, the oldest first."""


@reads(
    "planning_pool",
    audience=OFFICE | {Account.CONTRACTOR},
    scopes={Scope.ORDERS_READ},
    doors=(Rest("GET", "/v1/planning-pool", tag=TAG), GraphQL("planningPool")),
)
async def planning_pool(call: Call, request: AskPool) -> Pool:
    """List the orders that may be put on a route: the office's, or a contractor's.

    A contractor has the orders they hold and those that nobody holds and one of their rules matches. The office has every
    order that nobody holds.
    """
    planner_id = await _planner(call, request)
    rules = await rules_of(call, planner_id)
    found = await waiting(call, limit=LOOKED_AT)
    mine = [order for order in found if _asked_for(order, request) and in_pool(pool_order(order), planner_id, rules)]
    page = mine[request.offset : request.offset + request.per_page]
    return Pool(
        total=len(mine),
        page=request.page,
        per_page=request.per_page,
        contractor_id=planner_id,
        complete=len(found) < LOOKED_AT,
        orders=[_record(call, order) for order in page],
    )


async def _planner(call: Call, request: AskPool) -> int | None:
    if call.principal.account is Account.CONTRACTOR:
        return call.actor
    asked = request.contractor_id
    if asked is not None and not await user_of_kind(call, asked, Account.CONTRACTOR):
        raise INVALID_REQUEST.at(Fault("contractor_id", "field.contractor_unknown"))
    return asked


def _asked_for(order: OrderFacts, request: AskPool) -> bool:
    """An order without a day is asked for by every span of days: it may be delivered on any."""
    day = order.scheduled_date
    return day is None or (
        (request.date_from is None or day >= request.date_from) and (request.date_to is None or day <= request.date_to)
    )


def _record(call: Call, order: OrderFacts) -> PlannableOrder:
    return PlannableOrder(
        order_id=order.id,
        order_ref=order.order_ref,
        tracking_number=order.tracking_number,
        type=OrderType(order.type),
        status_id=int(order.status),
        scheduled_date=order.scheduled_date,
        held=order.contractor_id is not None,
        address=order.address,
        postal_code=order.postal_code,
        lat=order.lat,
        lng=order.lng,
        window_start=order.window_start and order.window_start.astimezone(call.time_zone),
        window_end=order.window_end and order.window_end.astimezone(call.time_zone),
        weight_g=order.weight_g,
        skills=list(order.skills),
    )
