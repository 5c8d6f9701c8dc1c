"""A route reckoned through with the solver's clock, and judged by its independent check.

The clock runs on without limits, so that a planner sees by how much a route fails; the check then names what it breaks.
"""

from collections.abc import Sequence
from enum import StrEnum

from msgspec import Struct
from msgspec.structs import replace

from haulier.contexts.dispatch.planning.rules.modelling import LONG_S, problem
from haulier.contexts.dispatch.planning.rules.question import UNLIMITED, Question
from haulier.solvers.routing.check import Rule as Broken
from haulier.solvers.routing.check import check
from haulier.solvers.routing.ground import Ground
from haulier.solvers.routing.plan import Plan, Route
from haulier.solvers.routing.problem import Kind, Problem, Task, Visit, Window
from haulier.solvers.routing.timetable import loads, route_of
from haulier.solvers.routing.travel import Travel

HOPELESS_S = 30 * LONG_S
"""So late, or so long at work, nothing is meant to be: the clock is not stopped by it."""


class PlanRule(StrEnum):
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


RULES = {
    Broken.WINDOW: PlanRule.WINDOW,
    Broken.CAPACITY: PlanRule.CAPACITY,
    Broken.SHIFT: PlanRule.HOURS,
    Broken.DEPOT: PlanRule.HOURS,
    Broken.BREAK: PlanRule.BREAK,
    Broken.SKILL: PlanRule.SKILL,
    Broken.MAX_STOPS: PlanRule.LIMIT,
    Broken.MAX_TIME: PlanRule.LIMIT,
    Broken.MAX_DISTANCE: PlanRule.LIMIT,
    Broken.PRECEDENCE: PlanRule.SEQUENCE,
}


class Fault(Struct, frozen=True):
    """A rule that is broken; `order_id` of None for the whole route."""

    rule: PlanRule
    order_id: int | None = None


class Judged(Struct, frozen=True, kw_only=True):
    """A route with its times, in seconds since the epoch, and everything that is wrong with it."""

    route: Route | None = None
    faults: tuple[Fault, ...] = ()
    load_percent: int | None = None


def judged(question: Question, tasks: Sequence[Task], travel: Travel) -> Judged:
    """How the one crew of a question would do these tasks in this order. Every one has a place."""
    if not tasks:
        return Judged()
    asked = problem(question, travel)
    ground = Ground(_boundless(asked))
    crew, nodes = ground.crews[0], [ground.node(task) for task in tasks]
    route = route_of(ground, crew, nodes)
    if route is None:
        return Judged(faults=(Fault(PlanRule.NO_WAY),))
    found = [Fault(RULES[each.rule], each.job) for each in check(asked, Plan(routes=(route,))) if each.rule in RULES]
    most = [max(amounts) for amounts in zip(*loads(ground, crew, nodes), strict=True)]
    return Judged(route=route, faults=tuple(dict.fromkeys(_once(found))), load_percent=_percent(most, asked))


def _once(faults: Sequence[Fault]) -> list[Fault]:
    """A vehicle that is too full is too full once, whichever stops it then passes."""
    return [Fault(each.rule) if each.rule is PlanRule.CAPACITY else each for each in faults]


def _percent(most: Sequence[int], asked: Problem) -> int | None:
    bounds = zip(most, asked.vehicles[0].capacity, strict=True)
    parts = [100 * amount // limit for amount, limit in bounds if 0 < limit < UNLIMITED]
    return max(parts, default=None)


def _boundless(asked: Problem) -> Problem:
    """The same without hours, limits and ends of windows; breaks are taken where they fit."""
    vehicles = tuple(
        replace(
            each,
            shift=Window(each.shift.start_s, max(each.shift.start_s, each.shift.end_s) + HOPELESS_S),
            max_time_s=None,
            max_distance_m=None,
            max_stops=None,
        )
        for each in asked.vehicles
    )
    jobs = tuple(replace(each, pickup=_late(each.pickup), delivery=_late(each.delivery)) for each in asked.jobs)
    return replace(asked, vehicles=vehicles, jobs=jobs)


def _late(visit: Visit | None) -> Visit | None:
    return visit and replace(visit, grace_s=HOPELESS_S if visit.windows else 0)


def task(order_id: int, kind: str) -> Task:
    """A stop in the solver's words."""
    return Task(order_id, Kind(kind))
