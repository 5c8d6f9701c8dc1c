"""At a stop: arrive, pick up, deliver, or give up. An app that is out of reach sends it later, with its own times."""

from haulier.contexts.dispatch.routes.contract import AtStop, FailStop, HandOver, StopAnswer
from haulier.contexts.dispatch.routes.rules.machine import ROUTE_CANNOT
from haulier.contexts.dispatch.routes.visits import NOT_PICKED_UP_YET, STOP_CANNOT, give_up, hand_over, reach
from haulier.contexts.dispatch.stops.rules import StopAct
from haulier.contexts.orders.public import ORDER_STEP_REFUSED
from haulier.kernel.call import Call
from haulier.kernel.declarations import STAFF, Risk, Scope
from haulier.kernel.errors import NOT_FOUND
from haulier.kernel.operation import GraphQL, Rest, writes

TAG = "Dispatch"
PATH = "/v1/routes/{route_id}/stops/{stop_id}"
REFUSALS = (NOT_FOUND, ROUTE_CANNOT, STOP_CANNOT)
HANDING_OVER = (*REFUSALS, ORDER_STEP_REFUSED)


@writes(
    "arrive_at_stop",
    audience=STAFF,
    scopes={Scope.ROUTES_WRITE},
    risk=Risk.LOW,
    errors=REFUSALS,
    doors=(Rest("POST", f"{PATH}/arrive", tag=TAG), GraphQL("arriveAtStop")),
)
async def arrive_at_stop(call: Call, request: AtStop) -> StopAnswer:
    """Say that the vehicle is at the stop. Saying it again changes nothing."""
    return await reach(call, request)


@writes(
    "pick_up_at_stop",
    audience=STAFF,
    scopes={Scope.ROUTES_WRITE},
    risk=Risk.MEDIUM,
    errors=HANDING_OVER,
    doors=(Rest("POST", f"{PATH}/pick-up", tag=TAG), GraphQL("pickUpAtStop")),
)
async def pick_up_at_stop(call: Call, request: HandOver) -> StopAnswer:
    """Complete a pickup stop, with what proves it. Saying it again changes nothing."""
    return await hand_over(call, request, StopAct.PICK_UP)


@writes(
    "deliver_stop",
    audience=STAFF,
    scopes={Scope.ROUTES_WRITE},
    risk=Risk.MEDIUM,
    errors=(*HANDING_OVER, NOT_PICKED_UP_YET),
    doors=(Rest("POST", f"{PATH}/deliver", tag=TAG), GraphQL("deliverStop")),
)
async def deliver_stop(call: Call, request: HandOver) -> StopAnswer:
    """Complete a delivery stop, with the proof of delivery. Saying it again changes nothing."""
    return await hand_over(call, request, StopAct.DELIVER)


@writes(
    "fail_stop",
    audience=STAFF,
    scopes={Scope.ROUTES_WRITE},
    risk=Risk.MEDIUM,
    errors=REFUSALS,
    doors=(Rest("POST", f"{PATH}/fail", tag=TAG), GraphQL("failStop")),
)
async def fail_stop(call: Call, request: FailStop) -> StopAnswer:
    """Give a stop up, with the reason and whether the order is tried again or sent back.

    Saying it again with the same reason and outcome changes nothing; after anything else it is refused.
    """
    return await give_up(call, request)
