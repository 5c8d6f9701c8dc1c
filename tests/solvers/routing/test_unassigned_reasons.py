"""Each reason for an unassigned job is true and disappears with its cause."""

from typing import Any, get_args

import numpy as np
import pytest
from hypothesis import assume, given
from msgspec.structs import fields, replace
from tests.solvers.routing.problem_makers import (
    HOUR,
    KM,
    MINUTE,
    make_delivery,
    make_pair,
    make_problem,
    make_road,
    make_vehicle,
    problems,
    solve_by_insertion,
    unassigned_reason,
)

from haulier.solvers.routing.engines.insertion import complete_plan
from haulier.solvers.routing.plan import RoutingPlan
from haulier.solvers.routing.problem import RoutingBreak, RoutingJob, RoutingProblem, RoutingVehicle, TimeWindow
from haulier.solvers.routing.reason_facts import (
    BeyondShiftFacts,
    CapacityFacts,
    LimitsFacts,
    NoRoomFacts,
    OutsideShiftFacts,
    PoolFacts,
    ReasonFacts,
    SkillFacts,
    TooFarFacts,
    UnassignedReason,
    UnreachableFacts,
    WindowFacts,
)
from haulier.solvers.routing.travel import UNREACHABLE, TravelMatrices

NOON = TimeWindow(12 * HOUR, 13 * HOUR)
CAUSES: dict[str, tuple[RoutingJob, dict[str, Any], dict[str, Any], ReasonFacts]] = {
    "pool": (make_delivery(vehicles=frozenset({7})), {}, {"id": 7}, PoolFacts(vehicles=1)),
    "skill": (
        make_delivery(skills=frozenset({"cold", "lift"})),
        {},
        {"skills": frozenset({"cold", "lift"})},
        SkillFacts(skills="cold, lift"),
    ),
    "capacity": (
        make_delivery(demand=(12,)),
        {},
        {"capacity": (12,)},
        CapacityFacts(dimension="pieces", needed=12, available=10),
    ),
    "too_far": (
        make_delivery(1, 10),
        {"speed_percent": 3},
        {"speed_percent": 100},
        TooFarFacts(vehicle=1, distance_m=10 * KM, drive_s=10 * MINUTE * 100 // 3, shift_s=10 * HOUR),
    ),
    "shift": (
        make_delivery(1, 5, (19, 20)),
        {},
        {"shift": TimeWindow(8 * HOUR, 20 * HOUR)},
        OutsideShiftFacts(
            vehicle=1,
            window_start_s=19 * HOUR,
            window_end_s=20 * HOUR,
            shift_start_s=8 * HOUR,
            shift_end_s=18 * HOUR,
        ),
    ),
    "window": (
        make_delivery(1, 5, (8, 8.05)),
        {},
        {"speed_percent": 200},
        WindowFacts(
            vehicle=1,
            window_start_s=8 * HOUR,
            window_end_s=8 * HOUR + 3 * MINUTE,
            earliest_arrival_s=8 * HOUR + 5 * MINUTE,
        ),
    ),
    "limits": (
        make_delivery(1, 5),
        {"max_distance_m": 9 * KM},
        {"max_distance_m": 10 * KM},
        LimitsFacts(vehicle=1, limit="max_distance_m", needed=10 * KM, available=9 * KM),
    ),
}


@pytest.mark.parametrize("reason", CAUSES)
def test_a_reason_has_facts_and_disappears_with_its_cause(reason: str) -> None:
    job, wrong, right, facts = CAUSES[reason]
    (left,) = solve_by_insertion(make_problem(job, vehicles=(make_vehicle(**wrong),))).unassigned
    assert (left.reason, left.facts) == (reason, facts)
    assert solve_by_insertion(make_problem(job, vehicles=(make_vehicle(**{**wrong, **right}),))).unassigned == ()


def test_a_reason_cannot_be_constructed_without_its_facts() -> None:
    complete = [type_ for type_ in get_args(ReasonFacts) if not [field for field in fields(type_) if field.required]]
    assert complete == []
    assert {type_.reason for type_ in get_args(ReasonFacts)} == set(UnassignedReason) - {"window_over", "other_day"}


def test_the_nearest_of_several_shifts_is_named() -> None:
    early = make_vehicle(1, shift=TimeWindow(6 * HOUR, 12 * HOUR))
    late = make_vehicle(2, shift=TimeWindow(9 * HOUR, 17 * HOUR))
    (left,) = solve_by_insertion(make_problem(make_delivery(1, 5, (18, 20)), vehicles=(early, late))).unassigned
    assert isinstance(left.facts, OutsideShiftFacts)
    assert (left.facts.vehicle, left.facts.shift_end_s) == (2, 17 * HOUR)


@pytest.mark.parametrize("limit", [{"max_stops": 1}, {"max_time_s": 5 * MINUTE}, {"max_distance_m": KM}])
def test_each_limit_is_enforced(limit: dict[str, int]) -> None:
    assert (
        unassigned_reason(solve_by_insertion(make_problem(make_pair(1, 3, 6), vehicles=(make_vehicle(**limit),))))
        == "limits"
    )


def test_a_place_without_a_road_is_unreachable() -> None:
    road = make_road(3)
    cut = road.duration_s.copy()
    cut[2, 0] = UNREACHABLE
    one_way = TravelMatrices(cut, road.distance_m)
    (left,) = solve_by_insertion(make_problem(make_delivery(1, 2), travel=one_way)).unassigned
    assert left.facts == UnreachableFacts(vehicle=1, missing_way="back")
    assert (
        unassigned_reason(
            solve_by_insertion(make_problem(make_delivery(1, 2), travel=one_way, vehicles=(make_vehicle(end=None),)))
        )
        is None
    )


def test_a_job_that_cannot_be_finished_in_the_shift_is_outside_it() -> None:
    job = make_delivery(1, 5)
    assert job.delivery is not None
    long = replace(job, delivery=replace(job.delivery, service_s=10 * HOUR))
    (left,) = solve_by_insertion(make_problem(long)).unassigned
    assert left.facts == BeyondShiftFacts(
        vehicle=1, earliest_end_s=18 * HOUR + 10 * MINUTE, shift_start_s=8 * HOUR, shift_end_s=18 * HOUR
    )


def test_a_break_that_leaves_no_time_is_reported_as_shift() -> None:
    rest = RoutingBreak(window=TimeWindow(8 * HOUR, 8 * HOUR), duration_s=HOUR)
    late = make_vehicle(shift=TimeWindow(8 * HOUR, 9 * HOUR), breaks=(rest,))
    assert unassigned_reason(solve_by_insertion(make_problem(make_delivery(1, 5, (8, 8.2)), vehicles=(late,)))) in {
        "shift",
        None,
    }
    assert (
        unassigned_reason(
            solve_by_insertion(
                make_problem(make_delivery(1, 5), vehicles=(replace(late, shift=TimeWindow(7 * HOUR, 9 * HOUR)),))
            )
        )
        is None
    )


def test_contradicting_windows_of_a_pair_are_reported_as_window() -> None:
    pair = make_pair(1, 3, 6)
    assert pair.pickup is not None
    assert pair.delivery is not None
    wrong = replace(
        pair,
        pickup=replace(pair.pickup, windows=(NOON,)),
        delivery=replace(pair.delivery, windows=(TimeWindow(0, 11 * HOUR),)),
    )
    assert unassigned_reason(solve_by_insertion(make_problem(wrong))) == "window"


def test_no_room_is_reported_only_for_a_job_that_fits_alone() -> None:
    problem = make_problem(make_delivery(1, 3, demand=(6,)), make_delivery(2, 4, demand=(6,)))
    (left,) = solve_by_insertion(problem).unassigned
    assert left.facts == NoRoomFacts(vehicles=1)
    alone = replace(problem, jobs=tuple(job for job in problem.jobs if job.id == left.job))
    assert solve_by_insertion(alone).unassigned == ()


def alone(problem: RoutingProblem, job: int) -> RoutingProblem:
    """The problem with one job and empty vehicles."""
    free: list[RoutingVehicle] = [replace(vehicle, locked=()) for vehicle in problem.vehicles]
    asked = next(each for each in problem.jobs if each.id == job)
    return replace(problem, jobs=(replace(asked, prize=None),), vehicles=tuple(free))


@given(problem=problems())
def test_the_reason_states_if_the_job_fits_alone(problem: RoutingProblem) -> None:
    assume(not problem.vehicles[0].locked or bool((np.asarray(problem.travel.duration_s) < UNREACHABLE).all()))
    for left in solve_by_insertion(problem, iterations=5).unassigned:
        fits = solve_by_insertion(alone(problem, left.job), iterations=0).unassigned == ()
        assert fits == (left.reason in (UnassignedReason.NO_ROOM, UnassignedReason.NOT_WORTH))


@given(problem=problems())
def test_no_mandatory_job_is_left_out_of_a_plan_that_it_fits(problem: RoutingProblem) -> None:
    assume(not problem.vehicles[0].locked or bool((np.asarray(problem.travel.duration_s) < UNREACHABLE).all()))
    plan = solve_by_insertion(problem, iterations=5)
    must = {job.id for job in problem.jobs if job.prize is None}
    again: RoutingPlan = complete_plan(problem, plan)
    assert {each.job for each in plan.unassigned} & must == {each.job for each in again.unassigned} & must
