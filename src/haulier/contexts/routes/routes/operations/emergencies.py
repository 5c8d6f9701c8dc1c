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
    """Hand over stops to another driver.

    Hands over a route under way, or some of its stops, to a new route that starts at once or to an existing route under
    way. Goods on board change vehicles, including failed ones that must go back. Completed visits stay with the first
    driver, and their late reports of earlier events are accepted. Returns the receiving route first.
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
    """Abort a route under way.

    Requires a reason. Open stops are cancelled. Goods not loaded yet return to their planning pool. Goods on board are
    delayed: hand them over with `hand_over_stops`, or report them back with `return_route_to_depot` so that they can be
    planned again.
    """
    await abort.abort_route(call, request)
    return RouteAnswer(route=await load_route_detail(call, request.route_id))
