"""One plan of many parts: while they are searched, and afterwards."""

from collections.abc import Mapping, Sequence
from time import monotonic

from msgspec.structs import replace

from haulier.solvers.routing.best_plan import BestPlan
from haulier.solvers.routing.compiled import CompiledProblem
from haulier.solvers.routing.engines.insertion import complete_plan
from haulier.solvers.routing.plan import RoutingPlan, UnassignedJob, UnassignedReason
from haulier.solvers.routing.problem import RoutingProblem
from haulier.solvers.routing.split import ProblemPart, problem_part, replace_part
from haulier.solvers.routing.unassigned_reasons import ReasonFinder

MERGE_TIME_DIVISOR = 20
"""Looking at a whole plan while its parts are searched takes at most one in so many parts of the time."""
REASONS_TO_RETRY = {UnassignedReason.NO_ROOM, UnassignedReason.NOT_WORTH}
"""What another part may have a place for; the other reasons are true of the job alone."""


def empty_plan(problem: RoutingProblem) -> RoutingPlan:
    """The plan in which nothing is planned."""
    return RoutingPlan(
        routes=(), unassigned=tuple(UnassignedJob(job=job.id, reason=UnassignedReason.NO_ROOM) for job in problem.jobs)
    )


class PartMerger:
    """Shows what the parts have found so far, as a plan of the whole."""

    def __init__(self, best: BestPlan, plan: RoutingPlan, cut: Sequence[ProblemPart], engine: str) -> None:
        self._best, self._plan, self._cut, self._engine = best, plan, cut, engine
        self._shown: dict[int, RoutingPlan] = {}
        self._next_s = 0.0

    def on_progress(self, found: dict[int, RoutingPlan]) -> bool:
        """Show better parts; False when nobody wants more. Before there is a plan of the whole, nobody is asked."""
        if not self._best.has_plan:
            return True
        began = monotonic()
        news = {number: plan for number, plan in found.items() if self._shown.get(number) is not plan}
        if began < self._next_s or not news:
            self._best.report_progress()
        else:
            self._shown |= news
            self._best.offer(self._joined(), self._engine)
            self._next_s = monotonic() + MERGE_TIME_DIVISOR * (monotonic() - began)
        return not self._best.stopped

    def _joined(self) -> RoutingPlan:
        """With every part that leaves nothing out: the reasons of others are of the part, and not yet of the whole."""
        plan = self._plan
        for number, part in self._shown.items():
            if not part.unassigned:
                plan = replace_part(plan, self._cut[number], part)
        return plan


def merge_parts(
    problem: RoutingProblem, plan: RoutingPlan, cut: Sequence[ProblemPart], found: Mapping[int, RoutingPlan]
) -> RoutingPlan:
    """The plan with all parts as they were found, what they left out offered to the others, and true reasons."""
    for number, part in enumerate(cut):
        plan = replace_part(plan, part, found[number])
    if plan.unassigned:
        plan = _with_true_reasons(problem, _offer_to_other_parts(problem, _with_true_reasons(problem, plan), cut))
    return plan


def _offer_to_other_parts(problem: RoutingProblem, plan: RoutingPlan, cut: Sequence[ProblemPart]) -> RoutingPlan:
    """What one part left out is offered to each of the others, so that what stays out fits nowhere."""
    jobs = {job.id: job for job in problem.jobs}
    vehicles = {vehicle.id: vehicle for vehicle in problem.vehicles}
    for part in cut:
        left = {each.job for each in plan.unassigned if each.reason in REASONS_TO_RETRY}
        if not left:
            break
        crew = [vehicles[vehicle.id] for vehicle in part.problem.vehicles]
        seats = {vehicle.id for vehicle in crew}
        on_routes = {stop.job for route in plan.routes if route.vehicle in seats for stop in route.stops}
        asked = sorted(on_routes | left)
        wider = problem_part(problem, plan, [jobs[job] for job in asked], crew)
        plan = replace_part(plan, wider, complete_plan(wider.problem, wider.start))
    return plan


def _with_true_reasons(problem: RoutingProblem, plan: RoutingPlan) -> RoutingPlan:
    """Reasons that hold for the whole problem, and not for a part of it."""
    left = {each.job: each for each in plan.unassigned}
    asked = [job for job in problem.jobs if job.id in left]
    free = [replace(vehicle, locked=()) for vehicle in problem.vehicles]
    whole = problem_part(replace(problem, vehicles=tuple(free)), RoutingPlan(routes=()), asked, free)
    reasons = ReasonFinder(CompiledProblem(whole.problem))
    worthless = {job for job, each in left.items() if each.reason == UnassignedReason.NOT_WORTH}
    told = reasons.explain(range(len(asked)), lambda number: asked[number].id in worthless)
    return replace(plan, unassigned=told)
