"""A plan as it is kept and shown: routes with their stops, times and distances, and what is on none of them."""

from itertools import pairwise

from msgspec import Struct

from haulier.contexts.dispatch.planning.rules.question import Crew, Demand, Question
from haulier.solvers.routing.plan import Plan, Reason, Route, Stop, Unassigned
from haulier.solvers.routing.problem import Kind, Problem
from haulier.solvers.routing.score import cost, measures, score


class DrawnStop(Struct, frozen=True, kw_only=True):
    """A visit. `way_m` is driven to it from the stop before; times are seconds since the epoch."""

    order_id: int
    kind: str
    lat: float
    lng: float
    arrival_s: int
    start_s: int
    departure_s: int
    late_s: int
    way_m: int


class DrawnRoute(Struct, frozen=True, kw_only=True):
    """A driver's route. `route_id` is the one it changes; None for a new one. `home_m` is driven after the last stop."""

    driver_id: int
    contractor_id: int | None
    vehicle_id: int | None
    depot_id: int
    route_id: int | None
    start_s: int
    end_s: int
    distance_m: int
    home_m: int
    cost: int
    pauses: tuple[tuple[int, int], ...]
    stops: tuple[DrawnStop, ...]


class Left(Struct, frozen=True, kw_only=True):
    """An order on no route, and the proved reason."""

    order_id: int
    reason: Reason
    facts: dict[str, int | str] = {}


class Sums(Struct, frozen=True, kw_only=True):
    """A plan in numbers. `missed` counts orders left out, each with its priority; `price` is the weighed sum."""

    missed: int
    price: float
    vehicles: int
    stops: int
    unassigned: int
    cost: int
    distance_m: int
    duration_s: int
    late_s: int
    balance_s: int


class Drawn(Struct, frozen=True, kw_only=True):
    """A plan."""

    sums: Sums
    routes: tuple[DrawnRoute, ...] = ()
    left: tuple[Left, ...] = ()


def drawn(question: Question, problem: Problem, plan: Plan, lost: tuple[Unassigned, ...]) -> Drawn:
    """The solver's plan in our words; `lost` are orders that it was not asked about."""
    crews = {crew.driver_id: crew for crew in question.crews}
    vehicles = {vehicle.id: vehicle for vehicle in problem.vehicles}
    demands = {each.order_id: each for each in question.demands}
    routes = [
        _route(problem, crews[route.vehicle], route, demands, cost(vehicles[route.vehicle], route))
        for route in plan.routes
    ]
    return Drawn(
        sums=_sums(problem, plan, len(lost)), routes=tuple(routes), left=left_out(question, (*plan.unassigned, *lost))
    )


def without_routes(question: Question, unassigned: tuple[Unassigned, ...]) -> Drawn:
    """A plan in which everything stays where it is."""
    nothing = dict.fromkeys(Sums.__struct_fields__, 0)
    count = {"missed": len(unassigned), "unassigned": len(unassigned)}
    return Drawn(sums=Sums(**{**nothing, **count}), left=left_out(question, unassigned))


def left_out(question: Question, unassigned: tuple[Unassigned, ...]) -> tuple[Left, ...]:
    """Orders on no route, by number. Why nobody may take one was found when the question was put together."""
    nobody: dict[int, dict[str, int | str]] = {
        each.order_id: {"why": each.nobody} for each in question.demands if each.nobody
    }
    found = sorted(unassigned, key=lambda each: each.job)
    return tuple(
        Left(
            order_id=each.job,
            reason=each.reason,
            facts=nobody.get(each.job, {}) if each.reason is Reason.POOL else each.facts,
        )
        for each in found
    )


def undrawn(question: Question, plan: Drawn, places: dict[tuple[float, float], int]) -> Plan:
    """The order of stops of a plan that was kept, to begin another search with. Its times say nothing."""
    asked = {each.order_id for each in question.demands}
    routes = [
        Route(
            vehicle=route.driver_id,
            start_s=0,
            end_s=0,
            distance_m=0,
            stops=tuple(_again(stop, places) for stop in route.stops if stop.order_id in asked),
        )
        for route in plan.routes
    ]
    return Plan(routes=tuple(routes))


def compact(plan: Drawn) -> list[dict[str, object]]:
    """Who visits whom, in which order: small enough to be told with every improvement."""
    return [
        {"driver_id": route.driver_id, "order_ids": [stop.order_id for stop in route.stops]} for route in plan.routes
    ]


def _again(stop: DrawnStop, places: dict[tuple[float, float], int]) -> Stop:
    return Stop(
        job=stop.order_id,
        kind=Kind(stop.kind),
        place=places[stop.lat, stop.lng],
        arrival_s=0,
        wait_s=0,
        start_s=0,
        departure_s=0,
        late_s=0,
        load=(),
    )


def _route(problem: Problem, crew: Crew, route: Route, demands: dict[int, Demand], price: int) -> DrawnRoute:
    vehicle = next(each for each in problem.vehicles if each.id == route.vehicle)
    ends = [] if vehicle.end is None else [vehicle.end]
    places = [vehicle.start, *(stop.place for stop in route.stops), *ends]
    ways = [int(problem.travel.distance_m[a, b]) for a, b in pairwise(places)]
    return DrawnRoute(
        driver_id=crew.driver_id,
        contractor_id=crew.contractor_id,
        vehicle_id=crew.vehicle_id,
        depot_id=crew.depot_id,
        route_id=crew.route.route_id if crew.route else None,
        start_s=route.start_s,
        end_s=route.end_s,
        distance_m=route.distance_m,
        home_m=ways[-1] if ends else 0,
        cost=price,
        pauses=tuple((pause.start_s, pause.end_s) for pause in route.pauses),
        stops=tuple(_stop(stop, demands[stop.job], way) for stop, way in zip(route.stops, ways, strict=False)),
    )


def _stop(stop: Stop, demand: Demand, way_m: int) -> DrawnStop:
    spot = demand.pickup if demand.type == "P2P" and stop.kind is Kind.PICKUP else demand.stop
    assert spot is not None
    return DrawnStop(
        order_id=stop.job,
        kind=stop.kind.value,
        lat=spot[0],
        lng=spot[1],
        arrival_s=stop.arrival_s,
        start_s=stop.start_s,
        departure_s=stop.departure_s,
        late_s=stop.late_s,
        way_m=way_m,
    )


def _sums(problem: Problem, plan: Plan, lost: int) -> Sums:
    found, counted = measures(problem, plan), score(problem, plan)
    return Sums(
        missed=counted.missed + lost,
        price=counted.price,
        vehicles=found.vehicles,
        stops=found.stops,
        unassigned=found.unassigned + lost,
        cost=found.cost,
        distance_m=found.distance_m,
        duration_s=found.duration_s,
        late_s=found.late_s,
        balance_s=found.balance_s,
    )
