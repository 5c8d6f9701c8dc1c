"""Changes of the order of visit, and moves of stops to other routes."""

from collections.abc import Mapping, Sequence

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
from haulier.contexts.routes.routes.store import RouteRow
from haulier.contexts.routes.stops.actions import clear_stop_plans, renumber_stops, transfer_stops
from haulier.contexts.routes.stops.queries import list_stops_of_routes
from haulier.contexts.routes.stops.rules import OPEN
from haulier.kernel.call import Call

StopsByRoute = dict[int, list[StopState]]


async def list_stop_states_by_route(call: Call, route_ids: Sequence[int]) -> StopsByRoute:
    """The stops of these routes by route, in the order of visit."""
    by_route: StopsByRoute = {route_id: [] for route_id in route_ids}
    rows = await list_stops_of_routes(call, list(route_ids))
    for row, stop in zip(rows, to_stop_states(rows), strict=True):
        by_route[row.route_id].append(stop)
    return by_route


async def write_stop_sequences(call: Call, before: StopsByRoute, stop_order: Mapping[int, Sequence[int]]) -> None:
    """Number the stops of routes in the order of `stop_order` stop ids, and remove planned times that no longer hold.

    A route whose order stays the same keeps its version.
    """
    previous = {route_id: [stop.id for stop in before[route_id]] for route_id in stop_order}
    changed = {route_id: stop_ids for route_id, stop_ids in stop_order.items() if previous[route_id] != list(stop_ids)}
    if not changed:
        return
    over = {stop.id for route_id in changed for stop in before[route_id] if stop.status not in OPEN}
    outdated = {
        stop_id
        for route_id, stop_ids in changed.items()
        for stop_id in stops_with_outdated_plan(previous[route_id], stop_ids)
    }
    await renumber_stops(call, *changed.values())
    await clear_stop_plans(call, sorted(outdated - over))
    await store.update_routes(call.work, changed, **UNKNOWN_PLAN_END)


async def move_stops_onto_route(
    call: Call,
    target: RouteRow,
    sources: Mapping[int, RouteRow],
    stops: StopsByRoute,
    arriving: Sequence[StopState],
    position: int | None = None,
) -> None:
    """Move stops of other routes, or of this one, to a position on a route; to its end without `position`.

    `stops` are all stops of all these routes. Raises why the stops cannot leave, or cannot stand there.
    """
    origin = {stop.id: route_id for route_id, route_stops in stops.items() for stop in route_stops}
    for route_id, source in sources.items():
        _require_may_leave(source, [stop for stop in arriving if origin[stop.id] == route_id], target)
    stops_by_id = {stop.id: stop for stop in [*stops[target.id], *arriving]}
    stop_order = insert_stop_ids([stop.id for stop in stops[target.id]], [stop.id for stop in arriving], position)
    if len(stop_order) > STOPS_MAX:
        raise ROUTE_FULL(most=STOPS_MAX)
    if error := check_stop_sequence(stops[target.id], stops_by_id, stop_order):
        raise error
    moved_ids = {stop.id for stop in arriving}
    remaining = {route_id: [stop.id for stop in stops[route_id] if stop.id not in moved_ids] for route_id in sources}
    if newcomers := [stop for stop in arriving if origin[stop.id] != target.id]:
        await transfer_stops(call, target.id, [stop.id for stop in newcomers])
        planned = {stop.order_id for stop in newcomers if not _started(sources[origin[stop.id]])}
        await _transfer_orders(call, target, sorted({stop.order_id for stop in newcomers}), sorted(planned))
    await write_stop_sequences(call, stops, {**remaining, target.id: stop_order})


def _require_may_leave(source: RouteRow, leaving: Sequence[StopState], target: RouteRow) -> None:
    from_route, to_route = to_route_state(source), to_route_state(target)
    if error := check_routes_match(from_route, to_route) or check_stops_may_leave(from_route, leaving, to_route):
        raise error


async def _transfer_orders(call: Call, target: RouteRow, order_ids: Sequence[int], planned: Sequence[int]) -> None:
    """Give orders to the driver of a route; those that were only `planned` start when the route has started."""
    if planned and _started(target):
        for error in (await apply_order_transition(call, OrderStep.START, planned, at=call.now)).values():
            raise error
    await assign_orders_to_driver(call, order_ids, get_informed_driver_user_id(target), target.driver_id)
    call.add_audit_subjects("order", *order_ids)


def _started(route: RouteRow) -> bool:
    return route.status == RouteStatus.STARTED
