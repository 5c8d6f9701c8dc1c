"""A move that is only supposed: what the rules of moving say to it, and the sequences that it would lead to."""

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct

from haulier.contexts.dispatch.board.contract import StopMove
from haulier.contexts.dispatch.routes.finding import route_state, stop_states, viewer_of
from haulier.contexts.dispatch.routes.rules.machine import RouteAct, must
from haulier.contexts.dispatch.routes.rules.people import ROUTE_LOCKED, ROUTE_NOT_YOURS_TO_PLAN, may
from haulier.contexts.dispatch.routes.rules.sequence import (
    inserted,
    whole_orders,
    why_not_exchange,
    why_not_leave,
    why_not_named,
    why_not_stand,
    with_their_partners,
)
from haulier.kernel.call import Call
from haulier.kernel.errors import Refusal


class Supposed(Struct, frozen=True):
    """The stop ids of each route as they would follow each other, and why it would be refused, or None."""

    sequences: Mapping[int, Sequence[int]]
    refusal: Refusal | None


def suppose(call: Call, move: StopMove, rows: Mapping[int, Any], stops: Mapping[int, Sequence[Any]]) -> Supposed:
    """The same rules as those of `move_stops`, and nothing written. `rows` and `stops` hold the routes concerned."""
    states = {route_id: stop_states(theirs) for route_id, theirs in stops.items()}
    standing = {route_id: [stop.id for stop in theirs] for route_id, theirs in states.items()}
    asked = list(dict.fromkeys(move.stop_ids))
    named = {stop.id: stop for theirs in states.values() for stop in theirs if stop.id in set(asked)}
    if refusal := why_not_named(asked, named):
        return Supposed(standing, refusal)
    along = [stop for id, theirs in states.items() if id != move.route_id for stop in whole_orders(theirs, named)]
    arriving = with_their_partners([named[stop_id] for stop_id in asked], along)
    gone = {stop.id for stop in arriving}
    wanted = inserted(standing[move.route_id], [stop.id for stop in arriving], move.position)
    after = {id: [each for each in ids if each not in gone] for id, ids in standing.items()} | {move.route_id: wanted}
    known = {stop.id: stop for theirs in states.values() for stop in theirs}
    sources = {id: [stop for stop in theirs if stop.id in gone] for id, theirs in states.items() if id != move.route_id}
    sources = {id: leaving for id, leaving in sources.items() if leaving}
    refusal = next(filter(None, (_frozen(call, rows[id]) for id in (move.route_id, *sources))), None)
    target = route_state(rows[move.route_id])
    for route_id, leaving in sources.items():
        source = route_state(rows[route_id])
        refusal = refusal or why_not_exchange(source, target) or why_not_leave(source, leaving, target)
    return Supposed(after, refusal or why_not_stand(states[move.route_id], known, wanted))


def _frozen(call: Call, row: Any) -> Refusal | None:
    """Why the caller may not move stops of a route, or None."""
    route = route_state(row)
    if not may(RouteAct.MOVE_STOPS, route, viewer_of(call)):
        return ROUTE_NOT_YOURS_TO_PLAN()
    if route.locked:
        return ROUTE_LOCKED()
    try:
        must(RouteAct.MOVE_STOPS, route.status)
    except Refusal as refusal:
        return refusal
    return None
