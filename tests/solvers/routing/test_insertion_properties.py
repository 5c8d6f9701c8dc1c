"""Whatever is asked, the house's own engine answers with a plan in which the judge finds nothing wrong."""

import pytest
from hypothesis import HealthCheck, assume, given, settings
from tests.solvers.routing.makers import problems, solved

from haulier.solvers.routing.check import check
from haulier.solvers.routing.engines.state import begin
from haulier.solvers.routing.ground import Ground
from haulier.solvers.routing.problem import Problem
from haulier.solvers.routing.score import score
from haulier.solvers.routing.timetable import sequences_of
from haulier.solvers.routing.travel import NO_WAY

patient = settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))


def roads_lead_along_what_is_locked(problem: Problem) -> bool:
    """Whether the locked stops can be driven at all."""
    vehicle = problem.vehicles[0]
    return not vehicle.locked or bool((problem.travel.duration_s < NO_WAY).all())


@given(problem=problems())
@patient
def test_every_plan_keeps_every_rule(problem: Problem) -> None:
    assume(roads_lead_along_what_is_locked(problem))
    assert check(problem, solved(problem)) == []


@given(problem=problems())
@settings(patient, max_examples=20)
def test_the_same_problem_seed_and_iterations_give_the_same_plan(problem: Problem) -> None:
    assume(roads_lead_along_what_is_locked(problem))
    assert solved(problem, seed=7) == solved(problem, seed=7)


@given(problem=problems())
@settings(patient, max_examples=20)
def test_more_search_never_makes_a_plan_worse(problem: Problem) -> None:
    assume(roads_lead_along_what_is_locked(problem))
    first, later = solved(problem, iterations=0), solved(problem, iterations=40)
    assert score(problem, later) <= score(problem, first)


@given(problem=problems())
@settings(patient, max_examples=30)
def test_the_search_counts_what_the_plan_counts(problem: Problem) -> None:
    assume(roads_lead_along_what_is_locked(problem))
    plan, ground = solved(problem, iterations=0), Ground(problem)
    state = begin(ground, sequences_of(ground, plan))
    assert state.score().missed == score(problem, plan).missed
    assert state.score().price == pytest.approx(score(problem, plan).price)


@given(problem=problems())
@settings(patient, max_examples=30)
def test_a_tour_that_is_known_to_be_possible_before_it_is_timed_has_times(problem: Problem) -> None:
    ground = Ground(problem)
    state = begin(ground)
    for tour in [tour for tour in state.tours if tour.timed]:
        for job in state.absent:
            for spot in tour._spots(job):
                longer = tour.with_job(job, spot)
                assert longer.possible == (longer.timing is not None)


@given(problem=problems())
@settings(patient, max_examples=20)
def test_a_task_is_told_from_its_number(problem: Problem) -> None:
    ground = Ground(problem)
    assert all(ground.node(ground.task(node)) == node for nodes in ground.nodes for node in nodes)
