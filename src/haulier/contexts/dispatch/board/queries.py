"""Reads of the dispatch board for other families."""

import asyncio
from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime, time, timedelta

from msgspec import Struct
from msgspec.structs import replace

from haulier.contexts.dispatch.board.contract import (
    SUGGESTED_MAX,
    BoardRouteTimes,
    RouteFinding,
    RouteSuggestion,
    StopMove,
    StopSchedule,
    SuggestRoutes,
)
from haulier.contexts.dispatch.board.rules import (
    FeasibilityResult,
    FeasibilityRule,
    FeasibilityViolation,
    check_feasibility,
    list_detours,
    to_solver_task,
)
from haulier.contexts.fleet.public import DepotRow, get_depot_rows, list_driver_rows
from haulier.contexts.orders.public import OrderFacts, OrderLoad, get_order_facts, get_order_loads
from haulier.contexts.planning.builds.contract import MAX_BUILD_DRIVERS
from haulier.contexts.planning.builds.rules.planning_input import (
    ExistingRouteMode,
    PlanningInput,
    TransportRequest,
    VehicleShift,
)
from haulier.contexts.planning.builds.rules.requests import (
    NO_LOAD,
    EligibleDrivers,
    build_transport_request,
    is_in_driver_zones,
)
from haulier.contexts.planning.builds.rules.routing_problem import TravelByMode, has_place
from haulier.contexts.planning.builds.rules.shifts import (
    DayResources,
    DriverDay,
    build_driver_days,
    build_vehicle_shift,
    count_drivers_by_hour,
    existing_route,
    last_known_place,
    load_to_bring_back,
    shift_hours,
)
from haulier.contexts.planning.public import TravelTimes, get_day_resources, get_planner_id, load_travel
from haulier.contexts.routes.public import (
    RouteRow,
    StopRow,
    get_route_viewer,
    list_stops_of_routes,
    to_route_state,
    to_stop_states,
)
from haulier.contexts.routes.routes.contract import STOPS_MAX
from haulier.contexts.routes.routes.rules.progress import (
    ROUTE_LOCKED,
    ROUTE_NOT_YOURS_TO_PLAN,
    RouteAction,
    RouteStatus,
    StopState,
    may_act_on_route,
    next_route_status,
    next_route_status_or_raise,
)
from haulier.contexts.routes.routes.rules.sequence import (
    check_routes_match,
    check_stop_sequence,
    check_stops_may_leave,
    check_stops_on_route,
    insert_stop_ids,
    stops_of_whole_orders,
    with_partner_stops,
)
from haulier.contexts.routes.stops.rules import OPEN, StopKind
from haulier.kernel.call import Call
from haulier.kernel.operations.errors import OperationError
from haulier.solvers.routing.plan import TimedRoute
from haulier.solvers.routing.problem import JobTask, TaskKind

ANY_HOURS_S = 7 * 86_400


class RouteInputs(Struct, frozen=True, kw_only=True):
    """Routes of a day with stops in order of visit, orders, loads, depots and drivers."""

    rows: Mapping[int, RouteRow]
    stops: Mapping[int, Sequence[StopRow]]
    orders: Mapping[int, OrderFacts]
    loads: Mapping[int, OrderLoad]
    depots: Mapping[int, DepotRow]
    resources: DayResources | None
    driver_days: Mapping[int, DriverDay]


class PlaceholderDriver(Struct, frozen=True):
    """Placeholder driver of an unassigned route, without skills and driver rules."""

    id: int = 0
    contractor_id: int | None = None
    name: str = ""
    skills: tuple[str, ...] = ()


class RouteCase(Struct, frozen=True, kw_only=True):
    """One route as input of the solver: the tasks in order, and the stop of each task.

    `unlocated` are stops without coordinates, `outside` those that are not in the zones of the driver. `day_off` says that
    the driver does not work on the day.
    """

    route_id: int
    planning_input: PlanningInput
    tasks: tuple[JobTask, ...]
    stop_ids: Mapping[JobTask, int]
    unlocated: tuple[int, ...]
    outside: tuple[int, ...]
    day_off: bool
    has_driver: bool


async def load_route_inputs(call: Call, rows: Mapping[int, RouteRow]) -> RouteInputs:
    """The inputs of these routes, which are of one day."""
    stops: dict[int, list[StopRow]] = {route_id: [] for route_id in rows}
    for stop in await list_stops_of_routes(call, list(rows)):
        stops[stop.route_id].append(stop)
    order_ids = {stop.order_id for route_stops in stops.values() for stop in route_stops}
    orders = await get_order_facts(call, order_ids) if order_ids else {}
    loads = await get_order_loads(call, order_ids)
    resources = await _load_resources(call, rows)
    driver_days = build_driver_days(resources, ExistingRouteMode.REBUILD) if resources else []
    return RouteInputs(
        rows=rows,
        stops=stops,
        orders=orders,
        loads=loads,
        depots=await get_depot_rows(call, {row.depot_id for row in rows.values()}),
        resources=resources,
        driver_days={driver_day.driver.id: driver_day for driver_day in driver_days},
    )


async def _load_resources(call: Call, rows: Mapping[int, RouteRow]) -> DayResources | None:
    """Return the day's resources. All drivers count: some get a remaining vehicle."""
    if not rows:
        return None
    planner_id = get_planner_id(call)
    owner = {"own": True} if planner_id is None else {"contractor": planner_id}
    page, _ = await list_driver_rows(call, {**owner, "enabled": True}, limit=MAX_BUILD_DRIVERS, offset=0)
    ids = {row.id for row in page} | {row.driver_id for row in rows.values() if row.driver_id}
    day = next(iter(rows.values())).day
    resources = await get_day_resources(call, day, driver_ids=sorted(ids))
    is_past = day < call.today
    # Timing starts from `now` at the earliest. A past day is timed as if it had not begun.
    return replace(resources, now=call.now - timedelta(days=366)) if is_past else resources


def build_route_case(inputs: RouteInputs, route_id: int, sequence: Sequence[StopRow]) -> RouteCase:
    """Return a route with its open stops in this sequence."""
    assert inputs.resources is not None
    driver_day, day_off = _driver_of_route(inputs, inputs.rows[route_id])
    open_stops = [stop for stop in sequence if stop.status in OPEN]
    requests = [
        build_transport_request(
            inputs.orders[order_id],
            inputs.loads[order_id],
            EligibleDrivers(),
            collected=all(stop.kind != StopKind.PICKUP for stop in open_stops if stop.order_id == order_id),
        )
        for order_id in dict.fromkeys(stop.order_id for stop in open_stops)
        if order_id in inputs.orders and order_id in inputs.loads
    ]
    located = {request.order_id for request in requests if has_place(request)}
    stop_ids = {to_solver_task(stop.order_id, stop.kind): stop.id for stop in open_stops if stop.order_id in located}
    return RouteCase(
        route_id=route_id,
        planning_input=PlanningInput(
            day=inputs.resources.day.isoformat(),
            planner_id=None,
            requests=tuple(request for request in requests if request.order_id in located),
            vehicle_shifts=(_vehicle_shift_of_route(inputs, route_id, driver_day),),
            worked=count_drivers_by_hour([driver_day.hours[0]] if driver_day.hours else [], inputs.resources.zone),
        ),
        tasks=tuple(stop_ids),
        stop_ids=stop_ids,
        unlocated=tuple(stop.id for stop in open_stops if stop.order_id not in located),
        outside=_stops_outside_zones(inputs, driver_day, open_stops),
        day_off=day_off,
        has_driver=driver_day.driver.id != 0,
    )


def _stops_outside_zones(inputs: RouteInputs, driver_day: DriverDay, open_stops: Sequence[StopRow]) -> tuple[int, ...]:
    """The last stop of each order whose destination is in none of the driver's zones."""
    zones = driver_day.profile.zones if driver_day.profile else ()
    last = {stop.order_id: stop.id for stop in open_stops if stop.order_id in inputs.orders}
    orders = ((inputs.orders[order_id], stop_id) for order_id, stop_id in last.items())
    return tuple(
        stop_id
        for order, stop_id in orders
        if order.lat is not None
        and order.lng is not None
        and not is_in_driver_zones(zones, (order.lat, order.lng), order.postal_code)
    )


def is_outside_zones(inputs: RouteInputs, route_id: int, place: tuple[float, float], postal_code: str | None) -> bool:
    """Return True if a place is in none of the zones of the route's driver."""
    driver_day, _ = _driver_of_route(inputs, inputs.rows[route_id])
    zones = driver_day.profile.zones if driver_day.profile else ()
    return not is_in_driver_zones(zones, place, postal_code)


def _driver_of_route(inputs: RouteInputs, route: RouteRow) -> tuple[DriverDay, bool]:
    """Return the driver, and True on a day off, when the usual hours apply."""
    assert inputs.resources is not None
    assigned = inputs.driver_days.get(route.driver_id or 0)
    driver_day = assigned or DriverDay(driver=PlaceholderDriver(contractor_id=route.contractor_id), profile=None)
    usual_hours = shift_hours((), inputs.resources.day, inputs.resources.zone)
    hours = driver_day.hours or usual_hours
    on_route = replace(driver_day, hours=hours, depot=inputs.depots[route.depot_id], route=route)
    return on_route, assigned is not None and assigned.hours is None


def _vehicle_shift_of_route(inputs: RouteInputs, route_id: int, driver_day: DriverDay) -> VehicleShift:
    """Return the vehicle shift of a route without its tasks."""
    assert inputs.resources is not None
    row, stops = inputs.rows[route_id], inputs.stops[route_id]
    has_started = row.status == RouteStatus.STARTED
    built = build_vehicle_shift(
        inputs.resources,
        driver_day,
        existing_route(row, stops, ExistingRouteMode.REBUILD),
        loading_s=0,
        where=last_known_place(stops, inputs.orders, inputs.loads),
        aboard=load_to_bring_back(stops, inputs.orders, inputs.loads) if has_started else NO_LOAD,
    )
    shift = built.shift if row.driver_id else _unlimited_hours(built.shift, row)
    return replace(built, route=None, shift=shift)


def _unlimited_hours(shift: tuple[int, int], row: RouteRow) -> tuple[int, int]:
    """Return the hours of a route without a driver, open-ended from its planned start."""
    start = max(shift[0], int(row.planned_start_at.timestamp())) if row.planned_start_at else shift[0]
    return start, start + ANY_HOURS_S


def list_untimed_findings(case: RouteCase) -> list[tuple[FeasibilityRule, int | None]]:
    """Return findings without times: unlocated stops, zones, and a day off."""
    findings: list[tuple[FeasibilityRule, int | None]] = []
    findings += [(FeasibilityRule.NO_PLACE, stop_id) for stop_id in case.unlocated]
    findings += [(FeasibilityRule.ZONE, stop_id) for stop_id in case.outside]
    return [*findings, (FeasibilityRule.DAY_OFF, None)] if case.day_off else findings


DRIVER_RULES = frozenset({FeasibilityRule.SKILL, FeasibilityRule.HOURS, FeasibilityRule.BREAK})
"""Rules that only a route with a driver can break."""


async def time_route(call: Call, inputs: RouteInputs, route_id: int, sequence: Sequence[StopRow]) -> BoardRouteTimes:
    """Return the times of a route in this sequence. Raises `TravelFailed`."""
    case = build_route_case(inputs, route_id, sequence)
    travel = await load_travel(call.adapter(TravelTimes), case.planning_input)
    result = await asyncio.to_thread(check_feasibility, case.planning_input, case.tasks, travel)
    return _serialize_route_schedule(call, case, result, under_way=is_under_way(inputs.rows[route_id]))


def is_under_way(route: RouteRow) -> bool:
    """Return True for a started route: its times are observed, never forecast."""
    return RouteStatus(route.status) is RouteStatus.STARTED


def _serialize_route_schedule(
    call: Call, case: RouteCase, result: FeasibilityResult, *, under_way: bool
) -> BoardRouteTimes:
    findings = [
        *list_untimed_findings(case),
        *(
            (violation.rule, last_stop_of_order(case, violation.order_id))
            for violation in list_violations(case, result)
        ),
    ]
    stops = _serialize_stop_schedules(call, case, result.route, under_way=under_way) if result.route else []
    return BoardRouteTimes(
        route_id=case.route_id,
        feasible=not findings,
        start_at=to_local_time(call, result.route.start_s) if result.route else None,
        end_at=to_local_time(call, result.route.end_s) if result.route else None,
        distance_m=result.route.distance_m if result.route else 0,
        late_s=sum(stop.late_s for stop in stops),
        load_percent=result.load_percent,
        stops=stops,
        findings=[serialize_finding(call, rule, stop_id) for rule, stop_id in findings],
    )


def list_violations(case: RouteCase, result: FeasibilityResult) -> list[FeasibilityViolation]:
    """Return the rules that a route breaks. Driver rules need an assigned driver."""
    return [violation for violation in result.violations if case.has_driver or violation.rule not in DRIVER_RULES]


def serialize_finding(call: Call, rule: FeasibilityRule, stop_id: int | None) -> RouteFinding:
    """A problem of a route in the caller's language."""
    return RouteFinding(rule=rule, stop_id=stop_id, message=call.translate(f"board_{rule.value}"))


def _serialize_stop_schedules(call: Call, case: RouteCase, route: TimedRoute, *, under_way: bool) -> list[StopSchedule]:
    return [
        StopSchedule(
            stop_id=stop_id,
            arrival_at=None if under_way else to_local_time(call, stop.arrival_s),
            start_at=to_local_time(call, stop.start_s),
            departure_at=to_local_time(call, stop.departure_s),
            late_s=stop.late_s,
        )
        for stop_id, stop in zip(case.stop_ids.values(), route.stops, strict=True)
    ]


def last_stop_of_order(case: RouteCase, order_id: int | None) -> int | None:
    """The last stop of an order; None for the whole route."""
    return next((case.stop_ids[task] for task in reversed(case.tasks) if task.job == order_id), None)


def to_local_time(call: Call, seconds: int) -> datetime:
    """A moment of the solver in the business's time zone."""
    return call.local_time(datetime.fromtimestamp(seconds, UTC))


# Each timed route costs a table of travel times, which a road server returns in about 50 ms.
ROUTES_TIMED = 2 * SUGGESTED_MAX
"""Number of routes that are timed: those with the shortest detours as the crow flies."""
PLACES_TRIED = 3
"""Number of positions of a route that are tried: those with the shortest detours."""
REACH = timedelta(days=2)
"""A window that ends so long before the day, or begins so long after it, is of another day in every time zone."""
NEW_ORDER = 0
"""The id of an order that is none yet; no order has it."""


class RouteCandidate(Struct, frozen=True, kw_only=True):
    """A route, and the indexes among its tasks at which the order is tried."""

    case: RouteCase
    detour_m: float
    indexes: tuple[int, ...]


class RouteTrial(Struct, frozen=True, kw_only=True):
    """A route with the order inserted at an index: its times, and new violations."""

    index: int
    result: FeasibilityResult
    broken: tuple[FeasibilityViolation, ...]
    extra_s: int | None
    extra_distance_m: int | None
    extra_late_s: int

    @property
    def rank(self) -> tuple[int, int, float]:
        """Smaller is better: what is broken, then lateness, then time."""
        return len(self.broken), self.extra_late_s, float("inf") if self.extra_s is None else self.extra_s


async def list_routes_that_fit(
    call: Call, request: SuggestRoutes, day: date, page: Sequence[RouteRow]
) -> list[RouteSuggestion]:
    """Return the best of these routes of one day. Raises `TravelFailed`."""
    rows = {row.id: row for row in page if _may_take(call, row, request)}
    window = _window_near(day, request)
    if not rows or window is None:
        return []
    inputs = await load_route_inputs(call, rows)
    visit = _transport_request(request, window)
    candidates = [_candidate(inputs, route_id, visit) for route_id in rows if len(inputs.stops[route_id]) < STOPS_MAX]
    nearest = sorted(candidates, key=lambda candidate: (candidate.detour_m, candidate.case.route_id))[:ROUTES_TIMED]
    ranked = [(await _best_trial(call, candidate, visit), candidate.case) for candidate in nearest]
    told = [(trial.rank, _serialize_suggestion(call, request, inputs, case, trial)) for trial, case in ranked]
    told.sort(key=lambda pair: (len(pair[1].findings), pair[0][1:], pair[1].route_id))
    return [suggestion for _, suggestion in told[: request.limit]]


def _may_take(call: Call, row: RouteRow, request: SuggestRoutes) -> bool:
    """Return True if the caller may put an order on the route.

    Goods at the depot are not on board of a route under way.
    """
    route = to_route_state(row)
    return (
        may_act_on_route(RouteAction.ADD_ORDERS, route, get_route_viewer(call))
        and not route.locked
        and next_route_status(RouteAction.ADD_ORDERS, route.status) is not None
        and (request.type == "P" or route.status is not RouteStatus.STARTED)
    )


def _window_near(day: date, request: SuggestRoutes) -> tuple[int | None, int | None] | None:
    """Return the window in seconds since the epoch, limited to the reach of a route.

    None if the window is on other days.
    """
    first = datetime.combine(day, time(), UTC) - REACH
    last = first + 2 * REACH + timedelta(days=1)
    opens, closes = request.window_start, request.window_end
    if (opens and opens > last) or (closes and closes < first):
        return None
    return opens and int(max(opens, first).timestamp()), closes and int(min(closes, last).timestamp())


def _transport_request(request: SuggestRoutes, window: tuple[int | None, int | None]) -> TransportRequest:
    return TransportRequest(
        order_id=NEW_ORDER,
        type=request.type,
        stop=(request.lat, request.lng),
        window=window,
        service_s=request.service_time_s,
        load=(request.weight_g, 0, request.packages),
        skills=tuple(sorted(set(request.skills))),
    )


def _candidate(inputs: RouteInputs, route_id: int, visit: TransportRequest) -> RouteCandidate:
    case = build_route_case(inputs, route_id, inputs.stops[route_id])
    shift = case.planning_input.vehicle_shifts[0]
    requests = {request.order_id: request for request in case.planning_input.requests}
    visited = [_place_of_task(requests[task.job], task) for task in case.tasks]
    assert visit.stop is not None
    detours = list_detours(shift.start, visited, shift.end, visit.stop, first=_first_free_index(inputs, case))
    return RouteCandidate(
        case=case, detour_m=detours[0][0], indexes=tuple(index for _, index in detours[:PLACES_TRIED])
    )


def _place_of_task(request: TransportRequest, task: JobTask) -> tuple[float, float]:
    place = request.pickup if request.type == "P2P" and task.kind is TaskKind.PICKUP else request.stop
    assert place is not None  # `build_route_case` keeps only tasks with a place
    return place


def _first_free_index(inputs: RouteInputs, case: RouteCase) -> int:
    """The first index behind the stops that are locked or being visited."""
    stops = {stop.id: stop for stop in inputs.stops[case.route_id]}
    visited = [stops[case.stop_ids[task]] for task in case.tasks]
    return max((number for number, stop in enumerate(visited, 1) if stop.locked_at or stop.arrived_at), default=0)


async def _best_trial(call: Call, candidate: RouteCandidate, visit: TransportRequest) -> RouteTrial:
    """The order at the best of its places. Raises `TravelFailed`."""
    planning_input = candidate.case.planning_input
    with_visit = replace(planning_input, requests=(*planning_input.requests, visit))
    travel = await load_travel(call.adapter(TravelTimes), with_visit)
    return await asyncio.to_thread(_try_places, candidate, visit, travel)


def _try_places(candidate: RouteCandidate, visit: TransportRequest, travel: TravelByMode) -> RouteTrial:
    # One table for both: the place of the visit comes last, so that all others keep their numbers.
    case = candidate.case
    task = JobTask(NEW_ORDER, TaskKind.PICKUP if visit.type == "P" else TaskKind.DELIVERY)
    planning_input = replace(case.planning_input, requests=(*case.planning_input.requests, visit))
    before = check_feasibility(case.planning_input, case.tasks, travel)
    trials = [
        _trial(
            case,
            index,
            before,
            check_feasibility(planning_input, (*case.tasks[:index], task, *case.tasks[index:]), travel),
        )
        for index in candidate.indexes
    ]
    return min(trials, key=lambda trial: trial.rank)


def _trial(case: RouteCase, index: int, before: FeasibilityResult, after: FeasibilityResult) -> RouteTrial:
    kept = set(list_violations(case, before))
    old, new = before.route, after.route
    # A route without stops takes no time.
    driven_s, driven_m = (old.end_s - old.start_s, old.distance_m) if old else (0, 0)
    return RouteTrial(
        index=index,
        result=after,
        broken=tuple(violation for violation in list_violations(case, after) if violation not in kept),
        extra_s=new.end_s - new.start_s - driven_s if new else None,
        extra_distance_m=new.distance_m - driven_m if new else None,
        extra_late_s=max(0, _late_s(after) - _late_s(before)),
    )


def _late_s(result: FeasibilityResult) -> int:
    return sum(stop.late_s for stop in result.route.stops) if result.route else 0


def _serialize_suggestion(
    call: Call, request: SuggestRoutes, inputs: RouteInputs, case: RouteCase, trial: RouteTrial
) -> RouteSuggestion:
    row = inputs.rows[case.route_id]
    outside = is_outside_zones(inputs, case.route_id, (request.lat, request.lng), request.postal_code)
    findings = [
        *([serialize_finding(call, FeasibilityRule.ZONE, None)] if outside else []),
        *(
            serialize_finding(call, violation.rule, last_stop_of_order(case, violation.order_id))
            for violation in trial.broken
        ),
    ]
    timed = trial.result.route
    return RouteSuggestion(
        route_id=row.id,
        name=row.name,
        status=RouteStatus(row.status),
        driver_id=row.driver_id,
        driver_name=row.driver_name,
        position=_position(inputs, case, trial.index),
        arrival_at=to_local_time(call, timed.stops[trial.index].arrival_s) if timed and not is_under_way(row) else None,
        extra_s=trial.extra_s,
        extra_distance_m=trial.extra_distance_m,
        extra_late_s=trial.extra_late_s,
        load_percent=trial.result.load_percent,
        feasible=not findings,
        findings=findings,
    )


def _position(inputs: RouteInputs, case: RouteCase, index: int) -> int:
    """Return the position among all stops, starting at 1, of a task index."""
    stop_ids = [stop.id for stop in inputs.stops[case.route_id]]
    return stop_ids.index(case.stop_ids[case.tasks[index]]) + 1 if index < len(case.tasks) else len(stop_ids) + 1


class WhatIfMove(Struct, frozen=True):
    """Stop ids of each route after a move, and the error that prevents it, or None."""

    sequences: Mapping[int, Sequence[int]]
    error: OperationError | None


def simulate_stop_move(
    call: Call, move: StopMove, rows: Mapping[int, RouteRow], stops: Mapping[int, Sequence[StopRow]]
) -> WhatIfMove:
    """Check a move by the rules of `move_stops`, without writing.

    `rows` and `stops` hold the routes concerned.
    """
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
