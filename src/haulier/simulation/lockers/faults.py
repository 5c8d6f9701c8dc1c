"""Faults of simulated lockers, as probabilities."""

import random
from dataclasses import dataclass


@dataclass(frozen=True)
class CabinetFaults:
    """Probabilities from 0 to 1.

    Faults are drawn from a seed, so that a simulation is repeatable.
    """

    stuck: float = 0.0
    """Stuck doors."""
    power_lost: float = 0.0
    """Power cuts between opening a door and reporting it."""
    doubled: float = 0.0
    """Messages sent twice."""
    lost_answers: float = 0.0
    """Lost answers to polls."""
    line_lost: float = 0.0
    """Lost connections while a user enters a code, which is then checked offline."""
    clock_wrong: float = 0.0
    """Lockers with a clock that is hours off."""
    cut_downloads: float = 0.0
    """Interrupted downloads."""
    wrong_hashes: float = 0.0
    """Corrupt downloads."""
    failed_installs: float = 0.0
    """Failed installations."""


BAD_TOWN = CabinetFaults(
    stuck=0.05,
    power_lost=0.05,
    doubled=0.2,
    lost_answers=0.1,
    line_lost=0.2,
    clock_wrong=0.2,
    cut_downloads=0.4,
    wrong_hashes=0.1,
    failed_installs=0.1,
)


class Dice:
    """Draws faults from a seed."""

    def __init__(self, seed: object) -> None:
        self._random = random.Random(str(seed))

    def falls(self, share: float) -> bool:
        """Return True if a fault occurs."""
        return self._random.random() < share

    def hours(self) -> int:
        """Return the offset of a wrong clock in hours."""
        return self._random.choice((-9, -2, 3, 30))
