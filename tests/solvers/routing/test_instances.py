"""Public instances: every plan is valid and close to the best known solution."""

import pytest
from tests.solvers.routing.benchmark_instances import best_known, li_lim, solomon
from tests.solvers.routing.problem_makers import solve_by_insertion

from haulier.solvers.routing.plan_check import check_plan
from haulier.solvers.routing.problem import RoutingProblem
from haulier.solvers.routing.score import measure_plan

CASES = (
    ("C101", 100, 1.0001),
    ("R102", 200, 1.15),
    ("RC105", 200, 1.15),
)
PAIRS = (("lc101", 100, 1.0001), ("lr102", 60, 1.25))


def solve(problem: RoutingProblem, iterations: int) -> float:
    """The distance of a right plan that serves everybody."""
    plan = solve_by_insertion(problem, iterations)
    assert check_plan(problem, plan) == []
    assert plan.unassigned == ()
    return measure_plan(problem, plan).distance_m / 1000


@pytest.mark.parametrize(("name", "iterations", "ratio"), CASES)
def test_solomon_instances_are_solved_close_to_the_best_known(name: str, iterations: int, ratio: float) -> None:
    best = best_known("vrptw", f"{name}_distance")
    assert solve(solomon(f"solomon/{name}"), iterations) <= best * ratio


@pytest.mark.parametrize(("name", "iterations", "ratio"), PAIRS)
def test_li_and_lim_instances_are_solved_close_to_the_best_known(name: str, iterations: int, ratio: float) -> None:
    assert solve(li_lim(f"li_lim_100/{name}"), iterations) <= best_known("pdptw", name) * ratio


def test_no_plan_is_better_than_the_best_known_solution_of_a_small_clustered_instance() -> None:
    """C101 is solved to optimality: a shorter plan would reveal an error."""
    assert solve(solomon("solomon/C101"), 50) >= best_known("vrptw", "C101_distance") - 0.01
