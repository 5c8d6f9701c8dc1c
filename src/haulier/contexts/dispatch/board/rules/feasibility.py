"""A route reckoned through with the solver's clock, and judged by its independent check.

The clock runs on without limits, so that a planner sees by how much a route fails; the check then names what it breaks.
"""

from collections.abc import Sequence
from enum import StrEnum

from msgspec import Struct
from msgspec.structs import replace

from haulier.contexts.planning.builds.rules.planning_input import UNLIMITED_CAPACITY, PlanningInput
from haulier.contexts.planning.builds.rules.routing_problem import OVERRUN_S, to_problem
from haulier.solvers.routing.compiled import CompiledProblem
from haulier.solvers.routing.plan import RoutingPlan, TimedRoute
from haulier.solvers.routing.plan_check import PlanConstraint as Broken
from haulier.solvers.routing.plan_check import check_plan
from haulier.solvers.routing.problem import JobTask, RoutingProblem, TaskKind, TimeWindow, VisitRequest
from haulier.solvers.routing.timetable import route_loads, timed_route
from haulier.solvers.routing.travel import TravelMatrices

UNLIMITED_DELAY_S = 30 * OVERRUN_S
"""So late, or so long at work, nothing is meant to be: the clock is not stopped by it."""


class FeasibilityRule(StrEnum):
    """What a change can break, as planners call it. The message is `board_{rule}`."""

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
    """A route with its times, in seconds since the epoch, and everything that is wrong with it."""

    route: TimedRoute | None = None
    faults: tuple[FeasibilityViolation, ...] = ()
    load_percent: int | None = None


def check_feasibility(question: PlanningInput, tasks: Sequence[JobTask], travel: TravelMatrices) -> FeasibilityResult:
    """How the one crew of a question would do these tasks in this order. Every one has a place."""
    if not tasks:
        return FeasibilityResult()
    asked = to_problem(question, travel)
    ground = CompiledProblem(_without_limits(asked))
    crew, nodes = ground.crews[0], [ground.node(task) for task in tasks]
    route = timed_route(ground, crew, nodes)
    if route is None:
        return FeasibilityResult(faults=(FeasibilityViolation(FeasibilityRule.NO_WAY),))
    found = [
        FeasibilityViolation(FEASIBILITY_RULE_OF_CHECK[each.rule], each.job)
        for each in check_plan(asked, RoutingPlan(routes=(route,)))
        if each.rule in FEASIBILITY_RULE_OF_CHECK
    ]
    most = [max(amounts) for amounts in zip(*route_loads(ground, crew, nodes), strict=True)]
    return FeasibilityResult(
        route=route,
        faults=tuple(dict.fromkeys(_merge_capacity_violations(found))),
        load_percent=_load_percent(most, asked),
    )


def _merge_capacity_violations(faults: Sequence[FeasibilityViolation]) -> list[FeasibilityViolation]:
    """A vehicle that is too full is too full once, whichever stops it then passes."""
    return [FeasibilityViolation(each.rule) if each.rule is FeasibilityRule.CAPACITY else each for each in faults]


def _load_percent(most: Sequence[int], asked: RoutingProblem) -> int | None:
    bounds = zip(most, asked.vehicles[0].capacity, strict=True)
    parts = [100 * amount // limit for amount, limit in bounds if 0 < limit < UNLIMITED_CAPACITY]
    return max(parts, default=None)


def _without_limits(asked: RoutingProblem) -> RoutingProblem:
    """The same without hours, limits and ends of windows; breaks are taken where they fit."""
    vehicles = tuple(
        replace(
            each,
            shift=TimeWindow(each.shift.start_s, max(each.shift.start_s, each.shift.end_s) + UNLIMITED_DELAY_S),
            max_time_s=None,
            max_distance_m=None,
            max_stops=None,
        )
        for each in asked.vehicles
    )
    jobs = tuple(
        replace(each, pickup=_without_deadline(each.pickup), delivery=_without_deadline(each.delivery))
        for each in asked.jobs
    )
    return replace(asked, vehicles=vehicles, jobs=jobs)


def _without_deadline(visit: VisitRequest | None) -> VisitRequest | None:
    return visit and replace(visit, grace_s=UNLIMITED_DELAY_S if visit.windows else 0)


def to_solver_task(order_id: int, kind: str) -> JobTask:
    """A stop in the solver's words."""
    return JobTask(order_id, TaskKind(kind))
