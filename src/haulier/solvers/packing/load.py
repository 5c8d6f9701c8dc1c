"""One carton being filled: positions, and the maximal empty spaces that remain."""

from collections.abc import Sequence

from haulier.solvers.packing.compiled import CompiledPacking, Unit
from haulier.solvers.packing.problem import Size

Box = tuple[int, int, int, int, int, int]
"""Two opposite corners: x0, y0, z0, x1, y1, z1."""


class CartonLoad:
    """A carton of one kind and its content."""

    __slots__ = ("_compiled", "boxes", "kind", "pieces", "room", "spaces", "weight_left")

    def __init__(self, compiled: CompiledPacking, kind: int) -> None:
        self._compiled = compiled
        self.kind = kind
        x, y, z = compiled.kinds[kind].inner
        self.spaces: list[Box] = [(0, 0, 0, x, y, z)]
        self.boxes: list[Box] = []
        self.pieces: list[int] = []
        self.room = compiled.capacity[kind]
        self.weight_left = compiled.loads.payload[kind]

    def add(self, unit: Unit) -> bool:
        """Add all pieces of a unit; return False, changing nothing, if one has no place."""
        if not self._has_room(unit):
            return False
        saved = (self.spaces, self.boxes[:], self.pieces[:], self.room, self.weight_left) if len(unit) > 1 else None
        for piece in unit:
            if not self._add_piece(piece):
                if saved:
                    self.spaces, self.boxes, self.pieces, self.room, self.weight_left = saved
                return False
        return True

    def _has_room(self, unit: Unit) -> bool:
        volume, weight, apart = self._compiled.volume, self._compiled.loads.taken, self._compiled.apart
        if sum(volume[piece] for piece in unit) > self.room or sum(weight[piece] for piece in unit) > self.weight_left:
            return False
        return not apart or not any((piece, other) in apart for piece in unit for other in self.pieces)

    def _add_piece(self, piece: int) -> bool:
        compiled = self._compiled
        box = self._best_place(piece, compiled.extents[piece][self.kind])
        if box is None:
            return False
        self.boxes.append(box)
        self.pieces.append(piece)
        self.room -= compiled.volume[piece]
        self.weight_left -= compiled.loads.taken[piece]
        self.spaces = cut_spaces(self.spaces, box)
        return True

    def _best_place(self, piece: int, extents: Sequence[Size]) -> Box | None:
        """Return the valid position farthest from the far corner of the carton."""
        far_x, far_y, far_z = self._compiled.kinds[self.kind].inner
        best: Box | None = None
        best_distance = -1
        plain = self._compiled.is_plain
        for x0, y0, z0, x1, y1, z1 in self.spaces:
            wide, deep, high = x1 - x0, y1 - y0, z1 - z0
            for x, y, z in extents:
                if x > wide or y > deep or z > high:
                    continue
                distance = (far_x - x0 - x) ** 2 + (far_y - y0 - y) ** 2 + (far_z - z0 - z) ** 2
                if distance > best_distance:
                    box = (x0, y0, z0, x0 + x, y0 + y, z0 + z)
                    if plain or self._is_allowed(piece, box):
                        best, best_distance = box, distance
        return best

    def _is_allowed(self, piece: int, box: Box) -> bool:
        """Return True if the piece is supported and no load-bearing limit is exceeded."""
        problem = self._compiled.problem
        if problem.support_percent and box[2] > 0:
            # With at least half of the base supported, its centre is above the supports.
            base = (box[3] - box[0]) * (box[4] - box[1])
            if resting_area(box, self.boxes) * 100 < max(50, problem.support_percent) * base:
                return False
        limits = [self._compiled.pieces[other].bears_g for other in [*self.pieces, piece]]
        if all(limit is None for limit in limits):
            return True
        weights = [self._compiled.weight[other] for other in [*self.pieces, piece]]
        borne = weights_on_top([*self.boxes, box], weights)
        # Stay one gram below the limit: shares are rounded down.
        return all(limit is None or on_top == 0 or on_top < limit for limit, on_top in zip(limits, borne, strict=True))


def cut_spaces(spaces: Sequence[Box], box: Box) -> list[Box]:
    """Return the maximal empty spaces that remain around a new box."""
    x0, y0, z0, x1, y1, z1 = box
    kept: list[Box] = []
    cut: list[Box] = []
    for space in spaces:
        a0, b0, c0, a1, b1, c1 = space
        if x0 >= a1 or x1 <= a0 or y0 >= b1 or y1 <= b0 or z0 >= c1 or z1 <= c0:
            kept.append(space)
            continue
        cut += _pieces_around(space, box)
    # Largest first: a space contained in another one is found after it.
    cut.sort(key=lambda each: -((each[3] - each[0]) * (each[4] - each[1]) * (each[5] - each[2])))
    for space in cut:
        if not any(_holds(other, space) for other in kept):
            kept.append(space)
    return kept


def _pieces_around(space: Box, box: Box) -> list[Box]:
    """Return the parts of a space on the six sides of a box."""
    a0, b0, c0, a1, b1, c1 = space
    x0, y0, z0, x1, y1, z1 = box
    around = (
        (a0, b0, c0, x0, b1, c1),
        (x1, b0, c0, a1, b1, c1),
        (a0, b0, c0, a1, y0, c1),
        (a0, y1, c0, a1, b1, c1),
        (a0, b0, c0, a1, b1, z0),
        (a0, b0, z1, a1, b1, c1),
    )
    return [part for part in around if part[0] < part[3] and part[1] < part[4] and part[2] < part[5]]


def _holds(outer: Box, inner: Box) -> bool:
    return (
        outer[0] <= inner[0]
        and outer[1] <= inner[1]
        and outer[2] <= inner[2]
        and outer[3] >= inner[3]
        and outer[4] >= inner[4]
        and outer[5] >= inner[5]
    )


def resting_area(box: Box, boxes: Sequence[Box]) -> int:
    """Return the area of a base in contact with tops directly below."""
    x0, y0, z0, x1, y1, _ = box
    area = 0
    for a0, b0, _, a1, b1, c1 in boxes:
        if c1 == z0:
            wide, deep = min(x1, a1) - max(x0, a0), min(y1, b1) - max(y0, b0)
            if wide > 0 and deep > 0:
                area += wide * deep
    return area


def weights_on_top(boxes: Sequence[Box], weights: Sequence[int]) -> list[int]:
    """Return the weight in grams that each box bears, at most one gram too low.

    Weight passes down in proportion to contact areas.
    """
    scale = 1_000_000
    borne = [0] * len(boxes)
    for top in sorted(range(len(boxes)), key=lambda each: -boxes[each][2]):
        areas = {i: resting_area(boxes[top], [boxes[i]]) for i in range(len(boxes)) if boxes[i][5] == boxes[top][2]}
        total = sum(areas.values())
        for below, area in areas.items():
            if area:
                borne[below] += (weights[top] * scale + borne[top]) * area // total
    return [-(-grams // scale) for grams in borne]
