"""Driving routes: start, bring back what could not be delivered, finish."""

from haulier.contexts.fleet.driver_documents.queries import require_driver_documents
from haulier.contexts.fleet.driver_documents.rules import DRIVER_DOCUMENTS_NOT_IN_ORDER
from haulier.contexts.orders.public import OrderStep, apply_order_transition
from haulier.contexts.routes.assignments.serializers import serialize_order_errors
from haulier.contexts.routes.events import RouteFinished, RouteStarted
from haulier.contexts.routes.routes import store
from haulier.contexts.routes.routes.actions.route_orders import remove_orders, unload_at_depot
from haulier.contexts.routes.routes.contract.routes import ReportRouteEvent, RouteAnswer, RouteOrdersResult
from haulier.contexts.routes.routes.notifications import notify_day_changed
from haulier.contexts.routes.routes.queries import lock_route_for_action, to_route_state, to_stop_states
from haulier.contexts.routes.routes.rules.event_time import resolve_event_time
from haulier.contexts.routes.routes.rules.progress import (
    ROUTE_EMPTY,
    ROUTE_HAS_OPEN_STOPS,
    ROUTE_NOT_PUBLISHED,
    ROUTE_STILL_CARRIES,
    check_route_finish,
    check_route_start,
)
from haulier.contexts.routes.routes.rules.state_machine import ROUTE_CANNOT, RouteAction
from haulier.contexts.routes.routes.serializers import load_route_detail
from haulier.contexts.routes.stops import store as stop_store
from haulier.kernel.call import Call
from haulier.kernel.operations.declaration import GraphQL, Rest, writes
from haulier.kernel.operations.enums import STAFF, Risk, Scope
from haulier.kernel.operations.errors import NOT_FOUND

TAG = "Dispatch"
PATH = "/v1/routes/{route_id}"


@writes(
    "start_route",
    audience=STAFF,
    scopes={Scope.ROUTES_WRITE},
    risk=Risk.MEDIUM,
    errors=(NOT_FOUND, ROUTE_CANNOT, ROUTE_EMPTY, ROUTE_NOT_PUBLISHED, DRIVER_DOCUMENTS_NOT_IN_ORDER),
    doors=(Rest("POST", f"{PATH}/start", tag=TAG), GraphQL("startRoute")),
)
async def start_route(call: Call, request: ReportRouteEvent) -> RouteOrdersResult:
    """Leave the depot: everything loaded is out for delivery, and what is to be collected is out for pickup.

    An order that may not leave (it was cancelled meanwhile) stays behind, comes off the route and is named.
    """
    route, reached = await lock_route_for_action(call, request.route_id, RouteAction.START)
    stops = await stop_store.list_stops_of_routes(call.work, [route.id])
    if refusal := check_route_start(to_route_state(route), to_stop_states(stops)):
        raise refusal
    await require_driver_documents(call, route.driver_id)
    at = resolve_event_time(request.occurred_at, call.now)
    order_ids = sorted({stop.order_id for stop in stops})
    refused = await apply_order_transition(call, OrderStep.START, order_ids, at=at)
    await remove_orders(call, route, [stop for stop in stops if stop.order_id in refused])
    await store.update_route(call.work, route.id, status=reached, started_at=at, started_recorded_at=call.now)
    call.add_audit_subjects("route", route.id)
    notify_day_changed(call, route.day)
    await call.publish(RouteStarted(route_id=route.id, driver_id=route.driver_id, at=at))
    return RouteOrdersResult(
        result=True,
        changed=len(order_ids) - len(refused),
        skipped=len(refused),
        errors=serialize_order_errors(call, refused),
        route=await load_route_detail(call, route.id),
    )


@writes(
    "return_route_to_depot",
    audience=STAFF,
    scopes={Scope.ROUTES_WRITE},
    risk=Risk.MEDIUM,
    errors=(NOT_FOUND, ROUTE_CANNOT),
    doors=(Rest("POST", f"{PATH}/return-to-depot", tag=TAG), GraphQL("returnRouteToDepot")),
)
async def return_route_to_depot(call: Call, request: ReportRouteEvent) -> RouteOrdersResult:
    """Hand in at the depot what was collected, and what could not be delivered: to wait for another try, or as returned.

    With nothing to hand in, nothing changes. Said of an earlier time, it is about what was on board by then.
    """
    route, _ = await lock_route_for_action(call, request.route_id, RouteAction.RETURN_TO_DEPOT)
    at = resolve_event_time(request.occurred_at, call.now)
    orders, refused = await unload_at_depot(call, route, at, until=request.occurred_at and at)
    call.add_audit_subjects("route", route.id)
    notify_day_changed(call, route.day)
    return RouteOrdersResult(
        result=len(orders) > len(refused),
        changed=len(orders) - len(refused),
        skipped=len(refused),
        errors=serialize_order_errors(call, refused),
        route=await load_route_detail(call, route.id),
    )


@writes(
    "finish_route",
    audience=STAFF,
    scopes={Scope.ROUTES_WRITE},
    risk=Risk.MEDIUM,
    errors=(NOT_FOUND, ROUTE_CANNOT, ROUTE_HAS_OPEN_STOPS, ROUTE_STILL_CARRIES),
    doors=(Rest("POST", f"{PATH}/finish", tag=TAG), GraphQL("finishRoute")),
)
async def finish_route(call: Call, request: ReportRouteEvent) -> RouteAnswer:
    """End a route: every stop is over and nothing is in the vehicle any more."""
    route, reached = await lock_route_for_action(call, request.route_id, RouteAction.FINISH)
    stops = to_stop_states(await stop_store.list_stops_of_routes(call.work, [route.id]))
    if refusal := check_route_finish(stops):
        raise refusal
    at = resolve_event_time(request.occurred_at, call.now)
    await store.update_route(call.work, route.id, status=reached, finished_at=at, finished_recorded_at=call.now)
    call.add_audit_subjects("route", route.id)
    notify_day_changed(call, route.day)
    await call.publish(RouteFinished(route_id=route.id, at=at))
    return RouteAnswer(route=await load_route_detail(call, route.id))
