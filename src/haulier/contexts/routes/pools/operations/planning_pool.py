"""The planning pool: what a planner may put on a route."""

from haulier.contexts.identity.public import get_user_of_account
from haulier.contexts.orders.public import OrderFacts, list_plannable_orders
from haulier.contexts.routes.pools.contract import GetPlanningPool, OrderType, PlannableOrder, PlanningPool
from haulier.contexts.routes.pools.queries import get_pool_rules, to_pool_order
from haulier.contexts.routes.pools.rules import is_in_pool
from haulier.kernel.call import Call
from haulier.kernel.operations.declaration import GraphQL, Rest, reads
from haulier.kernel.operations.enums import OFFICE, Account, Scope
from haulier.kernel.operations.errors import INVALID_REQUEST, FieldError

TAG = "Dispatch"
MAX_ORDERS_SCANNED = 5000
"""At most so many waiting orders are looked through, the oldest first."""


@reads(
    "planning_pool",
    audience=OFFICE | {Account.CONTRACTOR},
    scopes={Scope.ORDERS_READ},
    doors=(Rest("GET", "/v1/planning-pool", tag=TAG), GraphQL("planningPool")),
)
async def planning_pool(call: Call, request: GetPlanningPool) -> PlanningPool:
    """List the orders that may be put on a route: the office's, or a contractor's.

    A contractor has the orders they hold and those that nobody holds and one of their rules matches. The office has every
    order that nobody holds.
    """
    planner_id = await _get_pool_owner(call, request)
    rules = await get_pool_rules(call, planner_id)
    found = await list_plannable_orders(call, limit=MAX_ORDERS_SCANNED)
    mine = [
        order
        for order in found
        if _is_in_requested_days(order, request) and is_in_pool(to_pool_order(order), planner_id, rules)
    ]
    page = mine[request.offset : request.offset + request.per_page]
    return PlanningPool(
        total=len(mine),
        page=request.page,
        per_page=request.per_page,
        contractor_id=planner_id,
        complete=len(found) < MAX_ORDERS_SCANNED,
        orders=[_serialize_plannable_order(call, order) for order in page],
    )


async def _get_pool_owner(call: Call, request: GetPlanningPool) -> int | None:
    if call.principal.account is Account.CONTRACTOR:
        return call.actor
    asked = request.contractor_id
    if asked is not None and not await get_user_of_account(call, asked, Account.CONTRACTOR):
        raise INVALID_REQUEST.for_fields(FieldError("contractor_id", "field.contractor_unknown"))
    return asked


def _is_in_requested_days(order: OrderFacts, request: GetPlanningPool) -> bool:
    """An order without a day is asked for by every span of days: it may be delivered on any."""
    day = order.scheduled_date
    return day is None or (
        (request.date_from is None or day >= request.date_from) and (request.date_to is None or day <= request.date_to)
    )


def _serialize_plannable_order(call: Call, order: OrderFacts) -> PlannableOrder:
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
