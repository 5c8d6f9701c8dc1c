"""Why a job is on no route. Reasons are proved: each is the first of a row of checks that no vehicle passes.

The vehicles that pass one check go on to the next, so the answer names the first thing that would have to change. The facts
say how much is missing: `needed` and `available` with `dimension` (capacity), `skills` (skill), the id of the `vehicle` that
came nearest (limits).
"""

from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise

from msgspec.structs import replace

from haulier.solvers.routing.compiled import CompiledProblem, CompiledVehicle
from haulier.solvers.routing.plan import UnassignedJob, UnassignedReason
from haulier.solvers.routing.problem import RoutingJob, RoutingVehicle
from haulier.solvers.routing.timetable import route_distance_m
from haulier.solvers.routing.timing import route_timing
from haulier.solvers.routing.travel import UNREACHABLE

ReasonFacts = dict[str, int | str]
ReasonVerdict = tuple[UnassignedReason, ReasonFacts] | None


class ReasonFinder:
    """The reasons of one problem's jobs; each job alone is judged once."""

    def __init__(self, compiled: CompiledProblem) -> None:
        self._compiled = compiled
        self._verdicts: dict[int, ReasonVerdict] = {}

    def explain(self, absent: Sequence[int], fits: Callable[[int], bool]) -> tuple[UnassignedJob, ...]:
        """Why these jobs are left out of a plan; `fits` tells whether a job could be added to it as it is."""
        return tuple(self._explained(job, fits) for job in absent)

    def alone(self, job: int) -> ReasonVerdict:
        """Why a job fits no vehicle even when nothing else does; None when it fits one."""
        if job not in self._verdicts:
            self._verdicts[job] = _first_failed_check(self._compiled, job)
        return self._verdicts[job]

    def _explained(self, job: int, fits: Callable[[int], bool]) -> UnassignedJob:
        request = self._compiled.jobs[job]
        worthless = request.prize is not None and self.alone(job) is None and fits(job)
        reason, facts = self.alone(job) or (UnassignedReason.NOT_WORTH if worthless else UnassignedReason.NO_ROOM, {})
        return UnassignedJob(job=request.id, reason=reason, facts=facts)


def _first_failed_check(compiled: CompiledProblem, job: int) -> ReasonVerdict:
    """The first check that leaves no vehicle."""
    request = compiled.jobs[job]
    allowed = _one_of_each_kind(
        crew for crew in compiled.crews if request.vehicles is None or crew.vehicle.id in request.vehicles
    )
    if not allowed:
        return UnassignedReason.POOL, {}
    skilled = [crew for crew in allowed if request.skills <= crew.vehicle.skills]
    if not skilled:
        return UnassignedReason.SKILL, {"skills": ", ".join(sorted(_missing_skills(request, allowed)))}
    large = [crew for crew in skilled if not _missing_room(compiled, request, crew)]
    if not large:
        return UnassignedReason.CAPACITY, _smallest_shortage(compiled, request, skilled)
    near = [crew for crew in large if _is_reachable(compiled, crew, job)]
    if not near:
        return UnassignedReason.UNREACHABLE, {}
    return _check_times(compiled, near, job)


def _one_of_each_kind(crews: Iterable[CompiledVehicle]) -> list[CompiledVehicle]:
    """One vehicle of each kind: a fleet has hundreds of vehicles, but of few kinds."""
    kinds: dict[int, CompiledVehicle] = {}
    for crew in crews:
        kinds.setdefault(crew.equivalence, crew)
    return list(kinds.values())


def _missing_skills(job: RoutingJob, crews: Sequence[CompiledVehicle]) -> frozenset[str]:
    """What the vehicle that comes nearest lacks."""
    return min((job.skills - crew.vehicle.skills for crew in crews), key=len)


def _missing_room(compiled: CompiledProblem, job: RoutingJob, crew: CompiledVehicle) -> list[tuple[int, str]]:
    """How much room is missing, and in which dimension."""
    rows = zip(compiled.problem.dimensions, job.demand, crew.aboard, crew.vehicle.capacity, strict=True)
    return [(amount + aboard - most, name) for name, amount, aboard, most in rows if amount + aboard > most]


def _smallest_shortage(compiled: CompiledProblem, job: RoutingJob, crews: Sequence[CompiledVehicle]) -> ReasonFacts:
    """The dimension in which the roomiest vehicle is too small."""
    lacking, name = min(max(_missing_room(compiled, job, crew)) for crew in crews)
    needed = job.demand[compiled.problem.dimensions.index(name)]
    return {"dimension": name, "needed": needed, "available": needed - lacking}


def _is_reachable(compiled: CompiledProblem, crew: CompiledVehicle, job: int) -> bool:
    ends = [] if crew.vehicle.end is None else [crew.vehicle.end]
    places = [crew.vehicle.start, *(compiled.place[node] for node in compiled.nodes[job]), *ends]
    return all(crew.travel[a][b] < UNREACHABLE for a, b in pairwise(places))


def _check_times(compiled: CompiledProblem, crews: Sequence[CompiledVehicle], job: int) -> ReasonVerdict:
    """Hours, windows and limits, each with everything that is checked later set free."""
    nodes = compiled.nodes[job]
    on_duty = [crew for crew in crews if _windows_overlap_shift(compiled, crew, nodes)]
    if not on_duty:
        return UnassignedReason.SHIFT, {}
    prompt = [crew for crew in on_duty if route_timing(compiled, _without_limits(crew, hours=True), nodes)]
    if not prompt:
        return UnassignedReason.WINDOW, {}
    on_shift = [crew for crew in prompt if route_timing(compiled, _without_limits(crew, hours=False), nodes)]
    if not on_shift:
        return UnassignedReason.SHIFT, {}
    if not any(_within_limits(compiled, crew, nodes) for crew in on_shift):
        return UnassignedReason.LIMITS, {"vehicle": on_shift[0].vehicle.id}
    return None


def _windows_overlap_shift(compiled: CompiledProblem, crew: CompiledVehicle, nodes: Sequence[int]) -> bool:
    """Whether each stop has a window in the vehicle's hours."""
    shift = crew.vehicle.shift
    return all(
        not compiled.windows[node]
        or any(
            opens <= shift.end_s and closes + compiled.grace[node] >= shift.start_s
            for opens, closes in compiled.windows[node]
        )
        for node in nodes
    )


def _without_limits(crew: CompiledVehicle, *, hours: bool) -> CompiledVehicle:
    """A vehicle without limits; with `hours`, without breaks and an end of its day too."""
    vehicle: RoutingVehicle = replace(crew.vehicle, max_time_s=None)
    if not hours:
        return replace(crew, vehicle=vehicle)
    return replace(crew, vehicle=vehicle, breaks=(), finish_s=UNREACHABLE * UNREACHABLE)


def _within_limits(compiled: CompiledProblem, crew: CompiledVehicle, nodes: Sequence[int]) -> bool:
    vehicle = crew.vehicle
    few = vehicle.max_stops is None or len(nodes) <= vehicle.max_stops
    short = vehicle.max_distance_m is None or route_distance_m(compiled, crew, nodes) <= vehicle.max_distance_m
    return few and short and route_timing(compiled, crew, nodes) is not None
