"""A packing problem as the engines read it: pieces and kinds of cartons by numbers, and how each piece may lie in each kind."""

from collections.abc import Sequence
from functools import cached_property

from msgspec.structs import replace

from haulier.solvers.packing.problem import CartonKind, PackingPiece, PackingProblem, Size, turned_size, volume_of
from haulier.solvers.packing.void_filling import FillingCosts, FillingLoads

Unit = tuple[int, ...]
"""Pieces that share one carton, by their numbers; most units are one piece."""

DUAL_SCALE = 1_000_000
"""The dual weight of a full carton."""


class CompiledPacking:
    """Lookup tables of a problem. Kinds of cartons keep their order.

    Pieces are as large as their cushions, and kinds of cartons as large as the cushions along their walls leave them.
    """

    def __init__(self, problem: PackingProblem) -> None:
        self.problem = problem
        self.pieces = problem.pieces
        self.kinds = tuple(_within_walls(kind, problem.wall_cushion) for kind in problem.cartons)
        self.bulk = [_with_cushion(piece) for piece in problem.pieces]
        """By piece: its size with its cushion."""
        self.volume = [volume_of(piece.size) for piece in problem.pieces]
        self.weight = [piece.weight_g for piece in problem.pieces]
        self.loads, self.costs = FillingLoads(problem), FillingCosts(problem)
        self.capacity = [
            min(problem.fill_cap_percent * volume_of(whole.inner) // 100, volume_of(kind.inner))
            for whole, kind in zip(problem.cartons, self.kinds, strict=True)
        ]
        """The most volume of pieces in a carton of each kind."""
        self.extents = [
            [self._extents(piece, kind) for kind in range(len(self.kinds))] for piece in range(len(self.pieces))
        ]
        """By piece and kind: how it may lie there, without ways that come to the same."""
        self.apart = self._pairs_apart()
        self.units = self._units()
        self.fits = [
            frozenset(kind for kind in range(len(self.kinds)) if self.unit_fits(unit, kind)) for unit in self.units
        ]
        """By unit: the kinds of cartons that may take it."""
        looks: dict[tuple[object, ...], int] = {}
        self.look = [looks.setdefault(self._look(piece), len(looks)) for piece in range(len(self.pieces))]
        """Equal numbers for pieces that can stand in for each other."""
        self.is_plain = not problem.support_percent and all(piece.bears_g is None for piece in problem.pieces)
        """Whether nothing matters but sizes, weights and groups."""

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
        """Whether a kind of carton may take a unit, by sizes, volume and weight."""
        return (
            all(self.extents[piece][kind] for piece in unit)
            and sum(self.volume[piece] for piece in unit) <= self.capacity[kind]
            and sum(self.loads.load[piece] for piece in unit) <= self.most_load([kind])
            and not any((i, j) in self.apart for i in unit for j in unit)
        )

    def most_load(self, kinds: Sequence[int]) -> int:
        """What pieces in cartons of these kinds take of the payload at most, whatever light pieces lie beside them."""
        return sum(self.loads.payload[kind] for kind in kinds) + self.loads.lightening

    def _look(self, piece: int) -> tuple[object, ...]:
        one = self.pieces[piece]
        sizes = (tuple(sorted(one.size)), one.cushion)
        return (*sizes, one.weight_g, one.bears_g, one.goods, *map(frozenset, self.extents[piece]))

    @cached_property
    def dual_weights(self) -> list[list[tuple[int, ...]]]:
        """By piece and kind: the least share of a carton that it takes under each dual feasible function, rounded down.

        Shares of pieces that lie in one carton never exceed `DUAL_SCALE`, however they lie.
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
    """Six times the edge under three dual feasible functions: itself, above a half, between one and two thirds."""
    half = 6 * inner if 2 * edge > inner else 3 * inner if 2 * edge == inner else 0
    third = 6 * inner if 3 * edge > 2 * inner else 0 if 3 * edge < inner else 6 * edge
    return 6 * edge, half, third
