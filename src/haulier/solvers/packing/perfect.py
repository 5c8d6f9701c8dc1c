"""Exact search for a carton that its pieces fill completely.

The lowest, foremost, leftmost empty position must be a corner of some piece, because no space may stay empty. Pieces
are tried there, one of each look, and branches with a row that no pieces can fill are pruned.
"""

from collections.abc import Sequence

from haulier.solvers.packing.budget import StepMeter
from haulier.solvers.packing.load import Box
from haulier.solvers.packing.problem import Size


def search_perfect_filling(
    inner: Size, turns: Sequence[tuple[Size, ...]], looks: Sequence[int], meter: StepMeter, most_nodes: int
) -> list[Box] | bool | None:
    """Return positions of all pieces; False if there are none, None if nodes ran out.

    The volumes of the pieces must add up to the volume of the carton.
    """
    return _Filling(inner, turns, looks, meter, most_nodes).run()


class _Filling:
    def __init__(
        self, inner: Size, turns: Sequence[tuple[Size, ...]], looks: Sequence[int], meter: StepMeter, most_nodes: int
    ) -> None:
        self._inner, self._turns, self._looks, self._meter = inner, turns, looks, meter
        self._nodes_left = most_nodes
        self._placed: dict[int, Box] = {}
        self._left = sorted(range(len(turns)), key=lambda piece: -max(max(size) for size in turns[piece]))

    def run(self) -> list[Box] | bool | None:
        """Run the search of `search_perfect_filling`."""
        if self._fill():
            return [self._placed[piece] for piece in range(len(self._turns))]
        return None if self._nodes_left < 0 else False

    def _fill(self) -> bool:
        if not self._left:
            return True
        self._nodes_left -= 1
        self._meter.steps += 1
        if self._nodes_left < 0 or self._meter.is_spent:
            self._nodes_left = min(self._nodes_left, -1)
            return False
        x, y, z = self._first_empty()
        row = self._row(x, y, z)
        sums = self._edge_sums(row)
        tried: set[tuple[int, Size]] = set()
        for piece in list(self._left):
            for size in self._turns[piece]:
                key = (self._looks[piece], size)
                if key in tried or size[0] not in sums:
                    continue
                tried.add(key)
                box = (x, y, z, x + size[0], y + size[1], z + size[2])
                if self._is_free(box) and self._can_continue(piece, box):
                    return True
                if self._nodes_left < 0:
                    return False
        return False

    def _can_continue(self, piece: int, box: Box) -> bool:
        place = self._left.index(piece)
        self._placed[piece] = box
        self._left.pop(place)
        if self._fill():
            return True
        del self._placed[piece]
        self._left.insert(place, piece)
        return False

    def _first_empty(self) -> tuple[int, int, int]:
        """Return the lowest, foremost, leftmost empty corner."""
        boxes = self._placed.values()
        for z in sorted({0, *(box[5] for box in boxes)}):
            across = [box for box in boxes if box[2] <= z < box[5]]
            for y in sorted({0, *(box[4] for box in across)}):
                row = sorted((box[0], box[3]) for box in across if box[1] <= y < box[4])
                x = 0
                for begin, end in row:
                    if begin > x:
                        break
                    x = end
                if x < self._inner[0] and y < self._inner[1] and z < self._inner[2]:
                    return x, y, z
        raise AssertionError("pieces are left, so something is empty")

    def _row(self, x: int, y: int, z: int) -> int:
        """Return the distance along x to the next piece or the wall."""
        ends = [
            box[0] for box in self._placed.values() if box[0] >= x and box[1] <= y < box[4] and box[2] <= z < box[5]
        ]
        return min(ends, default=self._inner[0]) - x

    def _edge_sums(self, row: int) -> set[int]:
        """Return the edges that can begin a row which other pieces complete."""
        edges = [{size[0] for size in self._turns[piece]} for piece in self._left]
        reach = 1
        for lengths in edges:
            for length in lengths:
                reach |= reach << length
        # An upper bound suffices: a sum may use a piece twice, which only prunes less.
        return {length for lengths in edges for length in lengths if length <= row and reach >> (row - length) & 1}

    def _is_free(self, box: Box) -> bool:
        x, y, z = self._inner
        if box[3] > x or box[4] > y or box[5] > z:
            return False
        return not any(
            box[0] < other[3]
            and other[0] < box[3]
            and box[1] < other[4]
            and other[1] < box[4]
            and box[2] < other[5]
            and other[2] < box[5]
            for other in self._placed.values()
        )
