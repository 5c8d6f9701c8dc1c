"""Loading problem prepared for the engine: equal pieces form a kind."""

from collections.abc import Callable, Mapping

from msgspec import Struct

from haulier.solvers.loading.problem import DoorSide, LoadingProblem, LoadPiece, LoadSpace
from haulier.solvers.packing.problem import UPRIGHT_TURNS, Size, Turn, turned_size, volume_of

MANY = 1_000_000
"""More than any real count."""


class PieceKind(Struct, frozen=True):
    """Interchangeable pieces."""

    number: int
    piece: LoadPiece
    """A representative piece."""
    ids: tuple[str, ...]
    sizes: tuple[Mapping[Size, Turn], ...]
    """For each space, the distinct sizes after rotation that fit, with a turn that produces each."""
    volume: int
    rank: tuple[bool, int]
    """Pieces of the greatest rank are left behind last."""

    @property
    def least_volume(self) -> int:
        """Return the least volume of a piece; if nesting, the part outside the lower one."""
        length, width, _ = self.piece.size
        return self.volume - length * width * self.piece.nesting_mm

    def nests(self, space: int, size: Size) -> bool:
        """Return True if pieces in this orientation nest."""
        return bool(self.piece.nesting_mm) and self.sizes[space][size] in UPRIGHT_TURNS


class PreparedLoading:
    """Lookup tables of a problem. Spaces keep their order."""

    def __init__(self, problem: LoadingProblem) -> None:
        self.problem = problem
        self.spaces = problem.spaces
        groups: dict[tuple[object, ...], list[LoadPiece]] = {}
        for piece in problem.pieces:
            groups.setdefault(_signature(piece), []).append(piece)
        self.kinds = [self._kind(number, pieces) for number, pieces in enumerate(groups.values())]
        self.apart = {frozenset(pair) for pair in problem.apart}
        self.stops = sorted({piece.stop for piece in problem.pieces}, reverse=True)
        self.has_ranks = len({kind.rank for kind in self.kinds}) > 1
        self.stacks_freely = all(
            piece.bears_g is None and piece.layers_above is None and not piece.top_only for piece in problem.pieces
        ) and not any(piece.stack_group for piece in problem.pieces)
        """True if no rule restricts the load on top of a piece."""
        self.reach = [self._reachable(number) for number in range(len(self.spaces))]

    def _kind(self, number: int, pieces: list[LoadPiece]) -> PieceKind:
        one = pieces[0]
        sizes = tuple(_sizes_in(one, space) for space in self.spaces)
        rank = (one.mandatory, one.priority)
        return PieceKind(number, one, tuple(piece.id for piece in pieces), sizes, volume_of(one.size), rank)

    def _reachable(self, space: int) -> tuple[int, int, int]:
        """Return a bit mask per axis of the lengths that piece edges can add up to.

        Each piece may be used any number of times.
        """
        masks: list[int] = []
        for axis in range(3):
            inner = self.spaces[space].inner[axis]
            limit = (2 << inner) - 1
            reach = 1
            for length in {size[axis] for kind in self.kinds for size in kind.sizes[space]}:
                step = length
                while step <= inner:
                    reach |= (reach << step) & limit
                    step *= 2
            masks.append(reach)
        return masks[0], masks[1], masks[2]

    def most_repacks(self, space: int) -> int:
        """Return the number of pieces that the engine may repack at a stop.

        It is 0 with nesting pieces or limited reach, which the engine cannot combine with repacks.
        """
        nests = any(kind.piece.nesting_mm for kind in self.kinds)
        return 0 if nests or self.spaces[space].reach or len(self.stops) < 2 else self.problem.repacks_per_stop or 0

    def layers_within_reach(self, space: int, kind: PieceKind, base: int) -> Callable[[int], int]:
        """Return a function from layer height to layers within reach (at least 1).

        Layers are counted upwards from `base`.
        """
        one = self.spaces[space]
        reach = next((each for each in one.reach if each.method == kind.piece.method), None)
        if reach is None or reach.height_mm is None or DoorSide.TOP in one.doors or not one.doors:
            return lambda _: MANY
        room = max(0, reach.height_mm - base)
        return lambda height: room // height + 1

    def usable(self, space: int, axis: int, room: int) -> int:
        """Return the longest part of a length that edges of pieces can fill."""
        return (self.reach[space][axis] & ((2 << room) - 1)).bit_length() - 1


def _signature(piece: LoadPiece) -> tuple[object, ...]:
    ways = frozenset(turned_size(piece.size, turn) for turn in piece.turns)
    stacking = (
        piece.bears_g,
        piece.layers_above,
        piece.stack_group,
        piece.floor_only,
        piece.top_only,
        piece.nesting_mm,
    )
    return (
        *(ways, piece.size, piece.weight_g, stacking, piece.stop),
        *(piece.together, piece.goods, piece.mandatory, piece.priority, piece.method),
    )


def _sizes_in(piece: LoadPiece, space: LoadSpace) -> dict[Size, Turn]:
    found: dict[Size, Turn] = {}
    for turn in piece.turns:
        size = turned_size(piece.size, turn)
        if all(a <= b for a, b in zip(size, space.inner, strict=True)):
            found.setdefault(size, turn)
    return found
