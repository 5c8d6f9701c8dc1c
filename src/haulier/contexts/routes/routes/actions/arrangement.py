"""Writes of routes for other families: arrangement."""

from collections.abc import Mapping, Sequence

from haulier.contexts.fleet.public import (
    get_driver_row,
    get_vehicle_rows,
    get_working_profile_rows,
    require_driver_documents,
)
from haulier.contexts.orders.public import (
    OrderStep,
    apply_order_transition,
    assign_orders_to_driver,
    get_order_facts,
    get_order_loads,
)
from haulier.contexts.routes.assignments.serializers import serialize_order_errors
from haulier.contexts.routes.events import RouteFinished, RouteLoaded, RouteStarted
from haulier.contexts.routes.ports import LoadingCheck
from haulier.contexts.routes.routes import store
from haulier.contexts.routes.routes.actions.route_orders import (
    ROUTE_FULL,
    UNKNOWN_PLAN_END,
    get_informed_driver_user_id,
    load_route,
    remove_orders,
    unload_at_depot,
)
from haulier.contexts.routes.routes.contract import (
    STOPS_MAX,
    ReportRouteEvent,
    RouteAnswer,
    RouteOrdersResult,
    RouteWarning,
    StartRoute,
)
from haulier.contexts.routes.routes.notifications import mark_routes_changed
from haulier.contexts.routes.routes.queries import lock_route_for_action, to_route_state, to_stop_states
from haulier.contexts.routes.routes.rules.progress import (
    ROUTE_OF_ANOTHER_DAY,
    CarriedOrder,
    RouteAction,
    RouteCarrier,
    RouteStatus,
    RouteWarningCode,
    StopState,
    check_route_finish,
    check_route_start,
    find_route_oddities,
    loaded_order_ids,
    undelivered_stops,
)
from haulier.contexts.routes.routes.rules.sequence import (
    check_routes_match,
    check_stop_sequence,
    check_stops_may_leave,
    insert_stop_ids,
    stops_with_outdated_plan,
)
from haulier.contexts.routes.routes.serializers import load_route_detail
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
    """Number the stops of routes by `stop_order`, and remove outdated planned times.

    `stop_order` has stop ids. A route with the same sequence keeps its version.
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
    """Move stops of these routes to a position on a route, by default to its end.

    `stops` are all stops of all these routes. Raises the error of stops that cannot leave or arrive there.
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
    """Give orders to the driver of a route.

    Orders that were only `planned` start if the route has started.
    """
    if planned and _started(target):
        for error in (await apply_order_transition(call, OrderStep.START, planned, at=call.now)).values():
            raise error
    await assign_orders_to_driver(call, order_ids, get_informed_driver_user_id(target), target.driver_id)
    call.add_audit_subjects("order", *order_ids)


def _started(route: RouteRow) -> bool:
    return route.status == RouteStatus.STARTED


async def start_route(call: Call, request: StartRoute, *, happened: bool = False) -> RouteOrdersResult:
    """Start a route and its orders.

    An order that cannot start is removed from the route and returned with its error. `happened`: the device was offline
    and reports an earlier departure, which may precede the route's day.

    Raises `NOT_FOUND`, `ROUTE_CANNOT`, `ROUTE_EMPTY`, `ROUTE_NOT_PUBLISHED`, `ROUTE_OF_ANOTHER_DAY`,
    `DRIVER_DOCUMENTS_NOT_IN_ORDER` or `PIECES_MISSING`.
    """
    route, status = await lock_route_for_action(call, request.route_id, RouteAction.START)
    stops = await list_stops_of_routes(call, [route.id])
    if error := check_route_start(to_route_state(route), to_stop_states(stops)):
        raise error
    if route.day > call.today and not (request.ahead_of_day or happened):
        raise ROUTE_OF_ANOTHER_DAY(day=route.day.isoformat())
    assert route.driver_id is not None  # `check_route_start` and the state machine let only assigned routes start
    await require_driver_documents(call, route.driver_id)
    occurred_at = request.occurred_at or call.now
    order_ids = sorted({stop.order_id for stop in stops})
    shortages = await call.adapter(LoadingCheck).find_shortages(
        call, route.id, loaded_order_ids(to_stop_states(stops)), happened=happened
    )
    errors = await apply_order_transition(call, OrderStep.START, order_ids, at=occurred_at)
    await remove_orders(call, route, [stop for stop in stops if stop.order_id in errors])
    await store.update_route(call.work, route.id, status=status, started_at=occurred_at, started_recorded_at=call.now)
    mark_routes_changed(call, route)
    await call.publish(RouteStarted(route_id=route.id, driver_id=route.driver_id, at=occurred_at))
    return RouteOrdersResult(
        result=True,
        changed=len(order_ids) - len(errors),
        skipped=len(errors),
        errors=serialize_order_errors(call, errors),
        route=await load_route_detail(call, route.id),
        shortages=list(shortages),
    )


async def load_at_depot(call: Call, request: ReportRouteEvent) -> RouteOrdersResult:
    """Load orders that were added to a route after its departure.

    Raises `NOT_FOUND` or `ROUTE_CANNOT`.
    """
    route, _ = await lock_route_for_action(call, request.route_id, RouteAction.LOAD)
    occurred_at = request.occurred_at or call.now
    loaded, errors = await load_route(call, route, occurred_at)
    mark_routes_changed(call, route)
    if loaded:
        await call.publish(RouteLoaded(route_id=route.id, order_ids=tuple(loaded), at=occurred_at))
    return RouteOrdersResult(
        result=bool(loaded),
        changed=len(loaded),
        skipped=len(errors),
        errors=serialize_order_errors(call, errors),
        route=await load_route_detail(call, route.id),
    )


async def return_route_to_depot(call: Call, request: ReportRouteEvent) -> RouteOrdersResult:
    """Unload everything on board at the depot, now or as of `occurred_at`.

    Raises `NOT_FOUND` or `ROUTE_CANNOT`.
    """
    route, _ = await lock_route_for_action(call, request.route_id, RouteAction.RETURN_TO_DEPOT)
    occurred_at = request.occurred_at or call.now
    order_ids, errors = await unload_at_depot(call, route, occurred_at, until=request.occurred_at and occurred_at)
    mark_routes_changed(call, route)
    return RouteOrdersResult(
        result=len(order_ids) > len(errors),
        changed=len(order_ids) - len(errors),
        skipped=len(errors),
        errors=serialize_order_errors(call, errors),
        route=await load_route_detail(call, route.id),
    )


async def finish_route(call: Call, request: ReportRouteEvent) -> RouteAnswer:
    """Finish a route.

    Raises `NOT_FOUND`, `ROUTE_CANNOT`, `ROUTE_HAS_OPEN_STOPS` or `ROUTE_STILL_CARRIES`.
    """
    route, status = await lock_route_for_action(call, request.route_id, RouteAction.FINISH)
    stops = to_stop_states(await list_stops_of_routes(call, [route.id]))
    if error := check_route_finish(stops):
        raise error
    occurred_at = request.occurred_at or call.now
    if undelivered_stops(stops):  # failed pickups leave nothing aboard, but are planned again
        await unload_at_depot(call, route, occurred_at)
    await store.update_route(call.work, route.id, status=status, finished_at=occurred_at, finished_recorded_at=call.now)
    mark_routes_changed(call, route)
    await call.publish(RouteFinished(route_id=route.id, at=occurred_at))
    return RouteAnswer(route=await load_route_detail(call, route.id))


async def load_route_warnings(call: Call, route: RouteRow, added: Sequence[int]) -> list[RouteWarning]:
    """Return the warnings about orders added to a route.

    At most six statements, and none if nothing was added.
    """
    if not added:
        return []
    stops = to_stop_states(await list_stops_of_routes(call, [route.id]))
    oddities = find_route_oddities(
        route.day,
        await _load_carrier(call, route),
        stops,
        await _load_carried_orders(call, {stop.order_id for stop in stops}),
        added,
    )
    return [
        RouteWarning(
            code=oddity.code.value.upper(),
            order_id=oddity.order_id,
            load_percent=oddity.percent,
            message=call.translate(f"route_warning_{oddity.code.value}", **_params(oddity.code, oddity.percent)),
        )
        for oddity in oddities
    ]


def _params(code: RouteWarningCode, percent: int | None) -> dict[str, int | None]:
    return {"percent": percent} if code is RouteWarningCode.OVERLOADED else {}


async def _load_carrier(call: Call, route: RouteRow) -> RouteCarrier:
    driver = await get_driver_row(call, route.driver_id) if route.driver_id else None
    if driver is None:
        return RouteCarrier()
    profile = (await get_working_profile_rows(call, [driver.id])).get(driver.id)
    vehicle_id = route.vehicle_id or (profile.vehicle_id if profile else None)
    vehicle = (await get_vehicle_rows(call, [vehicle_id])).get(vehicle_id) if vehicle_id else None
    skills = {*driver.skills, *(profile.skills if profile else ()), *(vehicle.skills if vehicle else ())}
    if vehicle is None:
        return RouteCarrier(skills=frozenset(skills))
    capacity = (vehicle.capacity_weight_g, vehicle.capacity_volume_cm3, vehicle.capacity_parcels)
    return RouteCarrier(capacity=capacity, skills=frozenset(skills))


async def _load_carried_orders(call: Call, order_ids: set[int]) -> dict[int, CarriedOrder]:
    facts, loads = await get_order_facts(call, order_ids), await get_order_loads(call, order_ids)
    return {
        order.id: CarriedOrder(
            order_id=order.id,
            load=(order.weight_g, loads[order.id].volume_cm3, loads[order.id].parcels),
            skills=frozenset(order.skills),
            scheduled_date=order.scheduled_date,
            window=(call.local_time(order.window_start), call.local_time(order.window_end)),
        )
        for order in facts.values()
    }
