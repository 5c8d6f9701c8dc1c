"""Repair of outdated plans: valid routes are kept, others rebuilt and improved."""

from msgspec.structs import replace
from tests.solvers.routing.problem_makers import make_delivery, make_problem, make_vehicle, solve_by_insertion

from haulier.solvers.routing.build import build_routes
from haulier.solvers.routing.engine import SearchBudget
from haulier.solvers.routing.engines.repair import repair_plan
from haulier.solvers.routing.plan import RoutingPlan
from haulier.solvers.routing.plan_check import check_plan
from haulier.solvers.routing.problem import TimeWindow

NOTHING = SearchBudget(iterations=0)


def order(plan: RoutingPlan) -> dict[int, list[int]]:
    return {route.vehicle: [stop.job for stop in route.stops] for route in plan.routes}


def test_valid_routes_are_kept_even_if_expensive() -> None:
    problem = make_problem(*(make_delivery(n, n) for n in range(1, 6)))
    plan = solve_by_insertion(problem)
    backwards = RoutingPlan(routes=tuple(replace(r, stops=tuple(reversed(r.stops))) for r in plan.routes))
    assert order(repair_plan(problem, backwards)) == {v: jobs[::-1] for v, jobs in order(plan).items()}


def test_invalid_routes_are_rebuilt_and_pass_the_check() -> None:
    problem = make_problem(*(make_delivery(n, n) for n in range(1, 6)))
    plan = solve_by_insertion(problem)
    shorter = replace(problem, vehicles=tuple(replace(v, shift=TimeWindow(0, 1)) for v in problem.vehicles))
    fixed = repair_plan(shorter, plan)
    assert check_plan(shorter, fixed) == []
    assert len(fixed.unassigned) == 5


def test_the_search_is_no_worse_than_the_plan_it_starts_from() -> None:
    problem = make_problem(
        *(make_delivery(n, (n * 5) % 9 + 1) for n in range(1, 9)), vehicles=(make_vehicle(1), make_vehicle(2))
    )
    good = build_routes(problem, budget=SearchBudget(iterations=300), seed=1)
    again = build_routes(problem, budget=NOTHING, seed=2, start=good.plan)
    assert again.score <= good.score
