"""Why a job is on no route, proved and not guessed: each reason is the first of a row of checks that no vehicle passes.

The vehicles that pass one check go on to the next, so the answer names the first thing that would have to change. The facts
say how much is missing: `needed` and `available` with `dimension` (capacity), `skills` (skill), the id of the `vehicle` that
came nearest (limits).
"""

from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise

from msgspec.structs import replace

from haulier.solvers.routing.ground import Crew, Ground
from haulier.solvers.routing.plan import Reason, Unassigned
from haulier.solvers.routing.problem import Job, Vehicle
from haulier.solvers.routing.timetable import distance_m
from haulier.solvers.routing.timing import timing
from haulier.solvers.routing.travel import NO_WAY

Facts = dict[str, int | str]
Verdict = tuple[Reason, Facts] | None


class Reasons:
    """The reasons of one problem's jobs; each job alone is judged once."""

    def __init__(self, ground: Ground) -> None:
        self._ground = ground
        self._verdicts: dict[int, Verdict] = {}

    def explain(self, absent: Sequence[int], fits: Callable[[int], bool]) -> tuple[Unassigned, ...]:
        """Why these jobs are left out of a plan; `fits` tells whether a job could be added to it as it is."""
        return tuple(self._explained(job, fits) for job in absent)

    def alone(self, job: int) -> Verdict:
        """Why a job fits no vehicle even when nothing else does; None when it fits one."""
        if job not in self._verdicts:
            self._verdicts[job] = _verdict(self._ground, job)
        return self._verdicts[job]

    def _explained(self, job: int, fits: Callable[[int], bool]) -> Unassigned:
        asked = self._ground.jobs[job]
        worthless = asked.prize is not None and self.alone(job) is None and fits(job)
        reason, facts = self.alone(job) or (Reason.NOT_WORTH if worthless else Reason.NO_ROOM, {})
        return Unassigned(job=asked.id, reason=reason, facts=facts)


def _verdict(ground: Ground, job: int) -> Verdict:
    """The first check that leaves no vehicle."""
    asked = ground.jobs[job]
    allowed = _unlike(crew for crew in ground.crews if asked.vehicles is None or crew.vehicle.id in asked.vehicles)
    if not allowed:
        return Reason.POOL, {}
    skilled = [crew for crew in allowed if asked.skills <= crew.vehicle.skills]
    if not skilled:
        return Reason.SKILL, {"skills": ", ".join(sorted(_missing_skills(asked, allowed)))}
    large = [crew for crew in skilled if not _lacking(ground, asked, crew)]
    if not large:
        return Reason.CAPACITY, _shortage(ground, asked, skilled)
    near = [crew for crew in large if _reaches(ground, crew, job)]
    if not near:
        return Reason.UNREACHABLE, {}
    return _in_time(ground, near, job)


def _unlike(crews: Iterable[Crew]) -> list[Crew]:
    """The first of each likeness: a fleet has hundreds of vehicles, but of few kinds."""
    kinds: dict[int, Crew] = {}
    for crew in crews:
        kinds.setdefault(crew.likeness, crew)
    return list(kinds.values())


def _missing_skills(job: Job, crews: Sequence[Crew]) -> frozenset[str]:
    """What the vehicle that comes nearest lacks."""
    return min((job.skills - crew.vehicle.skills for crew in crews), key=len)


def _lacking(ground: Ground, job: Job, crew: Crew) -> list[tuple[int, str]]:
    """How much room is missing, and in which dimension."""
    rows = zip(ground.problem.dimensions, job.demand, crew.aboard, crew.vehicle.capacity, strict=True)
    return [(amount + aboard - most, name) for name, amount, aboard, most in rows if amount + aboard > most]


def _shortage(ground: Ground, job: Job, crews: Sequence[Crew]) -> Facts:
    """The dimension in which the roomiest vehicle is too small."""
    lacking, name = min(max(_lacking(ground, job, crew)) for crew in crews)
    needed = job.demand[ground.problem.dimensions.index(name)]
    return {"dimension": name, "needed": needed, "available": needed - lacking}


def _reaches(ground: Ground, crew: Crew, job: int) -> bool:
    ends = [] if crew.vehicle.end is None else [crew.vehicle.end]
    places = [crew.vehicle.start, *(ground.place[node] for node in ground.nodes[job]), *ends]
    return all(crew.travel[a][b] < NO_WAY for a, b in pairwise(places))


def _in_time(ground: Ground, crews: Sequence[Crew], job: int) -> Verdict:
    """Hours, windows and limits, each with everything that is checked later set free."""
    nodes = ground.nodes[job]
    on_duty = [crew for crew in crews if _overlap(ground, crew, nodes)]
    if not on_duty:
        return Reason.SHIFT, {}
    prompt = [crew for crew in on_duty if timing(ground, _without(crew, hours=True), nodes)]
    if not prompt:
        return Reason.WINDOW, {}
    on_shift = [crew for crew in prompt if timing(ground, _without(crew, hours=False), nodes)]
    if not on_shift:
        return Reason.SHIFT, {}
    if not any(_within_limits(ground, crew, nodes) for crew in on_shift):
        return Reason.LIMITS, {"vehicle": on_shift[0].vehicle.id}
    return None


def _overlap(ground: Ground, crew: Crew, nodes: Sequence[int]) -> bool:
    """Whether each stop has a window in the vehicle's hours."""
    shift = crew.vehicle.shift
    return all(
        not ground.windows[node]
        or any(
            opens <= shift.end_s and closes + ground.grace[node] >= shift.start_s
            for opens, closes in ground.windows[node]
        )
        for node in nodes
    )


def _without(crew: Crew, *, hours: bool) -> Crew:
    """A vehicle without limits; with `hours`, without breaks and an end of its day too."""
    vehicle: Vehicle = replace(crew.vehicle, max_time_s=None)
    if not hours:
        return replace(crew, vehicle=vehicle)
    return replace(crew, vehicle=vehicle, breaks=(), finish_s=NO_WAY * NO_WAY)


def _within_limits(ground: Ground, crew: Crew, nodes: Sequence[int]) -> bool:
    vehicle = crew.vehicle
    few = vehicle.max_stops is None or len(nodes) <= vehicle.max_stops
    short = vehicle.max_distance_m is None or distance_m(ground, crew, nodes) <= vehicle.max_distance_m
    return few and short and timing(ground, crew, nodes) is not None
