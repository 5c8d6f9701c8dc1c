"""Count of pieces that are unloaded and reloaded at each stop."""

from collections.abc import Collection, Iterable


class Handling:
    """The pieces that block each stop, up to the limit of repacks per stop."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._counts: dict[int, int] = {}
        self._stops: dict[int, frozenset[int]] = {}

    def stops_of(self, at: int) -> frozenset[int]:
        """Return the stops at which a piece, by number, is taken out."""
        return self._stops.get(at, frozenset())

    def allows(self, stops: Collection[int], pieces: int) -> bool:
        """Return True if the given number of further pieces may be taken out at the stops."""
        return all(self._counts.get(stop, 0) + pieces <= self._most for stop in stops)

    def note(self, stops: Collection[int], numbers: Iterable[int]) -> None:
        """Record that pieces, by number, are taken out at the stops."""
        for at in numbers:
            self._stops[at] = frozenset(stops)
            for stop in stops:
                self._counts[stop] = self._counts.get(stop, 0) + 1
