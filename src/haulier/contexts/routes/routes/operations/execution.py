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
    """Leave the depot: everything loaded is out for delivery, and what is to be collected is out for pickup.

    An order that may not leave (it was cancelled meanwhile) stays behind, comes off the route and is named. Where the client
    counts pieces, those that were not scanned are named too, or hold the driver back.
    A route whose day has not come yet starts only when the call says so (`ahead_of_day`).
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
    """Take on at the depot what was put on the route after it had left. With nothing to load, nothing changes.

    An order that may not leave comes off the route and is named.
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
    """Hand in at the depot what was collected, and what could not be delivered: to wait for another try, or as returned.

    With nothing to hand in, nothing changes. Reported for an earlier time, it covers what was on board by then.
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
    """End a route: every stop is over and nothing is in the vehicle any more."""
    return await execution.finish_route(call, await correct_device_time(call, request))
