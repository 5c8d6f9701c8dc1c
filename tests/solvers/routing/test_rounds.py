"""Rounds of searching: parts and joins that keep every rule, the same plan whoever works, an end when nobody wants more."""

from random import Random
from typing import Any

from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace
from tests.solvers.routing.instances import solomon
from tests.solvers.routing.makers import a_delivery, a_pair, a_problem, a_vehicle, order_of, problems, solved

from haulier.solvers.routing.best import Best
from haulier.solvers.routing.build import build
from haulier.solvers.routing.check import check
from haulier.solvers.routing.engine import Budget, Progress, carry_on
from haulier.solvers.routing.engines.adoption import tidied
from haulier.solvers.routing.engines.insertion import Insertion
from haulier.solvers.routing.joining import joined
from haulier.solvers.routing.plan import Plan, Route, Stop
from haulier.solvers.routing.problem import Kind, Problem, Task
from haulier.solvers.routing.rounds import Rounds
from haulier.solvers.routing.score import score
from haulier.solvers.routing.split import parts
from haulier.solvers.routing.travel import NO_WAY
from haulier.solvers.routing.workers import Here

ANY = settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))


class Brief:
    """An engine that takes no time: it tells its start and one better plan, and counts how often it was asked."""

    name = "brief"

    def __init__(self) -> None:
        self.asked: list[int] = []

    def solve(
        self, problem: Problem, *, start: Plan | None = None, progress: Progress = carry_on, **words: Any
    ) -> Plan:
        self.asked.append(len(problem.jobs))
        progress(start or Plan(routes=()))
        return Insertion().solve(problem, budget=Budget(iterations=5), seed=words["seed"], start=start)


def solvable(problem: Problem) -> bool:
    """Whether nothing locked is out of reach."""
    return not problem.vehicles[0].locked or bool((problem.travel.duration_s < NO_WAY).all())


@given(problem=problems(), count=st.integers(1, 5), seed=st.integers(0, 99))
@ANY
def test_parts_that_are_searched_and_joined_are_a_right_plan_that_is_no_worse(
    problem: Problem, count: int, seed: int
) -> None:
    assume(solvable(problem))
    plan = solved(problem, 0)
    cut = parts(problem, plan, count, Random(seed))
    found = {number: solved(part.problem, 5) for number, part in enumerate(cut)}
    whole = joined(problem, plan, cut, found)
    assert check(problem, whole) == []
    kept = joined(problem, plan, cut, {number: part.start for number, part in enumerate(cut)})
    assert score(problem, kept) <= score(problem, plan)


@given(problem=problems(), seed=st.integers(0, 99))
@ANY
def test_any_problem_in_parts_begins_with_the_routes_that_there_are(problem: Problem, seed: int) -> None:
    assume(solvable(problem))
    start = solved(problem, 10)
    built = build(problem, budget=Budget(iterations=0), start=start, part_most=2, seed=seed)
    assert check(problem, built.plan) == []
    assert built.refused == ()
    assert built.score <= score(problem, start)


def test_a_start_of_a_problem_in_parts_keeps_its_routes_whole() -> None:
    problem = solomon("solomon/R102")
    start = solved(problem, 60)
    plan = build(problem, budget=Budget(iterations=0), start=start, part_most=30, engines=(Insertion(),)).plan
    assert plan.routes == start.routes


def test_a_start_that_is_out_of_date_is_tidied_before_it_is_cut() -> None:
    locked = (Task(2, Kind.DELIVERY),)
    problem = a_problem(*(a_delivery(n, n) for n in range(1, 7)), vehicles=(a_vehicle(1, locked=locked), a_vehicle(2)))
    old = Plan(routes=(a_route(1, 1, 1, 99), a_route(2, 3, 2, 1), a_route(8, 4)))
    tidy = tidied(problem, old)
    assert {route.vehicle: [stop.job for stop in route.stops] for route in tidy.routes} == {1: [1], 2: [3]}
    plan = build(problem, budget=Budget(iterations=10), start=old, part_most=2).plan
    assert check(problem, plan) == []
    assert order_of(plan, 1)[0] == (2, "delivery")
    assert plan.unassigned == ()


def test_a_kind_that_a_job_has_no_more_is_no_stop_of_a_start() -> None:
    problem = a_problem(a_pair(1, 3, 5), a_delivery(2, 4))
    old = Plan(routes=(a_route(1, 2), a_route(7, 1)))
    (route,) = tidied(
        problem, replace(old, routes=(replace(old.routes[0], stops=(*old.routes[0].stops, a_stop(2, Kind.PICKUP))),))
    ).routes
    assert [(stop.job, stop.kind, stop.place) for stop in route.stops] == [(2, Kind.DELIVERY, 4)]


def test_an_engine_that_has_nothing_more_to_search_ends_a_search_by_time() -> None:
    problem, engine = a_problem(a_delivery(1, 3), a_delivery(2, 7)), Brief()
    built = build(problem, budget=Budget(seconds=3600), engines=(engine,))
    assert engine.asked == [2]
    assert check(problem, built.plan) == []


def test_without_anything_to_plan_there_is_no_search_by_time() -> None:
    heavy = a_problem(*(a_delivery(n, n, demand=(99,)) for n in (1, 2, 3)))
    for problem in (a_problem(), heavy):
        assert build(problem, budget=Budget(seconds=3600)).plan.routes == ()


def test_who_watches_ends_a_search_of_parts_after_any_of_its_plans() -> None:
    problem = solomon("solomon/R102")
    for wanted in (1, 2, 3):
        seen: list[Plan] = []

        def watch(plan: Plan, seen: list[Plan] = seen, wanted: int = wanted) -> bool:
            seen.append(plan)
            return len(seen) < wanted

        built = build(problem, budget=Budget(iterations=10**7), part_most=30, progress=watch)
        assert len(seen) == wanted
        assert built.plan is seen[-1]
        assert check(problem, built.plan) == []


def test_better_parts_are_shown_before_a_round_is_over() -> None:
    problem = solomon("solomon/R102")
    seen: list[Plan] = []
    best = Best(problem, lambda plan: seen.append(plan) is None)
    rounds = Rounds(best, (Insertion(),), Here(), seed=1)
    rounds.first(None, 30)
    first = len(seen)
    rounds.by_iterations(Budget(iterations=400), 30)
    assert len({id(plan) for plan in seen[first:]}) > 3
    assert all(check(problem, plan) == [] for plan in seen)
    assert [score(problem, plan) for plan in seen] == sorted((score(problem, plan) for plan in seen), reverse=True)


def a_stop(job: int, kind: Kind = Kind.DELIVERY) -> Stop:
    return Stop(job=job, kind=kind, place=0, arrival_s=0, wait_s=0, start_s=0, departure_s=0, late_s=0, load=())


def a_route(vehicle: int, *jobs: int) -> Route:
    """A route whose times say nothing."""
    return Route(vehicle=vehicle, start_s=0, end_s=0, distance_m=0, stops=tuple(a_stop(job) for job in jobs))
