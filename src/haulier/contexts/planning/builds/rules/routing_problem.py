"""A planning input as a problem of the solver.

Job ids are order ids, vehicle ids are driver ids, and each place has one number.
"""

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from msgspec.structs import replace

from haulier.contexts.planning.builds.rules.planning_input import (
    LOAD_DIMENSIONS,
    UNLIMITED_CAPACITY,
    ExistingStop,
    ObjectiveWeights,
    PlaceCoordinates,
    PlanningInput,
    SecondsRange,
    TransportRequest,
    VehicleShift,
)
from haulier.late_import import LateModule
from haulier.solvers.route_loading.loads import RouteLoads
from haulier.solvers.routing.compiled import CompiledProblem
from haulier.solvers.routing.plan import RoutingPlan, TimedRoute, TimedStop, UnassignedJob
from haulier.solvers.routing.problem import (
    JobTask,
    RoutingBreak,
    RoutingDepot,
    RoutingJob,
    RoutingObjective,
    RoutingProblem,
    RoutingVehicle,
    TaskKind,
    TimeWindow,
    VisitRequest,
)
from haulier.solvers.routing.travel import TravelMatrices, TravelMode
from haulier.solvers.routing.unassigned_reasons import ReasonFinder

if TYPE_CHECKING:
    import numpy as np
else:
    np = LateModule("numpy")

OVERRUN_S = 86_400
"""How late stops of a route under way may be, and how much longer its driver's shift: they are planned in any case."""
Windows = tuple[TimeWindow, ...]
TravelByMode = Mapping[TravelMode, TravelMatrices]
"""Travel times between the places of an input, by travel mode."""


def list_places(planning_input: PlanningInput) -> list[PlaceCoordinates]:
    """Every place of the input, once."""
    ends = [
        spot
        for vehicle_shift in planning_input.vehicle_shifts
        for spot in (vehicle_shift.depot, vehicle_shift.start, vehicle_shift.end)
    ]
    visits = [spot for demand in planning_input.requests for spot in (demand.pickup, demand.stop)]
    return list(dict.fromkeys(spot for spot in (*ends, *visits) if spot is not None))


def has_place(demand: TransportRequest) -> bool:
    """Return True if the places of a request are known."""
    needs_pickup = demand.type == "P2P" and not demand.collected
    return demand.stop is not None and (demand.pickup is not None or not needs_pickup)


def list_travel_modes(planning_input: PlanningInput) -> list[TravelMode]:
    """Return the travel modes of the vehicles, at least one."""
    return list(dict.fromkeys(shift.travel_mode for shift in planning_input.vehicle_shifts)) or [TravelMode.VAN]


def to_problem(planning_input: PlanningInput, travel: TravelByMode) -> RoutingProblem:
    """Return the routing problem over travel times between `list_places`.

    The first travel mode counts where places are compared without a vehicle. Orders without a place are left out.
    """
    place_number = {spot: number for number, spot in enumerate(list_places(planning_input))}
    mine = {
        stop.order_id
        for vehicle_shift in planning_input.vehicle_shifts
        if _under_way(vehicle_shift)
        for stop in _existing_stops(vehicle_shift)
    }
    profiles = {mode: number for number, mode in enumerate(travel)}
    first, *others = travel.values()
    return RoutingProblem(
        travel=first,
        other_travel=tuple(others),
        vehicles=tuple(
            _vehicle(shift, place_number, profiles[shift.travel_mode]) for shift in planning_input.vehicle_shifts
        ),
        jobs=tuple(
            _job(request, place_number, planning_input, request.order_id in mine)
            for request in planning_input.requests
            if has_place(request)
        ),
        depots=_depots(planning_input.vehicle_shifts, place_number),
        dimensions=LOAD_DIMENSIONS,
        objective=to_objective(planning_input.weights),
    )


def route_loads(planning_input: PlanningInput) -> RouteLoads | None:
    """Return the cargo spaces of vehicles and the boxes of orders.

    None if no cargo space is known.
    """
    bodies = {shift.driver_id: shift.body for shift in planning_input.vehicle_shifts if shift.body}
    if not bodies:
        return None
    return RouteLoads(bodies=bodies, parcels={each.order_id: each.parcels for each in planning_input.requests})


def to_objective(weights: ObjectiveWeights) -> RoutingObjective:
    """The weights in the solver's units: metres and seconds."""
    return RoutingObjective(
        cost=weights.cost,
        distance_m=weights.distance / 1000,
        duration_s=weights.duration / 3600,
        vehicles=weights.vehicles,
        balance_s=weights.balance / 3600,
        lateness_s=weights.lateness / 60,
    )


def existing_routes_plan(planning_input: PlanningInput) -> RoutingPlan | None:
    """Return the existing routes as the start of a search, or None.

    Only their sequence counts, not their times.
    """
    place_number = {spot: number for number, spot in enumerate(list_places(planning_input))}
    requests = {request.order_id: request for request in planning_input.requests if has_place(request)}
    routes: list[TimedRoute] = []
    for vehicle_shift in planning_input.vehicle_shifts:
        stops = [
            _warm_start_stop(requests[s.order_id], TaskKind(s.kind), place_number)
            for s in _existing_stops(vehicle_shift)
            if s.order_id in requests
        ]
        if stops:
            routes.append(
                TimedRoute(vehicle=vehicle_shift.driver_id, start_s=0, end_s=0, distance_m=0, stops=tuple(stops))
            )
    return RoutingPlan(routes=tuple(routes)) if routes else None


def prove_impossible(planning_input: PlanningInput) -> tuple[UnassignedJob, ...] | None:
    """Return the reasons if no order can be on any route, else None.

    They hold even with zero travel times, so that no search is needed. The first possible order ends the check.
    """
    nowhere = replace(
        planning_input, requests=tuple(request for request in planning_input.requests if has_place(request))
    )
    no_travel = TravelMatrices(np.zeros((1, 1), dtype=np.int32), np.zeros((1, 1), dtype=np.int32))
    if any(_existing_stops(vehicle_shift) for vehicle_shift in planning_input.vehicle_shifts):
        return None
    spots = dict.fromkeys(list_places(nowhere), 0)
    small = RoutingProblem(
        travel=no_travel,
        vehicles=tuple(_vehicle(vehicle_shift, spots) for vehicle_shift in planning_input.vehicle_shifts),
        jobs=tuple(_job(request, spots, planning_input, False) for request in nowhere.requests),
        dimensions=LOAD_DIMENSIONS,
    )
    reasons = ReasonFinder(CompiledProblem(small))
    if any(reasons.alone(number) is None for number in range(len(small.jobs))):
        return None
    return reasons.explain(range(len(small.jobs)), lambda job: False)


def list_requests_without_place(planning_input: PlanningInput) -> list[TransportRequest]:
    """The orders without a place, which no search can plan."""
    return [request for request in planning_input.requests if not has_place(request)]


def _under_way(vehicle_shift: VehicleShift) -> bool:
    return vehicle_shift.route is not None and vehicle_shift.route.under_way


def _existing_stops(vehicle_shift: VehicleShift) -> tuple[ExistingStop, ...]:
    return vehicle_shift.route.stops if vehicle_shift.route else ()


def _planning_span(planning_input: PlanningInput) -> SecondsRange:
    """Return a span around all times of the input.

    It replaces open ends of time windows.
    """
    shifts = [vehicle_shift.shift for vehicle_shift in planning_input.vehicle_shifts] or [(0, 0)]
    return min(shift[0] for shift in shifts) - OVERRUN_S, max(shift[1] for shift in shifts) + 2 * OVERRUN_S


def _vehicle(
    vehicle_shift: VehicleShift, place_number: dict[PlaceCoordinates, int], profile: int = 0
) -> RoutingVehicle:
    free = _under_way(vehicle_shift)
    stops = _existing_stops(vehicle_shift)
    fixed_count = max((number for number, stop in enumerate(stops, 1) if stop.kept), default=0)
    return RoutingVehicle(
        id=vehicle_shift.driver_id,
        start=place_number[vehicle_shift.start],
        end=None if vehicle_shift.end is None else place_number[vehicle_shift.end],
        shift=TimeWindow(vehicle_shift.shift[0], vehicle_shift.shift[1] + (OVERRUN_S if free else 0)),
        capacity=tuple(UNLIMITED_CAPACITY if most is None else most for most in vehicle_shift.capacity),
        aboard=vehicle_shift.aboard,
        skills=frozenset(vehicle_shift.skills),
        breaks=tuple(RoutingBreak(window=TimeWindow(a, b), duration_s=length) for a, b, length in vehicle_shift.breaks),
        profile=profile,
        speed_percent=vehicle_shift.speed_percent,
        fixed_cost=vehicle_shift.cost_fixed,
        cost_per_km=vehicle_shift.cost_per_km,
        cost_per_hour=vehicle_shift.cost_per_hour,
        max_stops=None if free else vehicle_shift.max_stops,
        max_time_s=None if free else vehicle_shift.max_time_s,
        max_distance_m=None if free else vehicle_shift.max_distance_m,
        locked=tuple(JobTask(stop.order_id, TaskKind(stop.kind)) for stop in stops[:fixed_count]),
    )


def _job(
    demand: TransportRequest, place_number: dict[PlaceCoordinates, int], planning_input: PlanningInput, under_way: bool
) -> RoutingJob:
    grace = OVERRUN_S if under_way else planning_input.grace_s
    windows = _windows(demand.window, _planning_span(planning_input))
    stop = _visit(demand.stop, place_number, demand.service_s, windows, grace)
    pickup = None
    if demand.type == "P":
        pickup, stop = stop, None
    elif demand.type == "P2P" and not demand.collected:
        pickup = _visit(demand.pickup, place_number, demand.service_s, (), 0)
    return RoutingJob(
        id=demand.order_id,
        pickup=pickup,
        delivery=stop,
        demand=demand.load,
        skills=frozenset(demand.skills),
        vehicles=None if demand.drivers is None else frozenset(demand.drivers),
        priority=demand.priority,
        prize=demand.prize,
    )


def _visit(
    spot: PlaceCoordinates | None,
    place_number: dict[PlaceCoordinates, int],
    service_s: int,
    windows: Windows,
    grace_s: int,
) -> VisitRequest | None:
    if spot is None:
        return None
    return VisitRequest(
        place=place_number[spot], service_s=service_s, windows=windows, grace_s=grace_s if windows else 0
    )


def _windows(window: tuple[int | None, int | None], span: SecondsRange) -> Windows:
    opens, closes = window
    if window == (None, None):
        return ()
    return (TimeWindow(span[0] if opens is None else opens, span[1] if closes is None else closes),)


def _depots(
    vehicle_shifts: Iterable[VehicleShift], place_number: dict[PlaceCoordinates, int]
) -> tuple[RoutingDepot, ...]:
    """Return the depots where vehicles load.

    A vehicle under way has loaded, so its start is no depot, unless others load there.
    """
    loading = {
        place_number[vehicle_shift.depot]: vehicle_shift.loading_s
        for vehicle_shift in vehicle_shifts
        if not _under_way(vehicle_shift) and vehicle_shift.start == vehicle_shift.depot
    }
    return tuple(RoutingDepot(place=place, loading_s=seconds) for place, seconds in loading.items())


def _warm_start_stop(demand: TransportRequest, kind: TaskKind, place_number: dict[PlaceCoordinates, int]) -> TimedStop:
    spot = demand.pickup if demand.type == "P2P" and kind is TaskKind.PICKUP else demand.stop
    assert spot is not None
    return TimedStop(
        job=demand.order_id,
        kind=kind,
        place=place_number[spot],
        arrival_s=0,
        wait_s=0,
        start_s=0,
        departure_s=0,
        late_s=0,
        load=(),
    )
