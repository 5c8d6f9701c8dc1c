"""The insertion engine returns valid plans for every problem."""

import pytest
from hypothesis import assume, given
from tests.solvers.routing.problem_makers import problems, solve_by_insertion
from tests.support.hypothesis_profiles import costly

from haulier.solvers.routing.compiled import CompiledProblem
from haulier.solvers.routing.engines.state import initial_state
from haulier.solvers.routing.plan_check import check_plan
from haulier.solvers.routing.problem import RoutingProblem
from haulier.solvers.routing.score import score_plan
from haulier.solvers.routing.timetable import node_sequences
from haulier.solvers.routing.travel import UNREACHABLE


def roads_lead_along_what_is_locked(problem: RoutingProblem) -> bool:
    """Return True if the locked stops can be driven."""
    vehicle = problem.vehicles[0]
    return not vehicle.locked or bool((problem.travel.duration_s < UNREACHABLE).all())


@given(problem=problems())
def test_every_plan_keeps_every_rule(problem: RoutingProblem) -> None:
    assume(roads_lead_along_what_is_locked(problem))
    assert check_plan(problem, solve_by_insertion(problem)) == []


@given(problem=problems())
@costly
def test_the_same_problem_seed_and_iterations_give_the_same_plan(problem: RoutingProblem) -> None:
    assume(roads_lead_along_what_is_locked(problem))
    assert solve_by_insertion(problem, seed=7) == solve_by_insertion(problem, seed=7)


@given(problem=problems())
@costly
def test_more_search_never_makes_a_plan_worse(problem: RoutingProblem) -> None:
    assume(roads_lead_along_what_is_locked(problem))
    first, later = solve_by_insertion(problem, iterations=0), solve_by_insertion(problem, iterations=40)
    assert score_plan(problem, later) <= score_plan(problem, first)


@given(problem=problems())
def test_the_score_of_the_search_equals_that_of_the_plan(problem: RoutingProblem) -> None:
    assume(roads_lead_along_what_is_locked(problem))
    plan, compiled = solve_by_insertion(problem, iterations=0), CompiledProblem(problem)
    state = initial_state(compiled, node_sequences(compiled, plan))
    assert state.score().missed == score_plan(problem, plan).missed
    assert state.score().price == pytest.approx(score_plan(problem, plan).price)


@given(problem=problems())
def test_a_tour_accepted_without_timing_has_valid_times(problem: RoutingProblem) -> None:
    compiled = CompiledProblem(problem)
    state = initial_state(compiled)
    for tour in [tour for tour in state.tours if tour.timed]:
        for job in state.absent_jobs:
            for spot in tour._spots(job):
                longer = tour.with_job(job, spot)
                assert longer.possible == (longer.timing is not None)


@given(problem=problems())
def test_a_task_is_determined_by_its_number(problem: RoutingProblem) -> None:
    compiled = CompiledProblem(problem)
    assert all(compiled.node(compiled.task(node)) == node for nodes in compiled.nodes for node in nodes)
