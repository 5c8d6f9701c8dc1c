"""The input of a route builder.

Times are whole seconds on any axis the caller likes (since midnight, since the epoch), money is in minor units, loads are
tuples with one whole number per dimension (grams, cubic centimetres, pieces …), places are rows of the travel matrix.
"""

from collections.abc import Iterator
from enum import StrEnum

from msgspec import Struct

from haulier.solvers.routing.travel import TravelMatrices

Load = tuple[int, ...]


class TaskKind(StrEnum):
    """The kind of work at a stop."""

    PICKUP = "pickup"
    DELIVERY = "delivery"


class TimeWindow(Struct, frozen=True):
    """From one moment to another, both included."""

    start_s: int
    end_s: int


class RoutingDepot(Struct, frozen=True, kw_only=True):
    """A place with opening hours. Vehicles that start here load first, and those that end here are back in its hours."""

    place: int
    open: TimeWindow | None = None
    loading_s: int = 0


class RoutingBreak(Struct, frozen=True, kw_only=True):
    """A pause that begins within `window`, anywhere: at a stop, at the next one, or on the way between the two.

    It is due when the vehicle is on its route at the latest moment at which the pause could begin.
    """

    window: TimeWindow
    duration_s: int


class JobTask(Struct, frozen=True):
    """One half of a job: to pick it up or to deliver it."""

    job: int
    kind: TaskKind


class RoutingVehicle(Struct, frozen=True, kw_only=True):
    """A vehicle with its driver, for one route.

    On the road already: `start` is where it is now, `shift` begins now, `locked` are the next stops that nobody may change,
    and `aboard` is what it carries to the end. `end` of None leaves it at its last stop. Limits of None are no limits;
    `max_time_s` counts from leaving `start` to the end, pauses and waiting included.
    """

    id: int
    start: int
    end: int | None
    shift: TimeWindow
    capacity: Load = ()
    aboard: Load = ()
    skills: frozenset[str] = frozenset()
    breaks: tuple[RoutingBreak, ...] = ()
    speed_percent: int = 100
    fixed_cost: int = 0
    cost_per_km: int = 0
    cost_per_hour: int = 0
    max_stops: int | None = None
    max_time_s: int | None = None
    max_distance_m: int | None = None
    locked: tuple[JobTask, ...] = ()


class VisitRequest(Struct, frozen=True, kw_only=True):
    """Where and when a job is picked up or delivered. Work begins within one of the windows, any time if there are none.

    With `grace_s`, work may begin so much after the end of a window, and counts as late.
    """

    place: int
    service_s: int = 0
    windows: tuple[TimeWindow, ...] = ()
    grace_s: int = 0


class RoutingJob(Struct, frozen=True, kw_only=True):
    """A load to move. Only `delivery`: it is on board from the start. Only `pickup`: it stays on board to the end.
    Both: one vehicle picks it up and delivers it later.

    `vehicles` are the only ones that may (None: any). A higher `priority` (from 0) is left out later. With a `prize` the job
    may be left out at the loss of the prize, which is in the units of the objective; without, it is left out only when
    it does not fit.
    """

    id: int
    pickup: VisitRequest | None = None
    delivery: VisitRequest | None = None
    demand: Load = ()
    skills: frozenset[str] = frozenset()
    vehicles: frozenset[int] | None = None
    priority: int = 0
    prize: int | None = None

    def visits(self) -> Iterator[tuple[TaskKind, VisitRequest]]:
        """What is to be done, in order."""
        if self.pickup:
            yield TaskKind.PICKUP, self.pickup
        if self.delivery:
            yield TaskKind.DELIVERY, self.delivery


class RoutingObjective(Struct, frozen=True, kw_only=True):
    """The weights of the objective, one sum: a minor unit of money, a metre, a second of work, a vehicle used, a second between
    the longest and the shortest route, a second of lateness. As many jobs as possible come before all of it.
    """

    cost: float = 1
    distance_m: float = 0
    duration_s: float = 0
    vehicles: float = 0
    balance_s: float = 0
    lateness_s: float = 1


class RoutingProblem(Struct, frozen=True, kw_only=True, eq=False):
    """The whole problem. Raises `ValueError` when it contradicts itself."""

    travel: TravelMatrices
    vehicles: tuple[RoutingVehicle, ...]
    jobs: tuple[RoutingJob, ...]
    depots: tuple[RoutingDepot, ...] = ()
    dimensions: tuple[str, ...] = ()
    objective: RoutingObjective = RoutingObjective()

    def __post_init__(self) -> None:
        fault = next(_problem_faults(self), None)
        if fault:
            raise ValueError(fault)

    def depot_at(self, place: int | None) -> RoutingDepot | None:
        """The depot at a place, where there is one."""
        return next((depot for depot in self.depots if depot.place == place), None)


def _problem_faults(problem: RoutingProblem) -> Iterator[str]:
    """Every contradiction in a problem."""
    jobs = {job.id: job for job in problem.jobs}
    if len(jobs) < len(problem.jobs):
        yield "two jobs have the same id"
    if len({vehicle.id for vehicle in problem.vehicles}) < len(problem.vehicles):
        yield "two vehicles have the same id"
    if problem.travel.duration_s.shape != problem.travel.distance_m.shape:
        yield "the two travel matrices differ in size"
    for job in problem.jobs:
        yield from _job_faults(problem, job)
    for vehicle in problem.vehicles:
        yield from _vehicle_faults(problem, vehicle)
    yield from _lock_faults(problem, jobs)


def _job_faults(problem: RoutingProblem, job: RoutingJob) -> Iterator[str]:
    if not (job.pickup or job.delivery):
        yield f"job {job.id} has no stop"
    if len(job.demand) != len(problem.dimensions) or any(amount < 0 for amount in job.demand):
        yield f"the demand of job {job.id} does not match the dimensions {problem.dimensions}"
    for _, visit in job.visits():
        if not 0 <= visit.place < problem.travel.places:
            yield f"job {job.id} is at place {visit.place}, which the matrix does not have"
        edges = [moment for window in visit.windows for moment in (window.start_s, window.end_s)]
        if edges != sorted(edges):
            yield f"the windows of job {job.id} are not in order"


def _vehicle_faults(problem: RoutingProblem, vehicle: RoutingVehicle) -> Iterator[str]:
    size = len(problem.dimensions)
    if len(vehicle.capacity) != size or len(vehicle.aboard) not in (0, size):
        yield f"the loads of vehicle {vehicle.id} do not match the dimensions {problem.dimensions}"
    ends = [vehicle.start] if vehicle.end is None else [vehicle.start, vehicle.end]
    if not all(0 <= place < problem.travel.places for place in ends):
        yield f"vehicle {vehicle.id} starts or ends at a place that the matrix does not have"
    if vehicle.speed_percent < 1:
        yield f"vehicle {vehicle.id} does not move"
    latest = [pause.window.end_s for pause in vehicle.breaks]
    if latest != sorted(latest):
        yield f"the breaks of vehicle {vehicle.id} are not in order"


def _lock_faults(problem: RoutingProblem, jobs: dict[int, RoutingJob]) -> Iterator[str]:
    locked = [task for vehicle in problem.vehicles for task in vehicle.locked]
    if len(set(locked)) < len(locked):
        yield "a task is locked twice"
    for vehicle in problem.vehicles:
        picked: set[int] = set()
        for task in vehicle.locked:
            job = jobs.get(task.job)
            if job is None or task.kind not in dict(job.visits()):
                yield f"vehicle {vehicle.id} is locked to a task that is not asked for: {task}"
            elif task.kind == TaskKind.DELIVERY and job.pickup and task.job not in picked:
                yield f"vehicle {vehicle.id} is locked to deliver job {task.job} before it is picked up"
            picked.add(task.job)
