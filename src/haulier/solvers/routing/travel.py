"""Travel times and distances between places."""

from collections.abc import Sequence
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from haulier.late_import import LateModule

if TYPE_CHECKING:
    import numpy as np
else:
    np = LateModule("numpy")

UNREACHABLE = 10**9
"""Travel time in seconds that stands for an unreachable place, about thirty years."""


class TravelMode(StrEnum):
    """Way a vehicle travels: its roads and its speed."""

    VAN = "van"
    TRUCK = "truck"
    SCOOTER = "scooter"
    BICYCLE = "bicycle"
    FOOT = "foot"


Matrix = Any
"""A square numpy array of whole numbers; row: from, column: to."""


class TravelMatrices(Struct, frozen=True, eq=False):
    """Travel time and distance from place i to place j, possibly asymmetric.

    Places are numbered from 0. If a duration is `UNREACHABLE` or more, j cannot be reached from i.
    """

    duration_s: Matrix
    distance_m: Matrix

    @property
    def places(self) -> int:
        return len(self.duration_s)

    def at_speed(self, percent: int) -> Matrix:
        """Return the travel times at a percentage of the usual speed, rounded up."""
        usual = self.duration_s.astype(np.int64)
        return np.where(usual >= UNREACHABLE, UNREACHABLE, -(-usual * 100 // percent))

    def submatrix(self, places: Sequence[int]) -> "TravelMatrices":
        """Return the matrices between these places, renumbered in the given order."""
        chosen = np.ix_(places, places)
        return TravelMatrices(self.duration_s[chosen], self.distance_m[chosen])
