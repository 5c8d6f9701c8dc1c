"""Weight and cost of void fill, in proportion to its volume and rounded up."""

from collections.abc import Sequence
from math import gcd

from haulier.solvers.packing.problem import PackingProblem, VoidFill, volume_of


def filling_units(filling: VoidFill, void_mm3: int) -> int:
    """Return the number of whole units that fill a volume."""
    return -(-void_mm3 // filling.unit_mm3)


def filling_grams(filling: VoidFill, void_mm3: int) -> int:
    """Return the weight in grams of the fill of a volume, rounded up."""
    return -(-void_mm3 * filling.unit_g // filling.unit_mm3)


def filling_cents(filling: VoidFill, void_mm3: int) -> int:
    """Return the cost in cents of the fill of a volume, rounded up."""
    return -(-void_mm3 * filling.unit_cents // filling.unit_mm3)


class FillingLoads:
    """Weights and payloads that account for void fill.

    The weight of a piece is reduced by that of the fill it displaces, and the payload of a carton by that of a full
    fill. Both are in grams times `scale` to stay integers.
    """

    def __init__(self, problem: PackingProblem) -> None:
        unit, grams = (problem.filling.unit_mm3, problem.filling.unit_g) if problem.filling else (1, 0)
        common = gcd(unit, grams)
        scale, grams = unit // common, grams // common
        self.load = [piece.weight_g * scale - volume_of(piece.size) * grams for piece in problem.pieces]
        """By piece; negative if it is lighter than the fill it displaces."""
        self.taken = [max(0, load) for load in self.load]
        """The same without negative values, for a search that adds pieces one by one."""
        self.payload = [kind.payload_g * scale - volume_of(kind.inner) * grams for kind in problem.cartons]
        self.lightening = sum(self.taken) - sum(self.load)
        """Maximum total reduction of the load by light pieces."""


class FillingCosts:
    """Cost of a choice of cartons with void fill, which depends on the choice only."""

    def __init__(self, problem: PackingProblem) -> None:
        unit, cents = (problem.filling.unit_mm3, problem.filling.unit_cents) if problem.filling else (1, 0)
        common = gcd(unit, cents)
        self._scale, cents = unit // common, cents // common
        self._saved = sum(volume_of(piece.size) for piece in problem.pieces) * cents
        self.of_kind = [kind.cost_cents * self._scale + volume_of(kind.inner) * cents for kind in problem.cartons]
        """Scaled cost of a carton filled only with void fill, by kind."""

    def cents_of(self, scaled: int) -> int:
        """Convert a scaled sum of `of_kind` into the cost of a choice in cents."""
        return max(0, -(-(scaled - self._saved) // self._scale))

    def of_choice(self, kinds: Sequence[int]) -> int:
        """Return the cost of a choice in cents."""
        return self.cents_of(sum(self.of_kind[kind] for kind in kinds))
