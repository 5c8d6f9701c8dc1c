"""The board of a day, and the check of a change."""

from haulier.contexts.dispatch.board.contract import (
    ROUTES_MAX,
    BoardDepot,
    CheckRouteChange,
    DispatchBoard,
    GetDispatchBoard,
    RouteChangeCheck,
    RouteSuggestions,
    SuggestRoutes,
)
from haulier.contexts.dispatch.board.queries import (
    list_routes_that_fit,
    load_route_inputs,
    simulate_stop_move,
    time_route,
)
from haulier.contexts.dispatch.board.serializers import (
    serialize_board_drivers,
    serialize_board_routes,
    serialize_board_routes_without_stops,
)
from haulier.contexts.fleet.public import list_depot_rows, list_driver_rows
from haulier.contexts.planning.builds.contract import MAX_BUILD_DRIVERS
from haulier.contexts.planning.public import TravelFailed, get_planner_id
from haulier.contexts.routes.public import (
    RouteRow,
    get_route_rows,
    get_route_viewer,
    get_stop_rows,
    list_route_rows,
    to_route_state,
)
from haulier.contexts.routes.routes.rules.progress import RouteStatus, sees_route
from haulier.contexts.routes.routes.rules.sequence import ROUTES_DO_NOT_MATCH
from haulier.kernel.call import Call
from haulier.kernel.operations.declaration import GraphQL, Rest, reads
from haulier.kernel.operations.enums import OFFICE, Account, Scope
from haulier.kernel.operations.errors import NOT_FOUND, declare_error
from haulier.kernel.operations.records import record

DISPATCHERS = OFFICE | {Account.CONTRACTOR}
DEPOTS_MAX = 500
BOARD_CANNOT_RECKON = declare_error("board_cannot_reckon", 503)


@reads(
    "dispatch_board",
    audience=DISPATCHERS,
    scopes={Scope.ROUTES_READ, Scope.DRIVERS_READ},
    interfaces=(Rest("POST", "/v1/dispatch/board"), GraphQL("dispatchBoard")),
)
async def dispatch_board(call: Call, request: GetDispatchBoard) -> DispatchBoard:
    """Get the dispatch board of a day.

    Returns routes with their stops, planned and actual times, depots, and the last positions of drivers. Cancelled
    routes are excluded. A contractor sees only their own routes and drivers. There are no forecasts.
    """
    day = request.day or call.today
    planner_id = get_planner_id(call)
    owner = {} if planner_id is None else {"contractor": planner_id}
    page, total = await list_route_rows(call, {"on_day": day, **owner}, limit=ROUTES_MAX, offset=0)
    ids = set(request.route_ids)
    rows = [row for row in page if row.status != RouteStatus.CANCELLED and (not ids or row.id in ids)]
    rows.sort(key=lambda row: (row.name is None, row.name or "", row.id))
    drivers, _ = await list_driver_rows(call, {**owner, "enabled": True}, limit=MAX_BUILD_DRIVERS, offset=0)
    depots, _ = await list_depot_rows(call, closed=True, limit=DEPOTS_MAX, offset=0)
    return DispatchBoard(
        day=day,
        time_zone=call.time_zone.key,
        complete=total <= ROUTES_MAX,
        depots=[record(BoardDepot, depot) for depot in depots],
        drivers=await serialize_board_drivers(call, drivers),
        routes=await (
            serialize_board_routes(call, rows) if request.stops else serialize_board_routes_without_stops(call, rows)
        ),
    )


@reads(
    "check_route_change",
    audience=DISPATCHERS,
    scopes={Scope.ROUTES_READ},
    errors=(NOT_FOUND, ROUTES_DO_NOT_MATCH, BOARD_CANNOT_RECKON),
    interfaces=(Rest("POST", "/v1/dispatch/check"), GraphQL("checkRouteChange")),
)
async def check_route_change(call: Call, request: CheckRouteChange) -> RouteChangeCheck:
    """Simulate route times and route changes.

    Returns the times of open stops and every violated constraint, as the routes are or after a move: time windows,
    capacity, working hours, breaks, skills and limits. Nothing is written. `allowed` is true if `move_stops` would
    accept the move; an accepted move can still make a stop late. Times are based on usual travel times; for a route
    under way, they start at its open stops. A route under way has no `arrival_at`: only its observed times are
    published.
    """
    rows = await _load_checked_routes(call, request)
    inputs = await load_route_inputs(call, rows)
    simulated = simulate_stop_move(call, request.move, rows, inputs.stops) if request.move else None
    by_id = {stop.id: stop for stops in inputs.stops.values() for stop in stops}
    try:
        routes = [
            await time_route(
                call, inputs, id, [by_id[stop_id] for stop_id in simulated.sequences[id]] if simulated else stops
            )
            for id, stops in inputs.stops.items()
        ]
    except TravelFailed:
        raise BOARD_CANNOT_RECKON() from None
    error = simulated.error if simulated else None
    return RouteChangeCheck(
        allowed=error is None,
        feasible=all(route.feasible for route in routes),
        message=call.translate(error.error_type.id, **error.params) if error else None,
        routes=routes,
    )


@reads(
    "suggest_routes",
    audience=DISPATCHERS,
    scopes={Scope.ROUTES_READ, Scope.DRIVERS_READ},
    errors=(BOARD_CANNOT_RECKON,),
    interfaces=(Rest("POST", "/v1/dispatch/suggestions"), GraphQL("suggestRoutes")),
)
async def suggest_routes(call: Call, request: SuggestRoutes) -> RouteSuggestions:
    """Suggest routes for a new order.

    Returns routes of a day that the order would fit, before the order is created. Nothing is written.

    Only routes that the caller plans are considered, except locked, full and finished ones. Routes with the shortest
    straight-line detours are simulated with the order at its best positions, after stops that are locked or being
    visited. Each suggestion lists violated constraints: time windows, capacity, hours, breaks, skills, limits, and
    zones of the driver. Times are planned times, not arrival forecasts.
    """
    day = request.day or call.today
    planner_id = get_planner_id(call)
    owner = {} if planner_id is None else {"contractor": planner_id}
    page, _ = await list_route_rows(call, {"on_day": day, **owner}, limit=ROUTES_MAX, offset=0)
    try:
        routes = await list_routes_that_fit(call, request, day, page if day >= call.today else [])
    except TravelFailed:
        raise BOARD_CANNOT_RECKON() from None
    return RouteSuggestions(day=day, routes=routes)


async def _load_checked_routes(call: Call, request: CheckRouteChange) -> dict[int, RouteRow]:
    """Return the requested routes and those of the moved stops.

    Raises `NOT_FOUND` or `ROUTES_DO_NOT_MATCH`.
    """
    move = request.move
    origin = (await get_stop_rows(call, move.stop_ids)).values() if move else ()
    named = [move.route_id, *request.route_ids] if move else request.route_ids
    ids: list[int] = list(dict.fromkeys([*named, *(stop.route_id for stop in origin)]))
    rows = await get_route_rows(call, ids)
    if any(id not in rows or not sees_route(to_route_state(rows[id]), get_route_viewer(call)) for id in ids):
        raise NOT_FOUND()
    if len({row.day for row in rows.values()}) > 1:
        raise ROUTES_DO_NOT_MATCH()
    return rows
