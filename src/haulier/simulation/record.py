"""Settings and results of a simulated day."""

import random
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

ProgressReporter = Callable[[str, int, int], None]


@dataclass(frozen=True)
class Mishaps:
    """Shares of incidents from 0 to 1. Without any, it is an ordinary day."""

    breakdowns: float = 0.0
    """Share of first-wave routes whose vehicle breaks down half-way."""
    cancellations: float = 0.0
    """Share of stops whose order is cancelled during the route."""
    second_attempts: float = 0.0
    """Share of failed orders that are rescheduled."""
    cod: float = 0.0
    """Share of deliveries with cash on delivery."""


BAD_DAY = Mishaps(breakdowns=0.25, cancellations=0.05, second_attempts=0.7, cod=0.3)


@dataclass
class CashOrder:
    """Cash on delivery of one order in minor units. Due on delivery."""

    asked: int
    due: int = 0
    collected: int = 0
    written_off: int = 0


@dataclass
class SimulatedDay:
    """Record of a simulated day, for the summary and for checks."""

    mishaps: Mishaps = field(default_factory=Mishaps)
    orders: dict[str, dict[str, Any]] = field(default_factory=dict[str, dict[str, Any]])
    expected: dict[str, str] = field(default_factory=dict[str, str])
    """Last action by tracking number. Tracking must show a matching status."""
    milestones: dict[str, list[str]] = field(default_factory=dict[str, list[str]])
    """Status codes that a timeline must contain in this order, by tracking number."""
    counts: Counter[str] = field(default_factory=Counter[str])
    routes: list[int] = field(default_factory=list[int])
    cancelled_stops: set[int] = field(default_factory=set[int])
    """Stops whose order was cancelled before the visit."""
    cash_orders: dict[str, CashOrder] = field(default_factory=dict[str, CashOrder])
    """Orders with cash on delivery, by tracking number."""
    faults: list[str] = field(default_factory=list[str])
    """Errors found during the simulation."""
    calls_s: float = 0.0

    def record(self, number: str, done: str, *milestones: str) -> None:
        """Record the last action on a parcel and the expected timeline entries."""
        self.expected[number] = done
        self.milestones.setdefault(number, []).extend(milestones)


@dataclass(frozen=True)
class Draws:
    """Two random series from fixed seeds, for ordinary events and for mishaps.

    Ordinary events are therefore the same on every day, with or without mishaps.
    """

    ordinary: random.Random = field(default_factory=lambda: random.Random(1))
    mishaps: random.Random = field(default_factory=lambda: random.Random(2))

    def happens(self, share: float) -> bool:
        """Return True if a mishap with this share happens now."""
        return self.mishaps.random() < share
