"""Operations on routes: arrangement."""

from haulier.contexts.fleet.driver_documents.rules import DRIVER_DOCUMENTS_NOT_IN_ORDER
from haulier.contexts.routes.events import RouteAssigned, RouteCreated, RoutesMerged, StopsMoved
from haulier.contexts.routes.ports import StandbyEndReason, StandbyQueue
from haulier.contexts.routes.routes import store
from haulier.contexts.routes.routes.actions import driver_assignment, route_orders
from haulier.contexts.routes.routes.actions.arrangement import (
    list_stop_states_by_route,
    move_stops_onto_route,
    write_stop_sequences,
)
from haulier.contexts.routes.routes.actions.driver_assignment import NOTHING_TO_HAND_OVER, get_assignable_driver
from haulier.contexts.routes.routes.actions.route_orders import ROUTE_FULL
from haulier.contexts.routes.routes.contract import (
    AbortRoute,
    HandOverStops,
    MergeRoutes,
    MoveStops,
    ReorderStops,
    RouteAnswer,
    RoutesAnswer,
    RouteVersions,
    SplitRoute,
)
from haulier.contexts.routes.routes.notifications import mark_routes_changed
from haulier.contexts.routes.routes.operations.routes import MANAGEMENT_ERRORS, PATH, PLAN_CHANGE_ERRORS
from haulier.contexts.routes.routes.queries import lock_route_for_action, lock_routes_for_actions, to_route_state
from haulier.contexts.routes.routes.rules.progress import ROUTE_PLANNERS, RouteAction, RouteStatus
from haulier.contexts.routes.routes.rules.sequence import (
    GOODS_ABOARD,
    GOODS_AT_DEPOT,
    PICKUP_COMES_FIRST,
    ROUTE_ON_THE_ROAD,
    ROUTES_DO_NOT_MATCH,
    STOP_NOT_ON_ROUTE,
    STOP_STAYS,
    STOPS_DO_NOT_MATCH,
    arrange_open_stops,
    check_routes_match,
    check_stop_reorder,
    check_stops_on_route,
    stops_of_whole_orders,
    with_partner_stops,
)
from haulier.contexts.routes.routes.serializers import load_route_detail, load_route_details
from haulier.contexts.routes.routes.store import RouteRow
from haulier.contexts.routes.stops.queries import get_stop_rows
from haulier.kernel.call import Call
from haulier.kernel.operations.declaration import GraphQL, Mcp, Rest, writes
from haulier.kernel.operations.enums import Risk, Scope
from haulier.kernel.operations.errors import INVALID_REQUEST, FieldError, declare_error

NOTHING_LEFT = declare_error("nothing_left", 409)
MOVE_ERRORS = (
    STOP_NOT_ON_ROUTE,
    STOP_STAYS,
    PICKUP_COMES_FIRST,
    ROUTE_FULL,
    ROUTES_DO_NOT_MATCH,
    GOODS_ABOARD,
    GOODS_AT_DEPOT,
    ROUTE_ON_THE_ROAD,
)


@writes(
    "reorder_stops",
    available_when={"allowed_actions": "reorder_stops"},
    audience=ROUTE_PLANNERS,
    scopes={Scope.ROUTES_WRITE},
    risk=Risk.MEDIUM,
    errors=(*PLAN_CHANGE_ERRORS, STOPS_DO_NOT_MATCH, STOP_STAYS, PICKUP_COMES_FIRST),
    interfaces=(Rest("PUT", f"{PATH}/stops/order"), GraphQL("reorderStops")),
)
async def reorder_stops(call: Call, request: ReorderStops) -> RouteAnswer:
    """Reorder the open stops of a route.

    Completed and locked stops keep their position.
    """
    route, _ = await lock_route_for_action(
        call, request.route_id, RouteAction.REORDER_STOPS, expected=request.expected_version
    )
    stops = await list_stop_states_by_route(call, [route.id])
    if error := check_stop_reorder(stops[route.id], request.stop_ids):
        raise error
    await write_stop_sequences(call, stops, {route.id: arrange_open_stops(stops[route.id], request.stop_ids)})
    mark_routes_changed(call, route)
    return RouteAnswer(route=await load_route_detail(call, route.id))


@writes(
    "move_stops",
    available_when={"allowed_actions": "move_stops"},
    audience=ROUTE_PLANNERS,
    scopes={Scope.ROUTES_WRITE},
    risk=Risk.MEDIUM,
    errors=(*PLAN_CHANGE_ERRORS, *MOVE_ERRORS),
    interfaces=(
        Rest("POST", f"{PATH}/stops/move"),
        GraphQL("moveStops"),
        Mcp("move_stops", title="Move stops between routes"),
    ),
)
async def move_stops(call: Call, request: MoveStops) -> RoutesAnswer:
    """Move stops to a position on a route.

    Stops come from the same route or from other routes of the day. All stops are moved, or none. Goods in a vehicle
    under way stay on its route; pickups not yet collected can change vehicles.
    """
    stop_ids = list(dict.fromkeys(request.stop_ids))
    origin = {stop.id: stop.route_id for stop in (await get_stop_rows(call, stop_ids)).values()}
    ids = list(dict.fromkeys([request.route_id, *origin.values()]))
    rows = await lock_routes_for_actions(
        call, dict.fromkeys(ids, RouteAction.MOVE_STOPS), _expected_versions(request.expected_versions)
    )
    # Read after locking: before the lock, another call could still move stops.
    stops = await list_stop_states_by_route(call, ids)
    by_id = {stop.id: stop for route_stops in stops.values() for stop in route_stops}
    if error := check_stops_on_route(stop_ids, by_id.keys()):
        raise error
    named = {stop_id: by_id[stop_id] for stop_id in stop_ids}
    leaving = [
        stop
        for id, route_stops in stops.items()
        if id != request.route_id
        for stop in stops_of_whole_orders(route_stops, named)
    ]
    arriving = with_partner_stops(list(named.values()), leaving)
    sources = {route_id: row for route_id, row in rows.items() if route_id != request.route_id}
    await move_stops_onto_route(call, rows[request.route_id], sources, stops, arriving, request.position)
    mark_routes_changed(call, *rows.values())
    await call.publish(
        StopsMoved(
            route_id=request.route_id,
            from_route_ids=tuple(sources),
            order_ids=tuple(dict.fromkeys(stop.order_id for stop in arriving)),
        )
    )
    return RoutesAnswer(routes=await load_route_details(call, ids))


@writes(
    "merge_routes",
    available_when={"allowed_actions": "merge"},
    audience=ROUTE_PLANNERS,
    scopes={Scope.ROUTES_WRITE},
    risk=Risk.HIGH,
    errors=(*PLAN_CHANGE_ERRORS, STOP_STAYS, ROUTE_FULL, ROUTES_DO_NOT_MATCH),
    interfaces=(Rest("POST", f"{PATH}/merge"), GraphQL("mergeRoutes")),
)
async def merge_routes(call: Call, request: MergeRoutes) -> RoutesAnswer:
    """Merge routes into one.

    Appends all stops of the other routes and cancels those routes. No route may have started, and all must have the
    same day, depot and planner.
    """
    others = list(dict.fromkeys(request.route_ids))
    if request.route_id in others:
        raise INVALID_REQUEST.for_fields(
            FieldError(f"route_ids.{request.route_ids.index(request.route_id)}", "field.route_itself")
        )
    ids = [request.route_id, *others]
    rows = await lock_routes_for_actions(
        call, dict.fromkeys(ids, RouteAction.MERGE), _expected_versions(request.expected_versions)
    )
    target, sources = rows[request.route_id], {route_id: rows[route_id] for route_id in others}
    for source in sources.values():
        if error := check_routes_match(to_route_state(source), to_route_state(target), merging=True):
            raise error
    stops = await list_stop_states_by_route(call, ids)
    arriving = [stop for route_id in others for stop in stops[route_id]]
    await move_stops_onto_route(call, target, sources, stops, arriving)
    await store.update_routes(call.work, others, status=RouteStatus.CANCELLED, merged_into=target.id)
    await call.adapter(StandbyQueue).close(call, others, StandbyEndReason.MERGED)
    mark_routes_changed(call, *rows.values())
    order_ids = tuple(dict.fromkeys(stop.order_id for stop in arriving))
    await call.publish(RoutesMerged(route_id=target.id, merged_ids=tuple(others), order_ids=order_ids))
    return RoutesAnswer(routes=await load_route_details(call, ids))


@writes(
    "split_route",
    available_when={"allowed_actions": "split"},
    audience=ROUTE_PLANNERS,
    scopes={Scope.ROUTES_WRITE},
    risk=Risk.MEDIUM,
    errors=(*PLAN_CHANGE_ERRORS, STOP_NOT_ON_ROUTE, STOP_STAYS, NOTHING_LEFT),
    interfaces=(Rest("POST", f"{PATH}/split"), GraphQL("splitRoute")),
)
async def split_route(call: Call, request: SplitRoute) -> RoutesAnswer:
    """Split stops off a route.

    Creates a new route from stops of a route that has not started. It has the same day and depot, and is published if
    the original route is. Returns the original route first, then the new one.
    """
    route, _ = await lock_route_for_action(call, request.route_id, RouteAction.SPLIT, expected=request.expected_version)
    driver = await get_assignable_driver(call, request.driver_id, route.contractor_id) if request.driver_id else None
    stops = await list_stop_states_by_route(call, [route.id])
    if error := check_stops_on_route(request.stop_ids, {stop.id for stop in stops[route.id]}):
        raise error
    leaving = stops_of_whole_orders(stops[route.id], set(request.stop_ids))
    if len(leaving) == len(stops[route.id]):
        raise NOTHING_LEFT()
    new_id = await _insert_sibling_route(call, route, request)
    rows = await store.get_route_rows(call.work, [route.id, new_id])
    await move_stops_onto_route(call, rows[new_id], {route.id: rows[route.id]}, {**stops, new_id: []}, leaving)
    mark_routes_changed(call, *rows.values())
    await call.publish(RouteCreated(route_id=new_id, day=route.day, contractor_id=route.contractor_id))
    if driver:
        await call.publish(RouteAssigned(route_id=new_id, driver_id=driver.id))
    order_ids = tuple(dict.fromkeys(stop.order_id for stop in leaving))
    await call.publish(StopsMoved(route_id=new_id, from_route_ids=(route.id,), order_ids=order_ids))
    return RoutesAnswer(routes=await load_route_details(call, [route.id, new_id]))


async def _insert_sibling_route(call: Call, route: RouteRow, request: SplitRoute) -> int:
    """Insert a route without stops, with the day, depot and contractor of another.

    Returns its id.
    """
    return await store.insert_route(
        call.work,
        published=route.published_at is not None,
        name=request.name,
        day=route.day,
        depot_id=route.depot_id,
        driver_id=request.driver_id,
        contractor_id=route.contractor_id,
        status=RouteStatus.ASSIGNED if request.driver_id else RouteStatus.DRAFT,
        created_by=call.actor,
        created_at=call.now,
    )


def _expected_versions(versions: RouteVersions) -> dict[int, int | None]:
    return {expected.route_id: expected.version for expected in versions}


@writes(
    "hand_over_stops",
    available_when={"allowed_actions": "hand_over"},
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
    interfaces=(
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
    return RoutesAnswer(routes=await load_route_details(call, await driver_assignment.hand_over(call, request)))


@writes(
    "abort_route",
    available_when={"allowed_actions": "abort"},
    audience=ROUTE_PLANNERS,
    scopes={Scope.ROUTES_WRITE},
    risk=Risk.HIGH,
    errors=MANAGEMENT_ERRORS,
    interfaces=(
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
    await route_orders.abort_route(call, request)
    return RouteAnswer(route=await load_route_detail(call, request.route_id))
