"""Interface of search engines."""

from collections.abc import Callable
from time import monotonic
from typing import Protocol

from msgspec import Struct

from haulier.solvers.routing.plan import RoutingPlan
from haulier.solvers.routing.problem import RoutingProblem

Progress = Callable[[RoutingPlan], bool]
"""Receives the best plan from time to time; returning False ends the search."""


class SearchBudget(Struct, frozen=True, kw_only=True):
    """Search budget in seconds, iterations or both.

    With iterations only, a problem and seed give the same plan on every machine.
    """

    seconds: float | None = None
    iterations: int | None = None

    def __post_init__(self) -> None:
        if self.seconds is None and self.iterations is None:
            raise ValueError("a search needs a budget of seconds or iterations")


class BudgetMeter:
    """Consumption of a search budget."""

    def __init__(self, budget: SearchBudget) -> None:
        self._budget = budget
        self._began = monotonic()
        self.iterations = 0

    def tick(self) -> None:
        """Count one iteration."""
        self.iterations += 1

    @property
    def left_s(self) -> float:
        """Return the remaining seconds; 0 without a time limit."""
        return 0.0 if self._budget.seconds is None else self._budget.seconds - (monotonic() - self._began)

    @property
    def spent(self) -> float:
        """Return the spent share of the budget, at least 1 when it is used up.

        With two limits, the one closer to its end counts.
        """
        shares = [0.0]
        if self._budget.iterations is not None:
            shares.append(self.iterations / self._budget.iterations if self._budget.iterations else 1.0)
        if self._budget.seconds is not None:
            shares.append((monotonic() - self._began) / self._budget.seconds if self._budget.seconds else 1.0)
        return max(shares)


class SearchEngine(Protocol):
    """A search that returns a valid plan, as good as the budget allows."""

    @property
    def name(self) -> str:
        """Return the name shown to users."""
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
        """Return the best plan found.

        `start` is a plan to improve; `progress` is called from time to time.
        """
        ...


def always_continue(plan: RoutingPlan) -> bool:
    """Ignore a plan and continue the search."""
    return True
