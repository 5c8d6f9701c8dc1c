"""A problem as flat lists, which is what Python reads fastest.

Jobs and vehicles are numbered by their place in the problem. A *node* is a task: 2 * job for its pickup, 2 * job + 1 for
its delivery.
"""

from collections.abc import Sequence
from functools import cached_property

import numpy as np
from msgspec import Struct

from haulier.solvers.routing.problem import Job, Kind, Load, Problem, Task, Vehicle, Visit

FOREVER = 10**12
NEAREST = 200
"""How many near jobs are known of each job."""
Spans = tuple[tuple[int, int], ...]
Rows = list[list[int]]


class Crew(Struct, frozen=True, kw_only=True, eq=False):
    """A vehicle, compiled. `begin_s` and `last_begin_s` bound the start of work, `open_s` and `finish_s` its end."""

    vehicle: Vehicle
    travel: Rows
    begin_s: int
    last_begin_s: int
    loading_s: int
    open_s: int
    finish_s: int
    breaks: tuple[tuple[int, int, int], ...]
    locked: tuple[int, ...]
    aboard: Load
    likeness: int
    """Crews with the same number are interchangeable, but for pools."""


class Ground:
    """Everything a search asks of a problem."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.jobs = problem.jobs
        self.number = {job.id: index for index, job in enumerate(problem.jobs)}
        self.distance: Rows = problem.travel.distance_m.tolist()
        visits = [visit for job in problem.jobs for visit in (job.pickup, job.delivery)]
        self.place = [visit.place if visit else -1 for visit in visits]
        self.service = [visit.service_s if visit else 0 for visit in visits]
        self.windows: list[Spans] = [_spans(visit) for visit in visits]
        self.nodes = [tuple(self.node(Task(job.id, kind)) for kind, _ in job.visits()) for job in problem.jobs]
        self.demand = [job.demand for job in problem.jobs]
        self.crews = _crews(self)
        self.bound = _bound(self)
        """Nodes that people fixed, and the deliveries of what they fixed: never moved, in time or not."""
        self.grace = [_grace(visit, node in self.bound) for node, visit in enumerate(visits)]
        self.late_possible = bool(self.bound) or any(visit.grace_s for visit in visits if visit)
        self.may = _permissions(problem)
        """may[vehicle][job]: pools and skills allow it."""

    @cached_property
    def near(self) -> list[list[int]]:
        """For each job, the jobs nearest to it, itself first; of pairs, both ends count."""
        if not self.jobs:
            return []
        first, last = ([self.place[nodes[end]] for nodes in self.nodes] for end in (0, -1))
        metres = self.problem.travel.distance_m.astype(np.int64)
        both = metres[np.ix_(first, first)] + metres[np.ix_(last, last)]
        np.fill_diagonal(both, -1)
        return np.argsort(both, axis=1, kind="stable")[:, :NEAREST].tolist()

    def node(self, task: Task) -> int:
        """The number of a task."""
        return 2 * self.number[task.job] + (task.kind == Kind.DELIVERY)

    def task(self, node: int) -> Task:
        """The task with a number."""
        return Task(self.jobs[node >> 1].id, Kind.DELIVERY if node & 1 else Kind.PICKUP)

    def enter(self, node: int, at_s: int) -> int:
        """When work can begin for one who is there at `at_s`; `FOREVER` when it is too late."""
        windows = self.windows[node]
        if not windows:
            return at_s
        grace = self.grace[node]
        for opens, closes in windows:
            if at_s <= closes + grace:
                return max(opens, at_s)
        return FOREVER

    def latest(self, node: int, until_s: int, *, grace: bool = True) -> int:
        """The last moment up to `until_s` at which work may begin; before everything when there is none."""
        windows = self.windows[node]
        if not windows:
            return until_s
        extra = self.grace[node] if grace else 0
        for opens, closes in reversed(windows):
            if until_s >= opens:
                return min(until_s, closes + extra)
        return -FOREVER

    def late_s(self, node: int, start_s: int) -> int:
        """How long after the end of a window work begins."""
        windows = self.windows[node]
        if not windows:
            return 0
        return min((max(0, start_s - closes) for opens, closes in windows if opens <= start_s), default=0)


def _spans(visit: Visit | None) -> Spans:
    return tuple((window.start_s, window.end_s) for window in visit.windows) if visit else ()


def _grace(visit: Visit | None, bound: bool) -> int:
    if bound:
        return FOREVER
    return visit.grace_s if visit else 0


def _bound(ground: Ground) -> frozenset[int]:
    locked = {node for crew in ground.crews for node in crew.locked}
    return frozenset(locked | {node | 1 for node in locked if len(ground.nodes[node >> 1]) == 2})


def _crews(ground: Ground) -> list[Crew]:
    problem = ground.problem
    speeds = {vehicle.speed_percent for vehicle in problem.vehicles}
    travel = {speed: problem.travel.at_speed(speed).tolist() for speed in speeds}
    alike: dict[tuple[object, ...], int] = {}
    return [
        _crew(ground, vehicle, travel[vehicle.speed_percent], alike.setdefault(_likeness(vehicle), len(alike)))
        for vehicle in problem.vehicles
    ]


def _crew(ground: Ground, vehicle: Vehicle, travel: Rows, likeness: int) -> Crew:
    problem, shift = ground.problem, vehicle.shift
    home, back = problem.depot_at(vehicle.start), problem.depot_at(vehicle.end)
    loading = home.loading_s if home else 0
    opens, closes = (home.open.start_s, home.open.end_s) if home and home.open else (-FOREVER, FOREVER)
    opens_back, closes_back = (back.open.start_s, back.open.end_s) if back and back.open else (-FOREVER, FOREVER)
    return Crew(
        vehicle=vehicle,
        travel=travel,
        begin_s=max(shift.start_s, opens),
        last_begin_s=min(shift.end_s, closes) - loading,
        loading_s=loading,
        open_s=opens_back,
        finish_s=min(shift.end_s, closes_back),
        breaks=tuple((each.window.start_s, each.window.end_s, each.duration_s) for each in vehicle.breaks),
        locked=tuple(ground.node(task) for task in vehicle.locked),
        aboard=vehicle.aboard or (0,) * len(problem.dimensions),
        likeness=likeness,
    )


def _likeness(vehicle: Vehicle) -> tuple[object, ...]:
    return tuple(getattr(vehicle, field) for field in Vehicle.__struct_fields__ if field != "id")


def may_take(vehicle: Vehicle, job: Job) -> bool:
    """Whether pools and skills let a vehicle take a job."""
    return (job.vehicles is None or vehicle.id in job.vehicles) and job.skills <= vehicle.skills


def _permissions(problem: Problem) -> list[Sequence[bool]]:
    """Few different demands stand behind many jobs: each is decided once a vehicle."""
    wishes = {(job.vehicles, job.skills): job for job in problem.jobs}
    rows: list[Sequence[bool]] = []
    for vehicle in problem.vehicles:
        allowed = {wish: may_take(vehicle, job) for wish, job in wishes.items()}
        rows.append([allowed[job.vehicles, job.skills] for job in problem.jobs])
    return rows
