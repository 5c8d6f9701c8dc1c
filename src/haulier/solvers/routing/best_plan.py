"""The incumbent plan. A plan is only reported after `plan_check` has passed it."""

from msgspec import Struct

from haulier.solvers.routing.engine import Progress
from haulier.solvers.routing.plan import RoutingPlan
from haulier.solvers.routing.plan_check import ConstraintViolation, check_plan
from haulier.solvers.routing.problem import RoutingProblem
from haulier.solvers.routing.score import SolutionScore, score_plan


class RejectedPlan(Struct, frozen=True, kw_only=True):
    """An invalid plan of an engine, and its violations."""

    engine: str
    violations: tuple[ConstraintViolation, ...]


class BuildResult(Struct, frozen=True, kw_only=True):
    """The best plan, its score, and the plans that failed the check."""

    plan: RoutingPlan
    score: SolutionScore
    refused: tuple[RejectedPlan, ...] = ()


class BestPlan:
    """The incumbent plan. Every offered plan is checked first."""

    def __init__(self, problem: RoutingProblem, progress: Progress) -> None:
        self.problem, self.stopped = problem, False
        self._progress = progress
        self._refused: list[RejectedPlan] = []
        self._plan: RoutingPlan | None = None
        self._score = SolutionScore(0, 0.0)

    @property
    def has_plan(self) -> bool:
        return self._plan is not None

    @property
    def plan(self) -> RoutingPlan:
        """Return the best plan.

        Raises `RuntimeError` if there is none, which is an error of the engines.
        """
        if self._plan is None:
            raise RuntimeError(f"no plan passed the check: {self._refused}")
        return self._plan

    def offer(self, plan: RoutingPlan, engine: str) -> None:
        """Accept a plan if it is valid and better, and report progress."""
        if plan is not self._plan:
            violations = check_plan(self.problem, plan)
            new = score_plan(self.problem, plan)
            if violations:
                self._refused.append(RejectedPlan(engine=engine, violations=tuple(violations)))
            elif self._plan is None or new < self._score:
                self._plan, self._score = plan, new
        self.report_progress()

    def report_progress(self) -> None:
        """Report the best plan; the search stops when the receiver returns False."""
        if self._plan is not None and not self.stopped:
            self.stopped = not self._progress(self._plan)

    def watch(self, engine: str) -> Progress:
        """Return the progress callback for an engine."""

        def watched(plan: RoutingPlan) -> bool:
            self.offer(plan, engine)
            return not self.stopped

        return watched

    def to_result(self) -> BuildResult:
        return BuildResult(plan=self.plan, score=self._score, refused=tuple(self._refused))
