"""Route building: checked plans only, reported improvements, merged parts."""

from random import Random
from typing import Any

import pytest
from hypothesis import assume, given
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
    unassigned_reason,
)

from haulier.solvers.routing.build import build_routes, suitable_engines
from haulier.solvers.routing.engine import SearchBudget
from haulier.solvers.routing.engines.insertion import InsertionEngine
from haulier.solvers.routing.plan import RoutingPlan
from haulier.solvers.routing.plan_check import PlanConstraint, check_plan
from haulier.solvers.routing.problem import JobTask, RoutingObjective, RoutingProblem, TaskKind
from haulier.solvers.routing.reason_facts import UnassignedReason
from haulier.solvers.routing.score import score_plan
from haulier.solvers.routing.split import replace_part, split_problem
from haulier.solvers.routing.travel import UNREACHABLE

SHORT = SearchBudget(iterations=20)


class Liar:
    """An engine whose plans skip the way between stops."""

    name = "liar"

    def solve(self, problem: RoutingProblem, **words: Any) -> RoutingPlan:
        plan = InsertionEngine().solve(problem, budget=SHORT)
        wrong = replace(plan, routes=tuple(replace(route, distance_m=0) for route in plan.routes))
        words["progress"](wrong)
        return wrong


def test_an_invalid_plan_is_rejected_and_never_reported() -> None:
    problem = make_problem(make_delivery(1, 3), make_delivery(2, 7))
    seen: list[RoutingPlan] = []
    built = build_routes(problem, budget=SHORT, engines=(Liar(),), progress=lambda plan: seen.append(plan) is None)
    assert all(check_plan(problem, plan) == [] for plan in (*seen, built.plan))
    assert {(each.engine, each.violations[0].rule) for each in built.refused} == {("liar", PlanConstraint.DISTANCE)}


def test_reported_plans_never_get_worse_and_the_last_is_the_result() -> None:
    problem = solomon("solomon/R102")
    seen: list[RoutingPlan] = []
    built = build_routes(problem, budget=SearchBudget(iterations=200), progress=lambda plan: seen.append(plan) is None)
    scores = [score_plan(problem, plan) for plan in seen]
    assert scores == sorted(scores, reverse=True)
    assert len(set(map(str, scores))) > 1
    assert built.score == score_plan(problem, built.plan) == scores[-1]


def test_a_watcher_can_stop_after_the_first_plan() -> None:
    problem = make_problem(make_delivery(1, 3), make_delivery(2, 7))
    built = build_routes(problem, budget=SearchBudget(iterations=10**9), progress=lambda plan: False)
    assert check_plan(problem, built.plan) == []


def test_the_same_problem_gives_the_same_result() -> None:
    problem = solomon("solomon/RC105")
    assert build_routes(problem, budget=SHORT, seed=3).plan == build_routes(problem, budget=SHORT, seed=3).plan
    assert (
        build_routes(problem, budget=SHORT, seed=3, max_part_size=30).plan
        == build_routes(problem, budget=SHORT, seed=3, max_part_size=30).plan
    )


def test_a_large_problem_is_solved_in_parts_and_workers_change_nothing() -> None:
    problem = solomon("solomon/C101")
    built = build_routes(problem, budget=SearchBudget(iterations=40), max_part_size=40)
    assert check_plan(problem, built.plan) == []
    assert built.plan.unassigned == ()
    assert build_routes(problem, budget=SearchBudget(iterations=40), max_part_size=40, workers=2).plan == built.plan


def test_every_job_and_every_vehicle_is_in_exactly_one_part() -> None:
    problem = solomon("solomon/R102")
    for plan in (RoutingPlan(routes=()), solve_by_insertion(problem, 0)):
        cut = split_problem(problem, plan, 4, Random(1))
        assert len(cut) == 4
        assert sorted(job.id for part in cut for job in part.problem.jobs) == [job.id for job in problem.jobs]
        assert sorted(v.id for part in cut for v in part.problem.vehicles) == [v.id for v in problem.vehicles]


def test_a_plan_is_unchanged_by_splitting_and_merging() -> None:
    problem = solomon("solomon/R102")
    plan = solve_by_insertion(problem, 0)
    again = plan
    for part in split_problem(problem, plan, 4, Random(1)):
        assert check_plan(part.problem, part.start) == []
        again = replace_part(again, part, part.start)
    assert again == plan


def test_locked_stops_stay_with_their_vehicle_when_splitting() -> None:
    jobs = [make_delivery(n, n) for n in range(1, 9)] + [make_pair(9, 2, 10)]
    locked = (JobTask(9, TaskKind.PICKUP), JobTask(1, TaskKind.DELIVERY))
    vehicles = tuple(make_vehicle(n, locked=locked if n == 2 else ()) for n in (1, 2, 3))
    problem = make_problem(*jobs, vehicles=vehicles)
    plan = build_routes(problem, budget=SHORT, max_part_size=3).plan
    assert check_plan(problem, plan) == []
    assert stop_order(plan, 2)[:2] == [(9, "pickup"), (1, "delivery")]


def test_a_job_is_in_the_part_of_a_vehicle_that_may_take_it() -> None:
    jobs = [make_delivery(n, n, skills=frozenset({"cold"}) if n % 3 else frozenset()) for n in range(1, 12)]
    vehicles = (make_vehicle(1, capacity=(20,)), make_vehicle(2, capacity=(20,), skills=frozenset({"cold"})))
    problem = make_problem(*jobs, vehicles=vehicles)
    for part in split_problem(problem, RoutingPlan(routes=()), 3, Random(1)):
        skills = frozenset[str]().union(*(vehicle.skills for vehicle in part.problem.vehicles))
        assert all(job.skills <= skills for job in part.problem.jobs)
    assert build_routes(problem, budget=SHORT, max_part_size=4).plan.unassigned == ()


def test_unassigned_jobs_of_a_part_are_offered_to_others_before_reporting() -> None:
    jobs = [make_delivery(n, n) for n in (1, 2, 3, 9, 10, 11)]
    vehicles = (make_vehicle(1, max_stops=1), make_vehicle(2, start=11, end=11, max_stops=5))
    problem = make_problem(*jobs, vehicles=vehicles)
    assert len(split_problem(problem, RoutingPlan(routes=()), 2, Random(0))) == 2
    assert build_routes(problem, budget=SHORT, max_part_size=3, progress=lambda plan: False).plan.unassigned == ()


def test_reasons_of_a_split_problem_are_those_of_the_whole() -> None:
    jobs = [make_delivery(n, n, demand=(4,)) for n in range(1, 11)] + [make_delivery(11, 5, demand=(99,))]
    problem = make_problem(*jobs, vehicles=(make_vehicle(1), make_vehicle(2)))
    plan = build_routes(problem, budget=SHORT, max_part_size=4).plan
    assert unassigned_reason(plan, 11) == UnassignedReason.CAPACITY
    assert {each.reason for each in plan.unassigned if each.job != 11} == {UnassignedReason.NO_ROOM}
    assert len(plan.unassigned) == 7


@given(problem=problems())
def test_any_problem_can_be_solved_in_parts(problem: RoutingProblem) -> None:
    assume(not problem.vehicles[0].locked or bool((problem.travel.duration_s < UNREACHABLE).all()))
    built = build_routes(problem, budget=SearchBudget(iterations=5), max_part_size=2)
    assert check_plan(problem, built.plan) == []
    assert built.refused == ()


def test_pyvrp_works_alone_if_it_supports_every_constraint() -> None:
    plain = make_problem(make_delivery(1, 3), make_pair(2, 5, 7))
    assert [engine.name for engine in suitable_engines(plain)] == ["pyvrp"]
    assert [engine.name for engine in suitable_engines(replace(plain, objective=RoutingObjective(balance_s=1)))] == [
        "pyvrp",
        "insertion",
    ]


def test_a_budget_without_limits_is_rejected() -> None:
    with pytest.raises(ValueError, match="budget"):
        SearchBudget()
