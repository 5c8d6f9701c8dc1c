"""The PyVRP engine: valid plans for every feature, and small gaps on instances."""

import pytest
from hypothesis import assume, given
from msgspec.structs import replace
from tests.solvers.routing.benchmark_instances import best_known, li_lim, solomon
from tests.solvers.routing.problem_makers import (
    HOUR,
    KM,
    MINUTE,
    make_collection,
    make_delivery,
    make_pair,
    make_problem,
    make_vehicle,
    make_visit,
    problems,
    solve_by_insertion,
    stop_order,
    unassigned_reason,
)
from tests.solvers.routing.vrplib_instances import best_distance, vrplib

from haulier.solvers.routing.build import build_routes
from haulier.solvers.routing.compiled import CompiledProblem
from haulier.solvers.routing.engine import SearchBudget
from haulier.solvers.routing.engines.pyvrp import PyVrpEngine
from haulier.solvers.routing.engines.pyvrp_model import PyVrpModel
from haulier.solvers.routing.engines.repair import repair_sequences
from haulier.solvers.routing.engines.state import initial_state
from haulier.solvers.routing.plan import RoutingPlan
from haulier.solvers.routing.plan_check import check_plan
from haulier.solvers.routing.problem import JobTask, RoutingBreak, RoutingJob, RoutingProblem, TaskKind, TimeWindow
from haulier.solvers.routing.score import measure_plan, score_plan
from haulier.solvers.routing.timetable import node_sequences
from haulier.solvers.routing.travel import UNREACHABLE
from haulier.solvers.routing.unassigned_reasons import ReasonFinder


def by_pyvrp(problem: RoutingProblem, iterations: int = 100, seed: int = 0) -> RoutingPlan:
    """PyVRP's plan, which the judge has passed."""
    plan = PyVrpEngine().solve(problem, seed=seed, budget=SearchBudget(iterations=iterations))
    assert check_plan(problem, plan) == []
    return plan


@given(problem=problems())
def test_every_plan_keeps_every_rule_and_is_no_worse_than_the_first(problem: RoutingProblem) -> None:
    assume(not problem.vehicles[0].locked or bool((problem.travel.duration_s < UNREACHABLE).all()))
    assert score_plan(problem, by_pyvrp(problem, 20)) <= score_plan(problem, solve_by_insertion(problem, 0))


@pytest.mark.parametrize(("name", "ratio"), [("C101", 1.0001), ("R102", 1.04), ("RC105", 1.06)])
def test_solomon_instances_are_solved_close_to_the_best_known(name: str, ratio: float) -> None:
    problem = solomon(f"solomon/{name}")
    plan = by_pyvrp(problem, 300)
    assert plan.unassigned == ()
    assert measure_plan(problem, plan).distance_m / 1000 <= best_known("vrptw", f"{name}_distance") * ratio


def test_li_and_lim_pairs_are_solved_close_to_the_best_known() -> None:
    problem = li_lim("li_lim_100/lr102")
    plan = by_pyvrp(problem, 300)
    assert plan.unassigned == ()
    assert measure_plan(problem, plan).distance_m / 1000 <= best_known("pdptw", "lr102") * 1.08


def test_capacity_instances_are_solved_close_to_the_best_known() -> None:
    problem = vrplib("cvrp/X-n134-k13")
    assert measure_plan(problem, by_pyvrp(problem, 300)).distance_m <= best_distance("cvrp/X-n134-k13") * 1.05


def test_the_same_seed_and_iterations_give_the_same_plan() -> None:
    problem = solomon("solomon/R102")
    assert by_pyvrp(problem, 50, seed=5) == by_pyvrp(problem, 50, seed=5)


def test_a_random_start_gives_a_different_valid_plan_no_worse_than_the_start() -> None:
    problem = solomon("solomon/R102")
    start = solve_by_insertion(problem, 0)
    plan = PyVrpEngine(random_start=True).solve(problem, budget=SearchBudget(iterations=50), start=start)
    assert check_plan(problem, plan) == []
    assert score_plan(problem, plan) <= score_plan(problem, start)
    assert plan != by_pyvrp(problem, 50)


def in_its_words(problem: RoutingProblem, plan: RoutingPlan) -> PyVrpModel:
    """The model that PyVRP gets, with a plan to start from."""
    compiled = CompiledProblem(problem)
    return PyVrpModel(compiled, initial_state(compiled, node_sequences(compiled, plan)), ReasonFinder(compiled))


SAYABLE: dict[str, RoutingProblem] = {
    "two dimensions and skills": make_problem(
        make_delivery(1, 3, demand=(4, 1)),
        make_delivery(2, 5, demand=(4, 1), skills=frozenset({"cold"})),
        vehicles=(make_vehicle(1, capacity=(10, 1)), make_vehicle(2, capacity=(10, 1), skills=frozenset({"cold"}))),
        dimensions=("weight", "volume"),
    ),
    "an open end, a home and goods aboard": make_problem(
        make_collection(1, 4),
        make_delivery(2, 7),
        vehicles=(make_vehicle(1, start=2, end=None, aboard=(9,)), make_vehicle(2, end=9)),
    ),
    "costs by the hour and a slow vehicle": make_problem(
        make_delivery(1, 3),
        make_pair(2, 5, 8),
        vehicles=(make_vehicle(cost_per_hour=1800, speed_percent=50, fixed_cost=300),),
    ),
    "two windows and limits": make_problem(
        make_delivery(1, 3, (9, 10), (15, 16)),
        make_delivery(2, 5, (15, 17)),
        vehicles=(make_vehicle(max_stops=2, max_distance_m=10 * KM, max_time_s=2 * HOUR),),
    ),
}


@pytest.mark.parametrize("story", SAYABLE)
def test_a_valid_plan_is_feasible_with_equal_cost_for_pyvrp(story: str) -> None:
    problem = SAYABLE[story]
    plan = solve_by_insertion(problem)
    assert plan.unassigned == ()
    model = in_its_words(problem, plan)
    solution = model.start()
    assert solution.is_feasible()
    cost = solution.fixed_vehicle_cost() + solution.distance_cost() + solution.duration_cost()
    assert cost / model._scale == pytest.approx(score_plan(problem, plan).price, rel=0.01)


WRONG: dict[str, tuple[RoutingProblem, RoutingProblem]] = {
    "a skill that the vehicle lacks": (
        make_problem(make_delivery(1, 3)),
        make_problem(
            make_delivery(1, 3, skills=frozenset({"cold"})),
            vehicles=(make_vehicle(1), make_vehicle(2, skills=frozenset({"cold"}))),
        ),
    ),
    "too many stops": (
        make_problem(make_delivery(1, 3), make_collection(2, 4)),
        make_problem(make_delivery(1, 3), make_collection(2, 4), vehicles=(make_vehicle(max_stops=1),)),
    ),
}


@pytest.mark.parametrize("story", WRONG)
def test_a_plan_that_breaks_a_rule_is_infeasible_for_pyvrp(story: str) -> None:
    easy, hard = WRONG[story]
    assert not in_its_words(hard, solve_by_insertion(easy)).start().is_feasible()


def test_breaks_balance_grace_and_locked_stops_are_respected() -> None:
    locked = (JobTask(1, TaskKind.DELIVERY),)
    rest = RoutingBreak(window=TimeWindow(10 * HOUR, 11 * HOUR), duration_s=1800)
    vehicles = (make_vehicle(1, locked=locked, fixed_cost=5000), make_vehicle(2, breaks=(rest,)))
    problem = make_problem(
        make_delivery(1, 9), make_delivery(2, 3, (9, 9.5)), make_delivery(3, 5, (12, 13)), vehicles=vehicles
    )
    plan = by_pyvrp(problem)
    assert stop_order(plan, 1)[0] == (1, "delivery")
    assert plan.unassigned == ()


def test_a_job_served_only_in_its_grace_stays_in_the_plan() -> None:
    early = make_delivery(1, 3, (7, 7.9))
    assert early.delivery is not None
    problem = make_problem(replace(early, delivery=replace(early.delivery, grace_s=HOUR)), make_delivery(2, 5))
    plan = by_pyvrp(problem)
    assert plan.unassigned == ()
    assert measure_plan(problem, plan).late_s == 9 * MINUTE


def test_a_pair_with_windows_that_match_only_in_grace_stays_in_the_plan() -> None:
    pair = make_pair(1, 3, 5)
    pickup, delivery = make_visit(3, (10, 11)), make_visit(5, (9, 9.9), grace_s=HOUR)
    problem = make_problem(replace(pair, pickup=pickup, delivery=delivery), make_delivery(2, 4))
    assert by_pyvrp(problem).unassigned == ()


def test_if_not_all_jobs_fit_priority_decides() -> None:
    jobs = [make_delivery(n, n, priority=n) for n in (1, 2, 3)]
    plan = by_pyvrp(make_problem(*jobs, vehicles=(make_vehicle(max_stops=2),)))
    assert [each.job for each in plan.unassigned] == [1]
    assert unassigned_reason(plan, 1) == "no_room"


def test_the_watcher_can_stop_the_engine_and_sees_only_valid_plans() -> None:
    problem = solomon("solomon/R102")
    seen: list[RoutingPlan] = []

    def second(plan: RoutingPlan) -> bool:
        seen.append(plan)
        return len(seen) < 3

    built = build_routes(problem, budget=SearchBudget(iterations=10**9), engines=(PyVrpEngine(),), progress=second)
    assert len(seen) >= 3
    assert built.refused == ()
    assert check_plan(problem, built.plan) == []


def test_an_invalid_stop_order_is_repaired() -> None:
    jobs: list[RoutingJob] = [make_delivery(1, 3, (8, 8.1)), make_pair(2, 5, 7), make_delivery(3, 9, (16, 17))]
    problem = make_problem(*jobs)
    compiled = CompiledProblem(problem)
    plan = repair_sequences(compiled, [[5, 3, 2, 1]]).plan(ReasonFinder(compiled))
    assert check_plan(problem, plan) == []
    assert plan.unassigned == ()


def test_a_vehicle_en_route_keeps_its_stops_while_others_are_planned() -> None:
    vehicles = (make_vehicle(1, locked=(JobTask(1, TaskKind.DELIVERY),)), make_vehicle(2, capacity=(2,)))
    problem = make_problem(*(make_delivery(n, n) for n in range(1, 6)), vehicles=vehicles)
    plan = by_pyvrp(problem)
    assert stop_order(plan, 1)[0] == (1, "delivery")
    assert replace(plan, routes=()).unassigned == ()
