"""The board of a day, and what a change would mean."""

from typing import Any

from haulier.contexts.dispatch.board.contract import (
    ROUTES_MAX,
    Board,
    BoardDepot,
    CheckRouteChange,
    RouteChangeChecked,
    ShowBoard,
)
from haulier.contexts.dispatch.board.gathering import known_of
from haulier.contexts.dispatch.board.reckoning import reckoned
from haulier.contexts.dispatch.board.showing import drivers_seen, routes_alone, routes_with_stops
from haulier.contexts.dispatch.board.supposing import suppose
from haulier.contexts.dispatch.depots import store as depot_store
from haulier.contexts.dispatch.drivers import store as driver_store
from haulier.contexts.dispatch.planning.asking import CREWS_MOST
from haulier.contexts.dispatch.planning.yard import planner_of
from haulier.contexts.dispatch.ports import TravelFailed
from haulier.contexts.dispatch.routes import store
from haulier.contexts.dispatch.routes.finding import route_state, viewer_of
from haulier.contexts.dispatch.routes.rules.machine import RouteStatus
from haulier.contexts.dispatch.routes.rules.people import sees
from haulier.contexts.dispatch.routes.rules.sequence import ROUTES_DO_NOT_MATCH
from haulier.contexts.dispatch.stops import store as stop_store
from haulier.kernel.call import Call
from haulier.kernel.declarations import OFFICE, Account, Scope
from haulier.kernel.errors import NOT_FOUND, problem
from haulier.kernel.operation import GraphQL, Rest, reads

TAG = "Dispatch"
DESK = OFFICE | {Account.CONTRACTOR}
DEPOTS_MAX = 500
BOARD_CANNOT_RECKON = problem("board_cannot_reckon", 503)


@reads(
    "dispatch_board",
    audience=DESK,
    scopes={Scope.ROUTES_READ, Scope.DRIVERS_READ},
    doors=(Rest("POST", "/v1/dispatch/board", tag=TAG), GraphQL("dispatchBoard")),
)
async def dispatch_board(call: Call, request: ShowBoard) -> Board:
    """Show a whole day at once: routes with their stops, planned and actual times, depots, and where drivers were last seen.

    Cancelled routes are left out. A contractor sees only their own routes and drivers. Nothing is predicted.
    """
    day = request.day or call.now.astimezone(call.time_zone).date()
    planner_id = planner_of(call)
    owner = {} if planner_id is None else {"contractor": planner_id}
    page, total = await store.page(call.work, {"on_day": day, **owner}, limit=ROUTES_MAX, offset=0)
    asked = set(request.route_ids)
    rows = [row for row in page if row.status != RouteStatus.CANCELLED and (not asked or row.id in asked)]
    rows.sort(key=lambda row: (row.name is None, row.name or "", row.id))
    drivers, _ = await driver_store.page(call.work, {**owner, "enabled": True}, limit=CREWS_MOST, offset=0)
    depots, _ = await depot_store.page(call.work, closed=True, limit=DEPOTS_MAX, offset=0)
    return Board(
        day=day,
        time_zone=call.time_zone.key,
        complete=total <= ROUTES_MAX,
        depots=[BoardDepot(id=each.id, name=each.name, lat=each.lat, lng=each.lng) for each in depots],
        drivers=await drivers_seen(call, drivers),
        routes=await (routes_with_stops(call, rows) if request.stops else routes_alone(call, rows)),
    )


@reads(
    "check_route_change",
    audience=DESK,
    scopes={Scope.ROUTES_READ},
    errors=(NOT_FOUND, ROUTES_DO_NOT_MATCH, BOARD_CANNOT_RECKON),
    doors=(Rest("POST", "/v1/dispatch/check", tag=TAG), GraphQL("checkRouteChange")),
)
async def check_route_change(call: Call, request: CheckRouteChange) -> RouteChangeChecked:
    """Reckon routes through, as they stand or as they would be after a move, without writing anything.

    Each comes back with the times of its open stops and with everything that would be broken: time windows, capacity,
    working hours, breaks, skills, limits. `allowed` says whether `move_stops` would do it; a move may be allowed and yet
    make somebody late. The times say what the plan would be, by usual travel times; they foretell nothing.
    """
    rows = await _rows(call, request)
    known = await known_of(call, rows)
    supposed = suppose(call, request.move, rows, known.stops) if request.move else None
    by_id = {stop.id: stop for theirs in known.stops.values() for stop in theirs}
    try:
        routes = [
            await reckoned(call, known, id, [by_id[each] for each in supposed.sequences[id]] if supposed else stops)
            for id, stops in known.stops.items()
        ]
    except TravelFailed:
        raise BOARD_CANNOT_RECKON() from None
    refusal = supposed.refusal if supposed else None
    return RouteChangeChecked(
        allowed=refusal is None,
        feasible=all(route.feasible for route in routes),
        message=call.say(refusal.problem.id, **refusal.params) if refusal else None,
        routes=routes,
    )


async def _rows(call: Call, request: CheckRouteChange) -> dict[int, Any]:
    """The routes that are asked about and those that the stops are on now, all of one day. Raises `NOT_FOUND`."""
    move = request.move
    origin = (await stop_store.some(call.work, move.stop_ids)).values() if move else ()
    named = [move.route_id, *request.route_ids] if move else request.route_ids
    ids: list[int] = list(dict.fromkeys([*named, *(stop.route_id for stop in origin)]))
    rows = await store.some(call.work, ids)
    if any(id not in rows or not sees(route_state(rows[id]), viewer_of(call)) for id in ids):
        raise NOT_FOUND()
    if len({row.day for row in rows.values()}) > 1:
        raise ROUTES_DO_NOT_MATCH()
    return rows
