"""What goes wrong with cabinets, as shares of all times that it could."""

import random
from dataclasses import dataclass


@dataclass(frozen=True)
class CabinetFaults:
    """Shares from 0 to 1. What happens is drawn from a seed, so that a town fails the same way twice."""

    stuck: float = 0.0
    """Doors that do not open."""
    power_lost: float = 0.0
    """Power goes after a door opened and before that is said."""
    doubled: float = 0.0
    """Messages that are sent twice."""
    lost_answers: float = 0.0
    """Answers to a poll that never arrive."""
    line_lost: float = 0.0
    """The line is down while somebody types a code: the cabinet judges it by itself."""
    clock_wrong: float = 0.0
    """Cabinets whose clock is hours off."""
    cut_downloads: float = 0.0
    """Downloads that break off half-way."""
    wrong_hashes: float = 0.0
    """Downloaded files that are damaged."""
    failed_installs: float = 0.0
    """Files that cannot be installed."""


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
    """Decides when a fault happens."""

    def __init__(self, seed: object) -> None:
        self._random = random.Random(str(seed))

    def falls(self, share: float) -> bool:
        """Whether it happens this time."""
        return self._random.random() < share

    def hours(self) -> int:
        """By how many hours a wrong clock is off."""
        return self._random.choice((-9, -2, 3, 30))
