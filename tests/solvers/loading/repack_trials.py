"""The best way to load a tiny space and to repack it, by trying everything."""

from collections.abc import Iterator
from functools import cache
from itertools import combinations

from haulier.solvers.loading.problem import LoadingProblem

Place = tuple[int, tuple[int, int, int]]
"""A piece by its number, and where it lies."""
Arrangement = frozenset[Place]


class RepackTrials:
    """One space with a rear door, full support, and unrotated pieces of height one.

    Pieces can therefore be loaded layer by layer, each from front to rear, and only remaining pieces can block others.
    """

    def __init__(self, problem: LoadingProblem) -> None:
        self._sizes = [piece.size for piece in problem.pieces]
        self._stops = [piece.stop for piece in problem.pieces]
        self._inner, self._most = problem.spaces[0].inner, problem.repacks_per_stop or 0
        self._fewest = cache(self._try_journey)

    def best(self) -> tuple[int, int]:
        """Return the minimum number of left-over pieces, and the minimum of repacks then."""
        everything = len(self._sizes)
        for left in range(everything):
            counts = [
                count
                for some in combinations(range(everything), everything - left)
                for arrangement in self._arrangements(some, frozenset())
                if (count := self._fewest(arrangement)) is not None
            ]
            if counts:
                return left, min(counts)
        return everything, 0

    def _try_journey(self, aboard: Arrangement) -> int | None:
        """The fewest repacks from here on; None where something cannot leave at its stop."""
        stops = {self._stops[number] for number, _ in aboard}
        if len(stops) < 2:
            return 0
        leaving = frozenset(each for each in aboard if self._stops[each[0]] == min(stops))
        counts: list[int] = []
        for moved in self._some_of(aboard - leaving):
            stays = aboard - leaving - moved
            if any(self._is_blocked(each, stays) or self._bears(each, stays) for each in leaving | moved):
                continue
            for after in self._arrangements(tuple(number for number, _ in moved), stays):
                rest = self._fewest(after)
                counts += [] if rest is None else [len(moved) + rest]
        return min(counts, default=None)

    def _some_of(self, pieces: Arrangement) -> Iterator[Arrangement]:
        for count in range(self._most + 1):
            yield from map(frozenset, combinations(sorted(pieces), count))

    def _arrangements(self, numbers: tuple[int, ...], stays: Arrangement) -> Iterator[Arrangement]:
        """All ways to put pieces in past what stays."""
        for put in self._ways(numbers, stays):
            if all(self._is_supported(each, stays | put) for each in put):
                yield stays | put

    def _ways(self, numbers: tuple[int, ...], stays: Arrangement) -> Iterator[Arrangement]:
        if not numbers:
            yield frozenset()
            return
        for others in self._ways(numbers[1:], stays):
            for place in self._places(self._sizes[numbers[0]]):
                one = (numbers[0], place)
                if not self._is_blocked(one, stays) and not self._cells(one) & self._cells(*stays, *others):
                    yield others | {one}

    def _places(self, size: tuple[int, int, int]) -> Iterator[tuple[int, int, int]]:
        x, y, z = (inner - length + 1 for inner, length in zip(self._inner, size, strict=True))
        yield from ((a, b, c) for a in range(x) for b in range(y) for c in range(z))

    def _cells(self, *places: Place) -> set[tuple[int, int, int]]:
        return {
            (x + a, y + b, z)
            for number, (x, y, z) in places
            for a in range(self._sizes[number][0])
            for b in range(self._sizes[number][1])
        }

    def _is_blocked(self, one: Place, others: Arrangement) -> bool:
        cells, reach = self._cells(*others), self._inner[0]
        return any((further, y, z) in cells for x, y, z in self._cells(one) for further in range(x + 1, reach))

    def _bears(self, one: Place, others: Arrangement) -> bool:
        cells = self._cells(*others)
        return any((x, y, z + 1) in cells for x, y, z in self._cells(one))

    def _is_supported(self, one: Place, others: Arrangement) -> bool:
        cells = self._cells(*others)
        return all(not z or (x, y, z - 1) in cells for x, y, z in self._cells(one))
