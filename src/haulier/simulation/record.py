"""What a simulated day is to bring, and what was done on it."""

import random
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

ProgressReporter = Callable[[str, int, int], None]


@dataclass(frozen=True)
class Mishaps:
    """How bad a day is, in shares from 0 to 1. Without any it is an ordinary day."""

    breakdowns: float = 0.0
    """Of the routes of the first wave: their vehicle breaks down half-way."""
    cancellations: float = 0.0
    """Of the stops: their order is cancelled while the driver is out."""
    second_attempts: float = 0.0
    """Of the orders that failed: they are rescheduled."""
    cod: float = 0.0
    """Of the orders that are delivered to a door: they ask for money there."""


BAD_DAY = Mishaps(breakdowns=0.25, cancellations=0.05, second_attempts=0.7, cod=0.3)


@dataclass
class CashOrder:
    """Cash on delivery of one order, in minor units; nothing is due before it is delivered."""

    asked: int
    due: int = 0
    collected: int = 0
    written_off: int = 0


@dataclass
class SimulatedDay:
    """What was done, for the summary and for whoever checks it."""

    mishaps: Mishaps = field(default_factory=Mishaps)
    orders: dict[str, dict[str, Any]] = field(default_factory=dict[str, dict[str, Any]])
    expected: dict[str, str] = field(default_factory=dict[str, str])
    """What was done last, by tracking number; tracking must show a status that fits it."""
    milestones: dict[str, list[str]] = field(default_factory=dict[str, list[str]])
    """Status codes that a timeline must hold in this order, by tracking number."""
    counts: Counter[str] = field(default_factory=Counter[str])
    routes: list[int] = field(default_factory=list[int])
    cancelled_stops: set[int] = field(default_factory=set[int])
    """The stops at which somebody was to be when their order was cancelled."""
    cash_orders: dict[str, CashOrder] = field(default_factory=dict[str, CashOrder])
    """The orders that ask for money, by tracking number."""
    faults: list[str] = field(default_factory=list[str])
    """What was found wrong while the day was played."""
    calls_s: float = 0.0

    def record(self, number: str, done: str, *milestones: str) -> None:
        """Note what was done last to a parcel, and what its timeline must say of it."""
        self.expected[number] = done
        self.milestones.setdefault(number, []).extend(milestones)


@dataclass(frozen=True)
class Draws:
    """Two series from fixed seeds: what an ordinary day brings, and what a bad one adds.

    # Why: two, so that a day without mishaps is the same whatever mishaps there may be.
    """

    ordinary: random.Random = field(default_factory=lambda: random.Random(1))
    mishaps: random.Random = field(default_factory=lambda: random.Random(2))

    def happens(self, share: float) -> bool:
        """Whether a mishap of this share happens now."""
        return self.mishaps.random() < share
