"""How long an engine searches, and how it says what it found."""

from collections.abc import Callable
from time import monotonic, process_time

from msgspec import Struct

from haulier.solvers.packing.plan import PackingPlan

OnBetterPlan = Callable[[PackingPlan], bool]
"""Gets each better plan; False ends the search."""


class PackingBudget(Struct, frozen=True, kw_only=True):
    """How long to search. With steps alone, the same problem and seed give the same plan on every machine."""

    seconds: float | None = None
    steps: int | None = None
    is_processor_time: bool = False
    """Whether the seconds are those of the processor that the process uses: for measuring on a machine that others use, too."""

    def __post_init__(self) -> None:
        if self.seconds is None and self.steps is None:
            raise ValueError("a search needs a budget of seconds or steps")


class StepMeter:
    """Counts steps. A step is a piece that is tried in a carton, or a node of an exact search."""

    def __init__(self, budget: PackingBudget) -> None:
        self.is_processor_time = budget.is_processor_time
        self._clock = process_time if budget.is_processor_time else monotonic
        self._ends = None if budget.seconds is None else self._clock() + budget.seconds
        self._most = budget.steps
        self._stopped = False
        self.steps = 0

    def stop(self) -> None:
        """End the search at the next look."""
        self._stopped = True

    @property
    def seconds_left(self) -> float | None:
        """What is left of the clock; None where only steps are counted."""
        return None if self._ends is None else max(0.0, self._ends - self._clock())

    @property
    def steps_left(self) -> int | None:
        """What is left of the steps; None where only the clock counts."""
        return None if self._most is None else max(0, self._most - self.steps)

    @property
    def is_spent(self) -> bool:
        """Whether the budget is used up."""
        if self._stopped or (self._most is not None and self.steps >= self._most):
            return True
        return self._ends is not None and self._clock() >= self._ends
