"""The plan checker accepts a valid plan and names every kind of violation."""

from collections.abc import Callable
from itertools import combinations, product
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from msgspec.structs import replace
from tests.solvers.routing.problem_makers import (
    HOUR,
    KM,
    MINUTE,
    make_collection,
    make_delivery,
    make_pair,
    make_problem,
    make_vehicle,
    problems,
    solve_by_insertion,
)

from haulier.solvers.routing.plan import RoutingPlan, TimedRoute, TimedStop, UnassignedJob
from haulier.solvers.routing.plan_check import PlanConstraint, check_plan
from haulier.solvers.routing.problem import RoutingBreak, RoutingDepot, RoutingProblem, TimeWindow
from haulier.solvers.routing.reason_facts import NoRoomFacts
from haulier.solvers.routing.travel import UNREACHABLE

DAY_OF_ALL = make_problem(
    make_delivery(1, 3, (9, 10)),
    make_collection(2, 5),
    make_pair(3, 4, 6),
    make_delivery(4, 8, (13, 14)),
    vehicles=(
        make_vehicle(breaks=(RoutingBreak(window=TimeWindow(12 * HOUR, 13 * HOUR), duration_s=1800),)),
        make_vehicle(2, max_stops=0),
    ),
    depots=(RoutingDepot(place=0, open=TimeWindow(8 * HOUR, 17 * HOUR), loading_s=600),),
)


def rules(problem: RoutingProblem, plan: RoutingPlan) -> set[PlanConstraint]:
    return {found.rule for found in check_plan(problem, plan)}


def with_route(plan: RoutingPlan, **words: Any) -> RoutingPlan:
    return replace(plan, routes=(replace(plan.routes[0], **words), *plan.routes[1:]))


def with_stop(plan: RoutingPlan, number: int, /, **words: Any) -> RoutingPlan:
    stops = list(plan.routes[0].stops)
    stops[number] = replace(stops[number], **words)
    return with_route(plan, stops=tuple(stops))


def test_a_valid_plan_with_every_feature_passes() -> None:
    plan = solve_by_insertion(DAY_OF_ALL)
    assert len(plan.routes[0].stops) == 5
    assert plan.routes[0].pauses
    assert check_plan(DAY_OF_ALL, plan) == []


def shifted(route: TimedRoute, by_s: int) -> TimedRoute:
    """The whole route earlier or later."""
    move = {"arrival_s", "start_s", "departure_s"}
    stops = tuple(replace(s, **{name: getattr(s, name) + by_s for name in move}) for s in route.stops)
    pauses = tuple(replace(p, start_s=p.start_s + by_s, end_s=p.end_s + by_s) for p in route.pauses)
    return replace(route, start_s=route.start_s + by_s, end_s=route.end_s + by_s, stops=stops, pauses=pauses)


def first(plan: RoutingPlan) -> TimedStop:
    return plan.routes[0].stops[0]


FALSIFIED: dict[str, tuple[PlanConstraint, Callable[[RoutingPlan], RoutingPlan]]] = {
    "a job appears twice": (PlanConstraint.TWICE, lambda p: with_route(p, stops=(*p.routes[0].stops, first(p)))),
    "a vehicle appears twice": (PlanConstraint.TWICE, lambda p: replace(p, routes=p.routes * 2)),
    "a job is on a route and left out": (
        PlanConstraint.TWICE,
        lambda p: replace(p, unassigned=(UnassignedJob(job=1, facts=NoRoomFacts(vehicles=1)),)),
    ),
    "a job is forgotten": (PlanConstraint.FORGOTTEN, lambda p: replace(p, routes=())),
    "a pair is torn": (
        PlanConstraint.INCOMPLETE,
        lambda p: with_route(p, stops=tuple(s for s in p.routes[0].stops if (s.job, s.kind) != (3, "delivery"))),
    ),
    "nobody asked for it": (PlanConstraint.UNKNOWN, lambda p: with_stop(p, 0, job=99)),
    "the vehicle does not exist": (PlanConstraint.UNKNOWN, lambda p: with_route(p, vehicle=9)),
    "a route without stops": (PlanConstraint.EMPTY, lambda p: with_route(p, stops=())),
    "a stop elsewhere": (PlanConstraint.PLACE, lambda p: with_stop(p, 0, place=11)),
    "the delivery before the pickup": (
        PlanConstraint.PRECEDENCE,
        lambda p: with_route(p, stops=p.routes[0].stops[::-1]),
    ),
    "a load that is not so": (PlanConstraint.LOAD, lambda p: with_stop(p, 1, load=(7,))),
    "an arrival too early": (PlanConstraint.TRAVEL, lambda p: with_stop(p, 0, arrival_s=first(p).arrival_s - 1)),
    "a late end": (PlanConstraint.TRAVEL, lambda p: with_route(p, end_s=p.routes[0].end_s + 1)),
    "a departure before the work is done": (
        PlanConstraint.CLOCK,
        lambda p: with_stop(p, 0, departure_s=first(p).departure_s - 1),
    ),
    "unreported lateness": (PlanConstraint.CLOCK, lambda p: with_stop(p, 0, late_s=5)),
    "a shorter distance": (PlanConstraint.DISTANCE, lambda p: with_route(p, distance_m=KM)),
    "everything two hours late": (
        PlanConstraint.WINDOW,
        lambda p: replace(p, routes=(shifted(p.routes[0], 2 * HOUR),)),
    ),
    "before the shift": (PlanConstraint.SHIFT, lambda p: replace(p, routes=(shifted(p.routes[0], -3 * HOUR),))),
    "before the depot opens": (PlanConstraint.DEPOT, lambda p: replace(p, routes=(shifted(p.routes[0], -3 * HOUR),))),
    "no pause": (PlanConstraint.BREAK, lambda p: with_route(p, pauses=())),
    "a short pause": (
        PlanConstraint.BREAK,
        lambda p: with_route(p, pauses=(replace(p.routes[0].pauses[0], start_s=12 * HOUR + 60),)),
    ),
    "more stops than the other vehicle may make": (PlanConstraint.MAX_STOPS, lambda p: with_route(p, vehicle=2)),
}


@pytest.mark.parametrize("story", FALSIFIED)
def test_a_falsified_plan_is_caught(story: str) -> None:
    rule, falsify = FALSIFIED[story]
    assert rule in rules(DAY_OF_ALL, falsify(solve_by_insertion(DAY_OF_ALL)))


def test_the_same_plan_is_wrong_for_a_stricter_problem() -> None:
    jobs = (make_delivery(1, 3), make_delivery(2, 5))
    plan = solve_by_insertion(make_problem(*jobs))
    stricter: dict[PlanConstraint, dict[str, Any]] = {
        PlanConstraint.CAPACITY: {"capacity": (1,)},
        PlanConstraint.MAX_TIME: {"max_time_s": 9 * MINUTE},
        PlanConstraint.MAX_DISTANCE: {"max_distance_m": 9 * KM},
        PlanConstraint.MAX_STOPS: {"max_stops": 1},
        PlanConstraint.SHIFT: {"shift": TimeWindow(8 * HOUR, 8 * HOUR + 5 * MINUTE)},
    }
    for rule, words in stricter.items():
        assert rules(make_problem(*jobs, vehicles=(make_vehicle(**words),)), plan) == {rule}
    assert rules(make_problem(replace(jobs[0], skills=frozenset({"cold"})), jobs[1]), plan) == {PlanConstraint.SKILL}
    assert rules(make_problem(replace(jobs[0], vehicles=frozenset({2})), jobs[1]), plan) == {PlanConstraint.POOL}


def test_collections_beyond_the_capacity_are_rejected() -> None:
    jobs = (make_collection(1, 3, demand=(6,)), make_collection(2, 5, demand=(6,)))
    plan = solve_by_insertion(make_problem(*jobs, vehicles=(make_vehicle(capacity=(12,)),)))
    (found,) = check_plan(make_problem(*jobs), plan)
    assert (found.rule, found.job) == (PlanConstraint.CAPACITY, plan.routes[0].stops[1].job)


@st.composite
def planned_problems(draw: st.DrawFn) -> tuple[RoutingProblem, RoutingPlan]:
    """Any problem, with a right plan of at least one route."""
    problem = draw(problems())
    assume(not problem.vehicles[0].locked or bool((problem.travel.duration_s < UNREACHABLE).all()))
    plan = solve_by_insertion(problem, iterations=0)
    assume(plan.routes)
    return problem, plan


@given(planned=planned_problems(), change=st.sampled_from((-1, 1, 60, -60, 7200)))
def test_every_changed_number_of_a_stop_is_detected(planned: tuple[RoutingProblem, RoutingPlan], change: int) -> None:
    problem, plan = planned
    fields = ("arrival_s", "wait_s", "start_s", "departure_s", "late_s", "place", "job", "load")
    for (number, stop), field in product(enumerate(plan.routes[0].stops), fields):
        old = getattr(stop, field)
        new = tuple(amount + change for amount in old) if field == "load" else old + change
        assert check_plan(problem, with_stop(plan, number, **{field: new})) != [], (number, field)


@given(planned=planned_problems())
def test_every_changed_number_of_a_route_is_detected(planned: tuple[RoutingProblem, RoutingPlan]) -> None:
    problem, plan = planned
    for field, change in product(("end_s", "distance_m", "start_s"), (-1, 1, 3600)):
        wrong = with_route(plan, **{field: getattr(plan.routes[0], field) + change})
        assert check_plan(problem, wrong) != [], (field, change)


@given(planned=planned_problems())
def test_swapped_stops_are_detected(planned: tuple[RoutingProblem, RoutingPlan]) -> None:
    problem, plan = planned
    for a, b in combinations(range(len(plan.routes[0].stops)), 2):
        stops = list(plan.routes[0].stops)
        if stops[a].departure_s != stops[b].departure_s:
            stops[a], stops[b] = stops[b], stops[a]
            assert check_plan(problem, with_route(plan, stops=tuple(stops))) != [], (a, b)
