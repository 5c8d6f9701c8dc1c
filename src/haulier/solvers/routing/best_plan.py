"""The best plan so far. A plan is shown only after `plan_check` has passed it."""

from msgspec import Struct

from haulier.solvers.routing.engine import Progress
from haulier.solvers.routing.plan import RoutingPlan
from haulier.solvers.routing.plan_check import ConstraintViolation, check_plan
from haulier.solvers.routing.problem import RoutingProblem
from haulier.solvers.routing.score import SolutionScore, score_plan


class RejectedPlan(Struct, frozen=True, kw_only=True):
    """A plan of an engine that was refused, and why."""

    engine: str
    violations: tuple[ConstraintViolation, ...]


class BuildResult(Struct, frozen=True, kw_only=True):
    """The best plan, its score, and the plans that were refused."""

    plan: RoutingPlan
    score: SolutionScore
    refused: tuple[RejectedPlan, ...] = ()


class BestPlan:
    """The best plan so far. Every offered plan is checked first."""

    def __init__(self, problem: RoutingProblem, progress: Progress) -> None:
        self.problem, self.stopped = problem, False
        self._progress = progress
        self._refused: list[RejectedPlan] = []
        self._plan: RoutingPlan | None = None
        self._score = SolutionScore(0, 0.0)

    @property
    def has_plan(self) -> bool:
        """Whether there is a plan."""
        return self._plan is not None

    @property
    def plan(self) -> RoutingPlan:
        """The best plan. Raises `RuntimeError` when there is none, which is a fault of the engines."""
        if self._plan is None:
            raise RuntimeError(f"no plan passed the check: {self._refused}")
        return self._plan

    def offer(self, plan: RoutingPlan, engine: str) -> None:
        """Keep a plan when it is valid and better, and report progress."""
        if plan is not self._plan:
            violations = check_plan(self.problem, plan)
            new = score_plan(self.problem, plan)
            if violations:
                self._refused.append(RejectedPlan(engine=engine, violations=tuple(violations)))
            elif self._plan is None or new < self._score:
                self._plan, self._score = plan, new
        self.report_progress()

    def report_progress(self) -> None:
        """Show the best plan. The search stops when the receiver wants no better one."""
        if self._plan is not None and not self.stopped:
            self.stopped = not self._progress(self._plan)

    def watch(self, engine: str) -> Progress:
        """The progress callback for an engine."""

        def watched(plan: RoutingPlan) -> bool:
            self.offer(plan, engine)
            return not self.stopped

        return watched

    def to_result(self) -> BuildResult:
        """The result of the build."""
        return BuildResult(plan=self.plan, score=self._score, refused=tuple(self._refused))
