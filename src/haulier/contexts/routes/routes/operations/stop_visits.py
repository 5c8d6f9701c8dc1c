"""At a stop: arrive, pick up, deliver, or fail. An app without a connection sends these later, with its own times."""

from haulier.contexts.orders.public import ORDER_STEP_REFUSED
from haulier.contexts.routes.routes.actions.device_times import correct_device_time
from haulier.contexts.routes.routes.actions.reopened_stops import reopen_failed_stop
from haulier.contexts.routes.routes.actions.stop_visits import (
    NOT_LOADED_YET,
    NOT_PICKED_UP_YET,
    STOP_CANCELLED,
    STOP_HANDED_OVER,
    complete_stop,
    record_arrival,
    record_failed_stop,
    require_proof_at_door,
)
from haulier.contexts.routes.routes.contract.routes import (
    CompleteStop,
    FailStop,
    ReopenStop,
    ReportStopEvent,
    StopAnswer,
)
from haulier.contexts.routes.routes.rules.state_machine import ROUTE_CANNOT
from haulier.contexts.routes.stops.rules import PROOF_INCOMPLETE, STOP_CANNOT, StopAction
from haulier.kernel.call import Call
from haulier.kernel.operations.declaration import GraphQL, Rest, writes
from haulier.kernel.operations.enums import STAFF, Account, Risk, Scope
from haulier.kernel.operations.errors import NOT_FOUND

PATH = "/v1/routes/{route_id}/stops/{stop_id}"
STOP_ERRORS = (NOT_FOUND, ROUTE_CANNOT, STOP_CANNOT, STOP_HANDED_OVER, NOT_LOADED_YET)
COMPLETION_ERRORS = (*STOP_ERRORS, ORDER_STEP_REFUSED, STOP_CANCELLED)


@writes(
    "arrive_at_stop",
    allowed_where={"allowed_actions": "visit_stops"},
    audience=STAFF,
    scopes={Scope.ROUTES_WRITE},
    risk=Risk.LOW,
    errors=STOP_ERRORS,
    doors=(Rest("POST", f"{PATH}/arrive"), GraphQL("arriveAtStop")),
)
async def arrive_at_stop(call: Call, request: ReportStopEvent) -> StopAnswer:
    """Report the arrival at a stop.

    Repeating it changes nothing.
    """
    return await record_arrival(call, await correct_device_time(call, request))


@writes(
    "pick_up_at_stop",
    allowed_where={"allowed_actions": "visit_stops"},
    audience=STAFF,
    scopes={Scope.ROUTES_WRITE},
    risk=Risk.MEDIUM,
    errors=COMPLETION_ERRORS,
    doors=(Rest("POST", f"{PATH}/pick-up"), GraphQL("pickUpAtStop")),
)
async def pick_up_at_stop(call: Call, request: CompleteStop) -> StopAnswer:
    """Complete a pickup stop.

    Takes the proof of pickup. Repeating it changes nothing.
    """
    return await complete_stop(call, await correct_device_time(call, request), StopAction.PICK_UP)


@writes(
    "deliver_stop",
    allowed_where={"allowed_actions": "visit_stops"},
    audience=STAFF,
    scopes={Scope.ROUTES_WRITE},
    risk=Risk.MEDIUM,
    errors=(*COMPLETION_ERRORS, NOT_PICKED_UP_YET, PROOF_INCOMPLETE),
    doors=(Rest("POST", f"{PATH}/deliver"), GraphQL("deliverStop")),
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
    allowed_where={"allowed_actions": "visit_stops"},
    audience=STAFF,
    scopes={Scope.ROUTES_WRITE},
    risk=Risk.MEDIUM,
    errors=STOP_ERRORS,
    undone_by="reopen_stop",
    doors=(Rest("POST", f"{PATH}/fail"), GraphQL("failStop")),
)
async def fail_stop(call: Call, request: FailStop) -> StopAnswer:
    """Report a stop as failed.

    Takes the reason and whether the order is tried again or returned. Repeating it with the same reason and outcome
    changes nothing; any other completed stop is refused.
    """
    return await record_failed_stop(call, await correct_device_time(call, request))


@writes(
    "reopen_stop",
    allowed_where={"allowed_actions": "reopen_stops"},
    audience=STAFF,
    scopes={Scope.ROUTES_WRITE},
    risk=Risk.MEDIUM,
    errors=(NOT_FOUND, ROUTE_CANNOT, STOP_CANNOT, STOP_HANDED_OVER, ORDER_STEP_REFUSED),
    doors=(Rest("POST", f"{PATH}/reopen"), GraphQL("reopenStop")),
)
async def reopen_stop(call: Call, request: ReopenStop) -> StopAnswer:
    """Reopen a failed stop.

    The route must be under way. The order is out for delivery again.

    The failed attempt is stored with its proof and still counts. Reopening an open stop changes nothing. Use
    `undo_delivery` to revert a completed delivery.
    """
    return await reopen_failed_stop(call, await correct_device_time(call, request))
