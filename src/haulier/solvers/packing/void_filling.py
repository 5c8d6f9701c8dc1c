"""What the filling of a carton weighs and costs: in proportion to its volume, rounded up at the end."""

from collections.abc import Sequence
from math import gcd

from haulier.solvers.packing.problem import PackingProblem, VoidFill, volume_of


def filling_units(filling: VoidFill, void_mm3: int) -> int:
    """How many whole units fill so much room."""
    return -(-void_mm3 // filling.unit_mm3)


def filling_grams(filling: VoidFill, void_mm3: int) -> int:
    """What fills so much room weighs, rounded up."""
    return -(-void_mm3 * filling.unit_g // filling.unit_mm3)


def filling_cents(filling: VoidFill, void_mm3: int) -> int:
    """What fills so much room costs, rounded up."""
    return -(-void_mm3 * filling.unit_cents // filling.unit_mm3)


class FillingLoads:
    """Payload with filling, as if nothing were filled.

    A piece takes its own weight, less that of the filling which would lie in its place; a carton bears its payload, less the
    filling of the whole carton. Both are in gram times `scale`, so that they are integers.
    """

    def __init__(self, problem: PackingProblem) -> None:
        unit, grams = (problem.filling.unit_mm3, problem.filling.unit_g) if problem.filling else (1, 0)
        common = gcd(unit, grams)
        scale, grams = unit // common, grams // common
        self.load = [piece.weight_g * scale - volume_of(piece.size) * grams for piece in problem.pieces]
        """By piece; below zero for one that is lighter than the filling in its place."""
        self.taken = [max(0, load) for load in self.load]
        """The same, for a search that adds piece by piece: never below zero."""
        self.payload = [kind.payload_g * scale - volume_of(kind.inner) * grams for kind in problem.cartons]
        self.lightening = sum(self.taken) - sum(self.load)
        """What light pieces can take off at most, beside others."""


class FillingCosts:
    """The cost of a choice of cartons with the filling of what the pieces leave: it goes by the choice alone."""

    def __init__(self, problem: PackingProblem) -> None:
        unit, cents = (problem.filling.unit_mm3, problem.filling.unit_cents) if problem.filling else (1, 0)
        common = gcd(unit, cents)
        self._scale, cents = unit // common, cents // common
        self._saved = sum(volume_of(piece.size) for piece in problem.pieces) * cents
        self.of_kind = [kind.cost_cents * self._scale + volume_of(kind.inner) * cents for kind in problem.cartons]
        """By kind of carton: what it costs when it is filled whole, in cents times a scale."""

    def cents_of(self, scaled: int) -> int:
        """What a choice costs of which the kinds cost so much when they are filled whole."""
        return max(0, -(-(scaled - self._saved) // self._scale))

    def of_choice(self, kinds: Sequence[int]) -> int:
        """The cost of a choice in cents."""
        return self.cents_of(sum(self.of_kind[kind] for kind in kinds))
