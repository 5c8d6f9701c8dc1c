"""Blocks of equal pieces and their score in an empty box."""

from collections.abc import Callable, Iterable, Iterator
from random import Random

from msgspec import Struct

from haulier.solvers.loading.prepared import PieceKind, PreparedLoading
from haulier.solvers.loading.problem import Box
from haulier.solvers.packing.problem import Size

FILL_ORDERS = ((2, 1, 0), (1, 2, 0), (2, 0, 1), (0, 2, 1), (1, 0, 2))
"""Orders in which the axes of a block are filled."""


class PieceBlock(Struct, frozen=True):
    """A grid of pieces of one kind in one orientation.

    Nesting pieces stand inside each other.
    """

    kind: PieceKind
    size: Size
    counts: tuple[int, int, int]
    sunk: int = 0
    """Depth in millimetres by which each piece sinks into the one below it."""

    @property
    def pieces(self) -> int:
        """Return the number of pieces."""
        return self.counts[0] * self.counts[1] * self.counts[2]

    @property
    def extents(self) -> Size:
        """Return the lengths along x, y and z."""
        x, y, z = self.size
        return x * self.counts[0], y * self.counts[1], z * self.counts[2] - self.sunk * (self.counts[2] - 1)

    @property
    def volume(self) -> int:
        """Return the volume of the bounding box."""
        x, y, z = self.extents
        return x * y * z


class HeuristicWeights(Struct, frozen=True):
    """Weights of the block score, and the amount of randomisation."""

    usable: float = 1.0
    """Exponent that prefers blocks whose neighbouring gaps remain usable."""
    few: float = 0.1
    """Exponent that prefers blocks of few, large pieces."""
    dense: float = 0.0
    """Exponent that prefers heavy blocks; light ones if negative."""
    noise: float = 0.0
    wall: float = 0.0
    """Exponent that prefers blocks that are short along the space, which builds walls."""
    scatter: float = 0.0
    """Random displacement of empty boxes in the filling order, as a share of the length of the space."""


def fitting_in(left: Iterable[tuple[PieceKind, int]], space: int, box: Box) -> list[tuple[PieceKind, int]]:
    """Return the kinds with at least one orientation that fits into an empty box."""
    x, y, z = box[3] - box[0], box[4] - box[1], box[5] - box[2]
    found: list[tuple[PieceKind, int]] = []
    for each in left:
        for wide, deep, high in each[0].sizes[space]:
            if wide <= x and deep <= y and high <= z:
                found.append(each)
                break
    return found


def blocks_in(
    prepared: PreparedLoading,
    space: int,
    box: Box,
    left: Iterable[tuple[PieceKind, int]],
    heuristic: HeuristicWeights,
    random: Random,
) -> list[PieceBlock]:
    """Return the blocks that fit into an empty box, best score first."""
    room = (box[3] - box[0], box[4] - box[1], box[5] - box[2])
    found: dict[tuple[int, Size, tuple[int, int, int]], PieceBlock] = {}
    for kind, count in left:
        if count and not (kind.piece.floor_only and box[2]):
            for block in _of_kind(kind, space, room, count, prepared.layers_within_reach(space, kind, box[2])):
                found[kind.number, block.size, block.counts] = block
    scored = [(_score(prepared, space, room, block, heuristic, random), key, block) for key, block in found.items()]
    return [block for _, _, block in sorted(scored, key=lambda each: (-each[0], each[1]))]


def _of_kind(kind: PieceKind, space: int, room: Size, count: int, layers: Callable[[int], int]) -> Iterator[PieceBlock]:
    """Yield the blocks of a kind.

    `layers` maps a layer height to the number of layers within reach.
    """
    most_layers = _most_layers(kind) if count > 1 else 1
    for size in kind.sizes[space]:
        if size[0] > room[0] or size[1] > room[1] or size[2] > room[2]:
            continue
        if count == 1:
            yield PieceBlock(kind, size, (1, 1, 1))
            continue
        sunk = kind.piece.nesting_mm if kind.nests(space, size) else 0
        caps = [room[axis] // size[axis] for axis in range(3)]
        caps[2] = min((room[2] - sunk) // (size[2] - sunk), most_layers, layers(size[2] - sunk))
        for order in FILL_ORDERS:
            counts = [1, 1, 1]
            rest = count
            for axis in order:
                counts[axis] = min(caps[axis], rest)
                rest //= counts[axis]
            yield PieceBlock(kind, size, (counts[0], counts[1], counts[2]), sunk)
        yield PieceBlock(kind, size, (1, 1, 1))


def _most_layers(kind: PieceKind) -> int:
    """Return the maximum number of layers of a kind."""
    piece = kind.piece
    if piece.floor_only or piece.top_only:
        return 1
    limits = [1_000_000]
    if piece.layers_above is not None:
        limits.append(piece.layers_above + 1)
    if piece.bears_g is not None and piece.weight_g:
        limits.append(piece.bears_g // piece.weight_g + 1)
    return min(limits)


def _bulk(block: PieceBlock) -> float:
    """Return the volume of a block, scaled up for nesting by the volume saved."""
    return (block.pieces * block.kind.volume) ** 2 / block.volume if block.sunk else block.volume


def _score(
    prepared: PreparedLoading, space: int, room: Size, block: PieceBlock, heuristic: HeuristicWeights, random: Random
) -> float:
    extents = block.extents
    used = 1.0
    for axis in range(3):
        rest = room[axis] - extents[axis]
        used *= (extents[axis] + prepared.usable(space, axis, rest)) / room[axis]
    score = _bulk(block) * used**heuristic.usable * block.pieces**-heuristic.few
    if heuristic.wall:
        score *= extents[0] ** -heuristic.wall
    if heuristic.dense:
        score *= ((1 + block.kind.piece.weight_g) / block.kind.volume) ** heuristic.dense
    return score * (1 + heuristic.noise * random.random()) if heuristic.noise else score
