"""Operations on routes: execution."""

from haulier.contexts.fleet.driver_documents.rules import DRIVER_DOCUMENTS_NOT_IN_ORDER
from haulier.contexts.orders.public import ORDER_STEP_REFUSED
from haulier.contexts.routes.routes.actions import arrangement
from haulier.contexts.routes.routes.actions.stop_visits import (
    NOT_LOADED_YET,
    NOT_PICKED_UP_YET,
    STOP_CANCELLED,
    STOP_HANDED_OVER,
    complete_stop,
    correct_device_time,
    record_arrival,
    record_failed_stop,
    reopen_failed_stop,
    require_proof_at_door,
)
from haulier.contexts.routes.routes.contract import (
    CompleteStop,
    FailStop,
    ReopenStop,
    ReportRouteEvent,
    ReportStopEvent,
    RouteAnswer,
    RouteOrdersResult,
    StartRoute,
    StopAnswer,
)
from haulier.contexts.routes.routes.rules.progress import (
    ROUTE_CANNOT,
    ROUTE_EMPTY,
    ROUTE_HAS_OPEN_STOPS,
    ROUTE_NOT_PUBLISHED,
    ROUTE_OF_ANOTHER_DAY,
    ROUTE_STILL_CARRIES,
)
from haulier.contexts.routes.stops.rules import PIECES_MISSING, PROOF_INCOMPLETE, STOP_CANNOT, StopAction
from haulier.kernel.call import Call
from haulier.kernel.operations.declaration import GraphQL, Rest, writes
from haulier.kernel.operations.enums import STAFF, Account, Risk, Scope
from haulier.kernel.operations.errors import NOT_FOUND

EXECUTION_PATH = "/v1/routes/{route_id}"


@writes(
    "start_route",
    available_when={"allowed_actions": "start"},
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
    interfaces=(Rest("POST", f"{EXECUTION_PATH}/start"), GraphQL("startRoute")),
)
async def start_route(call: Call, request: StartRoute) -> RouteOrdersResult:
    """Start a route from its depot.

    Loaded orders become out for delivery and pickups become out for pickup. An order that cannot leave, for example
    because it was cancelled, is removed from the route and listed in the answer. If the business counts packages,
    unscanned packages are listed too, or block the start. A route of a later day starts only with `ahead_of_day`.
    """
    return await arrangement.start_route(call, await correct_device_time(call, request))


@writes(
    "load_at_depot",
    available_when={"allowed_actions": "load"},
    audience=STAFF,
    scopes={Scope.ROUTES_WRITE},
    risk=Risk.MEDIUM,
    errors=(NOT_FOUND, ROUTE_CANNOT),
    interfaces=(Rest("POST", f"{EXECUTION_PATH}/load"), GraphQL("loadAtDepot")),
)
async def load_at_depot(call: Call, request: ReportRouteEvent) -> RouteOrdersResult:
    """Load added orders at the depot.

    Loads orders that were added after the route left. Does nothing if there is nothing to load. An order that cannot
    leave is removed from the route and listed in the answer.
    """
    return await arrangement.load_at_depot(call, await correct_device_time(call, request))


@writes(
    "return_route_to_depot",
    available_when={"allowed_actions": "return_to_depot"},
    audience=STAFF,
    scopes={Scope.ROUTES_WRITE},
    risk=Risk.MEDIUM,
    errors=(NOT_FOUND, ROUTE_CANNOT),
    interfaces=(Rest("POST", f"{EXECUTION_PATH}/return-to-depot"), GraphQL("returnRouteToDepot")),
)
async def return_route_to_depot(call: Call, request: ReportRouteEvent) -> RouteOrdersResult:
    """Return a route to the depot.

    Hands in collected goods and failed deliveries, either for another attempt or as returned. Does nothing if there is
    nothing to hand in. A report for an earlier time covers the goods on board at that time.
    """
    return await arrangement.return_route_to_depot(call, await correct_device_time(call, request))


@writes(
    "finish_route",
    available_when={"allowed_actions": "finish"},
    audience=STAFF,
    scopes={Scope.ROUTES_WRITE},
    risk=Risk.MEDIUM,
    errors=(NOT_FOUND, ROUTE_CANNOT, ROUTE_HAS_OPEN_STOPS, ROUTE_STILL_CARRIES),
    interfaces=(Rest("POST", f"{EXECUTION_PATH}/finish"), GraphQL("finishRoute")),
)
async def finish_route(call: Call, request: ReportRouteEvent) -> RouteAnswer:
    """Finish a route.

    All stops must be completed and the vehicle must be empty.
    """
    return await arrangement.finish_route(call, await correct_device_time(call, request))


STOPS_PATH = "/v1/routes/{route_id}/stops/{stop_id}"
STOP_ERRORS = (NOT_FOUND, ROUTE_CANNOT, STOP_CANNOT, STOP_HANDED_OVER, NOT_LOADED_YET)
COMPLETION_ERRORS = (*STOP_ERRORS, ORDER_STEP_REFUSED, STOP_CANCELLED)


@writes(
    "arrive_at_stop",
    available_when={"allowed_actions": "visit_stops"},
    audience=STAFF,
    scopes={Scope.ROUTES_WRITE},
    risk=Risk.LOW,
    errors=STOP_ERRORS,
    interfaces=(Rest("POST", f"{STOPS_PATH}/arrive"), GraphQL("arriveAtStop")),
)
async def arrive_at_stop(call: Call, request: ReportStopEvent) -> StopAnswer:
    """Report the arrival at a stop.

    Repeating it changes nothing.
    """
    return await record_arrival(call, await correct_device_time(call, request))


@writes(
    "pick_up_at_stop",
    available_when={"allowed_actions": "visit_stops"},
    audience=STAFF,
    scopes={Scope.ROUTES_WRITE},
    risk=Risk.MEDIUM,
    errors=COMPLETION_ERRORS,
    interfaces=(Rest("POST", f"{STOPS_PATH}/pick-up"), GraphQL("pickUpAtStop")),
)
async def pick_up_at_stop(call: Call, request: CompleteStop) -> StopAnswer:
    """Complete a pickup stop.

    Takes the proof of pickup. Repeating it changes nothing.
    """
    return await complete_stop(call, await correct_device_time(call, request), StopAction.PICK_UP)


@writes(
    "deliver_stop",
    available_when={"allowed_actions": "visit_stops"},
    audience=STAFF,
    scopes={Scope.ROUTES_WRITE},
    risk=Risk.MEDIUM,
    errors=(*COMPLETION_ERRORS, NOT_PICKED_UP_YET, PROOF_INCOMPLETE),
    interfaces=(Rest("POST", f"{STOPS_PATH}/deliver"), GraphQL("deliverStop")),
)
async def deliver_stop(call: Call, request: CompleteStop) -> StopAnswer:
    """Complete a delivery stop.

    Takes the proof of delivery. Drivers must provide every proof that the business and the order require, through the
    driver app operation where this one lacks a field. Staff and contractors report manually in their own name.
    Repeating it changes nothing.
    """
    request = await correct_device_time(call, request)
    if call.principal.account is Account.DRIVER:
        await require_proof_at_door(call, request)
    return await complete_stop(call, request, StopAction.DELIVER)


@writes(
    "fail_stop",
    available_when={"allowed_actions": "visit_stops"},
    audience=STAFF,
    scopes={Scope.ROUTES_WRITE},
    risk=Risk.MEDIUM,
    errors=STOP_ERRORS,
    reversed_by="reopen_stop",
    interfaces=(Rest("POST", f"{STOPS_PATH}/fail"), GraphQL("failStop")),
)
async def fail_stop(call: Call, request: FailStop) -> StopAnswer:
    """Report a stop as failed.

    Takes the reason and whether the order is tried again or returned. Repeating it with the same reason and outcome
    changes nothing; any other completed stop is refused.
    """
    return await record_failed_stop(call, await correct_device_time(call, request))


@writes(
    "reopen_stop",
    available_when={"allowed_actions": "reopen_stops"},
    audience=STAFF,
    scopes={Scope.ROUTES_WRITE},
    risk=Risk.MEDIUM,
    errors=(NOT_FOUND, ROUTE_CANNOT, STOP_CANNOT, STOP_HANDED_OVER, ORDER_STEP_REFUSED),
    interfaces=(Rest("POST", f"{STOPS_PATH}/reopen"), GraphQL("reopenStop")),
)
async def reopen_stop(call: Call, request: ReopenStop) -> StopAnswer:
    """Reopen a failed stop.

    The route must be under way. The order is out for delivery again.

    The failed attempt is stored with its proof and still counts. Reopening an open stop changes nothing. Use
    `undo_delivery` to revert a completed delivery.
    """
    return await reopen_failed_stop(call, await correct_device_time(call, request))
