"""Arranging stops: their order on a route, moves between routes, routes merged and split."""

from typing import Any

from haulier.contexts.dispatch.events import RouteAssigned, RouteCreated, RoutesMerged, StopsMoved
from haulier.contexts.dispatch.routes import store
from haulier.contexts.dispatch.routes.boarding import ROUTE_FULL
from haulier.contexts.dispatch.routes.changes import KnownVersions, MergeRoutes, MoveStops, RoutesAnswer, SplitRoute
from haulier.contexts.dispatch.routes.contract import ReorderStops, RouteAnswer
from haulier.contexts.dispatch.routes.finding import route_for, route_state, routes_for
from haulier.contexts.dispatch.routes.operations.planning import PATH, PLANNERS, REFUSALS, TAG, touched
from haulier.contexts.dispatch.routes.ports import Ending, Line
from haulier.contexts.dispatch.routes.rearranging import bring, stand, standing
from haulier.contexts.dispatch.routes.rules.machine import RouteAct, RouteStatus
from haulier.contexts.dispatch.routes.rules.sequence import (
    GOODS_ABOARD,
    GOODS_AT_DEPOT,
    PICKUP_COMES_FIRST,
    ROUTE_ON_THE_ROAD,
    ROUTES_DO_NOT_MATCH,
    STOP_NOT_ON_ROUTE,
    STOP_STAYS,
    STOPS_DO_NOT_MATCH,
    laid_out,
    whole_orders,
    why_not_exchange,
    why_not_named,
    why_not_reorder,
    with_their_partners,
)
from haulier.contexts.dispatch.routes.seating import driver_for
from haulier.contexts.dispatch.routes.showing import shown, shown_all
from haulier.contexts.dispatch.stops import store as stop_store
from haulier.kernel.call import Call
from haulier.kernel.declarations import Risk, Scope
from haulier.kernel.errors import INVALID_REQUEST, Fault, problem
from haulier.kernel.operation import GraphQL, Rest, writes

NOTHING_LEFT = problem("nothing_left", 409)
MOVING = (
    STOP_NOT_ON_ROUTE,
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
    audience=PLANNERS,
    scopes={Scope.ROUTES_WRITE},
    risk=Risk.MEDIUM,
    errors=(*REFUSALS, STOPS_DO_NOT_MATCH, STOP_STAYS, PICKUP_COMES_FIRST),
    doors=(Rest("PUT", f"{PATH}/stops/order", tag=TAG), GraphQL("reorderStops")),
)
async def reorder_stops(call: Call, request: ReorderStops) -> RouteAnswer:
    """Say in which order the open stops of a route are visited. Stops that are over, or locked, stay where they are."""
    route, _ = await route_for(call, request.route_id, RouteAct.REORDER_STOPS, expected=request.expected_version)
    stops = await standing(call, [route.id])
    if refusal := why_not_reorder(stops[route.id], request.stop_ids):
        raise refusal
    await stand(call, stops, {route.id: laid_out(stops[route.id], request.stop_ids)})
    touched(call, route)
    return RouteAnswer(route=await shown(call, route.id))


@writes(
    "move_stops",
    audience=PLANNERS,
    scopes={Scope.ROUTES_WRITE},
    risk=Risk.MEDIUM,
    errors=(*REFUSALS, *MOVING),
    doors=(Rest("POST", f"{PATH}/stops/move", tag=TAG), GraphQL("moveStops")),
)
async def move_stops(call: Call, request: MoveStops) -> RoutesAnswer:
    """Move stops to a place on a route, from other routes of the same day or from the route itself, all or none.

    What is in a vehicle under way stays on its route; what is still to be collected from a person may change vehicles.
    """
    asked = list(dict.fromkeys(request.stop_ids))
    origin = {stop.id: stop.route_id for stop in (await stop_store.some(call.work, asked)).values()}
    ids = list(dict.fromkeys([request.route_id, *origin.values()]))
    rows = await routes_for(call, dict.fromkeys(ids, RouteAct.MOVE_STOPS), _known(request.expected_versions))
    stops = await standing(call, ids)  # read again: the routes are ours only now
    if refusal := why_not_named(asked, {stop.id for theirs in stops.values() for stop in theirs}):
        raise refusal
    named = {stop.id: stop for theirs in stops.values() for stop in theirs if stop.id in set(asked)}
    along = [stop for id, theirs in stops.items() if id != request.route_id for stop in whole_orders(theirs, named)]
    arriving = with_their_partners([named[stop_id] for stop_id in asked], along)
    sources = {route_id: row for route_id, row in rows.items() if route_id != request.route_id}
    await bring(call, rows[request.route_id], sources, stops, arriving, request.position)
    touched(call, *rows.values())
    await call.announce(
        StopsMoved(
            route_id=request.route_id,
            from_route_ids=tuple(sources),
            order_ids=tuple(dict.fromkeys(stop.order_id for stop in arriving)),
        )
    )
    return RoutesAnswer(routes=await shown_all(call, ids))


@writes(
    "merge_routes",
    audience=PLANNERS,
    scopes={Scope.ROUTES_WRITE},
    risk=Risk.HIGH,
    errors=(*REFUSALS, STOP_STAYS, ROUTE_FULL, ROUTES_DO_NOT_MATCH),
    doors=(Rest("POST", f"{PATH}/merge", tag=TAG), GraphQL("mergeRoutes")),
)
async def merge_routes(call: Call, request: MergeRoutes) -> RoutesAnswer:
    """Put all stops of other routes behind those of one, which stays; the others are cancelled.

    None of them has started, and all are of one day, from one depot and of one planner.
    """
    others = list(dict.fromkeys(request.route_ids))
    if request.route_id in others:
        raise INVALID_REQUEST.at(Fault(f"route_ids.{request.route_ids.index(request.route_id)}", "field.route_itself"))
    ids = [request.route_id, *others]
    rows = await routes_for(call, dict.fromkeys(ids, RouteAct.MERGE), _known(request.expected_versions))
    target, sources = rows[request.route_id], {route_id: rows[route_id] for route_id in others}
    for source in sources.values():
        if refusal := why_not_exchange(route_state(source), route_state(target), merging=True):
            raise refusal
    stops = await standing(call, ids)
    arriving = [stop for route_id in others for stop in stops[route_id]]
    await bring(call, target, sources, stops, arriving)
    await store.change_all(call.work, others, status=RouteStatus.CANCELLED, merged_into=target.id)
    await call.adapter(Line).over(call, others, Ending.MERGED)
    touched(call, *rows.values())
    order_ids = tuple(dict.fromkeys(stop.order_id for stop in arriving))
    await call.announce(RoutesMerged(route_id=target.id, merged_ids=tuple(others), order_ids=order_ids))
    return RoutesAnswer(routes=await shown_all(call, ids))


@writes(
    "split_route",
    audience=PLANNERS,
    scopes={Scope.ROUTES_WRITE},
    risk=Risk.MEDIUM,
    errors=(*REFUSALS, STOP_NOT_ON_ROUTE, STOP_STAYS, NOTHING_LEFT),
    doors=(Rest("POST", f"{PATH}/split", tag=TAG), GraphQL("splitRoute")),
)
async def split_route(call: Call, request: SplitRoute) -> RoutesAnswer:
    """Make a new route of some stops of one that has not started: same day, same depot, published if the old one is.

    The answer names the old route first, then the new one.
    """
    route, _ = await route_for(call, request.route_id, RouteAct.SPLIT, expected=request.expected_version)
    driver = await driver_for(call, request.driver_id, route.contractor_id) if request.driver_id else None
    stops = await standing(call, [route.id])
    if refusal := why_not_named(request.stop_ids, {stop.id for stop in stops[route.id]}):
        raise refusal
    leaving = whole_orders(stops[route.id], set(request.stop_ids))
    if len(leaving) == len(stops[route.id]):
        raise NOTHING_LEFT()
    new_id = await _beside(call, route, request)
    rows = await store.some(call.work, [route.id, new_id])
    await bring(call, rows[new_id], {route.id: rows[route.id]}, {**stops, new_id: []}, leaving)
    touched(call, *rows.values())
    await call.announce(RouteCreated(route_id=new_id, day=route.day, contractor_id=route.contractor_id))
    if driver:
        await call.announce(RouteAssigned(route_id=new_id, driver_id=driver.id))
    order_ids = tuple(dict.fromkeys(stop.order_id for stop in leaving))
    await call.announce(StopsMoved(route_id=new_id, from_route_ids=(route.id,), order_ids=order_ids))
    return RoutesAnswer(routes=await shown_all(call, [route.id, new_id]))


async def _beside(call: Call, route: Any, request: SplitRoute) -> int:
    """A new route like another one, still empty."""
    return await store.add(
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


def _known(versions: KnownVersions) -> dict[int, int | None]:
    return {known.route_id: known.version for known in versions}
