"""Filling one space after the other with the remaining pieces, last stop first.

If pieces may be repacked on the way, some fillings allow a few pieces to block earlier stops.
"""

from collections.abc import Callable, Iterator, Sequence
from enum import Enum, auto
from random import Random

from msgspec import Struct
from msgspec.structs import replace

from haulier.solvers.loading.blocks import HeuristicWeights, blocks_in, fitting_in
from haulier.solvers.loading.handling import Handling
from haulier.solvers.loading.prepared import PieceKind, PreparedLoading
from haulier.solvers.loading.problem import Box
from haulier.solvers.loading.repacking import Repack, plan_repacks
from haulier.solvers.loading.shift import Placed, find_shift
from haulier.solvers.loading.space_load import SpaceLoad
from haulier.solvers.packing.budget import StepMeter

BLOCKS_TRIED = 12
"""Number of blocks tried in an empty box, followed by single pieces, before the box is given up."""

KINDS_AT_FIRST = 12
"""Number of kinds considered together in the first filling, so that a first plan exists soon."""


class StopOrder(Enum):
    """How strictly a filling follows the order of stops."""

    KEPT = auto()
    """No piece blocks a piece of an earlier stop."""
    KEPT_AT_FIRST = auto()
    """Strict at first; remaining pieces may block."""
    LOOSE = auto()
    """Pieces may block; the last stop is loaded first."""
    MIXED = auto()
    """Pieces may block; all stops are loaded together."""


class FilledSpace(Struct, frozen=True):
    """A space and its load, in loading order."""

    space: int
    placed: tuple[Placed, ...]
    moved_out: frozenset[int] = frozenset()
    """Kinds with pieces removed to satisfy axle or balance limits."""
    repacks: tuple[Repack, ...] = ()


class Filling:
    """Fills spaces with the remaining pieces, counted by kind number."""

    def __init__(self, prepared: PreparedLoading, meter: StepMeter, random: Random) -> None:
        self._prepared, self._meter, self._random = prepared, meter, random
        self.is_first = True
        """The first filling runs to the end regardless of the budget, so its left-over pieces really have no place."""
        self.unreached: set[int] = set()
        """Kinds with a block refused because it is out of reach."""

    def fill(
        self,
        space: int,
        left: list[int],
        heuristic: HeuristicWeights,
        held: Sequence[int],
        order: StopOrder = StopOrder.KEPT,
    ) -> FilledSpace | None:
        """Load a space and subtract its pieces from `left`; None if nothing was loaded.

        `held` is the number of pieces of each kind to postpone until all others have been tried.
        """
        barred: set[str] = set()
        while True:
            wanted = [0 if kind.piece.together in barred else left[kind.number] for kind in self._prepared.kinds]
            load = self._load(space, wanted, heuristic, held, order)
            self.unreached |= load.unreached
            filled = self._settle(space, load.placed)
            torn = self._torn_groups(filled.placed, left)
            if not torn:
                break
            barred |= torn
        for kind, _ in filled.placed:
            left[kind.number] -= 1
        return filled if filled.placed else None

    def _load(
        self, space: int, wanted: Sequence[int], heuristic: HeuristicWeights, held: Sequence[int], order: StopOrder
    ) -> SpaceLoad:
        prepared = self._prepared
        counts = [max(0, count - out) for count, out in zip(wanted, held, strict=True)]
        load, most = SpaceLoad(prepared, space), prepared.most_repacks(space)
        if most and order in (StopOrder.LOOSE, StopOrder.MIXED):
            load.handling = Handling(most)
        together = [{*prepared.stops}] if load.handling and order is StopOrder.MIXED else [{s} for s in prepared.stops]
        for stops in together:
            kinds = [kind for kind in prepared.kinds if kind.piece.stop in stops and counts[kind.number]]
            self._load_kinds(load, [kind for kind in kinds if not kind.piece.top_only], counts, heuristic)
            self._load_kinds(load, [kind for kind in kinds if kind.piece.top_only], counts, heuristic)
        waiting = [min(count, out) for count, out in zip(wanted, held, strict=True)]
        if any(waiting) or (len(prepared.stops) > 1 and any(counts)):
            counts = [count + more for count, more in zip(counts, waiting, strict=True)]
            self._load_kinds(load, [kind for kind in prepared.kinds if counts[kind.number]], counts, heuristic)
        if most and order is StopOrder.KEPT_AT_FIRST:
            load.handling = Handling(most)
            self._load_kinds(load, [kind for kind in prepared.kinds if counts[kind.number]], counts, heuristic)
        return load

    def _load_kinds(
        self, load: SpaceLoad, kinds: Sequence[PieceKind], counts: list[int], heuristic: HeuristicWeights
    ) -> None:
        given_up: set[Box] = set()
        while self.is_first or not self._meter.is_spent:
            self._meter.steps += 1  # counted here too, or fillings where nothing fits would never end
            left = [(kind, min(counts[kind.number], load.most_of(kind))) for kind in kinds if counts[kind.number]]
            waiting = [each for each in left if each[1]]
            if self.is_first:
                waiting.sort(key=lambda each: (-each[0].volume, each[0].number))
            if not waiting or not self._load_next(load, waiting, counts, heuristic, given_up):
                return

    def _load_next(
        self,
        load: SpaceLoad,
        waiting: Sequence[tuple[PieceKind, int]],
        counts: list[int],
        heuristic: HeuristicWeights,
        given_up: set[Box],
    ) -> bool:
        """Place a block in the first empty box that accepts one; False if none does."""
        order = self._corner_first(load, heuristic)
        for empty in sorted((each for each in load.empty if each not in given_up), key=order):
            self._meter.steps += 1
            fitting = fitting_in(waiting, load.space, empty)
            if fitting and load.may_take(empty, [kind for kind, _ in fitting]):
                for some in self._groups(fitting):
                    if self._put_best(load, some, empty, counts, heuristic):
                        return True
            given_up.add(empty)
            if not self.is_first and self._meter.is_spent:
                return False
        return False

    def _groups(self, waiting: Sequence[tuple[PieceKind, int]]) -> Iterator[Sequence[tuple[PieceKind, int]]]:
        """Yield groups of kinds that are scored together.

        There is one group, except in the first filling: it takes a few kinds at a time, largest first.
        """
        at_once = KINDS_AT_FIRST if self.is_first else len(waiting)
        for first in range(0, len(waiting), at_once):
            yield waiting[first : first + at_once]

    def _put_best(
        self,
        load: SpaceLoad,
        left: Sequence[tuple[PieceKind, int]],
        empty: Box,
        counts: list[int],
        heuristic: HeuristicWeights,
    ) -> bool:
        """Place the best valid block in an empty box; False if there is none."""
        blocks = blocks_in(self._prepared, load.space, empty, left, heuristic, self._random)
        singles = [block for block in blocks[BLOCKS_TRIED:] if block.pieces == 1]
        for block in (*blocks[:BLOCKS_TRIED], *singles):
            if load.add(block, empty):
                counts[block.kind.number] -= block.pieces
                return True
        return False

    def _corner_first(self, load: SpaceLoad, heuristic: HeuristicWeights) -> Callable[[Box], tuple[float, Box]]:
        length, width, _ = self._prepared.spaces[load.space].inner
        astray = heuristic.scatter * length
        return lambda box: (
            box[0] + box[2] + min(box[1], width - box[4]) + (astray and astray * self._random.random()),
            box,
        )

    def _settle(self, space: int, placed: Sequence[Placed]) -> FilledSpace:
        """Satisfy the axle limits and plan the repacks.

        The last pieces are removed if necessary.
        """
        filled = self._repair_axles(space, placed)
        if not self._prepared.most_repacks(space):
            return filled
        settled, fewest, most = FilledSpace(space, ()), 0, len(filled.placed) + 1
        tried = most - 1
        while True:
            repacks = plan_repacks(self._prepared, space, filled.placed)
            if repacks is None:
                most = tried
            else:
                settled, fewest = replace(filled, repacks=repacks), tried
            # Bisect: with fewer pieces loaded, usually fewer are in the way.
            if most - fewest <= 1:
                return settled
            tried = (fewest + most) // 2
            filled = self._repair_axles(space, placed[:tried])

    def _repair_axles(self, space: int, placed: Sequence[Placed]) -> FilledSpace:
        """Shift the load to satisfy axle and balance limits.

        The last pieces are removed if necessary.
        """
        kept, moved_out = list(placed), set[int]()
        while kept:
            shift = find_shift(self._prepared.spaces[space], kept)
            if shift is not None:
                dx, dy = shift
                moved = tuple((kind, (b[0] + dx, b[1] + dy, b[2], b[3] + dx, b[4] + dy, b[5])) for kind, b in kept)
                return FilledSpace(space, moved, frozenset(moved_out))
            moved_out.add(kept.pop()[0].number)
        return FilledSpace(space, (), frozenset(moved_out))

    def _torn_groups(self, placed: Sequence[Placed], left: Sequence[int]) -> set[str]:
        """Return the groups that are only partly loaded."""
        inside: dict[str, int] = {}
        for kind, _ in placed:
            if kind.piece.together is not None:
                inside[kind.piece.together] = inside.get(kind.piece.together, 0) + 1
        whole: dict[str, int] = {}
        for kind in self._prepared.kinds:
            if kind.piece.together in inside:
                whole[kind.piece.together] = whole.get(kind.piece.together, 0) + left[kind.number]
        return {group for group, count in inside.items() if count < whole[group]}
