"""The planning pool: what a planner may put on a route."""

from haulier.contexts.identity.public import get_user_of_account
from haulier.contexts.orders.public import OrderFacts
from haulier.contexts.routes.pools.contract import GetPlanningPool, PlanningPool
from haulier.contexts.routes.pools.queries import get_pool_rules, list_waiting_orders, to_pool_order
from haulier.contexts.routes.pools.rules import is_in_pool
from haulier.contexts.routes.pools.serializers import serialize_plannable_order
from haulier.kernel.call import Call
from haulier.kernel.operations.declaration import GraphQL, Rest, reads
from haulier.kernel.operations.enums import OFFICE, Account, Scope
from haulier.kernel.operations.errors import INVALID_REQUEST, FieldError

MAX_ORDERS_SCANNED = 5000
"""How many waiting orders are read at most, the oldest first."""


@reads(
    "planning_pool",
    audience=OFFICE | {Account.CONTRACTOR},
    scopes={Scope.ORDERS_READ},
    doors=(Rest("GET", "/v1/planning-pool"), GraphQL("planningPool")),
)
async def planning_pool(call: Call, request: GetPlanningPool) -> PlanningPool:
    """List orders that can be planned.

    The pool of a contractor contains the orders that they hold and unassigned orders that match one of their rules. The
    pool of staff contains all unassigned orders. Orders on a route are excluded, including failed orders that are not
    back at the depot.
    """
    planner_id = await _get_pool_owner(call, request)
    rules = await get_pool_rules(call, planner_id)
    waiting, complete = await list_waiting_orders(call, limit=MAX_ORDERS_SCANNED)
    pool = [
        order
        for order in waiting
        if _is_in_requested_days(order, request) and is_in_pool(to_pool_order(order), planner_id, rules)
    ]
    page = pool[request.offset : request.offset + request.per_page]
    return PlanningPool(
        total=len(pool),
        page=request.page,
        per_page=request.per_page,
        contractor_id=planner_id,
        complete=complete,
        orders=[serialize_plannable_order(call, order) for order in page],
    )


async def _get_pool_owner(call: Call, request: GetPlanningPool) -> int | None:
    if call.principal.account is Account.CONTRACTOR:
        return call.actor
    contractor_id = request.contractor_id
    if contractor_id is not None and not await get_user_of_account(call, contractor_id, Account.CONTRACTOR):
        raise INVALID_REQUEST.for_fields(FieldError("contractor_id", "field.contractor_unknown"))
    return contractor_id


def _is_in_requested_days(order: OrderFacts, request: GetPlanningPool) -> bool:
    """An order without a day is in every range: it may be delivered on any day."""
    day = order.scheduled_date
    return day is None or (
        (request.date_from is None or day >= request.date_from) and (request.date_to is None or day <= request.date_to)
    )
