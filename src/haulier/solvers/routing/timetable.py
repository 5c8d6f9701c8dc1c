"""Plans with times, loads and reasons from sequences of stops."""

from collections.abc import Mapping, Sequence
from itertools import pairwise

from haulier.solvers.routing.compiled import CompiledProblem, CompiledVehicle
from haulier.solvers.routing.plan import RoutingPlan, TimedBreak, TimedRoute, TimedStop
from haulier.solvers.routing.problem import JobTask, Load
from haulier.solvers.routing.timing import RouteSchedule, route_timing


def route_loads(compiled: CompiledProblem, crew: CompiledVehicle, nodes: Sequence[int]) -> list[Load]:
    """Return the load when leaving the start and after each stop.

    Deliveries without a pickup on the route are on board from the start.
    """
    picked = {node >> 1 for node in nodes if not node & 1}
    load = list(crew.aboard)
    for node in nodes:
        if node & 1 and node >> 1 not in picked:
            load = [have + more for have, more in zip(load, compiled.demand[node >> 1], strict=True)]
    after = [tuple(load)]
    for node in nodes:
        sign = -1 if node & 1 else 1
        load = [have + sign * more for have, more in zip(load, compiled.demand[node >> 1], strict=True)]
        after.append(tuple(load))
    return after


def route_distance_m(compiled: CompiledProblem, crew: CompiledVehicle, nodes: Sequence[int]) -> int:
    """Return the length of a route in metres."""
    ends = [] if crew.vehicle.end is None else [crew.vehicle.end]
    places = [crew.vehicle.start, *(compiled.place[node] for node in nodes), *ends]
    return sum(crew.distance[a][b] for a, b in pairwise(places))


def timed_route(compiled: CompiledProblem, crew: CompiledVehicle, nodes: Sequence[int]) -> TimedRoute | None:
    """Return the timed route of a sequence of nodes; None if infeasible."""
    times = route_timing(compiled, crew, nodes)
    if times is None:
        return None
    return TimedRoute(
        vehicle=crew.vehicle.id,
        start_s=times.start_s,
        end_s=times.end_s,
        distance_m=route_distance_m(compiled, crew, nodes),
        stops=_timed_stops(compiled, nodes, times, route_loads(compiled, crew, nodes)[1:]),
        pauses=tuple(_timed_breaks(times)),
    )


def _timed_stops(
    compiled: CompiledProblem, nodes: Sequence[int], times: RouteSchedule, after: Sequence[Load]
) -> tuple[TimedStop, ...]:
    return tuple(
        TimedStop(
            job=compiled.task(node).job,
            kind=compiled.task(node).kind,
            place=compiled.place[node],
            arrival_s=leg.arrival_s,
            wait_s=start - leg.arrival_s,
            start_s=start,
            departure_s=start + compiled.service[node],
            late_s=compiled.late_s(node, start),
            load=load,
        )
        for node, leg, start, load in zip(nodes, times.legs, times.starts_s, after, strict=False)
    )


def _timed_breaks(times: RouteSchedule) -> list[TimedBreak]:
    return [
        TimedBreak(number=number, after=after, start_s=start, end_s=end)
        for after, (leg, numbers) in enumerate(zip(times.legs, times.taken, strict=True))
        for number, (start, end) in zip(numbers, leg.pauses, strict=True)
    ]


def node_sequences(compiled: CompiledProblem, plan: RoutingPlan) -> list[list[int]]:
    """Return the node sequence of each vehicle of the problem in a plan."""
    stops = {
        route.vehicle: [compiled.node(JobTask(stop.job, stop.kind)) for stop in route.stops] for route in plan.routes
    }
    return [stops.get(crew.vehicle.id, []) for crew in compiled.crews]


def timed_routes(
    compiled: CompiledProblem, sequences: Mapping[int, Sequence[int]] | Sequence[Sequence[int]]
) -> tuple[TimedRoute, ...]:
    """Return the timed routes of sequences; raises `ValueError` if one is infeasible."""
    numbered = sequences.items() if isinstance(sequences, Mapping) else enumerate(sequences)
    routes: list[TimedRoute] = []
    for vehicle, nodes in numbered:
        if not nodes:
            continue
        route = timed_route(compiled, compiled.crews[vehicle], nodes)
        if route is None:
            raise ValueError(f"vehicle {compiled.crews[vehicle].vehicle.id} cannot visit its stops in time")
        routes.append(route)
    return tuple(routes)
