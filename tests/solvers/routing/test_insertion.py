"""The insertion engine on small cases, each for one feature of the model."""

from msgspec.structs import replace
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
    solve_by_insertion,
    stop_order,
    unassigned_reason,
)

from haulier.solvers.routing.engine import SearchBudget
from haulier.solvers.routing.engines.insertion import InsertionEngine, complete_plan
from haulier.solvers.routing.plan import RoutingPlan
from haulier.solvers.routing.plan_check import check_plan
from haulier.solvers.routing.problem import JobTask, RoutingJob, RoutingObjective, TaskKind, TimeWindow
from haulier.solvers.routing.score import measure_plan, score_plan


def test_stops_on_a_road_are_visited_in_one_direction() -> None:
    plan = solve_by_insertion(make_problem(*(make_delivery(n, n) for n in (3, 9, 1, 7, 5))))
    assert plan.routes[0].distance_m == 18 * KM


def test_a_full_vehicle_leaves_room_for_the_second() -> None:
    jobs = [make_delivery(n, n, demand=(4,)) for n in (1, 2, 3, 4)]
    plan = solve_by_insertion(make_problem(*jobs, vehicles=(make_vehicle(1), make_vehicle(2))))
    assert sorted(len(route.stops) for route in plan.routes) == [2, 2]


def test_every_dimension_of_the_load_counts() -> None:
    jobs = [make_delivery(1, 1, demand=(1, 6)), make_delivery(2, 2, demand=(1, 6))]
    vehicles = (make_vehicle(1, capacity=(100, 10)), make_vehicle(2, capacity=(100, 10)))
    plan = solve_by_insertion(make_problem(*jobs, vehicles=vehicles, dimensions=("weight", "volume")))
    assert len(plan.routes) == 2


def test_deliveries_free_capacity_for_collections() -> None:
    problem = make_problem(make_delivery(1, 2, demand=(10,)), make_collection(2, 5, demand=(10,)))
    assert stop_order(solve_by_insertion(problem)) == [(1, "delivery"), (2, "pickup")]


def test_a_pair_is_picked_up_first_even_when_that_is_a_detour() -> None:
    assert stop_order(solve_by_insertion(make_problem(make_pair(1, 9, 2)))) == [(1, "pickup"), (1, "delivery")]


def test_skills_and_pools_restrict_vehicles() -> None:
    jobs = (
        make_delivery(1, 5, skills=frozenset({"cold"})),
        make_delivery(2, 5, vehicles=frozenset({3})),
        make_delivery(3, 5),
    )
    vehicles = (
        make_vehicle(1),
        make_vehicle(2, skills=frozenset({"cold"}), fixed_cost=9999),
        make_vehicle(3, fixed_cost=9999),
    )
    plan = solve_by_insertion(make_problem(*jobs, vehicles=vehicles))
    assert (1, "delivery") in stop_order(plan, 2)
    assert (2, "delivery") in stop_order(plan, 3)


def test_the_cheaper_vehicle_is_used() -> None:
    plan = solve_by_insertion(
        make_problem(make_delivery(1, 5), vehicles=(make_vehicle(1, cost_per_km=90), make_vehicle(2, cost_per_km=80)))
    )
    assert [route.vehicle for route in plan.routes] == [2]


def test_a_slow_vehicle_does_not_reach_a_narrow_window() -> None:
    early = make_delivery(1, 5, (8, 8 + 5 / 60))
    plan = solve_by_insertion(
        make_problem(early, vehicles=(make_vehicle(1, speed_percent=50, cost_per_km=0), make_vehicle(2)))
    )
    assert [route.vehicle for route in plan.routes] == [2]


def test_locked_stops_stay_first_in_their_order() -> None:
    locked = (JobTask(1, TaskKind.DELIVERY), JobTask(2, TaskKind.DELIVERY))
    jobs = (make_delivery(1, 9), make_delivery(2, 1), make_delivery(3, 5))
    plan = solve_by_insertion(
        make_problem(*jobs, vehicles=(make_vehicle(locked=locked), make_vehicle(2, fixed_cost=10**6)))
    )
    assert stop_order(plan)[:2] == [(1, "delivery"), (2, "delivery")]


def test_a_late_locked_stop_stays_and_no_stop_is_inserted_before_it() -> None:
    late = make_delivery(1, 9, (8, 8.1))
    vehicles = (make_vehicle(locked=(JobTask(1, TaskKind.DELIVERY),)),)
    problem = make_problem(late, make_delivery(2, 3), vehicles=vehicles)
    plan = solve_by_insertion(problem)
    assert stop_order(plan) == [(1, "delivery"), (2, "delivery")]
    assert plan.routes[0].stops[0].late_s == 3 * MINUTE
    assert check_plan(problem, plan) == []


def test_a_locked_pickup_is_delivered_by_the_same_vehicle() -> None:
    vehicles = (make_vehicle(locked=(JobTask(1, TaskKind.PICKUP),)), make_vehicle(2))
    plan = solve_by_insertion(make_problem(make_pair(1, 4, 8), make_delivery(2, 6), vehicles=vehicles))
    assert {(1, "pickup"), (1, "delivery")} <= set(stop_order(plan, 1))


def test_no_stop_is_inserted_that_delays_the_delivery_of_a_locked_pickup() -> None:
    pair = make_pair(1, 1, 8)
    hurried = replace(pair, delivery=make_visit(8, (8, 8.2)))
    slow = replace(make_delivery(2, 4), delivery=make_visit(4, service_s=HOUR))
    vehicles = (make_vehicle(locked=(JobTask(1, TaskKind.PICKUP),)),)
    plan = solve_by_insertion(make_problem(hurried, slow, vehicles=vehicles, objective=RoutingObjective(lateness_s=0)))
    assert stop_order(plan) == [(1, "pickup"), (1, "delivery"), (2, "delivery")]
    assert measure_plan(make_problem(hurried, slow, vehicles=vehicles), plan).late_s == 0


def test_goods_aboard_reduce_the_capacity() -> None:
    jobs = [make_delivery(n, n, demand=(4,)) for n in (1, 2)]
    plan = solve_by_insertion(make_problem(*jobs, vehicles=(make_vehicle(aboard=(3,)),)))
    assert [each.reason for each in plan.unassigned] == ["no_room"]


def test_if_not_all_jobs_fit_lower_priority_is_left_out() -> None:
    jobs = [make_delivery(n, n, priority=n) for n in (1, 2, 3)]
    plan = solve_by_insertion(make_problem(*jobs, vehicles=(make_vehicle(max_stops=2),)))
    assert [each.job for each in plan.unassigned] == [1]


def test_an_optional_job_is_served_if_its_prize_covers_the_detour() -> None:
    dear, cheap = make_delivery(1, 5, prize=1001), make_delivery(2, 5, prize=999)
    assert unassigned_reason(solve_by_insertion(make_problem(dear))) is None
    assert unassigned_reason(solve_by_insertion(make_problem(cheap)), 2) == "not_worth"


def test_balance_distributes_the_work() -> None:
    places = enumerate((8, 9, 10, 11), start=1)
    jobs = [replace(make_delivery(n, place), delivery=make_visit(place, service_s=1800)) for n, place in places]
    vehicles = (make_vehicle(1, fixed_cost=0), make_vehicle(2, start=11, end=11))
    shared_out = make_problem(*jobs, vehicles=vehicles, objective=RoutingObjective(balance_s=100))
    plan = solve_by_insertion(shared_out, iterations=200)
    assert measure_plan(shared_out, plan).balance_s <= 10 * MINUTE


def test_the_score_weights_the_spread_of_route_durations() -> None:
    jobs = (make_delivery(1, 5, vehicles=frozenset({1})), make_delivery(2, 2, vehicles=frozenset({2})))
    problem = make_problem(*jobs, vehicles=(make_vehicle(1), make_vehicle(2)), objective=RoutingObjective(balance_s=2))
    plan = solve_by_insertion(problem)
    assert measure_plan(problem, plan).balance_s == 6 * MINUTE
    assert (
        score_plan(problem, plan).price - score_plan(replace(problem, objective=RoutingObjective()), plan).price
        == 2 * 6 * MINUTE
    )


def test_end_places_decide_the_assignment_of_stops() -> None:
    vehicles = (make_vehicle(1, end=11), make_vehicle(2, end=0, start=0))
    plan = solve_by_insertion(make_problem(make_delivery(1, 10), vehicles=vehicles))
    assert [route.vehicle for route in plan.routes] == [1]


def test_both_windows_of_a_shop_are_used() -> None:
    shop = RoutingJob(id=1, demand=(1,), delivery=make_visit(5, (8, 9), (15, 16)))
    noon = make_vehicle(shift=TimeWindow(12 * HOUR, 18 * HOUR))
    assert solve_by_insertion(make_problem(shop, vehicles=(noon,))).routes[0].stops[0].start_s == 15 * HOUR


def test_a_given_plan_is_improved_and_completed() -> None:
    problem = make_problem(*(make_delivery(n, n) for n in range(1, 6)))
    empty = RoutingPlan(routes=())
    assert len(complete_plan(problem, empty).routes[0].stops) == 5
    plan = InsertionEngine().solve(problem, budget=SearchBudget(iterations=0), start=solve_by_insertion(problem))
    assert plan == solve_by_insertion(problem)


def test_the_watcher_sees_plans_and_can_stop_the_search() -> None:
    seen: list[RoutingPlan] = []

    def enough(plan: RoutingPlan) -> bool:
        seen.append(plan)
        return False

    problem = make_problem(*(make_delivery(n, n) for n in range(1, 6)))
    plan = InsertionEngine().solve(problem, budget=SearchBudget(iterations=10**9), progress=enough)
    assert seen == [plan]


def test_problems_without_jobs_or_vehicles_are_solved() -> None:
    assert solve_by_insertion(make_problem()) == RoutingPlan(routes=())
    assert unassigned_reason(solve_by_insertion(make_problem(make_delivery(1, 1), vehicles=()))) == "pool"
