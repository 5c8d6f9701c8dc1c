"""How long and how far it is between places."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from haulier.late_import import LateModule

if TYPE_CHECKING:
    import numpy as np
else:
    np = LateModule("numpy")

UNREACHABLE = 10**9
"""A travel time (s) that means: there is no way. Thirty years on the road."""

Matrix = Any
"""A square numpy array of whole numbers; row: from, column: to."""


class TravelMatrices(Struct, frozen=True, eq=False):
    """What a trip from place i to place j takes. The two directions may differ.

    Places are numbered from 0. A duration of `NO_WAY` or more means that j cannot be reached from i.
    """

    duration_s: Matrix
    distance_m: Matrix

    @property
    def places(self) -> int:
        """How many places there are."""
        return len(self.duration_s)

    def at_speed(self, percent: int) -> Matrix:
        """Travel times of a vehicle that drives at so many percent of the usual speed, rounded up to the second."""
        usual = self.duration_s.astype(np.int64)
        return np.where(usual >= UNREACHABLE, UNREACHABLE, -(-usual * 100 // percent))

    def submatrix(self, places: Sequence[int]) -> "TravelMatrices":
        """The same between these places only, which are numbered anew in the order given."""
        chosen = np.ix_(places, places)
        return TravelMatrices(self.duration_s[chosen], self.distance_m[chosen])
