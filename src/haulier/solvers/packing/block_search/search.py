"""Fills one space with what is worth most: beams that grow wider, each with several tastes, until the budget is used up."""

from collections.abc import Callable

import numpy as np
from msgspec import Struct

from haulier.solvers.packing.block_search.beam import expand, take_child
from haulier.solvers.packing.block_search.blocks import Blocks, empty_blocks, joined_blocks, simple_blocks
from haulier.solvers.packing.block_search.jit import Integers
from haulier.solvers.packing.block_search.states import (
    States,
    Task,
    empty_buffers,
    empty_states,
    mark_corner,
)
from haulier.solvers.packing.load import Box
from haulier.solvers.packing.ports import FillTask
from haulier.solvers.packing.problem import volume_of

BLOCKS_MAX, SIMPLE_MAX = 10_000, 8_000
PAIRS_MAX = 20_000_000
FILLED = 0.98
"""A joined block is filled at least so far; wholly where bases must rest on others, since its top is then one plane."""
GROWTH = 1.5
WIDTH_MAX = 500
CONVERGED_ROUNDS = 6
"""A search whose beams do not grow any more and that found nothing better for so many rounds ends."""


class BlockTaste(Struct, frozen=True):
    """Exponents of a score."""

    contact: float
    few: float
    """Blocks of few, large boxes."""
    usable: float = 1.0
    gap: float = 0.0
    """Sides that are this part of the space's length apart, or less, count as if they touched."""
    is_whole: bool = False
    """Only blocks in which nothing is left empty."""
    weights: tuple[int, int, int] = (1, 1, 1)
    """Which empty boxes come first: near to a corner, to an end wall, to the floor."""


TASTES = (
    BlockTaste(4.0, 0.2),
    BlockTaste(2.0, 0.1),
    BlockTaste(4.0, 0.2, weights=(8, 2, 1)),
    BlockTaste(4.0, 0.2, weights=(1, 2, 8)),
)
TASTES_OF_FEW = (
    BlockTaste(4.0, 0.2, usable=4.0, is_whole=True),
    BlockTaste(4.0, 0.2),
    BlockTaste(4.0, 0.2, usable=4.0, is_whole=True, weights=(8, 2, 1)),
    BlockTaste(4.0, 0.2, is_whole=True, weights=(1, 2, 8)),
)
"""For few kinds of boxes that need not rest on others: large blocks with holes lose more there than they win."""
KINDS_FEW = 15


class BlockSearch:
    """One space and what may go into it. The best filling is kept in the second state of `_scratch`."""

    def __init__(self, task: FillTask) -> None:
        self._task = task
        kinds = task.kinds
        self._inner = np.array(task.inner, np.int64)
        rows = [(number, *way) for number, kind in enumerate(kinds) if kind.count for way in kind.ways]
        self._ways = np.array(rows, np.int64).reshape(-1, 4)
        self._left = np.array([kind.count if kind.ways else 0 for kind in kinds], np.int64)
        self._blocks = self._built()
        self._value = self._blocks.boxes @ np.array([kind.value for kind in kinds], np.int64)
        self._load = self._blocks.boxes @ np.array([kind.load for kind in kinds], np.int64)
        self._boxes = self._blocks.boxes.sum(axis=1)
        self._is_loaded = sum(kind.load * kind.count for kind in kinds) > task.most_load
        self._reach = self._reachable()
        self._most_value = sum(kind.value * kind.count for kind in kinds)
        self._found = np.array([-1, 0], np.int64)
        """What the best filling is worth, and how many blocks were placed."""
        self._scratch = self._states(2)
        is_varied = task.is_supported or len(kinds) > KINDS_FEW
        self._tastes = TASTES if is_varied else TASTES_OF_FEW

    @property
    def steps(self) -> int:
        """How many blocks were placed."""
        return int(self._found[1])

    @property
    def value(self) -> int:
        """What the best filling is worth; below zero where there is none yet."""
        return int(self._found[0])

    @property
    def is_whole(self) -> bool:
        """Whether everything is in."""
        return self.value == self._most_value

    def run(self, is_spent: Callable[[], bool]) -> None:
        """Search until the budget is used up, everything is in, or wider beams find nothing else."""
        width, idle = 1, 0
        while idle < CONVERGED_ROUNDS and not is_spent() and not self.is_whole and len(self._blocks.volume):
            before, is_full = self.value, False
            for taste in self._tastes:
                is_full |= self._search_beam(taste, width, is_spent)
                if is_spent() or self.is_whole:
                    break
            idle = 0 if is_full or self.value > before else idle + 1
            width = min(WIDTH_MAX, max(width + 1, round(width * GROWTH)))

    def placed(self) -> tuple[tuple[int, Box], ...]:
        """The boxes of the best filling, by the numbers of kinds."""
        found: list[tuple[int, Box]] = []
        for at in range(int(self._scratch.placed_count[1])):
            x, y, z, *_, block = (int(each) for each in self._scratch.placed[1, at])
            self._unfold(int(self._best_order[block]), (x, y, z), found)
        return tuple(found)

    def _built(self) -> Blocks:
        volumes = np.array([volume_of(kind.ways[0]) if kind.ways else 0 for kind in self._task.kinds], np.int64)
        blocks, table = empty_blocks(BLOCKS_MAX, len(volumes))
        count = simple_blocks(self._ways, volumes, self._left, self._inner, blocks, table, SIMPLE_MAX)
        least = 1.0 if self._task.is_supported else FILLED
        count = joined_blocks(blocks, count, self._left, self._inner, least, table, BLOCKS_MAX, PAIRS_MAX)
        return Blocks(*(np.ascontiguousarray(each[:count]) for each in blocks))

    def _reachable(self) -> Integers:
        """By axis and length: the longest part that edges can fill, each taken as often as one likes."""
        reach = np.zeros((3, int(self._inner.max()) + 1), np.int64)
        for axis in range(3):
            inner = int(self._inner[axis])
            edges = sorted({int(each) for each in self._ways[:, axis + 1]})
            is_sum = np.zeros(inner + 1, np.bool_)
            is_sum[0] = True
            for edge in edges:
                for start in range(edge, inner + 1, edge):
                    stop = min(start + edge, inner + 1)
                    is_sum[start:stop] |= is_sum[start - edge : stop - edge]
            lengths = np.where(is_sum, np.arange(inner + 1), 0)
            reach[axis, : inner + 1] = np.maximum.accumulate(lengths)
        return reach

    def _states(self, count: int) -> States:
        return empty_states(count, len(self._left), len(self._blocks.volume), int(self._left.sum()))

    def _task_of(self, taste: BlockTaste) -> Task:
        """The task with the blocks in the order of this taste."""
        base = self._blocks.volume * self._boxes.astype(np.float64) ** -taste.few
        order = np.lexsort((np.arange(len(base)), -base))
        if taste.is_whole:
            order = order[(self._blocks.volume == self._blocks.size.prod(axis=1))[order]]
        self._order = order
        return Task(
            inner=self._inner,
            is_supported=self._task.is_supported,
            ways=self._ways,
            reach=self._reach,
            size=np.ascontiguousarray(self._blocks.size[order].T, np.int32),
            need=np.ascontiguousarray(self._blocks.boxes[order].T, np.int32),
            base=base[order],
            value=self._value[order],
            load=self._load[order],
            is_loaded=self._is_loaded,
            weights=np.array(taste.weights, np.int64),
            gap=np.array([int(taste.gap * each) for each in self._task.inner], np.int64),
            contact=taste.contact,
            usable=taste.usable,
        )

    def _start(self, task: Task, states: States) -> None:
        """Write the state in which nothing is placed."""
        states.empty[0, 0, :6] = (0, 0, 0, *self._task.inner)
        mark_corner(task, states.empty[0, 0])
        states.empty_count[0], states.placed_count[0] = 1, 0
        states.left[0], states.sums[0] = self._left, (0, self._task.most_load)
        states.smallest[0] = self._ways[:, 1:].min(axis=0)
        fitting = np.flatnonzero(task.load <= self._task.most_load)
        states.alive[0, : len(fitting)], states.alive_count[0] = fitting, len(fitting)

    def _search_beam(self, taste: BlockTaste, width: int, is_spent: Callable[[], bool]) -> bool:
        """One beam from the beginning to its end; whether it ever was as wide as it may be."""
        task = self._task_of(taste)
        before = self.value
        try:
            return self._search_task(task, width, is_spent)
        finally:
            if self.value > before:
                self._best_order = self._order

    def _search_task(self, task: Task, width: int, is_spent: Callable[[], bool]) -> bool:
        beam, coming = self._states(width), self._states(width)
        self._start(task, beam)
        reached, children = np.full(width, -1, np.int64), np.zeros((width * width, 5), np.int64)
        buffers = empty_buffers(int(self._left.sum()), width)
        size, widest = 1, 1
        while size:
            count = 0
            for parent in range(size):
                if is_spent():
                    return True
                mine, worth = children[count:], int(reached[parent])
                count += expand(task, beam, parent, worth, self._scratch, self._found, mine, buffers, width)
            size = 0
            for child in _best_children(children[:count], width):
                take_child(task, beam, child, coming, size, buffers.parts)
                reached[size] = child[0]
                size += 1
            beam, coming, widest = coming, beam, max(widest, size)
        return widest == width

    def _unfold(self, block: int, corner: tuple[int, int, int], found: list[tuple[int, Box]]) -> None:
        way, a, b, c = (int(each) for each in self._blocks.made[block])
        x, y, z = corner
        if way < 0:
            moved = [x, y, z]
            moved[c] += int(self._blocks.size[a, c])
            self._unfold(a, corner, found)
            self._unfold(b, (moved[0], moved[1], moved[2]), found)
            return
        kind, wide, deep, high = (int(each) for each in self._ways[way])
        starts = [(x + i * wide, y + j * deep, z + k * high) for i in range(a) for j in range(b) for k in range(c)]
        found += [(kind, (x0, y0, z0, x0 + wide, y0 + deep, z0 + high)) for x0, y0, z0 in starts]


def _best_children(children: Integers, width: int) -> list[Integers]:
    """Those with the best completions. Of two that reach the same and have placed as much, only the first."""
    best: dict[tuple[int, int], Integers] = {}
    for at in np.lexsort((np.arange(len(children)), -children[:, 4], -children[:, 0])):
        child = children[at]
        best.setdefault((int(child[0]), int(child[4])), child)
        if len(best) == width:
            break
    return list(best.values())
