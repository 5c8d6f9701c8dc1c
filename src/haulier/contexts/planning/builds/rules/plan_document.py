"""Rules of builds: plan document."""

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import ClassVar

from msgspec import Struct
from msgspec.structs import asdict

from haulier.contexts.planning.builds.rules.planning_input import PlanningInput, TransportRequest, VehicleShift
from haulier.solvers.routing.plan import RoutingPlan, TimedRoute, TimedStop, UnassignedJob
from haulier.solvers.routing.problem import RoutingProblem, TaskKind
from haulier.solvers.routing.reason_facts import (
    OutsideShiftFacts,
    PoolFacts,
    ReasonFacts,
    UnassignedReason,
    UnreachableFacts,
    WindowFacts,
)
from haulier.solvers.routing.score import measure_plan, route_cost, score_plan
from haulier.solvers.routing.travel_estimate import estimate_travel

FactValues = dict[str, int | str]
TIME_FACTS = frozenset({"window_start", "window_end", "shift_start", "shift_end", "earliest_end", "earliest_arrival"})
"""Facts that are moments: seconds since the epoch in a stored plan, local times in an answer."""
TIME_REASONS = frozenset({UnassignedReason.SHIFT, UnassignedReason.WINDOW, UnassignedReason.TOO_FAR})
"""Reasons for which the calendar may know better facts than the search."""


class NoPlaceFacts(Struct, frozen=True):
    """The address has no coordinates."""

    reason: ClassVar[UnassignedReason] = UnassignedReason.UNREACHABLE


class WindowDayFacts(Struct, frozen=True):
    """The window leaves the order out of the day: `window_over` or `other_day`."""

    reason: UnassignedReason


PlannerFacts = ReasonFacts | NoPlaceFacts | WindowDayFacts


def choose_facts(request: TransportRequest, facts: PlannerFacts) -> PlannerFacts:
    """Return the facts of the calendar if they are better, else those of the search."""
    if facts.reason in TIME_REASONS and request.window_reason:
        return WindowDayFacts(reason=UnassignedReason(request.window_reason))
    return facts


def build_fact_values(request: TransportRequest, facts: PlannerFacts, shifts: Sequence[VehicleShift]) -> FactValues:
    """Return the facts by their API names.

    Windows are those of the order, because the solver closes open ends.
    """
    if isinstance(facts, NoPlaceFacts):
        return {"place": "unknown"}
    if isinstance(facts, WindowDayFacts):
        return _window_values(request)
    values = _search_values(facts)
    if isinstance(facts, OutsideShiftFacts | WindowFacts):
        window = _window_values(request)
        return {**{name: fact for name, fact in values.items() if not name.startswith("window_")}, **window}
    if isinstance(facts, PoolFacts) and request.no_driver_reason:
        return {"why": request.no_driver_reason, **values}
    if isinstance(facts, UnreachableFacts):
        return {**values, **_estimated_drive(request, facts.vehicle, shifts)}
    return values


def _search_values(facts: ReasonFacts) -> FactValues:
    """The facts of the solver, whose vehicles are drivers."""
    values: FactValues = {}
    for name, fact in asdict(facts).items():
        moment = name.removesuffix("_s")
        values[moment if moment in TIME_FACTS else name] = fact
    if "vehicle" in values:
        values["driver_id"] = values["vehicle"]
        if facts.reason is not UnassignedReason.LIMITS:
            del values["vehicle"]
    return values


def _window_values(request: TransportRequest) -> FactValues:
    ends = zip(("window_start", "window_end"), request.window, strict=True)
    return {name: end for name, end in ends if end is not None}


def _estimated_drive(request: TransportRequest, driver_id: int, shifts: Sequence[VehicleShift]) -> FactValues:
    """Return the estimated distance and drive time where the road map has no way."""
    shift = next(shift for shift in shifts if shift.driver_id == driver_id)
    places = [place for place in (request.pickup, request.stop) if place is not None]
    travel = estimate_travel([shift.start, *places], mode=shift.travel_mode)
    far = max(range(1, len(places) + 1), key=lambda place: int(travel.duration_s[0, place]))
    return {"distance_m": int(travel.distance_m[0, far]), "drive_s": int(travel.duration_s[0, far])}


class StopDocument(Struct, frozen=True, kw_only=True):
    """A visit.

    `leg_distance_m` is the distance from the previous stop; times are seconds since the epoch.
    """

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
    """An order on no route, with the proved reason and its facts.

    Older stored plans have no facts.
    """

    order_id: int
    reason: UnassignedReason
    facts: dict[str, int | str] = {}


class PlanTotals(Struct, frozen=True, kw_only=True):
    """Totals of a plan.

    `missed` counts orders left out, weighted by priority; `price` is the weighted sum.
    """

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
    """Return the solver's plan as a document.

    `unplaced` are orders without a place, which were not part of the problem.
    """
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
    """Return a stored plan as the start of another search.

    Only its sequence counts, not its times.
    """
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
    """Return the orders of each driver in order of visit.

    Small enough to be stored with every better plan.
    """
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
    metres = problem.travel_of(vehicle.profile).distance_m
    legs_m = [int(metres[a, b]) for a, b in pairwise(places)]
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


SUSPICIOUS_DISTANCE_M = 1_000_000
"""Orders at least as far away have wrong coordinates more often than they are that far away."""


def choose_reason_message(reason: UnassignedReason, facts: FactValues) -> str:
    """Return the message id of a reason.

    Older stored plans without facts get the general message.
    """
    choose = _CHOICES.get(reason)
    variant = choose(facts) if choose and facts else ""
    return f"build_reason_{variant or reason.value}"


def _pool(facts: FactValues) -> str:
    return f"pool_{facts['why']}" if "why" in facts else ""


def _unreachable(facts: FactValues) -> str:
    if facts.get("place") == "unknown":
        return "no_place"
    return f"unreachable_{facts['missing_way']}" if not _is_suspicious(facts) else "unreachable_coordinates"


def _too_far(facts: FactValues) -> str:
    return "too_far_coordinates" if _is_suspicious(facts) else "too_far"


def _is_suspicious(facts: FactValues) -> bool:
    return int(facts["distance_m"]) >= SUSPICIOUS_DISTANCE_M


def _shift(facts: FactValues) -> str:
    if "earliest_end" not in facts:
        return "shift_window"
    return "shift_end" if int(facts["earliest_end"]) > int(facts["shift_end"]) else "shift_breaks"


_CHOICES: dict[UnassignedReason, Callable[[FactValues], str]] = {
    UnassignedReason.POOL: _pool,
    UnassignedReason.CAPACITY: lambda facts: f"capacity_{facts['dimension']}",
    UnassignedReason.UNREACHABLE: _unreachable,
    UnassignedReason.TOO_FAR: _too_far,
    UnassignedReason.SHIFT: _shift,
    UnassignedReason.WINDOW: lambda _: "window_missed",
    UnassignedReason.LIMITS: lambda facts: str(facts["limit"]).replace("max_", "limits_") if "limit" in facts else "",
    UnassignedReason.LOADING: lambda facts: "loading_alone" if facts["alone"] else "loading_together",
    UnassignedReason.NO_ROOM: lambda _: "no_room_of",
}
