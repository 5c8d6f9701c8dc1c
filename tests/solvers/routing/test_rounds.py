"""Search rounds: valid merges, results independent of workers, and early stopping."""

from random import Random
from typing import Any

from hypothesis import assume, given
from hypothesis import strategies as st
from msgspec.structs import replace
from tests.solvers.routing.benchmark_instances import solomon
from tests.solvers.routing.problem_makers import (
    make_delivery,
    make_pair,
    make_problem,
    make_vehicle,
    problems,
    solve_by_insertion,
    stop_order,
)
from tests.support.hypothesis_profiles import costly

from haulier.solvers.routing.best_plan import BestPlan
from haulier.solvers.routing.build import build_routes
from haulier.solvers.routing.engine import Progress, SearchBudget, always_continue
from haulier.solvers.routing.engines.insertion import InsertionEngine
from haulier.solvers.routing.engines.repair import restrict_plan
from haulier.solvers.routing.merger import merge_parts
from haulier.solvers.routing.plan import RoutingPlan, TimedRoute, TimedStop
from haulier.solvers.routing.plan_check import check_plan
from haulier.solvers.routing.problem import JobTask, RoutingProblem, TaskKind
from haulier.solvers.routing.rounds import SearchRounds
from haulier.solvers.routing.score import score_plan
from haulier.solvers.routing.split import split_problem
from haulier.solvers.routing.travel import UNREACHABLE
from haulier.solvers.routing.workers import InlineWorkers


class Brief:
    """Instant engine that reports its start and one better plan, and counts calls."""

    name = "brief"

    def __init__(self) -> None:
        self.asked: list[int] = []

    def solve(
        self,
        problem: RoutingProblem,
        *,
        start: RoutingPlan | None = None,
        progress: Progress = always_continue,
        **words: Any,
    ) -> RoutingPlan:
        self.asked.append(len(problem.jobs))
        progress(start or RoutingPlan(routes=()))
        return InsertionEngine().solve(problem, budget=SearchBudget(iterations=5), seed=words["seed"], start=start)


def solvable(problem: RoutingProblem) -> bool:
    """Return True if every locked stop is reachable."""
    return not problem.vehicles[0].locked or bool((problem.travel.duration_s < UNREACHABLE).all())


@given(problem=problems(), count=st.integers(1, 5), seed=st.integers(0, 99))
def test_searched_and_merged_parts_are_a_valid_plan_that_is_no_worse(
    problem: RoutingProblem, count: int, seed: int
) -> None:
    assume(solvable(problem))
    plan = solve_by_insertion(problem, 0)
    cut = split_problem(problem, plan, count, Random(seed))
    found = {number: solve_by_insertion(part.problem, 5) for number, part in enumerate(cut)}
    whole = merge_parts(problem, plan, cut, found)
    assert check_plan(problem, whole) == []
    kept = merge_parts(problem, plan, cut, {number: part.start for number, part in enumerate(cut)})
    assert score_plan(problem, kept) <= score_plan(problem, plan)


@given(problem=problems(), seed=st.integers(0, 99))
@costly
def test_any_split_problem_starts_with_the_existing_routes(problem: RoutingProblem, seed: int) -> None:
    assume(solvable(problem))
    start = solve_by_insertion(problem, 10)
    built = build_routes(problem, budget=SearchBudget(iterations=0), start=start, max_part_size=2, seed=seed)
    assert check_plan(problem, built.plan) == []
    assert built.refused == ()
    assert built.score <= score_plan(problem, start)


def test_a_split_start_plan_keeps_its_routes_whole() -> None:
    problem = solomon("solomon/R102")
    start = solve_by_insertion(problem, 60)
    plan = build_routes(
        problem, budget=SearchBudget(iterations=0), start=start, max_part_size=30, engines=(InsertionEngine(),)
    ).plan
    assert plan.routes == start.routes


def test_an_outdated_start_plan_is_repaired_before_splitting() -> None:
    locked = (JobTask(2, TaskKind.DELIVERY),)
    problem = make_problem(
        *(make_delivery(n, n) for n in range(1, 7)), vehicles=(make_vehicle(1, locked=locked), make_vehicle(2))
    )
    old = RoutingPlan(routes=(make_route(1, 1, 1, 99), make_route(2, 3, 2, 1), make_route(8, 4)))
    tidy = restrict_plan(problem, old)
    assert {route.vehicle: [stop.job for stop in route.stops] for route in tidy.routes} == {1: [1], 2: [3]}
    plan = build_routes(problem, budget=SearchBudget(iterations=10), start=old, max_part_size=2).plan
    assert check_plan(problem, plan) == []
    assert stop_order(plan, 1)[0] == (2, "delivery")
    assert plan.unassigned == ()


def test_a_start_plan_drops_stops_that_the_job_no_longer_has() -> None:
    problem = make_problem(make_pair(1, 3, 5), make_delivery(2, 4))
    old = RoutingPlan(routes=(make_route(1, 2), make_route(7, 1)))
    (route,) = restrict_plan(
        problem,
        replace(old, routes=(replace(old.routes[0], stops=(*old.routes[0].stops, make_stop(2, TaskKind.PICKUP))),)),
    ).routes
    assert [(stop.job, stop.kind, stop.place) for stop in route.stops] == [(2, TaskKind.DELIVERY, 4)]


def test_an_engine_that_has_nothing_more_to_search_ends_a_search_by_time() -> None:
    problem, engine = make_problem(make_delivery(1, 3), make_delivery(2, 7)), Brief()
    built = build_routes(problem, budget=SearchBudget(seconds=3600), engines=(engine,))
    assert engine.asked == [2]
    assert check_plan(problem, built.plan) == []


def test_without_jobs_there_is_no_search_by_time() -> None:
    heavy = make_problem(*(make_delivery(n, n, demand=(99,)) for n in (1, 2, 3)))
    for problem in (make_problem(), heavy):
        assert build_routes(problem, budget=SearchBudget(seconds=3600)).plan.routes == ()


def test_a_watcher_can_stop_a_search_of_parts_after_any_plan() -> None:
    problem = solomon("solomon/R102")
    for wanted in (1, 2, 3):
        seen: list[RoutingPlan] = []

        def watch(plan: RoutingPlan, seen: list[RoutingPlan] = seen, wanted: int = wanted) -> bool:
            seen.append(plan)
            return len(seen) < wanted

        built = build_routes(problem, budget=SearchBudget(iterations=10**7), max_part_size=30, progress=watch)
        assert len(seen) == wanted
        assert built.plan is seen[-1]
        assert check_plan(problem, built.plan) == []


def test_better_parts_are_shown_before_a_round_is_over() -> None:
    problem = solomon("solomon/R102")
    seen: list[RoutingPlan] = []
    best = BestPlan(problem, lambda plan: seen.append(plan) is None)
    rounds = SearchRounds(best, (InsertionEngine(),), InlineWorkers(), seed=1)
    rounds.make_first_plan(None, 30)
    first = len(seen)
    rounds.run_by_iterations(SearchBudget(iterations=100), 30)
    assert len({id(plan) for plan in seen[first:]}) > 3
    assert all(check_plan(problem, plan) == [] for plan in seen)
    assert [score_plan(problem, plan) for plan in seen] == sorted(
        (score_plan(problem, plan) for plan in seen), reverse=True
    )


def make_stop(job: int, kind: TaskKind = TaskKind.DELIVERY) -> TimedStop:
    return TimedStop(job=job, kind=kind, place=0, arrival_s=0, wait_s=0, start_s=0, departure_s=0, late_s=0, load=())


def make_route(vehicle: int, *jobs: int) -> TimedRoute:
    """A route whose times say nothing."""
    return TimedRoute(vehicle=vehicle, start_s=0, end_s=0, distance_m=0, stops=tuple(make_stop(job) for job in jobs))
