"""Blocks of equal pieces, and how promising each is in an empty box."""

from collections.abc import Callable, Iterable, Iterator
from random import Random

from msgspec import Struct

from haulier.solvers.loading.prepared import PieceKind, PreparedLoading
from haulier.solvers.loading.problem import Box
from haulier.solvers.packing.problem import Size

FILL_ORDERS = ((2, 1, 0), (1, 2, 0), (2, 0, 1), (0, 2, 1), (1, 0, 2))
"""Which axes of a block are filled up first."""


class PieceBlock(Struct, frozen=True):
    """So many pieces of a kind along each axis, all lying alike; those that nest stand in each other."""

    kind: PieceKind
    size: Size
    counts: tuple[int, int, int]
    sunk: int = 0
    """So deep each stands in the one below it."""

    @property
    def pieces(self) -> int:
        """How many there are."""
        return self.counts[0] * self.counts[1] * self.counts[2]

    @property
    def extents(self) -> Size:
        """Its lengths along x, y and z."""
        x, y, z = self.size
        return x * self.counts[0], y * self.counts[1], z * self.counts[2] - self.sunk * (self.counts[2] - 1)

    @property
    def volume(self) -> int:
        """What it takes of a space."""
        x, y, z = self.extents
        return x * y * z


class Taste(Struct, frozen=True):
    """What a filling likes: exponents, and how far chance may change its mind."""

    usable: float = 1.0
    """Blocks beside which the rest of the room can be used."""
    few: float = 0.1
    """Blocks of few, large pieces."""
    dense: float = 0.0
    """Heavy blocks first; light ones where negative."""
    noise: float = 0.0
    wall: float = 0.0
    """Blocks that are short along the space, so that walls are built."""
    scatter: float = 0.0
    """How far empty boxes change places in the order in which they are filled, as a share of the space's length."""


def fitting_in(left: Iterable[tuple[PieceKind, int]], space: int, box: Box) -> list[tuple[PieceKind, int]]:
    """The kinds of which a piece fits into an empty box."""
    x, y, z = box[3] - box[0], box[4] - box[1], box[5] - box[2]
    found: list[tuple[PieceKind, int]] = []
    for each in left:
        for wide, deep, high in each[0].sizes[space]:
            if wide <= x and deep <= y and high <= z:
                found.append(each)
                break
    return found


def blocks_in(
    prepared: PreparedLoading, space: int, box: Box, left: Iterable[tuple[PieceKind, int]], taste: Taste, random: Random
) -> list[PieceBlock]:
    """The blocks that fit into an empty box, the most promising first."""
    room = (box[3] - box[0], box[4] - box[1], box[5] - box[2])
    found: dict[tuple[int, Size, tuple[int, int, int]], PieceBlock] = {}
    for kind, count in left:
        if count and not (kind.piece.floor_only and box[2]):
            for block in _of_kind(kind, space, room, count, prepared.layers_within_reach(space, kind, box[2])):
                found[kind.number, block.size, block.counts] = block
    scored = [(_score(prepared, space, room, block, taste, random), key, block) for key, block in found.items()]
    return [block for _, _, block in sorted(scored, key=lambda each: (-each[0], each[1]))]


def _of_kind(kind: PieceKind, space: int, room: Size, count: int, layers: Callable[[int], int]) -> Iterator[PieceBlock]:
    """The blocks of a kind; `layers` says how many of so much height each can be put one upon the other."""
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
    """How many pieces of a kind stand one upon the other."""
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
    """The volume of a block; what stands in each other counts for more, by as much as it saves."""
    return (block.pieces * block.kind.volume) ** 2 / block.volume if block.sunk else block.volume


def _score(prepared: PreparedLoading, space: int, room: Size, block: PieceBlock, taste: Taste, random: Random) -> float:
    extents = block.extents
    used = 1.0
    for axis in range(3):
        rest = room[axis] - extents[axis]
        used *= (extents[axis] + prepared.usable(space, axis, rest)) / room[axis]
    score = _bulk(block) * used**taste.usable * block.pieces**-taste.few
    if taste.wall:
        score *= extents[0] ** -taste.wall
    if taste.dense:
        score *= ((1 + block.kind.piece.weight_g) / block.kind.volume) ** taste.dense
    return score * (1 + taste.noise * random.random()) if taste.noise else score
