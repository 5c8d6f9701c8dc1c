"""Stops come to stand in another order, or on another route: judged on plain records, then written and told."""

from collections.abc import Mapping, Sequence
from typing import Any

from haulier.contexts.orders.public import OrderStep, apply_order_transition, assign_orders_to_driver
from haulier.contexts.routes.routes import store
from haulier.contexts.routes.routes.actions.route_orders import (
    ROUTE_FULL,
    UNKNOWN_PLAN_END,
    get_informed_driver_user_id,
)
from haulier.contexts.routes.routes.contract.routes import STOPS_MAX
from haulier.contexts.routes.routes.queries import to_route_state, to_stop_states
from haulier.contexts.routes.routes.rules.progress import StopState
from haulier.contexts.routes.routes.rules.sequence import (
    check_routes_match,
    check_stop_sequence,
    check_stops_may_leave,
    insert_stop_ids,
    stops_with_outdated_plan,
)
from haulier.contexts.routes.routes.rules.state_machine import RouteStatus
from haulier.contexts.routes.stops import store as stop_store
from haulier.contexts.routes.stops.rules import OPEN
from haulier.kernel.call import Call

StopsByRoute = dict[int, list[StopState]]


async def list_stop_states_by_route(call: Call, route_ids: Sequence[int]) -> StopsByRoute:
    """The stops of these routes by route, in the order of visit."""
    found: StopsByRoute = {route_id: [] for route_id in route_ids}
    rows = await stop_store.list_stops_of_routes(call.work, list(route_ids))
    for row, stop in zip(rows, to_stop_states(rows), strict=True):
        found[row.route_id].append(stop)
    return found


async def write_stop_sequences(call: Call, before: StopsByRoute, wanted: Mapping[int, Sequence[int]]) -> None:
    """Number the stops of routes as `wanted`, and forget the planned times that this leaves without meaning.

    A route on which nothing moves stays the version that it is.
    """
    was = {route_id: [stop.id for stop in before[route_id]] for route_id in wanted}
    changed = {route_id: stop_ids for route_id, stop_ids in wanted.items() if was[route_id] != list(stop_ids)}
    if not changed:
        return
    over = {stop.id for route_id in changed for stop in before[route_id] if stop.status not in OPEN}
    disturbed = {
        stop_id for route_id, now in changed.items() for stop_id in stops_with_outdated_plan(was[route_id], now)
    }
    await stop_store.renumber_stops(call.work, *changed.values())
    await stop_store.clear_stop_plans(call.work, sorted(disturbed - over))
    await store.update_routes(call.work, changed, **UNKNOWN_PLAN_END)


async def move_stops_onto_route(
    call: Call,
    target: Any,
    sources: Mapping[int, Any],
    stops: StopsByRoute,
    arriving: Sequence[StopState],
    position: int | None = None,
) -> None:
    """Bring stops of other routes, or of this one, onto a route from a place on.

    `stops` are all stops of all these routes. Raises why the stops cannot leave, or cannot stand there.
    """
    to = to_route_state(target)
    origin = {stop.id: route_id for route_id, theirs in stops.items() for stop in theirs}
    for route_id, source in sources.items():
        leaving = [stop for stop in arriving if origin[stop.id] == route_id]
        refusal = check_routes_match(to_route_state(source), to) or check_stops_may_leave(
            to_route_state(source), leaving, to
        )
        if refusal:
            raise refusal
    known = {stop.id: stop for stop in [*stops[target.id], *arriving]}
    wanted = insert_stop_ids([stop.id for stop in stops[target.id]], [stop.id for stop in arriving], position)
    if len(wanted) > STOPS_MAX:
        raise ROUTE_FULL(most=STOPS_MAX)
    if refusal := check_stop_sequence(stops[target.id], known, wanted):
        raise refusal
    gone = {stop.id for stop in arriving}
    left = {route_id: [stop.id for stop in stops[route_id] if stop.id not in gone] for route_id in sources}
    if newcomers := [stop for stop in arriving if origin[stop.id] != target.id]:
        await stop_store.transfer_stops(call.work, target.id, [stop.id for stop in newcomers])
        planned = {stop.order_id for stop in newcomers if not _started(sources[origin[stop.id]])}
        await _transfer_orders(call, target, sorted({stop.order_id for stop in newcomers}), sorted(planned))
    await write_stop_sequences(call, stops, {**left, target.id: wanted})


async def _transfer_orders(call: Call, target: Any, order_ids: Sequence[int], planned: Sequence[int]) -> None:
    """Orders change hands; those that were only `planned` are on their way with a target that is."""
    if planned and _started(target):
        for refusal in (await apply_order_transition(call, OrderStep.START, planned, at=call.now)).values():
            raise refusal
    await assign_orders_to_driver(call, order_ids, get_informed_driver_user_id(target))
    call.add_audit_subjects("order", *order_ids)


def _started(route: Any) -> bool:
    return route.status == RouteStatus.STARTED
