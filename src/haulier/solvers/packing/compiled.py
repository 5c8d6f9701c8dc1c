"""Packing problem in the form used by the engines.

Pieces and kinds of cartons are numbers, with the sizes of each piece in each kind.
"""

from collections.abc import Sequence
from functools import cached_property

from msgspec.structs import replace

from haulier.solvers.packing.problem import CartonKind, PackingPiece, PackingProblem, Size, turned_size, volume_of
from haulier.solvers.packing.void_filling import FillingCosts, FillingLoads

Unit = tuple[int, ...]
"""Pieces, by number, that share one carton; most units are a single piece."""

DUAL_SCALE = 1_000_000
"""Dual weight of a full carton."""


class CompiledPacking:
    """Lookup tables of a problem. Kinds of cartons keep their order.

    Sizes of pieces include their cushions; inner sizes of cartons exclude the cushions along the walls.
    """

    def __init__(self, problem: PackingProblem) -> None:
        self.problem = problem
        self.pieces = problem.pieces
        self.kinds = tuple(_within_walls(kind, problem.wall_cushion) for kind in problem.cartons)
        self.bulk = [_with_cushion(piece) for piece in problem.pieces]
        """Size with cushion, by piece."""
        self.volume = [volume_of(piece.size) for piece in problem.pieces]
        self.weight = [piece.weight_g for piece in problem.pieces]
        self.loads, self.costs = FillingLoads(problem), FillingCosts(problem)
        self.capacity = [
            min(problem.fill_cap_percent * volume_of(whole.inner) // 100, volume_of(kind.inner))
            for whole, kind in zip(problem.cartons, self.kinds, strict=True)
        ]
        """Maximum volume of pieces in a carton, by kind."""
        self.extents = [
            [self._extents(piece, kind) for kind in range(len(self.kinds))] for piece in range(len(self.pieces))
        ]
        """Distinct sizes after rotation that fit, by piece and kind."""
        self.apart = self._pairs_apart()
        self.units = self._units()
        self.fits = [
            frozenset(kind for kind in range(len(self.kinds)) if self.unit_fits(unit, kind)) for unit in self.units
        ]
        """Kinds of cartons that a unit fits, by unit."""
        looks: dict[tuple[object, ...], int] = {}
        self.look = [looks.setdefault(self._look(piece), len(looks)) for piece in range(len(self.pieces))]
        """By piece; equal numbers for interchangeable pieces."""
        self.is_plain = not problem.support_percent and all(piece.bears_g is None for piece in problem.pieces)
        """True if no support or load-bearing rules apply."""

    def _extents(self, piece: int, kind: int) -> tuple[Size, ...]:
        one, carton = self.pieces[piece], self.kinds[kind]
        if self.volume[piece] > self.capacity[kind] or self.loads.load[piece] > self.most_load([kind]):
            return ()
        sizes = dict.fromkeys(turned_size(self.bulk[piece], turn) for turn in one.turns)
        return tuple(size for size in sizes if all(a <= b for a, b in zip(size, carton.inner, strict=True)))

    def _pairs_apart(self) -> set[tuple[int, int]]:
        apart = {frozenset(pair) for pair in self.problem.apart}
        goods = [piece.goods for piece in self.pieces]
        if not apart:
            return set()
        return {
            (i, j)
            for i in range(len(goods))
            for j in range(len(goods))
            if i != j and goods[i] and goods[j] and frozenset((goods[i], goods[j])) in apart
        }

    def _units(self) -> list[Unit]:
        groups: dict[tuple[str, int | str], list[int]] = {}
        for number, piece in enumerate(self.pieces):
            key = ("alone", number) if piece.together is None else ("together", piece.together)
            groups.setdefault(key, []).append(number)
        units = [tuple(group) for group in groups.values()]
        return sorted(units, key=lambda unit: (-sum(self.volume[piece] for piece in unit), unit))

    def unit_fits(self, unit: Unit, kind: int) -> bool:
        """Return True if a unit fits a kind of carton by size, volume and weight."""
        return (
            all(self.extents[piece][kind] for piece in unit)
            and sum(self.volume[piece] for piece in unit) <= self.capacity[kind]
            and sum(self.loads.load[piece] for piece in unit) <= self.most_load([kind])
            and not any((i, j) in self.apart for i in unit for j in unit)
        )

    def most_load(self, kinds: Sequence[int]) -> int:
        """Return the maximum load of cartons of these kinds, allowing for light pieces."""
        return sum(self.loads.payload[kind] for kind in kinds) + self.loads.lightening

    def _look(self, piece: int) -> tuple[object, ...]:
        one = self.pieces[piece]
        sizes = (tuple(sorted(one.size)), one.cushion)
        return (*sizes, one.weight_g, one.bears_g, one.goods, *map(frozenset, self.extents[piece]))

    @cached_property
    def dual_weights(self) -> list[list[tuple[int, ...]]]:
        """Minimum share of a carton used under each dual feasible function, rounded down.

        Indexed by piece and kind. The shares of pieces in one carton never exceed `DUAL_SCALE`, regardless of their
        positions.
        """
        return [
            [self._dual(self.extents[piece][kind], self.kinds[kind].inner) for kind in range(len(self.kinds))]
            for piece in range(len(self.pieces))
        ]

    def _dual(self, extents: tuple[Size, ...], inner: Size) -> tuple[int, ...]:
        if not extents:
            return (DUAL_SCALE + 1,) * 27
        whole = 6**3 * volume_of(inner)
        by_turn = [
            tuple(
                x * y * z
                for x in _dual_lengths(size[0], inner[0])
                for y in _dual_lengths(size[1], inner[1])
                for z in _dual_lengths(size[2], inner[2])
            )
            for size in extents
        ]
        return tuple(min(shares) * DUAL_SCALE // whole for shares in zip(*by_turn, strict=True))


def _with_cushion(piece: PackingPiece) -> Size:
    length, width, height = piece.size
    around = 2 * piece.cushion
    return length + around, width + around, height + around


def _within_walls(kind: CartonKind, cushion: int) -> CartonKind:
    if not cushion:
        return kind
    length, width, height = (max(0, edge - 2 * cushion) for edge in kind.inner)
    return replace(kind, inner=(length, width, height))


def _dual_lengths(edge: int, inner: int) -> tuple[int, int, int]:
    """Return six times the edge under three dual feasible functions.

    They are the identity, the step at one half, and the steps at one and two thirds.
    """
    half = 6 * inner if 2 * edge > inner else 3 * inner if 2 * edge == inner else 0
    third = 6 * inner if 3 * edge > 2 * inner else 0 if 3 * edge < inner else 6 * edge
    return 6 * edge, half, third
