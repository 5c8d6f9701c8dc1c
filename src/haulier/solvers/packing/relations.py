"""Exact feasibility search for a single carton.

In each pair of pieces, one lies before the other along x, y or z. The search branches over orientations and these
relations and propagates the earliest start and the latest end of each piece. Support and load-bearing are left out, so
a refutation also holds with them.
"""

from collections.abc import Iterator, Sequence
from itertools import combinations

from haulier.solvers.packing.budget import StepMeter
from haulier.solvers.packing.load import Box
from haulier.solvers.packing.problem import Size

Relation = tuple[int, int, int]
"""An axis and two pieces; the first ends before the second starts."""


class _State:
    """Remaining orientations, decided relations and the resulting bounds per axis."""

    __slots__ = ("before", "decided", "end", "least", "start", "turns")

    def __init__(self, turns: list[tuple[Size, ...]], inner: Size) -> None:
        self.turns = turns
        self.decided: set[tuple[int, int]] = set()
        self.before: list[Relation] = []
        self.least = [[min(size[axis] for size in each) for each in turns] for axis in range(3)]
        self.start = [[0] * len(turns) for _ in range(3)]
        self.end = [[inner[axis]] * len(turns) for axis in range(3)]

    def copy(self) -> "_State":
        other = _State.__new__(_State)
        other.turns = self.turns[:]
        other.decided = set(self.decided)
        other.before = self.before[:]
        other.least, other.start, other.end = (
            [axis[:] for axis in each] for each in (self.least, self.start, self.end)
        )
        return other

    def relate(self, relation: Relation) -> bool:
        self.before.append(relation)
        self.decided.add((min(relation[1:]), max(relation[1:])))
        return self.propagate()

    def turn(self, piece: int, size: Size) -> bool:
        self.turns[piece] = (size,)
        return self.propagate()

    def propagate(self) -> bool:
        """Propagate all constraints; return False on a contradiction."""
        changed = True
        while changed:
            if not self._narrow_turns():
                return False
            changed = False
            for axis, i, j in self.before:
                start, end, least = self.start[axis], self.end[axis], self.least[axis]
                if start[j] < start[i] + least[i]:
                    start[j] = start[i] + least[i]
                    changed = True
                if end[i] > end[j] - least[j]:
                    end[i] = end[j] - least[j]
                    changed = True
        return all(
            self.start[axis][i] + self.least[axis][i] <= self.end[axis][i]
            for axis in range(3)
            for i in range(len(self.turns))
        )

    def _narrow_turns(self) -> bool:
        for i, sizes in enumerate(self.turns):
            wide, deep, high = (self.end[axis][i] - self.start[axis][i] for axis in range(3))
            kept = tuple(size for size in sizes if size[0] <= wide and size[1] <= deep and size[2] <= high)
            if not kept:
                return False
            if len(kept) < len(sizes) or len(kept) == 1:
                self.turns[i] = kept
                for axis in range(3):
                    self.least[axis][i] = min(size[axis] for size in kept)
        return True

    def ways(self, i: int, j: int) -> list[Relation]:
        """Return the relations of a pair that are still possible."""
        return [
            (axis, a, b)
            for axis in range(3)
            for a, b in ((i, j), (j, i))
            if self.start[axis][a] + self.least[axis][a] + self.least[axis][b] <= self.end[axis][b]
        ]

    def overlaps(self, i: int, j: int) -> bool:
        """Return True if two pieces overlap at their earliest positions."""
        return all(
            self.start[axis][i] < self.start[axis][j] + self.least[axis][j]
            and self.start[axis][j] < self.start[axis][i] + self.least[axis][i]
            for axis in range(3)
        )

    def boxes(self) -> list[Box]:
        """Return all pieces at their earliest positions."""
        x, y, z = self.start
        return [
            (x[i], y[i], z[i], x[i] + size[0], y[i] + size[1], z[i] + size[2]) for i, (size,) in enumerate(self.turns)
        ]


def search_one_carton(
    inner: Size, turns: Sequence[tuple[Size, ...]], meter: StepMeter, most_nodes: int
) -> list[Box] | bool | None:
    """Return positions of all pieces; False if there are none, None if nodes ran out."""
    if not all(turns):
        return False
    state = _State(list(turns), inner)
    _break_mirrors(state, inner)
    if not state.propagate():
        return False
    stack = [iter([state])]
    nodes = 0
    while stack:
        state = next(stack[-1], None)
        if state is None:
            stack.pop()
            continue
        nodes += 1
        meter.steps += 1
        if nodes > most_nodes or meter.is_spent:
            return None
        branches = _branches(state)
        if branches is None:
            return state.boxes()
        stack.append(branches)
    return False


def _break_mirrors(state: _State, inner: Size) -> None:
    """Keep the largest piece in the near half per axis to break mirror symmetry."""
    largest = max(
        range(len(state.turns)), key=lambda i: state.turns[i][0][0] * state.turns[i][0][1] * state.turns[i][0][2]
    )
    for axis in range(3):
        longest = max(size[axis] for size in state.turns[largest])
        state.end[axis][largest] = min(inner[axis], (inner[axis] + longest) // 2)


def _branches(state: _State) -> Iterator[_State] | None:
    """Return the next branches; None if every piece has a position."""
    best: list[Relation] | None = None
    pair = (0, 0)
    for i, j in combinations(range(len(state.turns)), 2):
        if (i, j) in state.decided:
            continue
        ways = state.ways(i, j)
        if not ways:
            return iter(())
        if (len(ways) == 1 or state.overlaps(i, j)) and (best is None or len(ways) < len(best)):
            best, pair = ways, (i, j)
    if best is not None and len(best) == 1:
        return _related(state, best)
    open_turns = [i for i in (pair if best else range(len(state.turns))) if len(state.turns[i]) > 1]
    if open_turns:
        return _turned(state, open_turns[0])
    return None if best is None else _related(state, best)


def _related(state: _State, ways: Sequence[Relation]) -> Iterator[_State]:
    for way in ways:
        child = state.copy()
        if child.relate(way):
            yield child


def _turned(state: _State, piece: int) -> Iterator[_State]:
    for size in state.turns[piece]:
        child = state.copy()
        if child.turn(piece, size):
            yield child
