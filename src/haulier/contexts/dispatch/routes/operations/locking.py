"""Locking: stops keep their places, and whole routes stay as they are, until they are unlocked."""

from typing import Any

from haulier.contexts.dispatch.routes import store
from haulier.contexts.dispatch.routes.changes import ChosenStops
from haulier.contexts.dispatch.routes.contract import RouteAnswer, Versioned
from haulier.contexts.dispatch.routes.finding import route_for, stop_states
from haulier.contexts.dispatch.routes.operations.planning import PATH, PLANNED, PLANNERS, REFUSALS, TAG, touched
from haulier.contexts.dispatch.routes.rules.machine import RouteAct
from haulier.contexts.dispatch.routes.rules.progress import open_stops
from haulier.contexts.dispatch.routes.rules.sequence import STOP_NOT_ON_ROUTE, why_not_named
from haulier.contexts.dispatch.routes.showing import shown
from haulier.contexts.dispatch.stops import store as stop_store
from haulier.kernel.call import Call
from haulier.kernel.declarations import Risk, Scope
from haulier.kernel.operation import GraphQL, Rest, writes


@writes(
    "lock_stops",
    audience=PLANNERS,
    scopes={Scope.ROUTES_WRITE},
    risk=Risk.MEDIUM,
    errors=(*REFUSALS, STOP_NOT_ON_ROUTE),
    doors=(Rest("POST", f"{PATH}/stops/lock", tag=TAG), GraphQL("lockStops")),
)
async def lock_stops(call: Call, request: ChosenStops) -> RouteAnswer:
    """Lock open stops in their places: neither planners nor a new plan put them elsewhere. Locked again, they stay so."""
    return await _lock_stops(call, request, {"at": call.now, "by": call.actor})


@writes(
    "unlock_stops",
    audience=PLANNERS,
    scopes={Scope.ROUTES_WRITE},
    risk=Risk.MEDIUM,
    errors=(*REFUSALS, STOP_NOT_ON_ROUTE),
    doors=(Rest("POST", f"{PATH}/stops/unlock", tag=TAG), GraphQL("unlockStops")),
)
async def unlock_stops(call: Call, request: ChosenStops) -> RouteAnswer:
    """Let open stops be planned again. Those that were not locked stay as they are."""
    return await _lock_stops(call, request, {"at": None, "by": None})


@writes(
    "lock_route",
    audience=PLANNERS,
    scopes={Scope.ROUTES_WRITE},
    risk=Risk.MEDIUM,
    errors=PLANNED,
    doors=(Rest("POST", f"{PATH}/lock", tag=TAG), GraphQL("lockRoute")),
)
async def lock_route(call: Call, request: Versioned) -> RouteAnswer:
    """Lock a whole route: its stops, their order and its driver stay, and nobody cancels it. It is driven all the same."""
    route, _ = await route_for(call, request.route_id, RouteAct.LOCK, expected=request.expected_version)
    if route.locked_at is None:
        await store.change(call.work, route.id, locked_at=call.now, locked_by=call.actor)
    return await _answer(call, route)


@writes(
    "unlock_route",
    audience=PLANNERS,
    scopes={Scope.ROUTES_WRITE},
    risk=Risk.MEDIUM,
    errors=PLANNED,
    doors=(Rest("POST", f"{PATH}/unlock", tag=TAG), GraphQL("unlockRoute")),
)
async def unlock_route(call: Call, request: Versioned) -> RouteAnswer:
    """Let a route be planned again. Stops that were locked by themselves stay locked."""
    route, _ = await route_for(call, request.route_id, RouteAct.UNLOCK, expected=request.expected_version)
    if route.locked_at is not None:
        await store.change(call.work, route.id, locked_at=None, locked_by=None)
    return await _answer(call, route)


async def _lock_stops(call: Call, request: ChosenStops, lock: dict[str, Any]) -> RouteAnswer:
    route, _ = await route_for(call, request.route_id, RouteAct.LOCK_STOPS, expected=request.expected_version)
    stops = open_stops(stop_states(await stop_store.of_routes(call.work, [route.id])))
    asked = set(request.stop_ids)
    if refusal := why_not_named(request.stop_ids, {stop.id for stop in stops}):
        raise refusal
    wanted = lock["at"] is not None
    if changing := [stop.id for stop in stops if stop.id in asked and stop.locked is not wanted]:
        await stop_store.lock(call.work, changing, **lock)
        await store.change(call.work, route.id)
    return await _answer(call, route)


async def _answer(call: Call, route: Any) -> RouteAnswer:
    touched(call, route)
    return RouteAnswer(route=await shown(call, route.id))
