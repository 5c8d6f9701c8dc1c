"""Reasons for unassigned jobs, found by a sequence of checks.

Vehicles that pass one check proceed to the next. The reason is the first check that none passes, so it names the first
thing that would have to change. Its facts come from the vehicle that comes closest.
"""

from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise

from msgspec.structs import replace

from haulier.solvers.routing.compiled import INFINITE_S, CompiledProblem, CompiledVehicle
from haulier.solvers.routing.plan import UnassignedJob
from haulier.solvers.routing.problem import RoutingJob, RoutingVehicle
from haulier.solvers.routing.reason_facts import (
    BeyondShiftFacts,
    CapacityFacts,
    LimitsFacts,
    NoRoomFacts,
    NotWorthFacts,
    OutsideShiftFacts,
    PoolFacts,
    ReasonFacts,
    SkillFacts,
    TooFarFacts,
    UnreachableFacts,
    WindowFacts,
)
from haulier.solvers.routing.timetable import route_distance_m
from haulier.solvers.routing.timing import route_timing
from haulier.solvers.routing.travel import UNREACHABLE


class ReasonFinder:
    """Reasons for the jobs of one problem; each job alone is checked once."""

    def __init__(self, compiled: CompiledProblem) -> None:
        self._compiled = compiled
        self._verdicts: dict[int, ReasonFacts | None] = {}
        self._candidates: dict[int, int] = {}

    def explain(self, absent: Sequence[int], fits: Callable[[int], bool]) -> tuple[UnassignedJob, ...]:
        """Return the reasons of unassigned jobs.

        `fits` returns True if a job could be added to the plan as it is.
        """
        return tuple(UnassignedJob(job=self._compiled.jobs[job].id, facts=self._facts(job, fits)) for job in absent)

    def alone(self, job: int) -> ReasonFacts | None:
        """Return why a job fits no empty vehicle; None if it fits one."""
        if job not in self._verdicts:
            self._verdicts[job] = _first_failed_check(self._compiled, job)
        return self._verdicts[job]

    def _facts(self, job: int, fits: Callable[[int], bool]) -> ReasonFacts:
        if facts := self.alone(job):
            return facts
        prize = self._compiled.jobs[job].prize
        if prize is not None and fits(job):
            return NotWorthFacts(prize=prize)
        if job not in self._candidates:
            self._candidates[job] = sum(bool(row[job]) for row in self._compiled.permits)
        return NoRoomFacts(vehicles=self._candidates[job])


def _first_failed_check(compiled: CompiledProblem, job: int) -> ReasonFacts | None:
    """Return the facts of the first check that no vehicle passes."""
    request = compiled.jobs[job]
    allowed = _one_of_each_kind(
        crew for crew in compiled.crews if request.vehicles is None or crew.vehicle.id in request.vehicles
    )
    if not allowed:
        return PoolFacts(vehicles=len(compiled.crews))
    skilled = [crew for crew in allowed if request.skills <= crew.vehicle.skills]
    if not skilled:
        return SkillFacts(skills=", ".join(sorted(_missing_skills(request, allowed))))
    large = [crew for crew in skilled if not _missing_room(compiled, request, crew)]
    if not large:
        return _smallest_shortage(compiled, request, skilled)
    near = [crew for crew in large if _missing_way(compiled, crew, job) is None]
    if not near:
        return _unreachable_facts(compiled, large[0], job)
    return _check_distance(compiled, near, job) or _check_times(compiled, near, job)


def _one_of_each_kind(crews: Iterable[CompiledVehicle]) -> list[CompiledVehicle]:
    """Return one vehicle of each kind: large fleets have few kinds."""
    kinds: dict[int, CompiledVehicle] = {}
    for crew in crews:
        kinds.setdefault(crew.equivalence, crew)
    return list(kinds.values())


def _missing_skills(job: RoutingJob, crews: Sequence[CompiledVehicle]) -> frozenset[str]:
    """Return the skills missing in the best suited vehicle."""
    return min((job.skills - crew.vehicle.skills for crew in crews), key=len)


def _missing_room(compiled: CompiledProblem, job: RoutingJob, crew: CompiledVehicle) -> list[tuple[int, str]]:
    """Return the missing capacity and its dimension, for each dimension exceeded."""
    rows = zip(compiled.problem.dimensions, job.demand, crew.aboard, crew.vehicle.capacity, strict=True)
    return [(amount + aboard - most, name) for name, amount, aboard, most in rows if amount + aboard > most]


def _smallest_shortage(compiled: CompiledProblem, job: RoutingJob, crews: Sequence[CompiledVehicle]) -> CapacityFacts:
    """Return the dimension in which the largest vehicle is too small."""
    lacking, name = min(max(_missing_room(compiled, job, crew)) for crew in crews)
    needed = job.demand[compiled.problem.dimensions.index(name)]
    return CapacityFacts(dimension=name, needed=needed, available=needed - lacking)


def _journey(compiled: CompiledProblem, crew: CompiledVehicle, job: int) -> list[int]:
    """Return the places of a route with this job only."""
    ends = [] if crew.vehicle.end is None else [crew.vehicle.end]
    return [crew.vehicle.start, *(compiled.place[node] for node in compiled.nodes[job]), *ends]


def _missing_way(compiled: CompiledProblem, crew: CompiledVehicle, job: int) -> str | None:
    """Return the way without a travel time: `there`, `back` or None."""
    legs = [crew.travel[a][b] < UNREACHABLE for a, b in pairwise(_journey(compiled, crew, job))]
    visits = len(compiled.nodes[job])
    return None if all(legs) else "there" if not all(legs[:visits]) else "back"


def _unreachable_facts(compiled: CompiledProblem, crew: CompiledVehicle, job: int) -> UnreachableFacts:
    return UnreachableFacts(vehicle=crew.vehicle.id, missing_way=_missing_way(compiled, crew, job) or "there")


def _check_distance(compiled: CompiledProblem, crews: Sequence[CompiledVehicle], job: int) -> TooFarFacts | None:
    """Return facts if driving there and back exceeds every shift.

    Locked stops are planned in any case.
    """
    if any(node in compiled.bound for node in compiled.nodes[job]):
        return None
    drives = [sum(crew.travel[a][b] for a, b in pairwise(_journey(compiled, crew, job))) for crew in crews]
    if any(crew.begin_s + drive <= crew.finish_s for crew, drive in zip(crews, drives, strict=True)):
        return None
    crew = crews[drives.index(min(drives))]
    start = crew.vehicle.start
    far = max((compiled.place[node] for node in compiled.nodes[job]), key=lambda place: crew.travel[start][place])
    return TooFarFacts(
        vehicle=crew.vehicle.id,
        distance_m=crew.distance[start][far],
        drive_s=crew.travel[start][far],
        shift_s=max(0, crew.finish_s - crew.begin_s),
    )


def _check_times(compiled: CompiledProblem, crews: Sequence[CompiledVehicle], job: int) -> ReasonFacts | None:
    """Check hours, windows and limits in turn, each without those checked later."""
    nodes = compiled.nodes[job]
    on_duty = [crew for crew in crews if all(_gap_s(compiled, crew, node) <= 0 for node in nodes)]
    if not on_duty:
        return _outside_shift(compiled, crews, nodes)
    ends = [(crew, route_timing(compiled, _without_limits(crew, hours=True), nodes)) for crew in on_duty]
    prompt = [(crew, timing.end_s) for crew, timing in ends if timing]
    if not prompt:
        return _missed_window(compiled, on_duty, nodes)
    on_shift = [crew for crew, _ in prompt if route_timing(compiled, _without_limits(crew, hours=False), nodes)]
    if not on_shift:
        crew, end_s = min(prompt, key=lambda each: each[1] - each[0].finish_s)
        return BeyondShiftFacts(
            vehicle=crew.vehicle.id, earliest_end_s=end_s, shift_start_s=crew.begin_s, shift_end_s=crew.finish_s
        )
    exceeded = [_exceeded_limit(compiled, crew, nodes) for crew in on_shift]
    return exceeded[0] if all(exceeded) else None


def _gap_s(compiled: CompiledProblem, crew: CompiledVehicle, node: int) -> int:
    """Return the seconds between a shift and the nearest window; ≤ 0 if overlapping."""
    shift, grace = crew.vehicle.shift, compiled.grace[node]
    gaps = (max(opens - shift.end_s, shift.start_s - closes - grace) for opens, closes in compiled.windows[node])
    return min(gaps, default=0)


def _outside_shift(
    compiled: CompiledProblem, crews: Sequence[CompiledVehicle], nodes: Sequence[int]
) -> OutsideShiftFacts:
    """Return the nearest shift and the window farthest from it."""
    worst = {number: max(nodes, key=lambda node: _gap_s(compiled, crew, node)) for number, crew in enumerate(crews)}
    number = min(worst, key=lambda number: _gap_s(compiled, crews[number], worst[number]))
    shift, windows = crews[number].vehicle.shift, compiled.windows[worst[number]]
    opens, closes = min(windows, key=lambda window: max(window[0] - shift.end_s, shift.start_s - window[1]))
    return OutsideShiftFacts(
        vehicle=crews[number].vehicle.id,
        window_start_s=opens,
        window_end_s=closes,
        shift_start_s=shift.start_s,
        shift_end_s=shift.end_s,
    )


def _missed_window(compiled: CompiledProblem, crews: Sequence[CompiledVehicle], nodes: Sequence[int]) -> WindowFacts:
    """Return the window missed by the least when driving straight to each visit."""
    return min(
        (_first_missed_window(compiled, crew, nodes) for crew in crews),
        key=lambda facts: facts.earliest_arrival_s - facts.window_end_s,
    )


def _first_missed_window(compiled: CompiledProblem, crew: CompiledVehicle, nodes: Sequence[int]) -> WindowFacts:
    place, clock = crew.vehicle.start, crew.begin_s + crew.loading_s
    missed = nodes[-1], clock
    for node in nodes:
        arrival = clock + crew.travel[place][compiled.place[node]]
        start = compiled.earliest_start_s(node, arrival)
        missed = node, arrival
        if start >= INFINITE_S:
            break
        place, clock = compiled.place[node], start + compiled.service[node]
    node, arrival = missed
    opens, closes = compiled.windows[node][-1]
    return WindowFacts(vehicle=crew.vehicle.id, window_start_s=opens, window_end_s=closes, earliest_arrival_s=arrival)


def _without_limits(crew: CompiledVehicle, *, hours: bool) -> CompiledVehicle:
    """Return a vehicle without a time limit.

    With `hours`, it also has no breaks and no end of its shift.
    """
    vehicle: RoutingVehicle = replace(crew.vehicle, max_time_s=None)
    if not hours:
        return replace(crew, vehicle=vehicle)
    return replace(crew, vehicle=vehicle, breaks=(), finish_s=INFINITE_S, last_begin_s=INFINITE_S)


def _exceeded_limit(compiled: CompiledProblem, crew: CompiledVehicle, nodes: Sequence[int]) -> LimitsFacts | None:
    """Return the first limit that a route with these visits only exceeds."""
    vehicle = crew.vehicle
    needs: list[tuple[str, int, int | None]] = [
        ("max_stops", len(nodes), vehicle.max_stops),
        ("max_distance_m", route_distance_m(compiled, crew, nodes), vehicle.max_distance_m),
    ]
    if vehicle.max_time_s is not None and route_timing(compiled, crew, nodes) is None:
        timing = route_timing(compiled, _without_limits(crew, hours=False), nodes)
        needs.append(("max_time_s", timing.duration_s if timing else INFINITE_S, vehicle.max_time_s))
    for limit, needed, available in needs:
        if available is not None and needed > available:
            return LimitsFacts(vehicle=vehicle.id, limit=limit, needed=needed, available=available)
    return None
