"""Search budget and step counter."""

from collections.abc import Callable
from time import monotonic, process_time

from msgspec import Struct

from haulier.solvers.packing.plan import PackingPlan

OnBetterPlan = Callable[[PackingPlan], bool]
"""Receives each improved plan; returning False ends the search."""


class PackingBudget(Struct, frozen=True, kw_only=True):
    """Search budget in seconds, steps or both.

    With steps only, a problem and seed give the same plan on every machine.
    """

    seconds: float | None = None
    steps: int | None = None
    is_processor_time: bool = False
    """If true, seconds are processor time of the process, for measurements on a shared machine."""

    def __post_init__(self) -> None:
        if self.seconds is None and self.steps is None:
            raise ValueError("a search needs a budget of seconds or steps")


class StepMeter:
    """Step counter.

    A step is one piece tried in a carton, or one node of an exact search.
    """

    def __init__(self, budget: PackingBudget) -> None:
        self.is_processor_time = budget.is_processor_time
        self._clock = process_time if budget.is_processor_time else monotonic
        self._ends = None if budget.seconds is None else self._clock() + budget.seconds
        self._most = budget.steps
        self._stopped = False
        self.steps = 0

    def stop(self) -> None:
        """Stop the search at its next check of the budget."""
        self._stopped = True

    @property
    def seconds_left(self) -> float | None:
        """Return the remaining seconds; None without a time limit."""
        return None if self._ends is None else max(0.0, self._ends - self._clock())

    @property
    def steps_left(self) -> int | None:
        """Return the remaining steps; None without a step limit."""
        return None if self._most is None else max(0, self._most - self.steps)

    @property
    def is_spent(self) -> bool:
        if self._stopped or (self._most is not None and self.steps >= self._most):
            return True
        return self._ends is not None and self._clock() >= self._ends
