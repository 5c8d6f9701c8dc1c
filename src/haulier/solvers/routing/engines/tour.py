"""A route under construction: where another job could go, and what that would cost.

Whether a stop fits in time is known without walking the route again: it fits when the vehicle, leaving the stop before it as
early as it can, is at the stop after it no later than it may. Loads likewise, from the most that is on board before and
after. Breaks and a longest time on the way are not in those two numbers; where a vehicle has them, every place
that passes is proved by timing the whole route.
"""

from collections.abc import Iterable, Iterator
from functools import cached_property
from itertools import pairwise
from math import inf
from random import Random
from typing import NamedTuple

from haulier.solvers.routing.ground import FOREVER, Ground
from haulier.solvers.routing.score import price_of_use, price_per_m, price_per_s
from haulier.solvers.routing.timetable import distance_m, loads
from haulier.solvers.routing.timing import Timing, timing
from haulier.solvers.routing.travel import NO_WAY

BLINK = 0.01
"""How often a possible place is overlooked on purpose (Christiaens and Vanden Berghe 2020)."""


class Spot(NamedTuple):
    """Where a job could go: its nodes before these places of the route, and what that adds to the objective, about."""

    price: float
    places: tuple[int, ...]


class Tour:
    """A vehicle and the nodes it visits, in order. Never changed: a longer tour is another one."""

    def __init__(self, ground: Ground, number: int, nodes: tuple[int, ...]) -> None:
        self.ground, self.number, self.nodes = ground, number, nodes
        crew = self.crew = ground.crews[number]
        vehicle, objective = crew.vehicle, ground.problem.objective
        self.per_m, self.per_s = price_per_m(vehicle, objective), price_per_s(vehicle, objective)
        self.of_use = price_of_use(vehicle, objective)
        self.per_late_s = objective.lateness_s if ground.late_possible else 0.0
        self.stops = [vehicle.start, *(ground.place[node] for node in nodes)]
        if vehicle.end is not None:
            self.stops.append(vehicle.end)
        self.metres = distance_m(ground, crew, nodes)

    @cached_property
    def ready(self) -> list[int]:
        """When the vehicle can leave its start, and each stop, at the earliest."""
        ground, travel = self.ground, self.crew.travel
        clock, here = self.crew.begin_s + self.crew.loading_s, self.crew.vehicle.start
        ready = [clock]
        for node in self.nodes:
            clock = ground.enter(node, clock + travel[here][ground.place[node]]) + ground.service[node]
            here = ground.place[node]
            ready.append(clock)
        return ready

    @cached_property
    def latest(self) -> list[int]:
        """When the vehicle must be at each stop, and at the end, at the latest."""
        ground, travel, end = self.ground, self.crew.travel, self.crew.vehicle.end
        bound, there = self.crew.finish_s, end
        latest = [bound]
        for node in reversed(self.nodes):
            here = ground.place[node]
            drive = 0 if there is None else travel[here][there]
            bound = ground.latest(node, bound - drive - ground.service[node])
            latest.append(bound)
            there = here
        return latest[::-1]

    @cached_property
    def after(self) -> list[list[int]]:
        """Per dimension, what is on board when leaving the start and after each stop."""
        return [list(column) for column in zip(*loads(self.ground, self.crew, self.nodes), strict=True)]

    @cached_property
    def timing(self) -> Timing | None:
        """The times of the tour, or None when there are none."""
        return timing(self.ground, self.crew, self.nodes)

    @property
    def possible(self) -> bool:
        """Whether there are times for a tour that is in time as far as `ready` and `latest` tell."""
        return self._is_short or self.timing is not None

    @property
    def _is_short(self) -> bool:
        """Whether, without breaks, leaving as late as the earliest end allows keeps the longest time: it mostly does, and is
        known much sooner than all the times."""
        ground, crew, travel, place = self.ground, self.crew, self.crew.travel, self.crew.vehicle.end
        if crew.breaks or crew.vehicle.max_time_s is None or not self.nodes:
            return False
        end_s = max(crew.open_s, self.ready[-1] + (0 if place is None else travel[self.stops[len(self.nodes)]][place]))
        bound = end_s
        for node, ready in zip(reversed(self.nodes), reversed(self.ready), strict=False):
            here, service = ground.place[node], ground.service[node]
            drive = 0 if place is None else travel[here][place]
            bound = max(ready - service, ground.latest(node, bound - drive - service))
            place = here
        begin_s = min(crew.last_begin_s, bound - travel[self.stops[0]][self.stops[1]] - crew.loading_s)
        return end_s - begin_s <= crew.vehicle.max_time_s and end_s <= crew.finish_s

    @cached_property
    def closed(self) -> bool:
        """Whether what people fixed on it breaks its limits already, so that nothing may be added."""
        crew, vehicle = self.crew, self.crew.vehicle
        if crew.begin_s > crew.last_begin_s or not self.nodes:
            return crew.begin_s > crew.last_begin_s
        over = any(max(column) > most for column, most in zip(self.after, vehicle.capacity, strict=True))
        far = vehicle.max_distance_m is not None and self.metres > vehicle.max_distance_m
        return over or far or self.ready[0] + crew.travel[self.stops[0]][self.stops[1]] > self.latest[0]

    @cached_property
    def busy_s(self) -> int:
        """Loading, driving and work at the stops."""
        drives = sum(self.crew.travel[a][b] for a, b in pairwise(self.stops))
        return self.crew.loading_s + drives + sum(self.ground.service[node] for node in self.nodes)

    @property
    def sound(self) -> bool:
        """Whether the tour as a whole keeps every rule; for tours that come from elsewhere."""
        ground, vehicle = self.ground, self.crew.vehicle
        few = vehicle.max_stops is None or len(self.nodes) <= vehicle.max_stops
        near = vehicle.max_distance_m is None or self.metres <= vehicle.max_distance_m
        light = all(max(column) <= most for column, most in zip(self.after, vehicle.capacity, strict=True))
        allowed = all(ground.may[self.number][node >> 1] for node in self.nodes if node not in ground.bound)
        whole = all(set(ground.nodes[node >> 1]) <= set(self.nodes) for node in self.nodes)
        ordered = all(
            self.nodes.index(node ^ 1) < k for k, node in enumerate(self.nodes) if node & 1 and node ^ 1 in self.nodes
        )
        return few and near and light and allowed and whole and ordered and self.timing is not None

    @property
    def timed(self) -> bool:
        """Whether only a whole timing proves that the tour is possible."""
        return bool(self.crew.breaks) or self.crew.vehicle.max_time_s is not None

    @cached_property
    def price(self) -> float:
        """What the tour adds to the objective."""
        if not self.nodes:
            return 0.0
        price = self.of_use + self.per_m * self.metres
        if self.per_s or self.per_late_s:
            times = self.timing
            price += self.per_s * times.duration_s + self.per_late_s * times.late_s if times else FOREVER
        return price

    @property
    def price_of_first(self) -> float:
        """What a first job adds besides its detour: the use of the vehicle and the way from its start to its end."""
        return 0.0 if self.nodes else self.of_use + self.per_m * self.metres + self.per_s * self.busy_s

    def with_job(self, job: int, spot: Spot) -> "Tour":
        """The tour with a job where a spot says."""
        nodes = list(self.nodes)
        for node, place in reversed(list(zip(self.ground.nodes[job], spot.places, strict=True))):
            nodes.insert(place, node)
        return Tour(self.ground, self.number, tuple(nodes))

    def without(self, jobs: set[int]) -> "Tour":
        """The tour without some jobs."""
        return Tour(self.ground, self.number, tuple(node for node in self.nodes if node >> 1 not in jobs))

    def best_spot(self, job: int, below: float, random: Random | None = None) -> Spot | None:
        """The cheapest place for a job that costs less than `below`; possible for certain unless the tour is `timed`.

        With `random`, some places are overlooked.
        """
        best: Spot | None = None
        for spot in self._spots(job):
            if spot.price < below and (random is None or random.random() >= BLINK):
                best, below = spot, spot.price
        return best

    def proved_spot(self, job: int, below: float, random: Random | None = None) -> Spot | None:
        """The cheapest place for a job that costs less than `below` and for which the whole tour was timed."""
        for spot in sorted(spot for spot in self._spots(job) if spot.price < below):
            if (random is None or random.random() >= BLINK) and self.with_job(job, spot).possible:
                return spot
        return None

    def certain_spot(self, job: int) -> Spot | None:
        """The cheapest possible place for a job, at any price."""
        return self.proved_spot(job, inf) if self.timed else self.best_spot(job, inf)

    def _spots(self, job: int) -> Iterable[Spot]:
        if self.closed or not self.ground.may[self.number][job] or not self._has_room_for_stops(job):
            return ()
        return _of_pair(self, job) if len(self.ground.nodes[job]) == 2 else _of_single(self, job)

    def _has_room_for_stops(self, job: int) -> bool:
        most = self.crew.vehicle.max_stops
        return most is None or len(self.nodes) + len(self.ground.nodes[job]) <= most

    def first_place(self) -> int:
        """Where the first new stop may go: behind the locked ones."""
        return len(self.crew.locked)


def _detour(tour: Tour, place: int, node: int) -> tuple[int, int]:
    """Metres and seconds of driving that a node adds before the stop at a place, as if nothing else changed."""
    stops, metres, travel = tour.stops, tour.ground.distance, tour.crew.travel
    here, there = stops[place], tour.ground.place[node]
    far, long = metres[here][there], travel[here][there]
    if place + 1 < len(stops):
        beyond = stops[place + 1]
        far += metres[there][beyond] - metres[here][beyond]
        long += travel[there][beyond] - travel[here][beyond]
    return far, long


def _too_far(tour: Tour, far_m: int, long_s: int) -> bool:
    """Whether a longer way breaks a limit, waiting and breaks left out."""
    metres, seconds = tour.crew.vehicle.max_distance_m, tour.crew.vehicle.max_time_s
    return (metres is not None and tour.metres + far_m > metres) or (
        seconds is not None and tour.busy_s + long_s > seconds
    )


def _of_single(tour: Tour, job: int) -> Iterator[Spot]:
    """Every place where a job of one stop fits."""
    ground, crew = tour.ground, tour.crew
    (node,) = ground.nodes[job]
    ready, latest, stops, travel = tour.ready, tour.latest, tour.stops, crew.travel
    there, service = ground.place[node], ground.service[node]
    base = tour.price_of_first
    for place in _places(tour, job, delivery=bool(node & 1)):
        at = ready[place] + travel[stops[place]][there]
        start = ground.enter(node, at)
        if start >= FOREVER:
            continue
        drive = travel[there][stops[place + 1]] if place + 1 < len(stops) else 0
        if drive >= NO_WAY or at >= ready[place] + NO_WAY or start + service + drive > latest[place]:
            continue
        far, long = _detour(tour, place, node)
        if not _too_far(tour, far, long + service):
            late = tour.per_late_s * ground.late_s(node, start) if tour.per_late_s else 0.0
            yield Spot(base + tour.per_m * far + tour.per_s * (long + service) + late, (place,))


def _places(tour: Tour, job: int, *, delivery: bool) -> range:
    """Where the load allows one more stop. What is delivered is on board up to there, what is collected from there on."""
    first, last = tour.first_place(), len(tour.nodes)
    for column, amount, most in zip(tour.after, tour.ground.demand[job], tour.crew.vehicle.capacity, strict=True):
        room = most - amount
        if delivery:
            last = min(last, next((k - 1 for k, load in enumerate(column) if load > room), last))
        else:
            first = max(first, next((k + 1 for k in range(len(column) - 1, -1, -1) if column[k] > room), first))
    return range(first, last + 1)


def _of_pair(tour: Tour, job: int) -> Iterator[Spot]:
    """Every two places where a pickup and its delivery fit."""
    ground, travel, stops = tour.ground, tour.crew.travel, tour.stops
    pickup, delivery = ground.nodes[job]
    base = tour.price_of_first
    for place in range(tour.first_place(), len(tour.nodes) + 1):
        if not _carries(tour, job, place):
            continue
        drive = travel[stops[place]][ground.place[pickup]]
        start = ground.enter(pickup, tour.ready[place] + drive)
        if start >= FOREVER or drive >= NO_WAY:
            continue
        far, long = _detour(tour, place, pickup)
        price = base + tour.per_late_s * ground.late_s(pickup, start)
        long += ground.service[pickup] + ground.service[delivery]
        yield from _of_delivery(tour, job, _Pickup(place, start + ground.service[pickup], price, far, long))


class _Pickup(NamedTuple):
    """A place for a pickup: when the vehicle leaves it, its price but for the way, and what it and both services add."""

    place: int
    leave_s: int
    price: float
    far_m: int
    long_s: int


def _of_delivery(tour: Tour, job: int, first: _Pickup) -> Iterator[Spot]:
    """Every place for the delivery, given the pickup's."""
    ground, travel, stops, nodes = tour.ground, tour.crew.travel, tour.stops, tour.nodes
    pickup, delivery = ground.nodes[job]
    leave, here, there = first.leave_s, ground.place[pickup], ground.place[delivery]
    for last in range(first.place, len(nodes) + 1):
        drive = travel[here][there]
        start = ground.enter(delivery, leave + drive)
        back = travel[there][stops[last + 1]] if last + 1 < len(stops) else 0
        if (
            start < FOREVER
            and max(drive, back) < NO_WAY
            and start + ground.service[delivery] + back <= tour.latest[last]
        ):
            far, long = _detour(tour, last, delivery) if last > first.place else _straight(tour, last, pickup, delivery)
            far, long = first.far_m + far, first.long_s + long
            if not _too_far(tour, far, long):
                late = tour.per_late_s * ground.late_s(delivery, start) if tour.per_late_s else 0.0
                yield Spot(first.price + tour.per_m * far + tour.per_s * long + late, (first.place, last))
        if last == len(nodes) or not _carries(tour, job, last + 1):
            return
        node = nodes[last]
        start = ground.enter(node, leave + travel[here][ground.place[node]])
        if start > tour.latest[last]:
            return
        leave, here = start + ground.service[node], ground.place[node]


def _straight(tour: Tour, place: int, pickup: int, delivery: int) -> tuple[int, int]:
    """What a delivery adds right behind its pickup."""
    metres, travel = tour.ground.distance, tour.crew.travel
    here, there = tour.ground.place[pickup], tour.ground.place[delivery]
    far, long = metres[here][there], travel[here][there]
    if place + 1 < len(tour.stops):
        beyond = tour.stops[place + 1]
        far += metres[there][beyond] - metres[here][beyond]
        long += travel[there][beyond] - travel[here][beyond]
    return far, long


def _carries(tour: Tour, job: int, place: int) -> bool:
    """Whether the job's load fits on top of what is on board before the stop at a place."""
    wanted = zip(tour.after, tour.ground.demand[job], tour.crew.vehicle.capacity, strict=True)
    return all(column[place] + amount <= most for column, amount, most in wanted)
