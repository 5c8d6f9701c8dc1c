"""From orders of stops to a plan with times, loads and reasons."""

from collections.abc import Mapping, Sequence
from itertools import pairwise

from haulier.solvers.routing.ground import Crew, Ground
from haulier.solvers.routing.plan import Pause, Plan, Route, Stop
from haulier.solvers.routing.problem import Load, Task
from haulier.solvers.routing.timing import Timing, timing


def loads(ground: Ground, crew: Crew, nodes: Sequence[int]) -> list[Load]:
    """What is on board when leaving the start and after each stop: deliveries of goods that nobody picks up on the way are
    on board from the start."""
    picked = {node >> 1 for node in nodes if not node & 1}
    load = list(crew.aboard)
    for node in nodes:
        if node & 1 and node >> 1 not in picked:
            load = [have + more for have, more in zip(load, ground.demand[node >> 1], strict=True)]
    after = [tuple(load)]
    for node in nodes:
        sign = -1 if node & 1 else 1
        load = [have + sign * more for have, more in zip(load, ground.demand[node >> 1], strict=True)]
        after.append(tuple(load))
    return after


def distance_m(ground: Ground, crew: Crew, nodes: Sequence[int]) -> int:
    """How far a route is."""
    ends = [] if crew.vehicle.end is None else [crew.vehicle.end]
    places = [crew.vehicle.start, *(ground.place[node] for node in nodes), *ends]
    return sum(ground.distance[a][b] for a, b in pairwise(places))


def route_of(ground: Ground, crew: Crew, nodes: Sequence[int]) -> Route | None:
    """The route of a vehicle that visits these nodes in this order, or None when the times do not allow it."""
    times = timing(ground, crew, nodes)
    if times is None:
        return None
    return Route(
        vehicle=crew.vehicle.id,
        start_s=times.start_s,
        end_s=times.end_s,
        distance_m=distance_m(ground, crew, nodes),
        stops=_stops(ground, nodes, times, loads(ground, crew, nodes)[1:]),
        pauses=tuple(_pauses(times)),
    )


def _stops(ground: Ground, nodes: Sequence[int], times: Timing, after: Sequence[Load]) -> tuple[Stop, ...]:
    return tuple(
        Stop(
            job=ground.task(node).job,
            kind=ground.task(node).kind,
            place=ground.place[node],
            arrival_s=leg.arrival_s,
            wait_s=start - leg.arrival_s,
            start_s=start,
            departure_s=start + ground.service[node],
            late_s=ground.late_s(node, start),
            load=load,
        )
        for node, leg, start, load in zip(nodes, times.legs, times.starts_s, after, strict=False)
    )


def _pauses(times: Timing) -> list[Pause]:
    return [
        Pause(number=number, after=after, start_s=start, end_s=end)
        for after, (leg, numbers) in enumerate(zip(times.legs, times.taken, strict=True))
        for number, (start, end) in zip(numbers, leg.pauses, strict=True)
    ]


def sequences_of(ground: Ground, plan: Plan) -> list[list[int]]:
    """The nodes of each vehicle of the problem, in order, as a plan has them."""
    stops = {route.vehicle: [ground.node(Task(stop.job, stop.kind)) for stop in route.stops] for route in plan.routes}
    return [stops.get(crew.vehicle.id, []) for crew in ground.crews]


def routes_of(ground: Ground, sequences: Mapping[int, Sequence[int]] | Sequence[Sequence[int]]) -> tuple[Route, ...]:
    """The routes of these orders of stops. Raises `ValueError` when one of them is impossible in time."""
    numbered = sequences.items() if isinstance(sequences, Mapping) else enumerate(sequences)
    routes: list[Route] = []
    for vehicle, nodes in numbered:
        if not nodes:
            continue
        route = route_of(ground, ground.crews[vehicle], nodes)
        if route is None:
            raise ValueError(f"vehicle {ground.crews[vehicle].vehicle.id} cannot visit its stops in time")
        routes.append(route)
    return tuple(routes)
