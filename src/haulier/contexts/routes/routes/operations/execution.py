"""Driving routes: start, bring back what could not be delivered, finish."""

from haulier.contexts.fleet.driver_documents.rules import DRIVER_DOCUMENTS_NOT_IN_ORDER
from haulier.contexts.routes.routes.actions import execution
from haulier.contexts.routes.routes.actions.device_times import correct_device_time
from haulier.contexts.routes.routes.contract.routes import ReportRouteEvent, RouteAnswer, RouteOrdersResult, StartRoute
from haulier.contexts.routes.routes.rules.progress import (
    ROUTE_EMPTY,
    ROUTE_HAS_OPEN_STOPS,
    ROUTE_NOT_PUBLISHED,
    ROUTE_OF_ANOTHER_DAY,
    ROUTE_STILL_CARRIES,
)
from haulier.contexts.routes.routes.rules.state_machine import ROUTE_CANNOT
from haulier.contexts.routes.stops.rules import PIECES_MISSING
from haulier.kernel.call import Call
from haulier.kernel.operations.declaration import GraphQL, Rest, writes
from haulier.kernel.operations.enums import STAFF, Risk, Scope
from haulier.kernel.operations.errors import NOT_FOUND

PATH = "/v1/routes/{route_id}"


@writes(
    "start_route",
    allowed_where={"allowed_actions": "start"},
    audience=STAFF,
    scopes={Scope.ROUTES_WRITE},
    risk=Risk.MEDIUM,
    errors=(
        NOT_FOUND,
        ROUTE_CANNOT,
        ROUTE_EMPTY,
        ROUTE_NOT_PUBLISHED,
        ROUTE_OF_ANOTHER_DAY,
        DRIVER_DOCUMENTS_NOT_IN_ORDER,
        PIECES_MISSING,
    ),
    doors=(Rest("POST", f"{PATH}/start"), GraphQL("startRoute")),
)
async def start_route(call: Call, request: StartRoute) -> RouteOrdersResult:
    """Start a route from its depot.

    Loaded orders become out for delivery and pickups become out for pickup. An order that cannot leave, for example
    because it was cancelled, is removed from the route and listed in the answer. If the business counts packages,
    unscanned packages are listed too, or block the start. A route of a later day starts only with `ahead_of_day`.
    """
    return await execution.start_route(call, await correct_device_time(call, request))


@writes(
    "load_at_depot",
    allowed_where={"allowed_actions": "load"},
    audience=STAFF,
    scopes={Scope.ROUTES_WRITE},
    risk=Risk.MEDIUM,
    errors=(NOT_FOUND, ROUTE_CANNOT),
    doors=(Rest("POST", f"{PATH}/load"), GraphQL("loadAtDepot")),
)
async def load_at_depot(call: Call, request: ReportRouteEvent) -> RouteOrdersResult:
    """Load added orders at the depot.

    Loads orders that were added after the route left. Does nothing if there is nothing to load. An order that cannot
    leave is removed from the route and listed in the answer.
    """
    return await execution.load_at_depot(call, await correct_device_time(call, request))


@writes(
    "return_route_to_depot",
    allowed_where={"allowed_actions": "return_to_depot"},
    audience=STAFF,
    scopes={Scope.ROUTES_WRITE},
    risk=Risk.MEDIUM,
    errors=(NOT_FOUND, ROUTE_CANNOT),
    doors=(Rest("POST", f"{PATH}/return-to-depot"), GraphQL("returnRouteToDepot")),
)
async def return_route_to_depot(call: Call, request: ReportRouteEvent) -> RouteOrdersResult:
    """Return a route to the depot.

    Hands in collected goods and failed deliveries, either for another attempt or as returned. Does nothing if there is
    nothing to hand in. A report for an earlier time covers the goods on board at that time.
    """
    return await execution.return_route_to_depot(call, await correct_device_time(call, request))


@writes(
    "finish_route",
    allowed_where={"allowed_actions": "finish"},
    audience=STAFF,
    scopes={Scope.ROUTES_WRITE},
    risk=Risk.MEDIUM,
    errors=(NOT_FOUND, ROUTE_CANNOT, ROUTE_HAS_OPEN_STOPS, ROUTE_STILL_CARRIES),
    doors=(Rest("POST", f"{PATH}/finish"), GraphQL("finishRoute")),
)
async def finish_route(call: Call, request: ReportRouteEvent) -> RouteAnswer:
    """Finish a route.

    All stops must be completed and the vehicle must be empty.
    """
    return await execution.finish_route(call, await correct_device_time(call, request))
