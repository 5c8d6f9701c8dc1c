"""Locking: stops keep their places, and whole routes stay as they are, until they are unlocked."""

from haulier.contexts.routes.routes import store
from haulier.contexts.routes.routes.contract.arrangement import StopSelection
from haulier.contexts.routes.routes.contract.routes import RouteAnswer, VersionedRouteRef
from haulier.contexts.routes.routes.notifications import mark_routes_changed
from haulier.contexts.routes.routes.operations.routes import PATH, PLAN_CHANGE_ERRORS, PLANNING_ERRORS
from haulier.contexts.routes.routes.queries import lock_route_for_action, to_stop_states
from haulier.contexts.routes.routes.rules.permissions import ROUTE_PLANNERS
from haulier.contexts.routes.routes.rules.progress import open_stops
from haulier.contexts.routes.routes.rules.sequence import STOP_NOT_ON_ROUTE, check_stops_on_route
from haulier.contexts.routes.routes.rules.state_machine import RouteAction
from haulier.contexts.routes.routes.serializers import load_route_detail
from haulier.contexts.routes.routes.store import RouteRow
from haulier.contexts.routes.stops.actions import lock_stop_positions, unlock_stop_positions
from haulier.contexts.routes.stops.queries import list_stops_of_routes
from haulier.kernel.call import Call
from haulier.kernel.operations.declaration import GraphQL, Rest, writes
from haulier.kernel.operations.enums import Risk, Scope


@writes(
    "lock_stops",
    allowed_where={"allowed_actions": "lock_stops"},
    undone_by="unlock_stops",
    audience=ROUTE_PLANNERS,
    scopes={Scope.ROUTES_WRITE},
    risk=Risk.MEDIUM,
    errors=(*PLAN_CHANGE_ERRORS, STOP_NOT_ON_ROUTE),
    doors=(Rest("POST", f"{PATH}/stops/lock"), GraphQL("lockStops")),
)
async def lock_stops(call: Call, request: StopSelection) -> RouteAnswer:
    """Lock open stops in position.

    Planners and new plans cannot move them. Repeating it changes nothing.
    """
    return await _change_stop_locks(call, request, locked=True)


@writes(
    "unlock_stops",
    allowed_where={"allowed_actions": "lock_stops"},
    undone_by="lock_stops",
    audience=ROUTE_PLANNERS,
    scopes={Scope.ROUTES_WRITE},
    risk=Risk.MEDIUM,
    errors=(*PLAN_CHANGE_ERRORS, STOP_NOT_ON_ROUTE),
    doors=(Rest("POST", f"{PATH}/stops/unlock"), GraphQL("unlockStops")),
)
async def unlock_stops(call: Call, request: StopSelection) -> RouteAnswer:
    """Unlock stops.

    The stops can be planned again. Stops that are not locked are unchanged.
    """
    return await _change_stop_locks(call, request, locked=False)


@writes(
    "lock_route",
    allowed_where={"allowed_actions": "lock"},
    undone_by="unlock_route",
    audience=ROUTE_PLANNERS,
    scopes={Scope.ROUTES_WRITE},
    risk=Risk.MEDIUM,
    errors=PLANNING_ERRORS,
    doors=(Rest("POST", f"{PATH}/lock"), GraphQL("lockRoute")),
)
async def lock_route(call: Call, request: VersionedRouteRef) -> RouteAnswer:
    """Lock a route.

    Its stops, their order and its driver cannot be changed, and the route cannot be cancelled. It can still be driven.
    """
    route, _ = await lock_route_for_action(call, request.route_id, RouteAction.LOCK, expected=request.expected_version)
    if route.locked_at is None:
        await store.update_route(call.work, route.id, locked_at=call.now, locked_by=call.actor)
    return await _load_route_answer(call, route)


@writes(
    "unlock_route",
    allowed_where={"allowed_actions": "unlock"},
    undone_by="lock_route",
    audience=ROUTE_PLANNERS,
    scopes={Scope.ROUTES_WRITE},
    risk=Risk.MEDIUM,
    errors=PLANNING_ERRORS,
    doors=(Rest("POST", f"{PATH}/unlock"), GraphQL("unlockRoute")),
)
async def unlock_route(call: Call, request: VersionedRouteRef) -> RouteAnswer:
    """Unlock a route.

    The route can be planned again. Individually locked stops remain locked.
    """
    route, _ = await lock_route_for_action(
        call, request.route_id, RouteAction.UNLOCK, expected=request.expected_version
    )
    if route.locked_at is not None:
        await store.update_route(call.work, route.id, locked_at=None, locked_by=None)
    return await _load_route_answer(call, route)


async def _change_stop_locks(call: Call, request: StopSelection, *, locked: bool) -> RouteAnswer:
    route, _ = await lock_route_for_action(
        call, request.route_id, RouteAction.LOCK_STOPS, expected=request.expected_version
    )
    stops = open_stops(to_stop_states(await list_stops_of_routes(call, [route.id])))
    if error := check_stops_on_route(request.stop_ids, {stop.id for stop in stops}):
        raise error
    if changing := [stop.id for stop in stops if stop.id in set(request.stop_ids) and stop.locked is not locked]:
        await (lock_stop_positions if locked else unlock_stop_positions)(call, changing)
        await store.update_route(call.work, route.id)
    return await _load_route_answer(call, route)


async def _load_route_answer(call: Call, route: RouteRow) -> RouteAnswer:
    mark_routes_changed(call, route)
    return RouteAnswer(route=await load_route_detail(call, route.id))
