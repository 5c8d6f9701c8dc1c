"""The best plan so far. Nobody sees a plan that `check` has not passed."""

from msgspec import Struct

from haulier.solvers.routing.check import Violation, check
from haulier.solvers.routing.engine import Progress
from haulier.solvers.routing.plan import Plan
from haulier.solvers.routing.problem import Problem
from haulier.solvers.routing.score import Score, score


class Refused(Struct, frozen=True, kw_only=True):
    """A plan of an engine that nobody was shown, and why."""

    engine: str
    violations: tuple[Violation, ...]


class Built(Struct, frozen=True, kw_only=True):
    """The best plan, its score, and what was refused on the way."""

    plan: Plan
    score: Score
    refused: tuple[Refused, ...] = ()


class Best:
    """The best plan so far. Everything that is offered is checked first."""

    def __init__(self, problem: Problem, progress: Progress) -> None:
        self.problem, self.stopped = problem, False
        self._progress = progress
        self._refused: list[Refused] = []
        self._plan: Plan | None = None
        self._score = Score(0, 0.0)

    @property
    def begun(self) -> bool:
        """Whether there is a plan."""
        return self._plan is not None

    @property
    def plan(self) -> Plan:
        """The best plan. Raises `RuntimeError` when there is none, which is a fault of ours."""
        if self._plan is None:
            raise RuntimeError(f"no plan passed the check: {self._refused}")
        return self._plan

    def offer(self, plan: Plan, engine: str) -> None:
        """Keep a plan when it is right and better, and show the best one."""
        if plan is not self._plan:
            violations = check(self.problem, plan)
            new = score(self.problem, plan)
            if violations:
                self._refused.append(Refused(engine=engine, violations=tuple(violations)))
            elif self._plan is None or new < self._score:
                self._plan, self._score = plan, new
        self.ask()

    def ask(self) -> None:
        """Show the best plan, and hear whether anybody wants better ones."""
        if self._plan is not None and not self.stopped:
            self.stopped = not self._progress(self._plan)

    def watch(self, engine: str) -> Progress:
        """What an engine reports to."""

        def watched(plan: Plan) -> bool:
            self.offer(plan, engine)
            return not self.stopped

        return watched

    def built(self) -> Built:
        """What came of it."""
        return Built(plan=self.plan, score=self._score, refused=tuple(self._refused))
