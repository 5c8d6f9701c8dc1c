"""A move that is only supposed: what the rules of moving say to it, and the sequences that it would lead to."""

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct

from haulier.contexts.dispatch.board.contract import StopMove
from haulier.contexts.routes.routes.queries import get_route_viewer, to_route_state, to_stop_states
from haulier.contexts.routes.routes.rules.permissions import ROUTE_LOCKED, ROUTE_NOT_YOURS_TO_PLAN, may_act_on_route
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
    """The stop ids of each route as they would follow each other, and why it would be refused, or None."""

    sequences: Mapping[int, Sequence[int]]
    refusal: OperationError | None


def simulate_stop_move(
    call: Call, move: StopMove, rows: Mapping[int, Any], stops: Mapping[int, Sequence[Any]]
) -> WhatIfMove:
    """The same rules as those of `move_stops`, and nothing written. `rows` and `stops` hold the routes concerned."""
    states = {route_id: to_stop_states(theirs) for route_id, theirs in stops.items()}
    standing = {route_id: [stop.id for stop in theirs] for route_id, theirs in states.items()}
    asked = list(dict.fromkeys(move.stop_ids))
    named = {stop.id: stop for theirs in states.values() for stop in theirs if stop.id in set(asked)}
    if refusal := check_stops_on_route(asked, named):
        return WhatIfMove(standing, refusal)
    along = [
        stop for id, theirs in states.items() if id != move.route_id for stop in stops_of_whole_orders(theirs, named)
    ]
    arriving = with_partner_stops([named[stop_id] for stop_id in asked], along)
    gone = {stop.id for stop in arriving}
    wanted = insert_stop_ids(standing[move.route_id], [stop.id for stop in arriving], move.position)
    after = {id: [each for each in ids if each not in gone] for id, ids in standing.items()} | {move.route_id: wanted}
    known = {stop.id: stop for theirs in states.values() for stop in theirs}
    sources = {id: [stop for stop in theirs if stop.id in gone] for id, theirs in states.items() if id != move.route_id}
    sources = {id: leaving for id, leaving in sources.items() if leaving}
    refusal = next(filter(None, (_check_may_move_stops(call, rows[id]) for id in (move.route_id, *sources))), None)
    target = to_route_state(rows[move.route_id])
    for route_id, leaving in sources.items():
        source = to_route_state(rows[route_id])
        refusal = refusal or check_routes_match(source, target) or check_stops_may_leave(source, leaving, target)
    return WhatIfMove(after, refusal or check_stop_sequence(states[move.route_id], known, wanted))


def _check_may_move_stops(call: Call, row: Any) -> OperationError | None:
    """Why the caller may not move stops of a route, or None."""
    route = to_route_state(row)
    if not may_act_on_route(RouteAction.MOVE_STOPS, route, get_route_viewer(call)):
        return ROUTE_NOT_YOURS_TO_PLAN()
    if route.locked:
        return ROUTE_LOCKED()
    try:
        next_route_status_or_raise(RouteAction.MOVE_STOPS, route.status)
    except OperationError as refusal:
        return refusal
    return None
