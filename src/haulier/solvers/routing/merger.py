"""Merging of part plans into a plan of the whole problem."""

from collections.abc import Mapping, Sequence
from time import monotonic

from msgspec.structs import replace

from haulier.solvers.routing.best_plan import BestPlan
from haulier.solvers.routing.compiled import CompiledProblem
from haulier.solvers.routing.engines.insertion import complete_plan
from haulier.solvers.routing.plan import RoutingPlan, UnassignedJob
from haulier.solvers.routing.problem import RoutingProblem
from haulier.solvers.routing.reason_facts import NoRoomFacts, UnassignedReason
from haulier.solvers.routing.split import ProblemPart, problem_part, replace_part
from haulier.solvers.routing.unassigned_reasons import ReasonFinder

MERGE_TIME_DIVISOR = 20
"""Merging during the search of parts takes at most one nth of the time."""
REASONS_TO_RETRY = {UnassignedReason.NO_ROOM, UnassignedReason.NOT_WORTH}
"""Reasons that may not hold in another part; all others depend on the job only."""


def empty_plan(problem: RoutingProblem) -> RoutingPlan:
    """Return the plan without routes."""
    facts = NoRoomFacts(vehicles=len(problem.vehicles))
    return RoutingPlan(routes=(), unassigned=tuple(UnassignedJob(job=job.id, facts=facts) for job in problem.jobs))


class PartMerger:
    """Offers the best part plans so far as a plan of the whole problem."""

    def __init__(self, best: BestPlan, plan: RoutingPlan, cut: Sequence[ProblemPart], engine: str) -> None:
        self._best, self._plan, self._cut, self._engine = best, plan, cut, engine
        self._shown: dict[int, RoutingPlan] = {}
        self._next_s = 0.0

    def on_progress(self, plans: dict[int, RoutingPlan]) -> bool:
        """Offer improved parts; return False if the search should stop.

        Always returns True before there is a plan of the whole problem.
        """
        if not self._best.has_plan:
            return True
        began = monotonic()
        news = {number: plan for number, plan in plans.items() if self._shown.get(number) is not plan}
        if began < self._next_s or not news:
            self._best.report_progress()
        else:
            self._shown |= news
            self._best.offer(self._joined(), self._engine)
            self._next_s = monotonic() + MERGE_TIME_DIVISOR * (monotonic() - began)
        return not self._best.stopped

    def _joined(self) -> RoutingPlan:
        """Return the plan with every part that leaves no job unassigned."""
        # The reasons of other parts hold for the part, but not yet for the whole problem.
        plan = self._plan
        for number, part in self._shown.items():
            if not part.unassigned:
                plan = replace_part(plan, self._cut[number], part)
        return plan


def merge_parts(
    problem: RoutingProblem, plan: RoutingPlan, cut: Sequence[ProblemPart], part_plans: Mapping[int, RoutingPlan]
) -> RoutingPlan:
    """Return the plan with all parts.

    Jobs left unassigned by a part are offered to the others; reasons hold for the whole problem.
    """
    for number, part in enumerate(cut):
        plan = replace_part(plan, part, part_plans[number])
    if plan.unassigned:
        plan = _with_true_reasons(problem, _offer_to_other_parts(problem, _with_true_reasons(problem, plan), cut))
    return plan


def _offer_to_other_parts(problem: RoutingProblem, plan: RoutingPlan, cut: Sequence[ProblemPart]) -> RoutingPlan:
    """Offer the unassigned jobs of each part to every other part."""
    jobs = {job.id: job for job in problem.jobs}
    vehicles = {vehicle.id: vehicle for vehicle in problem.vehicles}
    for part in cut:
        unassigned = {entry.job for entry in plan.unassigned if entry.reason in REASONS_TO_RETRY}
        if not unassigned:
            break
        crew = [vehicles[vehicle.id] for vehicle in part.problem.vehicles]
        seats = {vehicle.id for vehicle in crew}
        on_routes = {stop.job for route in plan.routes if route.vehicle in seats for stop in route.stops}
        job_ids = sorted(on_routes | unassigned)
        wider = problem_part(problem, plan, [jobs[job] for job in job_ids], crew)
        plan = replace_part(plan, wider, complete_plan(wider.problem, wider.start))
    return plan


def _with_true_reasons(problem: RoutingProblem, plan: RoutingPlan) -> RoutingPlan:
    """Replace reasons that hold for a part by reasons for the whole problem."""
    entries = {entry.job: entry for entry in plan.unassigned}
    absent = [job for job in problem.jobs if job.id in entries]
    free = [replace(vehicle, locked=()) for vehicle in problem.vehicles]
    whole = problem_part(replace(problem, vehicles=tuple(free)), RoutingPlan(routes=()), absent, free)
    reasons = ReasonFinder(CompiledProblem(whole.problem))
    worthless = {job for job, entry in entries.items() if entry.reason == UnassignedReason.NOT_WORTH}
    unassigned = reasons.explain(range(len(absent)), lambda number: absent[number].id in worthless)
    return replace(plan, unassigned=unassigned)
