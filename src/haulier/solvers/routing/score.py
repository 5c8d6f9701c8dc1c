"""Score and metrics of a plan."""

from collections.abc import Iterable, Sequence

from msgspec import Struct

from haulier.solvers.routing.plan import RoutingPlan, TimedRoute
from haulier.solvers.routing.problem import RoutingObjective, RoutingProblem, RoutingVehicle


class SolutionScore(Struct, frozen=True, order=True):
    """Score of a plan; less is better.

    First come unassigned jobs, each counted 1 + its priority, then the weighted sum of the objective, with the prizes
    lost.
    """

    missed: int
    price: float


class SolutionMeasures(Struct, frozen=True, kw_only=True):
    """Metrics of a plan for display.

    `balance_s` is the difference between the longest and the shortest route.
    """

    vehicles: int
    stops: int
    unassigned: int
    cost: int
    distance_m: int
    duration_s: int
    late_s: int
    balance_s: int


def price_per_m(vehicle: RoutingVehicle, objective: RoutingObjective) -> float:
    """Return the price of a metre in units of the objective."""
    return objective.cost * vehicle.cost_per_km / 1000 + objective.distance_m


def price_per_s(vehicle: RoutingVehicle, objective: RoutingObjective) -> float:
    """Return the price of a second on the route in units of the objective."""
    return objective.cost * vehicle.cost_per_hour / 3600 + objective.duration_s


def price_of_use(vehicle: RoutingVehicle, objective: RoutingObjective) -> float:
    """Return the price of using a vehicle in units of the objective."""
    return objective.cost * vehicle.fixed_cost + objective.vehicles


def duration_spread_s(durations_s: Sequence[int]) -> int:
    """Return the seconds between the longest and the shortest route."""
    return max(durations_s) - min(durations_s) if durations_s else 0


def route_late_s(route: TimedRoute) -> int:
    """Return the total lateness of the stops of a route."""
    return sum(stop.late_s for stop in route.stops)


def score_plan(problem: RoutingProblem, plan: RoutingPlan) -> SolutionScore:
    jobs = {job.id: job for job in problem.jobs}
    unassigned = [jobs[entry.job] for entry in plan.unassigned]
    vehicles = {vehicle.id: vehicle for vehicle in problem.vehicles}
    objective = problem.objective
    price = sum(_route_price(route, vehicles[route.vehicle], objective) for route in plan.routes)
    price += objective.balance_s * duration_spread_s([route.duration_s for route in plan.routes])
    price += sum(job.prize for job in unassigned if job.prize is not None)
    return SolutionScore(sum(1 + job.priority for job in unassigned if job.prize is None), round(price, 6))


def _route_price(route: TimedRoute, vehicle: RoutingVehicle, objective: RoutingObjective) -> float:
    return (
        price_of_use(vehicle, objective)
        + price_per_m(vehicle, objective) * route.distance_m
        + price_per_s(vehicle, objective) * route.duration_s
        + objective.lateness_s * route_late_s(route)
    )


def route_cost(vehicle: RoutingVehicle, route: TimedRoute) -> int:
    """Return the cost of a route in minor units of money, rounded half up."""
    metres, seconds = vehicle.cost_per_km * route.distance_m, vehicle.cost_per_hour * route.duration_s
    return vehicle.fixed_cost + (18 * metres + 5 * seconds + 9_000) // 18_000


def measure_plan(problem: RoutingProblem, plan: RoutingPlan) -> SolutionMeasures:
    """Return the metrics of a plan."""
    vehicles = {vehicle.id: vehicle for vehicle in problem.vehicles}
    routes = plan.routes
    return SolutionMeasures(
        vehicles=len(routes),
        stops=_total_of(len(route.stops) for route in routes),
        unassigned=len(plan.unassigned),
        cost=_total_of(route_cost(vehicles[route.vehicle], route) for route in routes),
        distance_m=_total_of(route.distance_m for route in routes),
        duration_s=_total_of(route.duration_s for route in routes),
        late_s=_total_of(route_late_s(route) for route in routes),
        balance_s=duration_spread_s([route.duration_s for route in routes]),
    )


def _total_of(numbers: Iterable[int]) -> int:
    return sum(numbers)
