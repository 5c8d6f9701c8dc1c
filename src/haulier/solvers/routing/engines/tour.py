"""A route under construction, with feasible insertion spots and their prices.

The feasibility of a stop in time is known without timing the route again: the vehicle leaves the previous stop at the
earliest time (`ready`) and must reach the next one before the latest time allowed there (`latest`). Loads are checked
against the load after each stop. Breaks and a limit of the working time are not part of these two numbers; on vehicles
with them, a spot is verified by timing the whole route.

PyVRP cannot be used here because its routes have no breaks, locked stops, grace, or several windows for a pair
(`pyvrp_model`).
"""

from collections.abc import Iterable, Iterator
from functools import cached_property
from itertools import pairwise
from math import inf
from random import Random
from typing import NamedTuple

from haulier.solvers.routing.compiled import INFINITE_S, CompiledProblem
from haulier.solvers.routing.score import price_of_use, price_per_m, price_per_s
from haulier.solvers.routing.timetable import route_distance_m, route_loads
from haulier.solvers.routing.timing import RouteSchedule, route_timing
from haulier.solvers.routing.travel import UNREACHABLE

OVERLOOKED_SHARE = 0.01
"""Share of spots that are skipped at random."""
# Skipped spots let the greedy insertion leave local optima (Christiaens and Vanden Berghe 2020).


class InsertionSpot(NamedTuple):
    """A feasible spot of a job: positions before which its nodes go, and the price.

    The price is the approximate increase of the objective.
    """

    price: float
    places: tuple[int, ...]


class Tour:
    """A vehicle and its node sequence, immutable.

    `with_job` and `without` return a new tour.
    """

    def __init__(self, compiled: CompiledProblem, number: int, nodes: tuple[int, ...]) -> None:
        self.compiled, self.number, self.nodes = compiled, number, nodes
        crew = self.crew = compiled.crews[number]
        vehicle, objective = crew.vehicle, compiled.problem.objective
        self.per_m, self.per_s = price_per_m(vehicle, objective), price_per_s(vehicle, objective)
        self.of_use = price_of_use(vehicle, objective)
        self.per_late_s = objective.lateness_s if compiled.late_possible else 0.0
        self.stops = [vehicle.start, *(compiled.place[node] for node in nodes)]
        if vehicle.end is not None:
            self.stops.append(vehicle.end)
        self.metres = route_distance_m(compiled, crew, nodes)

    @cached_property
    def ready(self) -> list[int]:
        """Return the earliest departure from the start and from each stop."""
        compiled, travel = self.compiled, self.crew.travel
        clock, place = self.crew.begin_s + self.crew.loading_s, self.crew.vehicle.start
        ready = [clock]
        for node in self.nodes:
            clock = (
                compiled.earliest_start_s(node, clock + travel[place][compiled.place[node]]) + compiled.service[node]
            )
            place = compiled.place[node]
            ready.append(clock)
        return ready

    @cached_property
    def latest(self) -> list[int]:
        """Return the latest arrival at each stop and at the end."""
        compiled, travel, end = self.compiled, self.crew.travel, self.crew.vehicle.end
        bound, target = self.crew.finish_s, end
        latest = [bound]
        for node in reversed(self.nodes):
            place_before = compiled.place[node]
            drive = 0 if target is None else travel[place_before][target]
            bound = compiled.latest(node, bound - drive - compiled.service[node])
            latest.append(bound)
            target = place_before
        return latest[::-1]

    @cached_property
    def after(self) -> list[list[int]]:
        """Return the load after the start and after each stop, by dimension."""
        return [list(column) for column in zip(*route_loads(self.compiled, self.crew, self.nodes), strict=True)]

    @cached_property
    def timing(self) -> RouteSchedule | None:
        """Return the times of the tour; None if there are no valid times."""
        return route_timing(self.compiled, self.crew, self.nodes)

    @property
    def possible(self) -> bool:
        """Return True if valid times exist, given that `ready` and `latest` allow it."""
        return self._is_short or self.timing is not None

    @property
    def _is_short(self) -> bool:
        """Return True if a tour without breaks is within its working time.

        It starts as late as its earliest end allows.
        """
        # This usually holds and is much cheaper than timing the whole tour.
        compiled, crew, travel, place = self.compiled, self.crew, self.crew.travel, self.crew.vehicle.end
        if crew.breaks or crew.vehicle.max_time_s is None or not self.nodes:
            return False
        end_s = max(crew.open_s, self.ready[-1] + (0 if place is None else travel[self.stops[len(self.nodes)]][place]))
        bound = end_s
        for node, ready in zip(reversed(self.nodes), reversed(self.ready), strict=False):
            stop, service = compiled.place[node], compiled.service[node]
            drive = 0 if place is None else travel[stop][place]
            bound = max(ready - service, compiled.latest(node, bound - drive - service))
            place = stop
        begin_s = min(crew.last_begin_s, bound - travel[self.stops[0]][self.stops[1]] - crew.loading_s)
        return end_s - begin_s <= crew.vehicle.max_time_s and end_s <= crew.finish_s

    @cached_property
    def closed(self) -> bool:
        """Return True if fixed stops already violate the limits, so no job may be added."""
        crew, vehicle = self.crew, self.crew.vehicle
        if crew.begin_s > crew.last_begin_s or not self.nodes:
            return crew.begin_s > crew.last_begin_s
        over = any(max(column) > most for column, most in zip(self.after, vehicle.capacity, strict=True))
        far = vehicle.max_distance_m is not None and self.metres > vehicle.max_distance_m
        return over or far or self.ready[0] + crew.travel[self.stops[0]][self.stops[1]] > self.latest[0]

    @cached_property
    def busy_s(self) -> int:
        """Return the seconds of loading, driving and service."""
        drives = sum(self.crew.travel[a][b] for a, b in pairwise(self.stops))
        return self.crew.loading_s + drives + sum(self.compiled.service[node] for node in self.nodes)

    @property
    def is_valid(self) -> bool:
        """Return True if the whole tour is valid; for tours not built by insertion."""
        compiled, vehicle = self.compiled, self.crew.vehicle
        few = vehicle.max_stops is None or len(self.nodes) <= vehicle.max_stops
        near = vehicle.max_distance_m is None or self.metres <= vehicle.max_distance_m
        light = all(max(column) <= most for column, most in zip(self.after, vehicle.capacity, strict=True))
        allowed = all(compiled.permits[self.number][node >> 1] for node in self.nodes if node not in compiled.bound)
        whole = all(set(compiled.nodes[node >> 1]) <= set(self.nodes) for node in self.nodes)
        ordered = all(
            self.nodes.index(node ^ 1) < k for k, node in enumerate(self.nodes) if node & 1 and node ^ 1 in self.nodes
        )
        return few and near and light and allowed and whole and ordered and self.timing is not None

    @property
    def timed(self) -> bool:
        """Return True if only timing the whole tour proves that it is feasible."""
        return bool(self.crew.breaks) or self.crew.vehicle.max_time_s is not None

    @cached_property
    def price(self) -> float:
        """Return the contribution of the tour to the objective."""
        if not self.nodes:
            return 0.0
        price = self.of_use + self.per_m * self.metres
        if self.per_s or self.per_late_s:
            times = self.timing
            price += self.per_s * times.duration_s + self.per_late_s * times.late_s if times else INFINITE_S
        return price

    @property
    def first_job_price(self) -> float:
        """Return the extra price of a first job: using the vehicle and its empty route."""
        return 0.0 if self.nodes else self.of_use + self.per_m * self.metres + self.per_s * self.busy_s

    def with_job(self, job: int, spot: InsertionSpot) -> "Tour":
        """Return the tour with a job inserted at a spot."""
        nodes = list(self.nodes)
        for node, place in reversed(list(zip(self.compiled.nodes[job], spot.places, strict=True))):
            nodes.insert(place, node)
        return Tour(self.compiled, self.number, tuple(nodes))

    def without(self, jobs: set[int]) -> "Tour":
        """Return the tour without some jobs."""
        return Tour(self.compiled, self.number, tuple(node for node in self.nodes if node >> 1 not in jobs))

    def best_spot(self, job: int, below: float, random: Random | None = None) -> InsertionSpot | None:
        """Return the cheapest spot of a job below a price.

        It is certainly feasible unless the tour is `timed`. With `random`, some spots are skipped.
        """
        best: InsertionSpot | None = None
        for spot in self._spots(job):
            if spot.price < below and (random is None or random.random() >= OVERLOOKED_SHARE):
                best, below = spot, spot.price
        return best

    def verified_spot(self, job: int, below: float, random: Random | None = None) -> InsertionSpot | None:
        """Return the cheapest spot below a price, verified by timing the whole tour."""
        for spot in sorted(spot for spot in self._spots(job) if spot.price < below):
            if (random is None or random.random() >= OVERLOOKED_SHARE) and self.with_job(job, spot).possible:
                return spot
        return None

    def cheapest_feasible_spot(self, job: int) -> InsertionSpot | None:
        """Return the cheapest feasible spot of a job at any price."""
        return self.verified_spot(job, inf) if self.timed else self.best_spot(job, inf)

    def spots_by_price(self, job: int) -> list[InsertionSpot]:
        """Return all spots of a job, cheapest first; certainly feasible unless `timed`."""
        return sorted(self._spots(job))

    def _spots(self, job: int) -> Iterable[InsertionSpot]:
        if self.closed or not self.compiled.permits[self.number][job] or not self._has_room_for_stops(job):
            return ()
        return _pair_spots(self, job) if len(self.compiled.nodes[job]) == 2 else _single_job_spots(self, job)

    def _has_room_for_stops(self, job: int) -> bool:
        most = self.crew.vehicle.max_stops
        return most is None or len(self.nodes) + len(self.compiled.nodes[job]) <= most

    def first_place(self) -> int:
        """Return the first position of a new stop, after the locked ones."""
        return len(self.crew.locked)


def _detour_of(tour: Tour, place: int, node: int) -> tuple[int, int]:
    """Return the metres and driving seconds that a node adds at a position."""
    stops, metres, travel = tour.stops, tour.crew.distance, tour.crew.travel
    origin, target = stops[place], tour.compiled.place[node]
    far, long = metres[origin][target], travel[origin][target]
    if place + 1 < len(stops):
        beyond = stops[place + 1]
        far += metres[target][beyond] - metres[origin][beyond]
        long += travel[target][beyond] - travel[origin][beyond]
    return far, long


def _exceeds_length_limits(tour: Tour, far_m: int, long_s: int) -> bool:
    """Return True if a detour violates a limit, ignoring waiting and breaks."""
    metres, seconds = tour.crew.vehicle.max_distance_m, tour.crew.vehicle.max_time_s
    return (metres is not None and tour.metres + far_m > metres) or (
        seconds is not None and tour.busy_s + long_s > seconds
    )


def _single_job_spots(tour: Tour, job: int) -> Iterator[InsertionSpot]:
    """Yield every feasible spot of a job with one stop."""
    compiled, crew = tour.compiled, tour.crew
    (node,) = compiled.nodes[job]
    ready, latest, stops, travel = tour.ready, tour.latest, tour.stops, crew.travel
    target, service = compiled.place[node], compiled.service[node]
    base = tour.first_job_price
    for place in _places_with_room(tour, job, delivery=bool(node & 1)):
        arrival = ready[place] + travel[stops[place]][target]
        start = compiled.earliest_start_s(node, arrival)
        if start >= INFINITE_S:
            continue
        drive = travel[target][stops[place + 1]] if place + 1 < len(stops) else 0
        if drive >= UNREACHABLE or arrival >= ready[place] + UNREACHABLE or start + service + drive > latest[place]:
            continue
        far, long = _detour_of(tour, place, node)
        if not _exceeds_length_limits(tour, far, long + service):
            late = tour.per_late_s * compiled.late_s(node, start) if tour.per_late_s else 0.0
            yield InsertionSpot(base + tour.per_m * far + tour.per_s * (long + service) + late, (place,))


def _places_with_room(tour: Tour, job: int, *, delivery: bool) -> range:
    """Return the positions with enough capacity for a stop.

    A delivered load is on board up to the stop, a collected one after it.
    """
    first, last = tour.first_place(), len(tour.nodes)
    for column, amount, most in zip(tour.after, tour.compiled.demand[job], tour.crew.vehicle.capacity, strict=True):
        room = most - amount
        if delivery:
            last = min(last, next((k - 1 for k, load in enumerate(column) if load > room), last))
        else:
            first = max(first, next((k + 1 for k in range(len(column) - 1, -1, -1) if column[k] > room), first))
    return range(first, last + 1)


def _pair_spots(tour: Tour, job: int) -> Iterator[InsertionSpot]:
    """Yield every feasible pair of positions of a pickup and its delivery."""
    compiled, travel, stops = tour.compiled, tour.crew.travel, tour.stops
    pickup, delivery = compiled.nodes[job]
    base = tour.first_job_price
    for place in range(tour.first_place(), len(tour.nodes) + 1):
        if not _has_load_room(tour, job, place):
            continue
        drive = travel[stops[place]][compiled.place[pickup]]
        start = compiled.earliest_start_s(pickup, tour.ready[place] + drive)
        if start >= INFINITE_S or drive >= UNREACHABLE:
            continue
        far, long = _detour_of(tour, place, pickup)
        price = base + tour.per_late_s * compiled.late_s(pickup, start)
        long += compiled.service[pickup] + compiled.service[delivery]
        yield from _delivery_spots(tour, job, _PickupSpot(place, start + compiled.service[pickup], price, far, long))


class _PickupSpot(NamedTuple):
    """A pickup position: departure, price without the detour, and the detour.

    The detour includes both services.
    """

    place: int
    leave_s: int
    price: float
    far_m: int
    long_s: int


def _delivery_spots(tour: Tour, job: int, first: _PickupSpot) -> Iterator[InsertionSpot]:
    """Yield every feasible delivery position for a pickup position."""
    compiled, travel, stops, nodes = tour.compiled, tour.crew.travel, tour.stops, tour.nodes
    pickup, delivery = compiled.nodes[job]
    leave, origin, target = first.leave_s, compiled.place[pickup], compiled.place[delivery]
    for last in range(first.place, len(nodes) + 1):
        drive = travel[origin][target]
        start = compiled.earliest_start_s(delivery, leave + drive)
        back = travel[target][stops[last + 1]] if last + 1 < len(stops) else 0
        if (
            start < INFINITE_S
            and max(drive, back) < UNREACHABLE
            and start + compiled.service[delivery] + back <= tour.latest[last]
        ):
            far, long = (
                _detour_of(tour, last, delivery)
                if last > first.place
                else _direct_delivery_detour(tour, last, pickup, delivery)
            )
            far, long = first.far_m + far, first.long_s + long
            if not _exceeds_length_limits(tour, far, long):
                late = tour.per_late_s * compiled.late_s(delivery, start) if tour.per_late_s else 0.0
                yield InsertionSpot(first.price + tour.per_m * far + tour.per_s * long + late, (first.place, last))
        if last == len(nodes) or not _has_load_room(tour, job, last + 1):
            return
        node = nodes[last]
        start = compiled.earliest_start_s(node, leave + travel[origin][compiled.place[node]])
        if start > tour.latest[last]:
            return
        leave, origin = start + compiled.service[node], compiled.place[node]


def _direct_delivery_detour(tour: Tour, place: int, pickup: int, delivery: int) -> tuple[int, int]:
    """Return the detour of a delivery directly after its pickup."""
    metres, travel = tour.crew.distance, tour.crew.travel
    origin, target = tour.compiled.place[pickup], tour.compiled.place[delivery]
    far, long = metres[origin][target], travel[origin][target]
    if place + 1 < len(tour.stops):
        beyond = tour.stops[place + 1]
        far += metres[target][beyond] - metres[origin][beyond]
        long += travel[target][beyond] - travel[origin][beyond]
    return far, long


def _has_load_room(tour: Tour, job: int, place: int) -> bool:
    """Return True if the load of the job fits on board before the stop at a position."""
    loads = zip(tour.after, tour.compiled.demand[job], tour.crew.vehicle.capacity, strict=True)
    return all(column[place] + amount <= most for column, amount, most in loads)
