"""Conversion between routing problems and PyVRP data.

Exact: loads in all dimensions, pairs (shipments), one window per stop, prizes, skills and pools (a travel matrix for
each set of permissions, in which forbidden stops are unreachable), depots, shifts, limits of time, distance and stops
of single jobs. Several windows of a single stop become mutually exclusive clients.

Approximate and repaired afterwards: breaks (the shift is shortened), several windows and stop limits of pairs, grace.
Left out: balance, and vehicles with locked stops, which keep their tours.
"""

from collections.abc import Sequence
from functools import cached_property
from math import inf
from typing import NamedTuple

import numpy as np
from pyvrp import Activity, ActivityType, Client, ClientGroup, Depot, Location, ProblemData, Route, Shipment, Solution
from pyvrp import VehicleType as Type

from haulier.solvers.routing.compiled import CompiledProblem, CompiledVehicle
from haulier.solvers.routing.engines.state import SearchState
from haulier.solvers.routing.engines.tour import Tour
from haulier.solvers.routing.score import price_of_use, price_per_m, price_per_s
from haulier.solvers.routing.travel import UNREACHABLE, Matrix
from haulier.solvers.routing.unassigned_reasons import ReasonFinder

OPEN_END_PLACE = -1
"""The place where open routes end, at distance zero from everywhere."""
MIN_SCALED_PRICE, MAX_SCALED_PRICE = 10, 10_000
"""Range of the smallest and the largest price of a metre or second after scaling to whole numbers."""


class TravelProfile(NamedTuple):
    """Travel matrices, by number, speed and permitted jobs of some vehicles."""

    travel: int
    speed_percent: int
    permits: tuple[bool, ...]


class PyVrpModel:
    """PyVRP data of a problem, and the start solution from the plan so far."""

    def __init__(self, compiled: CompiledProblem, state: SearchState, reasons: ReasonFinder) -> None:
        self.compiled, self._state = compiled, state
        self.seats = [
            n for n, crew in enumerate(compiled.crews) if not crew.locked and crew.begin_s <= crew.last_begin_s
        ]
        self._zero_s = min((compiled.crews[n].begin_s for n in self.seats), default=0)
        self._end_s = max((compiled.crews[n].finish_s for n in self.seats), default=0)
        self.jobs = [job for job in range(len(compiled.jobs)) if self._is_open(job, reasons)]
        self._depots = sorted({place for n in self.seats for place in _start_and_end(compiled.crews[n])})
        self._nodes = [node for job in self.jobs for node in compiled.nodes[job]]
        self._at = {node: len(self._depots) + k for k, node in enumerate(self._nodes)}
        self._scale = _price_scale(compiled, self.seats)
        self._counts_stops = any(compiled.crews[n].vehicle.max_stops is not None for n in self.seats)
        self._must = self._all_served()
        self._clients: list[Client] = []
        self._client_nodes: list[tuple[int, int]] = []
        self._groups: list[ClientGroup] = []
        self._shipments: list[Shipment] = []
        self._pairs: list[int] = []
        for job in self.jobs:
            (self._add_pair if len(compiled.nodes[job]) == 2 else self._add_single)(job)
        self._types, self._crews_of, self._profiles = self._vehicle_types()

    @cached_property
    def data(self) -> ProblemData:
        """Return the PyVRP data; requires vehicles and jobs."""
        metres = {profile.travel: self._metres(profile.travel) for profile in self._profiles}
        return ProblemData(
            [Location(0, 0) for _ in range(len(self._depots) + len(self._nodes))],
            self._clients,
            [Depot(place) for place in range(len(self._depots))],
            self._types,
            [metres[profile.travel] for profile in self._profiles],
            [self._seconds(profile) for profile in self._profiles],
            self._groups,
            self._shipments,
        )

    def start(self) -> Solution:
        """Return the start solution, without jobs that are only served in their grace."""
        kind_of = {n: kind for kind, crews in enumerate(self._crews_of) for n in crews}
        part_jobs = set(self.jobs)
        tours = [self._state.tours[n] for n in self.seats]
        tours = [tour.without({node >> 1 for node in tour.nodes} - part_jobs) for tour in tours]
        return Solution(self.data, [self._route(tour, kind_of[tour.number]) for tour in tours if tour.nodes])

    def sequences(self, solution: Solution) -> list[list[int]]:
        """Return the nodes of every vehicle; vehicles outside the model are unchanged."""
        part_seats = set(self.seats)
        nodes_by_tour = [[] if tour.number in part_seats else list(tour.nodes) for tour in self._state.tours]
        free = [list(crews) for crews in self._crews_of]
        for route in solution.routes():
            nodes = [self._node(visit) for visit in route if not visit.is_depot()]
            nodes_by_tour[free[route.vehicle_type()].pop(0)] = nodes
        return nodes_by_tour

    def _is_open(self, job: int, reasons: ReasonFinder) -> bool:
        """Return True if PyVRP decides about a job.

        It fits some vehicle alone and is not on a locked route.
        """
        number = self._state.vehicle_of.get(job)
        if number is not None and self.compiled.crews[number].locked:
            return False
        able = any(self.compiled.permits[n][job] for n in self.seats)
        in_time = all(self._windows(node) or not self.compiled.windows[node] for node in self.compiled.nodes[job])
        return able and in_time and reasons.alone(job) is None and self._in_order(job)

    def _in_order(self, job: int) -> bool:
        """Return True if the last delivery window ends after the first pickup begins.

        Jobs that need grace may fail this.
        """
        first, last = (self._span(self.compiled.nodes[job][end]) for end in (0, -1))
        return first[0] <= last[1]

    def _span(self, node: int) -> tuple[int, int]:
        """Return the start of the first window and the end of the last one."""
        windows = self._windows(node) or [(0, self._horizon())]
        return windows[0][0], windows[-1][1]

    def _all_served(self) -> bool:
        """Return True if the plan serves every mandatory job in time.

        PyVRP must then serve them as well.
        """
        absent_jobs = set(self._state.absent_jobs)
        left = any(job in absent_jobs and self.compiled.jobs[job].prize is None for job in self.jobs)
        return not left and not (self.compiled.late_possible and any(_is_late_tour(tour) for tour in self._state.tours))

    def _windows(self, node: int) -> list[tuple[int, int]]:
        """Return windows relative to the first start of work.

        They include grace if lateness has no cost.
        """
        compiled = self.compiled
        grace = 0 if compiled.problem.objective.lateness_s else compiled.grace[node]
        shifted = [(opens - self._zero_s, closes + grace - self._zero_s) for opens, closes in compiled.windows[node]]
        return [(max(0, opens), closes) for opens, closes in shifted if closes >= 0]

    def _prize(self, job: int) -> tuple[int, bool]:
        """Return the prize, and True if the job is required.

        For a mandatory job that may not fit, the prize exceeds the price of any detour.
        """
        request, compiled = self.compiled.jobs[job], self.compiled
        if request.prize is not None:
            return round(request.prize * self._scale), False
        if self._must:
            return 0, True
        objective, longest = compiled.problem.objective, float(self._real_metres().max(initial=0))
        dearest = max(
            price_of_use(crew.vehicle, objective)
            + price_per_m(crew.vehicle, objective) * 4 * longest
            + price_per_s(crew.vehicle, objective) * (crew.finish_s - crew.begin_s)
            for crew in (compiled.crews[n] for n in self.seats)
        )
        return round((1 + request.priority) * (1 + dearest) * self._scale), False

    def _load(self, job: int, count: int) -> list[int]:
        """Return the demand in each dimension, plus the number of stops if it is limited."""
        return [*self.compiled.demand[job], *([count] if self._counts_stops else [])]

    def _add_single(self, job: int) -> None:
        """Add a client, or a mutually exclusive client for each window.

        Each counts as one delivered stop.
        """
        compiled = self.compiled
        (node,) = compiled.nodes[job]
        prize, required = self._prize(job)
        windows = self._windows(node) or [(0, self._horizon())]
        group = None
        if len(windows) > 1:
            group, first = len(self._groups), len(self._clients)
            self._groups.append(ClientGroup(list(range(first, first + len(windows))), required))
        nothing = [0] * len(compiled.demand[job])
        count = [1] if self._counts_stops else []
        for number, (opens, closes) in enumerate(windows):
            delivered, collected = (self._load(job, 1), []) if node & 1 else ([*nothing, *count], self._load(job, 0))
            self._clients.append(
                Client(
                    self._at[node],
                    delivered,
                    collected,
                    compiled.service[node],
                    opens,
                    closes,
                    prize=prize,
                    required=required and group is None,
                    group=group,
                )
            )
            self._client_nodes.append((node, number))

    def _add_pair(self, job: int) -> None:
        """Add a shipment with the overall time span of the windows at each stop."""
        spans = [self._span(node) for node in self.compiled.nodes[job]]
        (pickup, delivery), service = self.compiled.nodes[job], self.compiled.service
        prize, required = self._prize(job)
        self._pairs.append(job)
        self._shipments.append(
            Shipment(
                self._at[pickup],
                self._at[delivery],
                *spans[0],
                service[pickup],
                *spans[1],
                service[delivery],
                self._load(job, 0),
                prize,
                required,
            )
        )

    def _vehicle_types(self) -> tuple[list[Type], list[list[int]], list[TravelProfile]]:
        """Return vehicle types, the vehicles of each, and travel profiles.

        A profile has travel matrices, a speed and a set of permissions.
        """
        kinds: dict[tuple[int, tuple[bool, ...]], list[int]] = {}
        profiles: dict[TravelProfile, int] = {}
        for number in self.seats:
            permits = tuple(self.compiled.permits[number][job] for job in self.jobs)
            kinds.setdefault((self.compiled.crews[number].equivalence, permits), []).append(number)
        types: list[Type] = []
        for (_, permits), crews in kinds.items():
            crew = self.compiled.crews[crews[0]]
            key = TravelProfile(crew.vehicle.profile, crew.vehicle.speed_percent, permits)
            profile = profiles.setdefault(key, len(profiles))
            types.append(self._type(crew, len(crews), profile))
        return types, list(kinds.values()), list(profiles)

    def _type(self, crew: CompiledVehicle, count: int, profile: int) -> Type:
        vehicle, objective = crew.vehicle, self.compiled.problem.objective
        start, end = (self._depots.index(place) for place in _start_and_end(crew))
        rest = sum(
            length for earliest, latest, length in crew.breaks if earliest < crew.finish_s and latest >= crew.begin_s
        )
        early = crew.begin_s + crew.loading_s - self._zero_s
        late = max(early, crew.finish_s - rest - self._zero_s)
        most = None if vehicle.max_time_s is None else max(0, vehicle.max_time_s - crew.loading_s - rest)
        stops = [len(self._nodes) if vehicle.max_stops is None else vehicle.max_stops] if self._counts_stops else []
        return Type(
            count,
            [*vehicle.capacity, *stops],
            start,
            end,
            round(price_of_use(vehicle, objective) * self._scale),
            early,
            late,
            self._horizon() if most is None else most,
            UNREACHABLE if vehicle.max_distance_m is None else vehicle.max_distance_m,
            round(price_per_m(vehicle, objective) * self._scale),
            round(price_per_s(vehicle, objective) * self._scale),
            profile,
            min(late, max(early, crew.last_begin_s + crew.loading_s - self._zero_s)),
            [*crew.aboard, *(0 for _ in stops)],
        )

    def _horizon(self) -> int:
        """Return a duration longer than any route."""
        return self._end_s - self._zero_s + 1

    def _places(self) -> list[int]:
        return [*self._depots, *(self.compiled.place[node] for node in self._nodes)]

    def _real_metres(self) -> Matrix:
        places = [place for place in self._places() if place != OPEN_END_PLACE]
        used = sorted({self.compiled.crews[n].vehicle.profile for n in self.seats})
        travels = [self.compiled.problem.travel_of(profile).submatrix(places) for profile in used]
        return np.stack([np.where(travel.duration_s < UNREACHABLE, travel.distance_m, 0) for travel in travels])

    def _metres(self, travel: int) -> Matrix:
        """Return the distances between all stops; zero to an open end."""
        return self._square(self.compiled.problem.travel_of(travel).distance_m, 0)

    def _seconds(self, profile: TravelProfile) -> Matrix:
        """Return the travel times of a profile.

        Forbidden or unreachable stops take longer than any route.
        """
        never = 2 * self._horizon()
        travel = self.compiled.problem.travel_of(profile.travel)
        seconds = self._square(travel.at_speed(profile.speed_percent), never)
        for job, allowed in zip(self.jobs, profile.permits, strict=True):
            for node in () if allowed else self.compiled.nodes[job]:
                seconds[self._at[node], :] = seconds[:, self._at[node]] = never
        seconds = np.minimum(seconds, never)
        np.fill_diagonal(seconds, 0)
        return seconds

    def _square(self, matrix: Matrix, from_nowhere: int) -> Matrix:
        places = np.array(self._places())
        square = matrix[np.ix_(np.maximum(places, 0), np.maximum(places, 0))].astype(np.int64)
        square[places == OPEN_END_PLACE, :] = from_nowhere
        square[:, places == OPEN_END_PLACE] = 0
        np.fill_diagonal(square, 0)
        return square

    def _route(self, tour: Tour, kind: int) -> Route:
        times = tour.timing
        starts = times.starts_s if times else (0,) * len(tour.nodes)
        return Route(
            self.data, [self._activity(node, start_s) for node, start_s in zip(tour.nodes, starts, strict=True)], kind
        )

    def _activity(self, node: int, start_s: int) -> Activity:
        if len(self.compiled.nodes[node >> 1]) == 2:
            return Activity(ActivityType.DELIVERY if node & 1 else ActivityType.PICKUP, self._pairs.index(node >> 1))
        windows = self._windows(node)
        number = max((k for k, (opens, _) in enumerate(windows) if opens <= start_s - self._zero_s), default=0)
        return Activity(ActivityType.CLIENT, self._client_nodes.index((node, number)))

    def _node(self, activity: Activity) -> int:
        if activity.is_client():
            return self._client_nodes[activity.idx][0]
        return self.compiled.nodes[self._pairs[activity.idx]][0 if activity.is_pickup() else 1]


def _start_and_end(crew: CompiledVehicle) -> tuple[int, int]:
    """Return the start and end places of a vehicle for PyVRP."""
    return crew.vehicle.start, OPEN_END_PLACE if crew.vehicle.end is None else crew.vehicle.end


def _is_late_tour(tour: Tour) -> bool:
    return bool(tour.nodes) and tour.timing is not None and tour.timing.late_s > 0


def _price_scale(compiled: CompiledProblem, seats: Sequence[int]) -> float:
    """Return the factor that scales prices to whole numbers.

    If only one price is positive, it becomes 1.
    """
    objective = compiled.problem.objective
    vehicles = [compiled.crews[n].vehicle for n in seats]
    prices = {price(vehicle, objective) for vehicle in vehicles for price in (price_per_m, price_per_s)} - {0}
    if len(prices) < 2:
        return 1 / next(iter(prices), 1)
    return min(MIN_SCALED_PRICE / min(prices, default=inf), MAX_SCALED_PRICE / max(prices))
