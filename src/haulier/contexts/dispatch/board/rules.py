"""Rules of the dispatch board.

The timetable is computed without limits, so that a planner sees by how much a route fails; the check then names what it
breaks.
"""

from collections.abc import Sequence
from enum import StrEnum

from msgspec import Struct
from msgspec.structs import replace

from haulier.contexts.planning.builds.rules.planning_input import UNLIMITED_CAPACITY, PlanningInput
from haulier.contexts.planning.builds.rules.routing_problem import OVERRUN_S, TravelByMode, to_problem
from haulier.kernel.values.geography import great_circle_m
from haulier.solvers.routing.compiled import CompiledProblem
from haulier.solvers.routing.plan import RoutingPlan, TimedRoute
from haulier.solvers.routing.plan_check import PlanConstraint as Broken
from haulier.solvers.routing.plan_check import check_plan
from haulier.solvers.routing.problem import JobTask, RoutingProblem, TaskKind, TimeWindow, VisitRequest
from haulier.solvers.routing.timetable import route_loads, timed_route

LatLng = tuple[float, float]


def list_detours(
    start: LatLng, visited: Sequence[LatLng], end: LatLng | None, place: LatLng, *, first: int = 0
) -> list[tuple[float, int]]:
    """Return each possible index for `place` with its detour in metres.

    Shortest detour first. `first` is the first free index. Without an `end`, the vehicle stays at its last stop.
    """
    way = [start, *visited, *([] if end is None else [end])]
    return sorted((_detour_m(way, index, place), index) for index in range(first, len(visited) + 1))


def _detour_m(way: Sequence[LatLng], index: int, place: LatLng) -> float:
    before = way[index]
    if index + 1 == len(way):
        return great_circle_m(before, place)
    after = way[index + 1]
    return great_circle_m(before, place) + great_circle_m(place, after) - great_circle_m(before, after)


UNLIMITED_DELAY_S = 30 * OVERRUN_S
"""A delay that no route reaches; with it as the limit, every stop of a route gets a time."""


class FeasibilityRule(StrEnum):
    """Rules that a route can break. The message is `board_{rule}`."""

    WINDOW = "window"
    CAPACITY = "capacity"
    HOURS = "hours"
    BREAK = "break"
    SKILL = "skill"
    LIMIT = "limit"
    SEQUENCE = "sequence"
    NO_WAY = "no_way"
    NO_PLACE = "no_place"
    DAY_OFF = "day_off"
    ZONE = "zone"


FEASIBILITY_RULE_OF_CHECK = {
    Broken.WINDOW: FeasibilityRule.WINDOW,
    Broken.CAPACITY: FeasibilityRule.CAPACITY,
    Broken.SHIFT: FeasibilityRule.HOURS,
    Broken.DEPOT: FeasibilityRule.HOURS,
    Broken.BREAK: FeasibilityRule.BREAK,
    Broken.SKILL: FeasibilityRule.SKILL,
    Broken.MAX_STOPS: FeasibilityRule.LIMIT,
    Broken.MAX_TIME: FeasibilityRule.LIMIT,
    Broken.MAX_DISTANCE: FeasibilityRule.LIMIT,
    Broken.PRECEDENCE: FeasibilityRule.SEQUENCE,
}


class FeasibilityViolation(Struct, frozen=True):
    """A rule that is broken; `order_id` of None for the whole route."""

    rule: FeasibilityRule
    order_id: int | None = None


class FeasibilityResult(Struct, frozen=True, kw_only=True):
    """Times of a route in seconds since the epoch, with all its violations."""

    route: TimedRoute | None = None
    violations: tuple[FeasibilityViolation, ...] = ()
    load_percent: int | None = None


def check_feasibility(
    planning_input: PlanningInput, tasks: Sequence[JobTask], travel: TravelByMode
) -> FeasibilityResult:
    """Time and check the only vehicle shift of a planning input.

    The tasks are visited in this sequence. Every task has a place.
    """
    if not tasks:
        return FeasibilityResult()
    problem = to_problem(planning_input, travel)
    compiled = CompiledProblem(_without_limits(problem))
    crew, nodes = compiled.crews[0], [compiled.node(task) for task in tasks]
    route = timed_route(compiled, crew, nodes)
    if route is None:
        return FeasibilityResult(violations=(FeasibilityViolation(FeasibilityRule.NO_WAY),))
    violations = [
        FeasibilityViolation(FEASIBILITY_RULE_OF_CHECK[violation.rule], violation.job)
        for violation in check_plan(problem, RoutingPlan(routes=(route,)))
        if violation.rule in FEASIBILITY_RULE_OF_CHECK
    ]
    peak_load = [max(amounts) for amounts in zip(*route_loads(compiled, crew, nodes), strict=True)]
    return FeasibilityResult(
        route=route,
        violations=tuple(dict.fromkeys(_merge_capacity_violations(violations))),
        load_percent=_load_percent(peak_load, problem),
    )


def _merge_capacity_violations(violations: Sequence[FeasibilityViolation]) -> list[FeasibilityViolation]:
    """Name an exceeded capacity once, for the whole route instead of each stop."""
    return [
        FeasibilityViolation(violation.rule) if violation.rule is FeasibilityRule.CAPACITY else violation
        for violation in violations
    ]


def _load_percent(peak_load: Sequence[int], problem: RoutingProblem) -> int | None:
    limits = zip(peak_load, problem.vehicles[0].capacity, strict=True)
    parts = [100 * amount // limit for amount, limit in limits if 0 < limit < UNLIMITED_CAPACITY]
    return max(parts, default=None)


def _without_limits(problem: RoutingProblem) -> RoutingProblem:
    """Return the problem without hours, limits and ends of windows.

    Breaks are taken when they fit.
    """
    vehicles = tuple(
        replace(
            vehicle,
            shift=TimeWindow(
                vehicle.shift.start_s, max(vehicle.shift.start_s, vehicle.shift.end_s) + UNLIMITED_DELAY_S
            ),
            max_time_s=None,
            max_distance_m=None,
            max_stops=None,
        )
        for vehicle in problem.vehicles
    )
    jobs = tuple(
        replace(job, pickup=_without_deadline(job.pickup), delivery=_without_deadline(job.delivery))
        for job in problem.jobs
    )
    return replace(problem, vehicles=vehicles, jobs=jobs)


def _without_deadline(visit: VisitRequest | None) -> VisitRequest | None:
    return visit and replace(visit, grace_s=UNLIMITED_DELAY_S if visit.windows else 0)


def to_solver_task(order_id: int, kind: str) -> JobTask:
    """A stop as a task of the solver."""
    return JobTask(order_id, TaskKind(kind))
