"""Each reason for leaving a job out is true of the job, and stops being given once its cause is gone."""

from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from msgspec.structs import replace
from tests.solvers.routing.makers import (
    HOUR,
    KM,
    MINUTE,
    a_delivery,
    a_pair,
    a_problem,
    a_road,
    a_vehicle,
    problems,
    solved,
    why,
)

from haulier.solvers.routing.engines.insertion import complete
from haulier.solvers.routing.plan import Plan, Reason
from haulier.solvers.routing.problem import Break, Job, Problem, Vehicle, Window
from haulier.solvers.routing.travel import NO_WAY, Travel

NOON = Window(12 * HOUR, 13 * HOUR)
CAUSES: dict[str, tuple[Job, dict[str, Any], dict[str, Any], dict[str, Any]]] = {
    "pool": (a_delivery(vehicles=frozenset({7})), {}, {"id": 7}, {}),
    "skill": (
        a_delivery(skills=frozenset({"cold", "lift"})),
        {},
        {"skills": frozenset({"cold", "lift"})},
        {"skills": "cold, lift"},
    ),
    "capacity": (
        a_delivery(demand=(12,)),
        {},
        {"capacity": (12,)},
        {"dimension": "pieces", "needed": 12, "available": 10},
    ),
    "shift": (a_delivery(1, 5, (19, 20)), {}, {"shift": Window(8 * HOUR, 20 * HOUR)}, {}),
    "window": (a_delivery(1, 5, (8, 8.05)), {}, {"speed_percent": 200}, {}),
    "limits": (a_delivery(1, 5), {"max_distance_m": 9 * KM}, {"max_distance_m": 10 * KM}, {"vehicle": 1}),
}


@pytest.mark.parametrize("reason", CAUSES)
def test_a_reason_is_given_with_its_facts_and_goes_with_its_cause(reason: str) -> None:
    job, wrong, right, facts = CAUSES[reason]
    (left,) = solved(a_problem(job, vehicles=(a_vehicle(**wrong),))).unassigned
    assert (left.reason, left.facts) == (reason, facts)
    assert solved(a_problem(job, vehicles=(a_vehicle(**{**wrong, **right}),))).unassigned == ()


@pytest.mark.parametrize("limit", [{"max_stops": 1}, {"max_time_s": 5 * MINUTE}, {"max_distance_m": KM}])
def test_each_limit_is_a_limit(limit: dict[str, int]) -> None:
    assert why(solved(a_problem(a_pair(1, 3, 6), vehicles=(a_vehicle(**limit),)))) == "limits"


def test_a_place_without_a_way_is_unreachable() -> None:
    road = a_road(3)
    cut = road.duration_s.copy()
    cut[2, 0] = NO_WAY
    one_way = Travel(cut, road.distance_m)
    assert why(solved(a_problem(a_delivery(1, 2), travel=one_way))) == "unreachable"
    assert why(solved(a_problem(a_delivery(1, 2), travel=one_way, vehicles=(a_vehicle(end=None),)))) is None


def test_a_job_that_cannot_be_finished_in_the_shift_is_outside_it() -> None:
    job = a_delivery(1, 5)
    assert job.delivery is not None
    long = replace(job, delivery=replace(job.delivery, service_s=10 * HOUR))
    assert why(solved(a_problem(long))) == "shift"


def test_a_break_that_leaves_no_time_is_a_matter_of_the_shift() -> None:
    rest = Break(window=Window(8 * HOUR, 8 * HOUR), duration_s=HOUR)
    late = a_vehicle(shift=Window(8 * HOUR, 9 * HOUR), breaks=(rest,))
    assert why(solved(a_problem(a_delivery(1, 5, (8, 8.2)), vehicles=(late,)))) in {"shift", None}
    assert why(solved(a_problem(a_delivery(1, 5), vehicles=(replace(late, shift=Window(7 * HOUR, 9 * HOUR)),)))) is None


def test_windows_of_a_pair_that_contradict_each_other_are_a_matter_of_windows() -> None:
    pair = a_pair(1, 3, 6)
    assert pair.pickup is not None
    assert pair.delivery is not None
    wrong = replace(
        pair,
        pickup=replace(pair.pickup, windows=(NOON,)),
        delivery=replace(pair.delivery, windows=(Window(0, 11 * HOUR),)),
    )
    assert why(solved(a_problem(wrong))) == "window"


def test_no_room_is_said_only_of_a_job_that_fits_alone() -> None:
    problem = a_problem(a_delivery(1, 3, demand=(6,)), a_delivery(2, 4, demand=(6,)))
    (left,) = solved(problem).unassigned
    assert left.reason == Reason.NO_ROOM
    alone = replace(problem, jobs=tuple(job for job in problem.jobs if job.id == left.job))
    assert solved(alone).unassigned == ()


def alone(problem: Problem, job: int) -> Problem:
    """The problem with one job and empty vehicles."""
    free: list[Vehicle] = [replace(vehicle, locked=()) for vehicle in problem.vehicles]
    asked = next(each for each in problem.jobs if each.id == job)
    return replace(problem, jobs=(replace(asked, prize=None),), vehicles=tuple(free))


@given(problem=problems())
@settings(max_examples=30, deadline=None, suppress_health_check=list(HealthCheck))
def test_the_reason_tells_whether_the_job_fits_alone(problem: Problem) -> None:
    assume(not problem.vehicles[0].locked or bool((np.asarray(problem.travel.duration_s) < NO_WAY).all()))
    for left in solved(problem, iterations=5).unassigned:
        fits = solved(alone(problem, left.job), iterations=0).unassigned == ()
        assert fits == (left.reason in (Reason.NO_ROOM, Reason.NOT_WORTH))


@given(problem=problems())
@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
def test_no_job_that_must_be_served_is_left_out_of_a_plan_into_which_it_fits(problem: Problem) -> None:
    assume(not problem.vehicles[0].locked or bool((np.asarray(problem.travel.duration_s) < NO_WAY).all()))
    plan = solved(problem, iterations=5)
    must = {job.id for job in problem.jobs if job.prize is None}
    again: Plan = complete(problem, plan)
    assert {each.job for each in plan.unassigned} & must == {each.job for each in again.unassigned} & must
