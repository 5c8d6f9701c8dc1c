"""A route is started, unloaded at the depot, and finished."""

from haulier.contexts.fleet.public import require_driver_documents
from haulier.contexts.orders.public import OrderStep, apply_order_transition
from haulier.contexts.routes.assignments.serializers import serialize_order_errors
from haulier.contexts.routes.events import RouteFinished, RouteLoaded, RouteStarted
from haulier.contexts.routes.ports import LoadingCheck
from haulier.contexts.routes.routes import store
from haulier.contexts.routes.routes.actions.route_orders import load_route, remove_orders, unload_at_depot
from haulier.contexts.routes.routes.contract.routes import ReportRouteEvent, RouteAnswer, RouteOrdersResult, StartRoute
from haulier.contexts.routes.routes.notifications import mark_routes_changed
from haulier.contexts.routes.routes.queries import lock_route_for_action, to_route_state, to_stop_states
from haulier.contexts.routes.routes.rules.progress import (
    ROUTE_OF_ANOTHER_DAY,
    check_route_finish,
    check_route_start,
    loaded_order_ids,
)
from haulier.contexts.routes.routes.rules.state_machine import RouteAction
from haulier.contexts.routes.routes.serializers import load_route_detail
from haulier.contexts.routes.stops.queries import list_stops_of_routes
from haulier.kernel.call import Call


async def start_route(call: Call, request: StartRoute, *, happened: bool = False) -> RouteOrdersResult:
    """Start a route and its orders; an order that cannot start comes off the route and is named in the answer.

    `happened`: the device was out of reach, and the vehicle left some time ago, be it ahead of the route's day.

    Raises `NOT_FOUND`, `ROUTE_CANNOT`, `ROUTE_EMPTY`, `ROUTE_NOT_PUBLISHED`, `ROUTE_OF_ANOTHER_DAY`,
    `DRIVER_DOCUMENTS_NOT_IN_ORDER` or `PIECES_MISSING`.
    """
    route, status = await lock_route_for_action(call, request.route_id, RouteAction.START)
    stops = await list_stops_of_routes(call, [route.id])
    if error := check_route_start(to_route_state(route), to_stop_states(stops)):
        raise error
    if route.day > call.today and not (request.ahead_of_day or happened):
        raise ROUTE_OF_ANOTHER_DAY(day=route.day.isoformat())
    assert route.driver_id is not None  # `check_route_start` and the state machine let only assigned routes start
    await require_driver_documents(call, route.driver_id)
    occurred_at = request.occurred_at or call.now
    order_ids = sorted({stop.order_id for stop in stops})
    shortages = await call.adapter(LoadingCheck).find_shortages(
        call, route.id, loaded_order_ids(to_stop_states(stops)), happened=happened
    )
    errors = await apply_order_transition(call, OrderStep.START, order_ids, at=occurred_at)
    await remove_orders(call, route, [stop for stop in stops if stop.order_id in errors])
    await store.update_route(call.work, route.id, status=status, started_at=occurred_at, started_recorded_at=call.now)
    mark_routes_changed(call, route)
    await call.publish(RouteStarted(route_id=route.id, driver_id=route.driver_id, at=occurred_at))
    return RouteOrdersResult(
        result=True,
        changed=len(order_ids) - len(errors),
        skipped=len(errors),
        errors=serialize_order_errors(call, errors),
        route=await load_route_detail(call, route.id),
        shortages=list(shortages),
    )


async def load_at_depot(call: Call, request: ReportRouteEvent) -> RouteOrdersResult:
    """Take on what was put on a route after it had left. Raises `NOT_FOUND` or `ROUTE_CANNOT`."""
    route, _ = await lock_route_for_action(call, request.route_id, RouteAction.LOAD)
    occurred_at = request.occurred_at or call.now
    loaded, errors = await load_route(call, route, occurred_at)
    mark_routes_changed(call, route)
    if loaded:
        await call.publish(RouteLoaded(route_id=route.id, order_ids=tuple(loaded), at=occurred_at))
    return RouteOrdersResult(
        result=bool(loaded),
        changed=len(loaded),
        skipped=len(errors),
        errors=serialize_order_errors(call, errors),
        route=await load_route_detail(call, route.id),
    )


async def return_route_to_depot(call: Call, request: ReportRouteEvent) -> RouteOrdersResult:
    """Hand in at the depot what is on board, or what was on board at `occurred_at`. Raises `NOT_FOUND` or `ROUTE_CANNOT`."""
    route, _ = await lock_route_for_action(call, request.route_id, RouteAction.RETURN_TO_DEPOT)
    occurred_at = request.occurred_at or call.now
    order_ids, errors = await unload_at_depot(call, route, occurred_at, until=request.occurred_at and occurred_at)
    mark_routes_changed(call, route)
    return RouteOrdersResult(
        result=len(order_ids) > len(errors),
        changed=len(order_ids) - len(errors),
        skipped=len(errors),
        errors=serialize_order_errors(call, errors),
        route=await load_route_detail(call, route.id),
    )


async def finish_route(call: Call, request: ReportRouteEvent) -> RouteAnswer:
    """Finish a route. Raises `NOT_FOUND`, `ROUTE_CANNOT`, `ROUTE_HAS_OPEN_STOPS` or `ROUTE_STILL_CARRIES`."""
    route, status = await lock_route_for_action(call, request.route_id, RouteAction.FINISH)
    if error := check_route_finish(to_stop_states(await list_stops_of_routes(call, [route.id]))):
        raise error
    occurred_at = request.occurred_at or call.now
    await store.update_route(call.work, route.id, status=status, finished_at=occurred_at, finished_recorded_at=call.now)
    mark_routes_changed(call, route)
    await call.publish(RouteFinished(route_id=route.id, at=occurred_at))
    return RouteAnswer(route=await load_route_detail(call, route.id))
