"""Routing problem.

Times are whole seconds on any axis that the caller chooses (since midnight, since the epoch), money is in minor units,
loads are tuples with one whole number per dimension (grams, cubic centimetres, pieces …), and places are rows of the
travel matrix.
"""

from collections.abc import Iterator
from enum import StrEnum

from msgspec import Struct

from haulier.solvers.routing.travel import TravelMatrices

Load = tuple[int, ...]


class TaskKind(StrEnum):
    PICKUP = "pickup"
    DELIVERY = "delivery"


class TimeWindow(Struct, frozen=True):
    """A time interval that includes both ends."""

    start_s: int
    end_s: int


class RoutingDepot(Struct, frozen=True, kw_only=True):
    """A place with opening hours.

    Vehicles that start here load first; vehicles that end here return within the opening hours.
    """

    place: int
    open: TimeWindow | None = None
    loading_s: int = 0


class RoutingBreak(Struct, frozen=True, kw_only=True):
    """A break that begins within `window`, at a stop or while driving.

    It is due if the vehicle is still on its route at the latest possible start of the break.
    """

    window: TimeWindow
    duration_s: int


class JobTask(Struct, frozen=True):
    """A pickup or a delivery of a job."""

    job: int
    kind: TaskKind


class RoutingVehicle(Struct, frozen=True, kw_only=True):
    """A vehicle with its driver, for one route.

    During a route, `start` is the current position, `shift` begins now, `locked` holds the next stops, which must not
    change, and `aboard` is the load that stays to the end. With `end` None the route ends at its last stop. A limit of
    None is no limit; `max_time_s` counts from leaving `start` to the end, including breaks and waiting. `profile` is the
    number of its travel matrices (`RoutingProblem.travel_of`).
    """

    id: int
    start: int
    end: int | None
    shift: TimeWindow
    capacity: Load = ()
    aboard: Load = ()
    skills: frozenset[str] = frozenset()
    breaks: tuple[RoutingBreak, ...] = ()
    profile: int = 0
    speed_percent: int = 100
    fixed_cost: int = 0
    cost_per_km: int = 0
    cost_per_hour: int = 0
    max_stops: int | None = None
    max_time_s: int | None = None
    max_distance_m: int | None = None
    locked: tuple[JobTask, ...] = ()


class VisitRequest(Struct, frozen=True, kw_only=True):
    """Place and time windows of a pickup or delivery.

    Service begins within one of the windows, or at any time if there are none. With `grace_s`, it may begin up to that
    long after the end of a window and counts as late.
    """

    place: int
    service_s: int = 0
    windows: tuple[TimeWindow, ...] = ()
    grace_s: int = 0


class RoutingJob(Struct, frozen=True, kw_only=True):
    """A load to move.

    A job with only `delivery` is on board from the start, one with only `pickup` stays on board to the end, and one
    with both is picked up and delivered by the same vehicle.

    `vehicles` restricts the vehicles (None: any). Jobs of a lower `priority` (from 0) are left unassigned first. With a
    `prize`, the job may be left unassigned at the loss of the prize, in units of the objective; without, only if it
    does not fit.
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
        """Yield the visits in order."""
        if self.pickup:
            yield TaskKind.PICKUP, self.pickup
        if self.delivery:
            yield TaskKind.DELIVERY, self.delivery


class RoutingObjective(Struct, frozen=True, kw_only=True):
    """Weights of the objective, a weighted sum.

    They apply to a minor unit of money, a metre, a second of work, a vehicle used, a second between the longest and the
    shortest route, and a second of lateness. The number of assigned jobs comes first.
    """

    cost: float = 1
    distance_m: float = 0
    duration_s: float = 0
    vehicles: float = 0
    balance_s: float = 0
    lateness_s: float = 1


class RoutingProblem(Struct, frozen=True, kw_only=True, eq=False):
    """A routing problem. Raises `ValueError` if it is inconsistent.

    `travel` has profile 0, and `other_travel` the profiles from 1 between the same places. Places are near by `travel`.
    """

    travel: TravelMatrices
    other_travel: tuple[TravelMatrices, ...] = ()
    vehicles: tuple[RoutingVehicle, ...]
    jobs: tuple[RoutingJob, ...]
    depots: tuple[RoutingDepot, ...] = ()
    dimensions: tuple[str, ...] = ()
    objective: RoutingObjective = RoutingObjective()

    def __post_init__(self) -> None:
        error = next(_problem_errors(self), None)
        if error:
            raise ValueError(error)

    def travel_of(self, profile: int) -> TravelMatrices:
        """Return the travel matrices of a profile."""
        return self.other_travel[profile - 1] if profile else self.travel

    def depot_at(self, place: int | None) -> RoutingDepot | None:
        """Return the depot at a place, if any."""
        return next((depot for depot in self.depots if depot.place == place), None)


def _problem_errors(problem: RoutingProblem) -> Iterator[str]:
    """Yield every inconsistency of a problem."""
    jobs = {job.id: job for job in problem.jobs}
    if len(jobs) < len(problem.jobs):
        yield "two jobs have the same id"
    if len({vehicle.id for vehicle in problem.vehicles}) < len(problem.vehicles):
        yield "two vehicles have the same id"
    matrices = [
        matrix for each in (problem.travel, *problem.other_travel) for matrix in (each.duration_s, each.distance_m)
    ]
    if len({matrix.shape for matrix in matrices}) > 1:
        yield "the travel matrices differ in size"
    for job in problem.jobs:
        yield from _job_errors(problem, job)
    for vehicle in problem.vehicles:
        yield from _vehicle_errors(problem, vehicle)
    yield from _lock_errors(problem, jobs)


def _job_errors(problem: RoutingProblem, job: RoutingJob) -> Iterator[str]:
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


def _vehicle_errors(problem: RoutingProblem, vehicle: RoutingVehicle) -> Iterator[str]:
    size = len(problem.dimensions)
    if len(vehicle.capacity) != size or len(vehicle.aboard) not in (0, size):
        yield f"the loads of vehicle {vehicle.id} do not match the dimensions {problem.dimensions}"
    ends = [vehicle.start] if vehicle.end is None else [vehicle.start, vehicle.end]
    if not all(0 <= place < problem.travel.places for place in ends):
        yield f"vehicle {vehicle.id} starts or ends at a place that the matrix does not have"
    if not 0 <= vehicle.profile <= len(problem.other_travel):
        yield f"vehicle {vehicle.id} has a profile without travel matrices"
    if vehicle.speed_percent < 1:
        yield f"vehicle {vehicle.id} does not move"
    latest = [pause.window.end_s for pause in vehicle.breaks]
    if latest != sorted(latest):
        yield f"the breaks of vehicle {vehicle.id} are not in order"


def _lock_errors(problem: RoutingProblem, jobs: dict[int, RoutingJob]) -> Iterator[str]:
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
