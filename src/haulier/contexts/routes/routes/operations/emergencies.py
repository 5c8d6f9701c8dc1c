"""When a route under way cannot go on as it was planned: its stops are handed over, or it is given up."""

from haulier.contexts.fleet.driver_documents.rules import DRIVER_DOCUMENTS_NOT_IN_ORDER
from haulier.contexts.routes.routes.actions import abort, hand_over
from haulier.contexts.routes.routes.actions.hand_over import NOTHING_TO_HAND_OVER
from haulier.contexts.routes.routes.actions.route_orders import ROUTE_FULL
from haulier.contexts.routes.routes.contract.arrangement import RoutesAnswer
from haulier.contexts.routes.routes.contract.emergencies import AbortRoute, HandOverStops
from haulier.contexts.routes.routes.contract.routes import RouteAnswer
from haulier.contexts.routes.routes.operations.routes import MANAGEMENT_ERRORS, PATH
from haulier.contexts.routes.routes.rules.permissions import ROUTE_PLANNERS
from haulier.contexts.routes.routes.rules.sequence import (
    ROUTE_ON_THE_ROAD,
    ROUTES_DO_NOT_MATCH,
    STOP_NOT_ON_ROUTE,
    STOP_STAYS,
)
from haulier.contexts.routes.routes.serializers import load_route_detail, load_route_details
from haulier.kernel.call import Call
from haulier.kernel.operations.declaration import GraphQL, Rest, writes
from haulier.kernel.operations.enums import Risk, Scope


@writes(
    "hand_over_stops",
    allowed_where={"allowed_actions": "hand_over"},
    audience=ROUTE_PLANNERS,
    scopes={Scope.ROUTES_WRITE},
    risk=Risk.HIGH,
    errors=(
        *MANAGEMENT_ERRORS,
        STOP_NOT_ON_ROUTE,
        STOP_STAYS,
        NOTHING_TO_HAND_OVER,
        ROUTES_DO_NOT_MATCH,
        ROUTE_ON_THE_ROAD,
        ROUTE_FULL,
        DRIVER_DOCUMENTS_NOT_IN_ORDER,
    ),
    doors=(
        Rest("POST", f"{PATH}/hand-over"),
        GraphQL("handOverStops"),
    ),
)
async def hand_over_stops(call: Call, request: HandOverStops) -> RoutesAnswer:
    """Hand a route under way, or some of its stops, to another driver: to a new route of theirs, which is under way at once,
    or to one that is.

    What is aboard changes vehicles, also what failed and has to go back. Visits that are over stay with the first driver; what
    they report later of the time before counts as well. The answer names the route that takes over first.
    """
    return RoutesAnswer(routes=await load_route_details(call, await hand_over.hand_over(call, request)))


@writes(
    "abort_route",
    allowed_where={"allowed_actions": "abort"},
    audience=ROUTE_PLANNERS,
    scopes={Scope.ROUTES_WRITE},
    risk=Risk.HIGH,
    errors=MANAGEMENT_ERRORS,
    doors=(
        Rest("POST", f"{PATH}/abort"),
        GraphQL("abortRoute"),
    ),
)
async def abort_route(call: Call, request: AbortRoute) -> RouteAnswer:
    """Give up a route under way, with the reason. Its open stops are cancelled.

    What was not loaded yet is back in the pool it came from. What is aboard is delayed: hand it over (`hand_over_stops`), or
    report it back at the depot (`return_route_to_depot`), from where it waits for another route.
    """
    await abort.abort_route(call, request)
    return RouteAnswer(route=await load_route_detail(call, request.route_id))
