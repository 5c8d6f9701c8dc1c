"""What must be taken out at each stop and put back, counted while a space is loaded."""

from collections.abc import Collection, Iterable


class Handling:
    """The pieces that stand in the way at each stop, no more than may be taken out there."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._counts: dict[int, int] = {}
        self._stops: dict[int, frozenset[int]] = {}

    def stops_of(self, at: int) -> frozenset[int]:
        """The stops at which a piece is taken out, by its number."""
        return self._stops.get(at, frozenset())

    def allows(self, stops: Collection[int], pieces: int) -> bool:
        """Whether so many more pieces may be taken out at some stops."""
        return all(self._counts.get(stop, 0) + pieces <= self._most for stop in stops)

    def note(self, stops: Collection[int], numbers: Iterable[int]) -> None:
        """Note that pieces with these numbers are taken out at some stops."""
        for at in numbers:
            self._stops[at] = frozenset(stops)
            for stop in stops:
                self._counts[stop] = self._counts.get(stop, 0) + 1
