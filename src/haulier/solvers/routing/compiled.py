"""Routing problem as flat lists of numbers, which Python reads fastest.

Jobs and vehicles are numbered by their position in the problem. A *node* is a task: 2 * job for its pickup, 2 * job + 1
for its delivery.
"""

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from msgspec import Struct

from haulier.late_import import LateModule
from haulier.solvers.routing.problem import (
    JobTask,
    Load,
    RoutingJob,
    RoutingProblem,
    RoutingVehicle,
    TaskKind,
    VisitRequest,
)

if TYPE_CHECKING:
    import numpy as np
else:
    np = LateModule("numpy")

INFINITE_S = 10**12
MAX_NEAR_JOBS = 200
"""Number of nearest jobs listed for each job."""
TimeSpans = tuple[tuple[int, int], ...]
IntRows = list[list[int]]


class CompiledVehicle(Struct, frozen=True, kw_only=True, eq=False):
    """A vehicle with its shift and depot hours as times in seconds.

    Work starts between `begin_s` and `last_begin_s` and ends between `open_s` and `finish_s`.
    """

    vehicle: RoutingVehicle
    travel: IntRows
    distance: IntRows
    begin_s: int
    last_begin_s: int
    loading_s: int
    open_s: int
    finish_s: int
    breaks: tuple[tuple[int, int, int], ...]
    locked: tuple[int, ...]
    aboard: Load
    equivalence: int
    """Vehicles with the same number are interchangeable, except for pools."""


class CompiledProblem:
    """A problem with the lookup tables of a search."""

    def __init__(self, problem: RoutingProblem) -> None:
        self.problem = problem
        self.jobs = problem.jobs
        self.number = {job.id: index for index, job in enumerate(problem.jobs)}
        profiles = {0, *(vehicle.profile for vehicle in problem.vehicles)}
        self.distances: dict[int, IntRows] = {each: problem.travel_of(each).distance_m.tolist() for each in profiles}
        visits = [visit for job in problem.jobs for visit in (job.pickup, job.delivery)]
        self.place = [visit.place if visit else -1 for visit in visits]
        self.service = [visit.service_s if visit else 0 for visit in visits]
        self.windows: list[TimeSpans] = [_time_spans(visit) for visit in visits]
        self.nodes = [tuple(self.node(JobTask(job.id, kind)) for kind, _ in job.visits()) for job in problem.jobs]
        self.demand = [job.demand for job in problem.jobs]
        self.crews = _compiled_vehicles(self)
        self.bound = _fixed_nodes(self)
        """Locked nodes and the deliveries of locked pickups. They are never moved, even if late."""
        self.grace = [_grace_s(visit, node in self.bound) for node, visit in enumerate(visits)]
        self.late_possible = bool(self.bound) or any(visit.grace_s for visit in visits if visit)
        self.permits = _permissions(problem)
        """`permits[vehicle][job]`: True if pools and skills allow the assignment."""

    @cached_property
    def near(self) -> list[list[int]]:
        """Return the nearest jobs of each job, starting with itself.

        The distance of two jobs is that of their pickups plus that of their deliveries.
        """
        if not self.jobs:
            return []
        first, last = ([self.place[nodes[end]] for nodes in self.nodes] for end in (0, -1))
        metres = self.problem.travel.distance_m.astype(np.int64)
        both = metres[np.ix_(first, first)] + metres[np.ix_(last, last)]
        np.fill_diagonal(both, -1)
        return np.argsort(both, axis=1, kind="stable")[:, :MAX_NEAR_JOBS].tolist()

    def node(self, task: JobTask) -> int:
        """Return the number of a task."""
        return 2 * self.number[task.job] + (task.kind == TaskKind.DELIVERY)

    def task(self, node: int) -> JobTask:
        """Return the task with a number."""
        return JobTask(self.jobs[node >> 1].id, TaskKind.DELIVERY if node & 1 else TaskKind.PICKUP)

    def earliest_start_s(self, node: int, at_s: int) -> int:
        """Return the start of service for an arrival at `at_s`; `INFINITE_S` if too late."""
        windows = self.windows[node]
        if not windows:
            return at_s
        grace = self.grace[node]
        for opens, closes in windows:
            if at_s <= closes + grace:
                return max(opens, at_s)
        return INFINITE_S

    def latest(self, node: int, until_s: int, *, grace: bool = True) -> int:
        """Return the latest start of service up to `until_s`; `-INFINITE_S` if none."""
        windows = self.windows[node]
        if not windows:
            return until_s
        extra = self.grace[node] if grace else 0
        for opens, closes in reversed(windows):
            if until_s >= opens:
                return min(until_s, closes + extra)
        return -INFINITE_S

    def late_s(self, node: int, start_s: int) -> int:
        """Return the seconds between the end of the window and the start of service."""
        windows = self.windows[node]
        if not windows:
            return 0
        return min((max(0, start_s - closes) for opens, closes in windows if opens <= start_s), default=0)


def _time_spans(visit: VisitRequest | None) -> TimeSpans:
    return tuple((window.start_s, window.end_s) for window in visit.windows) if visit else ()


def _grace_s(visit: VisitRequest | None, bound: bool) -> int:
    if bound:
        return INFINITE_S
    return visit.grace_s if visit else 0


def _fixed_nodes(compiled: CompiledProblem) -> frozenset[int]:
    locked = {node for crew in compiled.crews for node in crew.locked}
    return frozenset(locked | {node | 1 for node in locked if len(compiled.nodes[node >> 1]) == 2})


def _compiled_vehicles(compiled: CompiledProblem) -> list[CompiledVehicle]:
    problem = compiled.problem
    paces = {(vehicle.profile, vehicle.speed_percent) for vehicle in problem.vehicles}
    travel = {(profile, speed): problem.travel_of(profile).at_speed(speed).tolist() for profile, speed in paces}
    alike: dict[tuple[object, ...], int] = {}
    return [
        _compiled_vehicle(
            compiled,
            vehicle,
            travel[vehicle.profile, vehicle.speed_percent],
            alike.setdefault(_equivalence_key(vehicle), len(alike)),
        )
        for vehicle in problem.vehicles
    ]


def _compiled_vehicle(
    compiled: CompiledProblem, vehicle: RoutingVehicle, travel: IntRows, equivalence: int
) -> CompiledVehicle:
    problem, shift = compiled.problem, vehicle.shift
    home, back = problem.depot_at(vehicle.start), problem.depot_at(vehicle.end)
    loading = home.loading_s if home else 0
    opens, closes = (home.open.start_s, home.open.end_s) if home and home.open else (-INFINITE_S, INFINITE_S)
    opens_back, closes_back = (back.open.start_s, back.open.end_s) if back and back.open else (-INFINITE_S, INFINITE_S)
    return CompiledVehicle(
        vehicle=vehicle,
        travel=travel,
        distance=compiled.distances[vehicle.profile],
        begin_s=max(shift.start_s, opens),
        last_begin_s=min(shift.end_s, closes) - loading,
        loading_s=loading,
        open_s=opens_back,
        finish_s=min(shift.end_s, closes_back),
        breaks=tuple((pause.window.start_s, pause.window.end_s, pause.duration_s) for pause in vehicle.breaks),
        locked=tuple(compiled.node(task) for task in vehicle.locked),
        aboard=vehicle.aboard or (0,) * len(problem.dimensions),
        equivalence=equivalence,
    )


def _equivalence_key(vehicle: RoutingVehicle) -> tuple[object, ...]:
    return tuple(getattr(vehicle, field) for field in RoutingVehicle.__struct_fields__ if field != "id")


def may_take(vehicle: RoutingVehicle, job: RoutingJob) -> bool:
    """Return True if pools and skills allow a vehicle to take a job."""
    return (job.vehicles is None or vehicle.id in job.vehicles) and job.skills <= vehicle.skills


def _permissions(problem: RoutingProblem) -> list[Sequence[bool]]:
    # Jobs share few combinations of pools and skills, so each is decided once per vehicle.
    combinations = {(job.vehicles, job.skills): job for job in problem.jobs}
    rows: list[Sequence[bool]] = []
    for vehicle in problem.vehicles:
        allowed = {combination: may_take(vehicle, job) for combination, job in combinations.items()}
        rows.append([allowed[job.vehicles, job.skills] for job in problem.jobs])
    return rows
