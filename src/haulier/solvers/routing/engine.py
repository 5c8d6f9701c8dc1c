"""The interface of every search for plans."""

from collections.abc import Callable
from time import monotonic
from typing import Protocol

from msgspec import Struct

from haulier.solvers.routing.plan import RoutingPlan
from haulier.solvers.routing.problem import RoutingProblem

Progress = Callable[[RoutingPlan], bool]
"""Is shown the best plan so far, now and then; False ends the search."""


class SearchBudget(Struct, frozen=True, kw_only=True):
    """How long to search. With iterations alone, the same problem and seed give the same plan on every machine."""

    seconds: float | None = None
    iterations: int | None = None

    def __post_init__(self) -> None:
        if self.seconds is None and self.iterations is None:
            raise ValueError("a search needs a budget of seconds or iterations")


class BudgetMeter:
    """How much of a budget is spent."""

    def __init__(self, budget: SearchBudget) -> None:
        self._budget = budget
        self._began = monotonic()
        self.iterations = 0

    def tick(self) -> None:
        """One more iteration."""
        self.iterations += 1

    @property
    def left_s(self) -> float:
        """Seconds that are left; none where no time was set."""
        return 0.0 if self._budget.seconds is None else self._budget.seconds - (monotonic() - self._began)

    @property
    def spent(self) -> float:
        """The share that is spent, 1 or more at the end; of the two limits, the one nearer to its end."""
        shares = [0.0]
        if self._budget.iterations is not None:
            shares.append(self.iterations / self._budget.iterations if self._budget.iterations else 1.0)
        if self._budget.seconds is not None:
            shares.append((monotonic() - self._began) / self._budget.seconds if self._budget.seconds else 1.0)
        return max(shares)


class SearchEngine(Protocol):
    """A search. It answers with a plan that keeps every rule, as good as the budget allows."""

    @property
    def name(self) -> str:
        """The name for people."""
        ...

    def solve(
        self,
        problem: RoutingProblem,
        *,
        seed: int = 0,
        budget: SearchBudget,
        progress: Progress = ...,
        start: RoutingPlan | None = None,
    ) -> RoutingPlan:
        """The best plan found. `start` is a plan to improve; `progress` is called from time to time."""
        ...


def always_continue(plan: RoutingPlan) -> bool:
    """Ignores every plan and never stops a search."""
    return True
