"""Vehicles of one plan that travel by different matrices."""

from typing import Any

import numpy as np
import pytest
from msgspec.structs import replace
from tests.solvers.routing.problem_makers import (
    MINUTE,
    make_delivery,
    make_problem,
    make_road,
    make_vehicle,
    solve_by_insertion,
    stop_order,
    unassigned_reason,
)

from haulier.solvers.routing.build import build_routes
from haulier.solvers.routing.compiled import CompiledProblem
from haulier.solvers.routing.engine import SearchBudget
from haulier.solvers.routing.plan_check import PlanConstraint, check_plan
from haulier.solvers.routing.travel import UNREACHABLE, TravelMatrices


def make_ways(minutes: int, *closed: int) -> TravelMatrices:
    """The road at some minutes a place, without a way to the closed places."""
    road = make_road()
    seconds = road.duration_s * minutes
    for place in closed:
        seconds[:place, place] = seconds[place + 1 :, place] = UNREACHABLE
    return TravelMatrices(seconds, road.distance_m * minutes)


VAN, BIKE = make_vehicle(1), make_vehicle(2, profile=1, capacity=(1,))


def two_kinds(*jobs: Any) -> Any:
    """A van that cannot reach place 5, and a bike that is three times as slow."""
    return make_problem(*jobs, travel=make_ways(1, 5), other_travel=(make_ways(3),), vehicles=(VAN, BIKE))


def test_a_vehicle_takes_the_way_that_is_closed_to_the_other() -> None:
    plan = solve_by_insertion(two_kinds(make_delivery(1, 5), make_delivery(2, 6)))
    assert [job for job, _ in stop_order(plan, 2)] == [1]
    assert [job for job, _ in stop_order(plan, 1)] == [2]


def test_times_and_distances_are_those_of_the_vehicle() -> None:
    (route,) = solve_by_insertion(two_kinds(make_delivery(1, 5))).routes
    (stop,) = route.stops
    assert (stop.arrival_s - route.start_s, route.distance_m) == (15 * MINUTE, 30_000)


def test_all_engines_agree_with_the_check() -> None:
    problem = two_kinds(*(make_delivery(id, id) for id in range(1, 9)))
    built = build_routes(problem, budget=SearchBudget(iterations=60), seed=1)
    assert (built.refused, check_plan(problem, built.plan), built.plan.unassigned) == ((), [], ())
    assert 5 in [job for job, _ in stop_order(built.plan, 2)]


def test_without_a_vehicle_that_has_a_way_the_job_is_unreachable() -> None:
    problem = replace(two_kinds(make_delivery(1, 5)), vehicles=(VAN,))
    assert unassigned_reason(solve_by_insertion(problem)) == "unreachable"


def test_the_check_refuses_the_times_of_another_kind() -> None:
    problem = two_kinds(make_delivery(1, 4))
    (route,) = solve_by_insertion(replace(problem, vehicles=(VAN,))).routes
    stolen = replace(solve_by_insertion(problem), routes=(replace(route, vehicle=2),))
    assert PlanConstraint.TRAVEL in {violation.rule for violation in check_plan(problem, stolen)}


def test_a_profile_needs_matrices_of_the_same_places() -> None:
    with pytest.raises(ValueError, match="profile without travel matrices"):
        make_problem(vehicles=(BIKE,))
    with pytest.raises(ValueError, match="differ in size"):
        make_problem(other_travel=(make_road(4),))


def test_one_kind_shares_its_matrices() -> None:
    compiled = CompiledProblem(make_problem(make_delivery(), vehicles=(VAN, make_vehicle(3))))
    first, second = compiled.crews
    assert first.travel is second.travel
    assert first.distance is second.distance
    assert np.array_equal(first.distance, make_road().distance_m)
