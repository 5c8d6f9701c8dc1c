"""One plan of many parts: while they are searched, and afterwards."""

from collections.abc import Mapping, Sequence
from time import monotonic

from msgspec.structs import replace

from haulier.solvers.routing.best import Best
from haulier.solvers.routing.engines.insertion import complete
from haulier.solvers.routing.ground import Ground
from haulier.solvers.routing.plan import Plan, Reason, Unassigned
from haulier.solvers.routing.problem import Problem
from haulier.solvers.routing.reasons import Reasons
from haulier.solvers.routing.split import Part, part_of, with_part

LOOKS = 20
"""Looking at a whole plan while its parts are searched takes at most one in so many parts of the time."""
COULD_BE = {Reason.NO_ROOM, Reason.NOT_WORTH}
"""What another part may have a place for; the other reasons are true of the job alone."""


def nothing_planned(problem: Problem) -> Plan:
    """The plan in which nothing is planned."""
    return Plan(routes=(), unassigned=tuple(Unassigned(job=job.id, reason=Reason.NO_ROOM) for job in problem.jobs))


class Joining:
    """Shows what the parts have found so far, as a plan of the whole."""

    def __init__(self, best: Best, plan: Plan, cut: Sequence[Part], engine: str) -> None:
        self._best, self._plan, self._cut, self._engine = best, plan, cut, engine
        self._shown: dict[int, Plan] = {}
        self._next_s = 0.0

    def look(self, found: dict[int, Plan]) -> bool:
        """Show better parts; False when nobody wants more. Before there is a plan of the whole, nobody is asked."""
        if not self._best.begun:
            return True
        began = monotonic()
        news = {number: plan for number, plan in found.items() if self._shown.get(number) is not plan}
        if began < self._next_s or not news:
            self._best.ask()
        else:
            self._shown |= news
            self._best.offer(self._joined(), self._engine)
            self._next_s = monotonic() + LOOKS * (monotonic() - began)
        return not self._best.stopped

    def _joined(self) -> Plan:
        """With every part that leaves nothing out: the reasons of others are of the part, and not yet of the whole."""
        plan = self._plan
        for number, part in self._shown.items():
            if not part.unassigned:
                plan = with_part(plan, self._cut[number], part)
        return plan


def joined(problem: Problem, plan: Plan, cut: Sequence[Part], found: Mapping[int, Plan]) -> Plan:
    """The plan with all parts as they were found, what they left out offered to the others, and true reasons."""
    for number, part in enumerate(cut):
        plan = with_part(plan, part, found[number])
    if plan.unassigned:
        plan = _with_reasons(problem, _swept(problem, _with_reasons(problem, plan), cut))
    return plan


def _swept(problem: Problem, plan: Plan, cut: Sequence[Part]) -> Plan:
    """What one part left out is offered to each of the others, so that what stays out fits nowhere."""
    jobs = {job.id: job for job in problem.jobs}
    vehicles = {vehicle.id: vehicle for vehicle in problem.vehicles}
    for part in cut:
        left = {each.job for each in plan.unassigned if each.reason in COULD_BE}
        if not left:
            break
        crew = [vehicles[vehicle.id] for vehicle in part.problem.vehicles]
        seats = {vehicle.id for vehicle in crew}
        on_routes = {stop.job for route in plan.routes if route.vehicle in seats for stop in route.stops}
        asked = sorted(on_routes | left)
        wider = part_of(problem, plan, [jobs[job] for job in asked], crew)
        plan = with_part(plan, wider, complete(wider.problem, wider.start))
    return plan


def _with_reasons(problem: Problem, plan: Plan) -> Plan:
    """Reasons that hold for the whole problem, and not for a part of it."""
    left = {each.job: each for each in plan.unassigned}
    asked = [job for job in problem.jobs if job.id in left]
    free = [replace(vehicle, locked=()) for vehicle in problem.vehicles]
    whole = part_of(replace(problem, vehicles=tuple(free)), Plan(routes=()), asked, free)
    reasons = Reasons(Ground(whole.problem))
    worthless = {job for job, each in left.items() if each.reason == Reason.NOT_WORTH}
    told = reasons.explain(range(len(asked)), lambda number: asked[number].id in worthless)
    return replace(plan, unassigned=told)
