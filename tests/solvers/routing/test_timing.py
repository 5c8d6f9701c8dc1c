"""Route timing compared with exhaustive search over departures and breaks."""

from itertools import combinations_with_replacement, product
from typing import Any

import pytest
from hypothesis import given
from msgspec.structs import replace
from tests.solvers.routing.problem_makers import (
    HOUR,
    MINUTE,
    make_delivery,
    make_problem,
    make_road,
    make_vehicle,
    problems,
    solve_by_insertion,
)

from haulier.solvers.routing.compiled import INFINITE_S, CompiledProblem, CompiledVehicle
from haulier.solvers.routing.plan import TimedRoute
from haulier.solvers.routing.problem import RoutingBreak, RoutingDepot, RoutingProblem, RoutingVehicle, TimeWindow
from haulier.solvers.routing.timetable import timed_route
from haulier.solvers.routing.timing import get_drive_leg, route_timing


def the_route(problem: RoutingProblem, *jobs: int) -> TimedRoute | None:
    """The first vehicle's route over these deliveries in this order."""
    compiled = CompiledProblem(problem)
    return timed_route(compiled, compiled.crews[0], [2 * (job - 1) + 1 for job in jobs])


def make_route(problem: RoutingProblem, *jobs: int) -> TimedRoute:
    route = the_route(problem, *jobs)
    assert route is not None
    return route


def with_a_break(opens: float, closes: float, minutes: int = 30, **words: Any) -> RoutingVehicle:
    window = TimeWindow(int(opens * HOUR), int(closes * HOUR))
    return make_vehicle(breaks=(RoutingBreak(window=window, duration_s=minutes * MINUTE),), **words)


def test_a_vehicle_departs_late_enough_to_avoid_waiting() -> None:
    route = make_route(make_problem(make_delivery(1, 5, (9, 10))), 1)
    assert route.start_s == 9 * HOUR - 5 * MINUTE
    assert route.stops[0].wait_s == 0


def test_leaving_later_makes_no_stop_late() -> None:
    route = make_route(make_problem(make_delivery(1, 5, (8.5, 9)), make_delivery(2, 6, (11, 12))), 1, 2)
    assert route.stops[0].start_s == 9 * HOUR
    assert route.stops[1].wait_s == 2 * HOUR - 1 * MINUTE


def test_the_first_open_window_of_several_is_used() -> None:
    problem = make_problem(make_delivery(1, 5, (8, 8.05), (11, 12), (15, 16)))
    assert make_route(problem, 1).stops[0].start_s == 11 * HOUR


def test_a_maximum_time_is_satisfied_with_a_later_window() -> None:
    far = make_delivery(2, 6, (12, 13))
    first = make_delivery(1, 5, (8, 9), (11.9, 12.5))
    route = make_route(make_problem(first, far, vehicles=(make_vehicle(max_time_s=HOUR),)), 1, 2)
    assert route.duration_s <= HOUR
    assert route.stops[0].start_s >= 11 * HOUR
    assert (
        the_route(make_problem(make_delivery(1, 5, (8, 9)), far, vehicles=(make_vehicle(max_time_s=HOUR),)), 1, 2)
        is None
    )


def test_a_later_end_is_tried_if_only_that_satisfies_the_maximum_time() -> None:
    jobs = (make_delivery(1, 5, (8, 9), (13, 13.5)), make_delivery(2, 6, (12, 12.5), (13.5, 14)))
    free, bound = make_problem(*jobs), make_problem(*jobs, vehicles=(make_vehicle(max_time_s=HOUR),))
    assert make_route(free, 1, 2).stops[0].start_s == 9 * HOUR
    assert make_route(bound, 1, 2).stops[1].start_s == 13.5 * HOUR
    assert make_route(bound, 1, 2).duration_s <= HOUR


def test_grace_is_used_and_reported_as_lateness() -> None:
    on_time = make_delivery(1, 1, (9, 10))
    late = make_delivery(2, 11, (9, 9.1))
    assert late.delivery is not None
    patient = make_delivery(2, delivery=type(late.delivery)(place=11, windows=late.delivery.windows, grace_s=600))
    assert the_route(make_problem(on_time, late), 1, 2) is None
    route = make_route(make_problem(on_time, patient), 1, 2)
    assert route.stops[1].late_s == 4 * MINUTE
    assert route.stops[0].start_s == 9 * HOUR


def test_loading_takes_place_within_depot_hours() -> None:
    depot = RoutingDepot(place=0, open=TimeWindow(9 * HOUR, 17 * HOUR), loading_s=1200)
    route = make_route(make_problem(make_delivery(1, 5, (8, 9.5)), depots=(depot,)), 1)
    assert route.start_s >= 9 * HOUR
    assert route.stops[0].arrival_s == route.start_s + 1200 + 5 * MINUTE


def test_an_open_route_ends_at_its_last_stop() -> None:
    route = make_route(make_problem(make_delivery(1, 5), vehicles=(make_vehicle(end=None),)), 1)
    assert route.end_s == route.stops[0].departure_s
    assert route.distance_m == 5000


def test_a_break_is_taken_while_waiting_where_it_costs_nothing() -> None:
    jobs = (make_delivery(1, 5, (8, 9)), make_delivery(2, 6, (12.5, 13)))
    without, rested = (
        make_route(make_problem(*jobs), 1, 2),
        make_route(make_problem(*jobs, vehicles=(with_a_break(11, 12),)), 1, 2),
    )
    assert rested.end_s == without.end_s
    assert [(pause.after, pause.start_s) for pause in rested.pauses] == [(1, 11 * HOUR)]


def test_a_break_can_be_taken_on_the_way() -> None:
    problem = make_problem(
        make_delivery(1, 1, (11, 11.1)),
        make_delivery(2, 2),
        vehicles=(with_a_break(11.5, 11.75),),
        travel=type(make_road())(make_road().duration_s * 60, make_road().distance_m),
    )
    route = make_route(problem, 1, 2)
    (pause,) = route.pauses
    assert route.stops[0].departure_s < pause.start_s < route.stops[1].arrival_s
    assert route.stops[1].arrival_s == route.stops[0].departure_s + HOUR + 30 * MINUTE


def test_a_break_is_not_due_on_a_route_that_ends_before_it() -> None:
    assert make_route(make_problem(make_delivery(1, 5, (8, 9)), vehicles=(with_a_break(12, 13),)), 1).pauses == ()


def test_a_break_that_cannot_be_taken_makes_a_route_impossible() -> None:
    jobs = (make_delivery(1, 5, (11, 11)), make_delivery(2, 6, (11.2, 11.2)), make_delivery(3, 7, (12, 12)))
    vehicle = with_a_break(11, 11.1)
    assert the_route(make_problem(*jobs), 1, 2, 3) is not None
    assert the_route(make_problem(*jobs, vehicles=(vehicle,)), 1, 2, 3) is None


@pytest.mark.parametrize(("earliest", "latest"), [(0, 50), (30, 50), (60, 90)])
def test_a_leg_drives_until_the_break_may_begin(earliest: int, latest: int) -> None:
    way = get_drive_leg(10, 40, [(earliest, latest, 20)])
    assert way is not None
    assert way.ready_s == max(10 + 40, earliest) + 20
    assert get_drive_leg(latest + 1, 40, [(earliest, latest, 20)]) is None


def brute_end(compiled: CompiledProblem, crew: CompiledVehicle, nodes: list[int]) -> int | None:
    """Return the earliest end over all assignments of breaks to legs."""
    ends: list[int] = []
    count = len(crew.breaks)
    for skipped in product((False, True), repeat=count):
        taken = [number for number in range(count) if not skipped[number]]
        for legs in combinations_with_replacement(range(len(nodes) + 1), len(taken)):
            end = _end_with(compiled, crew, nodes, dict(zip(taken, legs, strict=True)))
            missed = [crew.breaks[number] for number in range(count) if skipped[number]]
            begin = crew.begin_s
            if end is not None and all(end <= latest or latest < begin for _, latest, _ in missed):
                ends.append(end)
    return min(ends, default=None)


def _end_with(compiled: CompiledProblem, crew: CompiledVehicle, nodes: list[int], on_leg: dict[int, int]) -> int | None:
    clock, here = crew.begin_s + crew.loading_s, crew.vehicle.start
    for place, node in enumerate([*nodes, -1]):
        there = crew.vehicle.end if node < 0 else compiled.place[node]
        drive = 0 if there is None else crew.travel[here][there]
        for number in sorted(number for number, where in on_leg.items() if where == place):
            earliest, latest, length = crew.breaks[number]
            driven = min(drive, max(0, earliest - clock))
            clock, drive = max(clock + driven, earliest), drive - driven
            if clock > latest:
                return None
            clock += length
        clock += drive
        if node >= 0:
            clock = compiled.earliest_start_s(node, clock) + compiled.service[node]
            here = compiled.place[node]
        if clock >= INFINITE_S:
            return None
    return clock if max(clock, crew.open_s) <= crew.finish_s and crew.begin_s <= crew.last_begin_s else None


@given(problem=problems())
def test_no_other_choice_of_legs_for_the_breaks_ends_earlier(problem: RoutingProblem) -> None:
    free = tuple(replace(vehicle, locked=(), max_time_s=None) for vehicle in problem.vehicles)
    problem = replace(problem, vehicles=free)
    compiled = CompiledProblem(problem)
    for route in solve_by_insertion(problem, iterations=0).routes:
        number = next(n for n, crew in enumerate(compiled.crews) if crew.vehicle.id == route.vehicle)
        crew = compiled.crews[number]
        nodes = [2 * compiled.number[stop.job] + (stop.kind == "delivery") for stop in route.stops]
        times = route_timing(compiled, crew, nodes)
        assert times is not None
        best = brute_end(compiled, crew, nodes)
        assert best is not None
        assert times.end_s == max(best, crew.open_s)
