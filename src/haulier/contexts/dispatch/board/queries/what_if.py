"""A move of stops that is only simulated: whether it would be allowed, and the order of visit after it."""

from collections.abc import Mapping, Sequence

from msgspec import Struct

from haulier.contexts.dispatch.board.contract import StopMove
from haulier.contexts.routes.public import RouteRow, StopRow, get_route_viewer, to_route_state, to_stop_states
from haulier.contexts.routes.routes.rules.permissions import ROUTE_LOCKED, ROUTE_NOT_YOURS_TO_PLAN, may_act_on_route
from haulier.contexts.routes.routes.rules.progress import StopState
from haulier.contexts.routes.routes.rules.sequence import (
    check_routes_match,
    check_stop_sequence,
    check_stops_may_leave,
    check_stops_on_route,
    insert_stop_ids,
    stops_of_whole_orders,
    with_partner_stops,
)
from haulier.contexts.routes.routes.rules.state_machine import RouteAction, next_route_status_or_raise
from haulier.kernel.call import Call
from haulier.kernel.operations.errors import OperationError


class WhatIfMove(Struct, frozen=True):
    """The stop ids of each route in the order of visit after a move, and why it would not be allowed, or None."""

    sequences: Mapping[int, Sequence[int]]
    error: OperationError | None


def simulate_stop_move(
    call: Call, move: StopMove, rows: Mapping[int, RouteRow], stops: Mapping[int, Sequence[StopRow]]
) -> WhatIfMove:
    """Check a move by the rules of `move_stops`. `rows` and `stops` hold the routes concerned; nothing is written."""
    states = {route_id: to_stop_states(route_stops) for route_id, route_stops in stops.items()}
    before = {route_id: [stop.id for stop in route_stops] for route_id, route_stops in states.items()}
    stops_by_id = {stop.id: stop for route_stops in states.values() for stop in route_stops}
    stop_ids = list(dict.fromkeys(move.stop_ids))
    if error := check_stops_on_route(stop_ids, stops_by_id.keys()):
        return WhatIfMove(before, error)
    named = {stop_id: stops_by_id[stop_id] for stop_id in stop_ids}
    others = {route_id: route_stops for route_id, route_stops in states.items() if route_id != move.route_id}
    leaving = [stop for route_stops in others.values() for stop in stops_of_whole_orders(route_stops, named)]
    arriving = with_partner_stops(list(named.values()), leaving)
    moved_ids = {stop.id for stop in arriving}
    stop_order = insert_stop_ids(before[move.route_id], [stop.id for stop in arriving], move.position)
    after = {route_id: [id for id in ids if id not in moved_ids] for route_id, ids in before.items()}
    sources = {route_id: [stop for stop in theirs if stop.id in moved_ids] for route_id, theirs in others.items()}
    error = _check_sources(call, rows, move.route_id, {id: leaving for id, leaving in sources.items() if leaving})
    return WhatIfMove(
        {**after, move.route_id: stop_order},
        error or check_stop_sequence(states[move.route_id], stops_by_id, stop_order),
    )


def _check_sources(
    call: Call, rows: Mapping[int, RouteRow], target_id: int, sources: Mapping[int, Sequence[StopState]]
) -> OperationError | None:
    """Why stops cannot go from their routes to another, or None."""
    for route_id in (target_id, *sources):
        if error := _check_may_move_stops(call, rows[route_id]):
            return error
    target = to_route_state(rows[target_id])
    for route_id, leaving in sources.items():
        source = to_route_state(rows[route_id])
        if error := check_routes_match(source, target) or check_stops_may_leave(source, leaving, target):
            return error
    return None


def _check_may_move_stops(call: Call, row: RouteRow) -> OperationError | None:
    """Why the caller may not move stops of a route, or None."""
    route = to_route_state(row)
    if not may_act_on_route(RouteAction.MOVE_STOPS, route, get_route_viewer(call)):
        return ROUTE_NOT_YOURS_TO_PLAN()
    if route.locked:
        return ROUTE_LOCKED()
    try:
        next_route_status_or_raise(RouteAction.MOVE_STOPS, route.status)
    except OperationError as error:
        return error
    return None
