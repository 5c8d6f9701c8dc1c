"""Choices of cartons in the order of the objective: outer volume, number, cost."""

from collections.abc import Iterator
from fractions import Fraction
from heapq import heappop, heappush

from haulier.solvers.packing.compiled import CompiledPacking
from haulier.solvers.packing.plan import Objective

Choice = tuple[int, ...]
"""Kinds of cartons by number, ascending; a kind occurs as often as it is used."""


class CartonChoices:
    """All choices with enough capacity for the pieces, best first, each once.

    A heap holds partial choices, ordered by a lower bound of the objective of their completions. Costs in it are
    scaled.
    """

    def __init__(self, compiled: CompiledPacking) -> None:
        self._compiled = compiled
        self._needed = sum(compiled.volume)
        self._most = len(compiled.units)
        usable = {kind for fits in compiled.fits for kind in fits}
        kinds, room = compiled.kinds, compiled.capacity
        by_ratio = sorted(usable, key=lambda kind: (Fraction(kinds[kind].outer_volume, room[kind]), kind))
        self._kinds = by_ratio
        """Sorted by outer volume per capacity, so that later kinds cost at least as much by volume."""
        self._heap: list[tuple[Objective, tuple[int, ...], Objective, int]] = []
        self._grow((), (0, 0, 0), 0)

    @property
    def bound(self) -> Objective | None:
        """Return a lower bound of the remaining choices; None if none remain."""
        return self._in_cents(self._heap[0][0]) if self._heap else None

    def __iter__(self) -> Iterator[tuple[Objective, Choice]]:
        while self._heap:
            least, places, sums, capacity = heappop(self._heap)
            if capacity >= self._needed and least == sums:
                yield self._in_cents(sums), tuple(sorted(self._kinds[place] for place in places))
            self._grow(places, sums, capacity)

    def _in_cents(self, sums: Objective) -> Objective:
        return sums[0], sums[1], self._compiled.costs.cents_of(sums[2])

    def _grow(self, places: tuple[int, ...], sums: Objective, capacity: int) -> None:
        """Push a partial choice with one more carton of its last or a later kind."""
        if len(places) >= self._most:
            return
        for place in range(places[-1] if places else 0, len(self._kinds)):
            kind = self._compiled.kinds[self._kinds[place]]
            if kind.stock is not None and places.count(place) >= kind.stock:
                continue
            cost = self._compiled.costs.of_kind[self._kinds[place]]
            grown = (sums[0] + kind.outer_volume, sums[1] + 1, sums[2] + cost)
            held = capacity + self._compiled.capacity[self._kinds[place]]
            heappush(self._heap, (self._least(place, grown, held), (*places, place), grown, held))

    def _least(self, place: int, sums: Objective, capacity: int) -> Objective:
        """Return a lower bound of the objective of the completions of a partial choice."""
        missing = self._needed - capacity
        if missing <= 0:
            return sums
        roomiest = self._kinds[place]
        outer, inner = self._compiled.kinds[roomiest].outer_volume, self._compiled.capacity[roomiest]
        return sums[0] - (-missing * outer // inner), sums[1] + 1, sums[2]
