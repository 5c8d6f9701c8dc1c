"""A plan as it is stored and shown: routes with their stops, times and distances, and what is on none of them."""

from collections.abc import Sequence
from itertools import pairwise

from msgspec import Struct

from haulier.contexts.planning.builds.rules.planning_input import PlanningInput, TransportRequest, VehicleShift
from haulier.contexts.planning.builds.rules.unassigned_facts import (
    NoPlaceFacts,
    PlannerFacts,
    build_fact_values,
    choose_facts,
)
from haulier.solvers.routing.plan import RoutingPlan, TimedRoute, TimedStop, UnassignedJob
from haulier.solvers.routing.problem import RoutingProblem, TaskKind
from haulier.solvers.routing.reason_facts import UnassignedReason
from haulier.solvers.routing.score import measure_plan, route_cost, score_plan


class StopDocument(Struct, frozen=True, kw_only=True):
    """A visit. `leg_distance_m` is the distance from the stop before; times are seconds since the epoch."""

    order_id: int
    kind: str
    lat: float
    lng: float
    arrival_s: int
    start_s: int
    departure_s: int
    late_s: int
    leg_distance_m: int


class RouteDocument(Struct, frozen=True, kw_only=True):
    """A driver's route. `route_id` is the one it changes, None for a new one.

    `return_distance_m` is driven after the last stop.
    """

    driver_id: int
    contractor_id: int | None
    vehicle_id: int | None
    depot_id: int
    route_id: int | None
    start_s: int
    end_s: int
    distance_m: int
    return_distance_m: int
    cost: int
    pauses: tuple[tuple[int, int], ...]
    stops: tuple[StopDocument, ...]


class UnassignedDocument(Struct, frozen=True, kw_only=True):
    """An order on no route, the proved reason and its facts. Plans stored before a reason had facts have none."""

    order_id: int
    reason: UnassignedReason
    facts: dict[str, int | str] = {}


class PlanTotals(Struct, frozen=True, kw_only=True):
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


class PlanDocument(Struct, frozen=True, kw_only=True):
    """A plan."""

    sums: PlanTotals
    routes: tuple[RouteDocument, ...] = ()
    unassigned: tuple[UnassignedDocument, ...] = ()


def build_plan_document(
    planning_input: PlanningInput, problem: RoutingProblem, plan: RoutingPlan, unplaced: Sequence[TransportRequest]
) -> PlanDocument:
    """The solver's plan as a document; `unplaced` are orders without a place, which the solver did not get."""
    vehicle_shifts = {vehicle_shift.driver_id: vehicle_shift for vehicle_shift in planning_input.vehicle_shifts}
    vehicles = {vehicle.id: vehicle for vehicle in problem.vehicles}
    requests = {request.order_id: request for request in planning_input.requests}
    routes = [
        _route_document(
            problem, vehicle_shifts[route.vehicle], route, requests, route_cost(vehicles[route.vehicle], route)
        )
        for route in plan.routes
    ]
    return PlanDocument(
        sums=_plan_totals(problem, plan, len(unplaced)),
        routes=tuple(routes),
        unassigned=_unassigned_documents(planning_input, plan.unassigned, unplaced),
    )


def plan_without_routes(
    planning_input: PlanningInput, unassigned: Sequence[UnassignedJob], unplaced: Sequence[TransportRequest]
) -> PlanDocument:
    """A plan in which everything stays where it is."""
    nothing = dict.fromkeys(PlanTotals.__struct_fields__, 0)
    count = len(unassigned) + len(unplaced)
    return PlanDocument(
        sums=PlanTotals(**{**nothing, "missed": count, "unassigned": count}),
        unassigned=_unassigned_documents(planning_input, unassigned, unplaced),
    )


def _unassigned_documents(
    planning_input: PlanningInput, unassigned: Sequence[UnassignedJob], unplaced: Sequence[TransportRequest]
) -> tuple[UnassignedDocument, ...]:
    """Orders on no route, by number."""
    requests = {request.order_id: request for request in planning_input.requests}
    found: list[tuple[TransportRequest, PlannerFacts]] = [
        *((requests[job.job], choose_facts(requests[job.job], job.facts)) for job in unassigned),
        *((request, NoPlaceFacts()) for request in unplaced),
    ]
    return tuple(
        UnassignedDocument(
            order_id=request.order_id,
            reason=facts.reason,
            facts=build_fact_values(request, facts, planning_input.vehicle_shifts),
        )
        for request, facts in sorted(found, key=lambda each: each[0].order_id)
    )


def to_warm_start(
    planning_input: PlanningInput, plan: PlanDocument, places: dict[tuple[float, float], int]
) -> RoutingPlan:
    """A stored plan as the start of another search: the order of its stops. Its times have no meaning."""
    requested = {request.order_id for request in planning_input.requests}
    routes = [
        TimedRoute(
            vehicle=route.driver_id,
            start_s=0,
            end_s=0,
            distance_m=0,
            stops=tuple(_warm_start_stop(stop, places) for stop in route.stops if stop.order_id in requested),
        )
        for route in plan.routes
    ]
    return RoutingPlan(routes=tuple(routes))


def route_outlines(plan: PlanDocument) -> list[dict[str, object]]:
    """The orders of each driver in the order of visit: small enough to be stored with every better plan."""
    return [
        {"driver_id": route.driver_id, "order_ids": [stop.order_id for stop in route.stops]} for route in plan.routes
    ]


def _warm_start_stop(stop: StopDocument, places: dict[tuple[float, float], int]) -> TimedStop:
    return TimedStop(
        job=stop.order_id,
        kind=TaskKind(stop.kind),
        place=places[stop.lat, stop.lng],
        arrival_s=0,
        wait_s=0,
        start_s=0,
        departure_s=0,
        late_s=0,
        load=(),
    )


def _route_document(
    problem: RoutingProblem,
    vehicle_shift: VehicleShift,
    route: TimedRoute,
    requests: dict[int, TransportRequest],
    price: int,
) -> RouteDocument:
    vehicle = next(candidate for candidate in problem.vehicles if candidate.id == route.vehicle)
    ends = [] if vehicle.end is None else [vehicle.end]
    places = [vehicle.start, *(stop.place for stop in route.stops), *ends]
    legs_m = [int(problem.travel.distance_m[a, b]) for a, b in pairwise(places)]
    return RouteDocument(
        driver_id=vehicle_shift.driver_id,
        contractor_id=vehicle_shift.contractor_id,
        vehicle_id=vehicle_shift.vehicle_id,
        depot_id=vehicle_shift.depot_id,
        route_id=vehicle_shift.route.route_id if vehicle_shift.route else None,
        start_s=route.start_s,
        end_s=route.end_s,
        distance_m=route.distance_m,
        return_distance_m=legs_m[-1] if ends else 0,
        cost=price,
        pauses=tuple((pause.start_s, pause.end_s) for pause in route.pauses),
        stops=tuple(
            _stop_document(stop, requests[stop.job], leg_m) for stop, leg_m in zip(route.stops, legs_m, strict=False)
        ),
    )


def _stop_document(stop: TimedStop, demand: TransportRequest, leg_distance_m: int) -> StopDocument:
    spot = demand.pickup if demand.type == "P2P" and stop.kind is TaskKind.PICKUP else demand.stop
    assert spot is not None
    return StopDocument(
        order_id=stop.job,
        kind=stop.kind.value,
        lat=spot[0],
        lng=spot[1],
        arrival_s=stop.arrival_s,
        start_s=stop.start_s,
        departure_s=stop.departure_s,
        late_s=stop.late_s,
        leg_distance_m=leg_distance_m,
    )


def _plan_totals(problem: RoutingProblem, plan: RoutingPlan, unplaced: int) -> PlanTotals:
    measures, score = measure_plan(problem, plan), score_plan(problem, plan)
    return PlanTotals(
        missed=score.missed + unplaced,
        price=score.price,
        vehicles=measures.vehicles,
        stops=measures.stops,
        unassigned=measures.unassigned + unplaced,
        cost=measures.cost,
        distance_m=measures.distance_m,
        duration_s=measures.duration_s,
        late_s=measures.late_s,
        balance_s=measures.balance_s,
    )
