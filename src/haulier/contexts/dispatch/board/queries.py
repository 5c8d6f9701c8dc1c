"""Which routes an order would fit: those with the shortest detours, timed and checked with the order at its best places."""

import asyncio
from collections.abc import Sequence
from datetime import UTC, date, datetime, time, timedelta

from msgspec import Struct
from msgspec.structs import replace

from haulier.contexts.dispatch.board.contract import SUGGESTED_MAX, RouteSuggestion, SuggestRoutes
from haulier.contexts.dispatch.board.queries.route_inputs import (
    RouteCase,
    RouteInputs,
    build_route_case,
    is_outside_zones,
    load_route_inputs,
)
from haulier.contexts.dispatch.board.queries.route_times import (
    is_under_way,
    last_stop_of_order,
    list_violations,
    serialize_finding,
    to_local_time,
)
from haulier.contexts.dispatch.board.rules.detours import list_detours
from haulier.contexts.dispatch.board.rules.feasibility import (
    FeasibilityResult,
    FeasibilityRule,
    FeasibilityViolation,
    check_feasibility,
)
from haulier.contexts.planning.builds.rules.planning_input import TransportRequest
from haulier.contexts.planning.builds.rules.routing_problem import list_places
from haulier.contexts.planning.public import TravelTimes, load_travel_matrix
from haulier.contexts.routes.public import RouteRow, get_route_viewer, to_route_state
from haulier.contexts.routes.routes.contract.routes import STOPS_MAX
from haulier.contexts.routes.routes.rules.permissions import may_act_on_route
from haulier.contexts.routes.routes.rules.state_machine import RouteAction, RouteStatus, next_route_status
from haulier.kernel.call import Call
from haulier.solvers.routing.problem import JobTask, TaskKind
from haulier.solvers.routing.travel import TravelMatrices

# Why: each route that is timed costs a table of travel times, which a server of roads gives in some 50 ms.
ROUTES_TIMED = 2 * SUGGESTED_MAX
"""So many routes are timed, those with the shortest detours as the crow flies."""
PLACES_TRIED = 3
"""At so many places of a route the order is tried, those with the shortest detours."""
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
    """A route with the order at an index among its tasks: its times, and what the order breaks."""

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
    """The best routes among these, which are of one day, in a fixed number of statements. Raises `TravelFailed`."""
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
    """Whether the caller may put an order on the route; one at the depot is not on board of a route under way."""
    route = to_route_state(row)
    return (
        may_act_on_route(RouteAction.ADD_ORDERS, route, get_route_viewer(call))
        and not route.locked
        and next_route_status(RouteAction.ADD_ORDERS, route.status) is not None
        and (request.type == "P" or route.status is not RouteStatus.STARTED)
    )


def _window_near(day: date, request: SuggestRoutes) -> tuple[int | None, int | None] | None:
    """The window in seconds since the epoch, cut to what a route of the day could reach; None where it is of other days."""
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
    assert place is not None  # Why: `build_route_case` keeps only tasks with a place.
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
    travel = await load_travel_matrix(call.adapter(TravelTimes), list_places(with_visit), with_visit.worked)
    return await asyncio.to_thread(_try_places, candidate, visit, travel)


def _try_places(candidate: RouteCandidate, visit: TransportRequest, travel: TravelMatrices) -> RouteTrial:
    # Why one table for both: the place of the visit comes last in it, so that all others keep their numbers.
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
    # Why: a route without stops takes no time.
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
    """The place among all stops of the route, from 1, of what stands at an index among its tasks."""
    stop_ids = [stop.id for stop in inputs.stops[case.route_id]]
    return stop_ids.index(case.stop_ids[case.tasks[index]]) + 1 if index < len(case.tasks) else len(stop_ids) + 1
