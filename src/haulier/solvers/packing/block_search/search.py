"""Filling of one space with the most valuable boxes by lanes of beams.

Lanes run in parallel if there are several processors. The result of a lane depends only on the task and its share of
the steps, so it is the same on one processor and on several.
"""

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from haulier.solvers.packing.block_search.blocks import Blocks, empty_blocks, joined_blocks, simple_blocks
from haulier.solvers.packing.block_search.jit import Integers
from haulier.solvers.packing.block_search.lanes import Lane, PresetTask
from haulier.solvers.packing.block_search.presets import FEW_PRESETS, KINDS_FEW, PRESETS, BlockPreset
from haulier.solvers.packing.block_search.states import States, Task, empty_states
from haulier.solvers.packing.load import Box
from haulier.solvers.packing.ports import FillTask
from haulier.solvers.packing.problem import volume_of

BLOCKS_MAX, SIMPLE_MAX = 10_000, 8_000
PAIRS_MAX = 20_000_000
FILLED = 0.98
"""Minimum filled share of a joined block; 1 if bases must be supported, because its top is a plane then."""


class BlockSearch:
    """One space and the boxes that may fill it."""

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
        start = self._start()
        is_varied = task.is_supported or len(kinds) > KINDS_FEW
        self._lanes = [
            Lane([self._task_of(preset) for preset in presets], self._states, start)
            for presets in (PRESETS if is_varied else FEW_PRESETS)
        ]

    @property
    def steps(self) -> int:
        """Return the number of blocks placed during the search."""
        return sum(lane.steps for lane in self._lanes)

    @property
    def is_whole(self) -> bool:
        """Return True if a lane placed all boxes."""
        return any(lane.value == self._most_value for lane in self._lanes)

    def run(self, is_over: Callable[[], bool], most_steps: int | None = None, threads: int | None = None) -> None:
        """Search until the budget is used up, all boxes are placed or lanes converge.

        Lanes share the steps equally. `threads` defaults to the number of processors.
        """
        if not len(self._blocks.volume):
            return
        share = None if most_steps is None else -(-most_steps // len(self._lanes))

        def spent(lane: Lane) -> Callable[[], bool]:
            # With a step limit, lanes must not end each other: the moment would depend on thread timing.
            return lambda: (
                is_over()
                or (lane.steps >= share if share is not None else self.is_whole)
                or lane.value == self._most_value
            )

        waiting = [(lane, spent(lane)) for lane in self._lanes]
        # First round in turn: it often places all boxes, and no thread is needed then.
        waiting = [(lane, is_spent) for lane, is_spent in waiting if lane.run_round(is_spent)]
        if self.is_whole:
            return
        if (threads or len(os.sched_getaffinity(0))) > 1 and len(waiting) > 1:
            self._run_at_once(waiting)
            return
        while waiting:
            waiting = [(lane, is_spent) for lane, is_spent in waiting if lane.run_round(is_spent)]

    def _run_at_once(self, waiting: list[tuple[Lane, Callable[[], bool]]]) -> None:
        """Run each lane in a thread to its end; compiled code releases the GIL."""

        def run_lane(lane: Lane, is_spent: Callable[[], bool]) -> None:
            while lane.run_round(is_spent):
                pass

        with ThreadPoolExecutor(len(waiting) - 1) as pool:
            others = [pool.submit(run_lane, *each) for each in waiting[1:]]
            run_lane(*waiting[0])
            for other in others:
                other.result()

    def placed(self) -> tuple[tuple[int, Box], ...]:
        """Return the boxes of the best filling by kind number; the first lane wins ties."""
        found: list[tuple[int, Box]] = []
        for block, corner in max(self._lanes, key=lambda lane: lane.value).placed():
            self._unfold(block, corner, found)
        return tuple(found)

    def _built(self) -> Blocks:
        volumes = np.array([volume_of(kind.ways[0]) if kind.ways else 0 for kind in self._task.kinds], np.int64)
        blocks, table = empty_blocks(BLOCKS_MAX, len(volumes))
        count = simple_blocks(self._ways, volumes, self._left, self._inner, blocks, table, SIMPLE_MAX)
        least = 1.0 if self._task.is_supported else FILLED
        count = joined_blocks(blocks, count, self._left, self._inner, least, table, BLOCKS_MAX, PAIRS_MAX)
        return Blocks(*(np.ascontiguousarray(each[:count]) for each in blocks))

    def _reachable(self) -> Integers:
        """Return the longest part that edges can fill, by axis and length.

        Each edge may be used any number of times.
        """
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

    def _task_of(self, preset: BlockPreset) -> PresetTask:
        """Return the task with blocks sorted by these weights."""
        base = self._blocks.volume * self._boxes.astype(np.float64) ** -preset.few
        order = np.lexsort((np.arange(len(base)), -base))
        if preset.is_whole:
            order = order[(self._blocks.volume == self._blocks.size.prod(axis=1))[order]]
        task = Task(
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
            weights=np.array(preset.weights, np.int64),
            gap=np.array([int(preset.gap * each) for each in self._task.inner], np.int64),
            contact=preset.contact,
            usable=preset.usable,
        )
        return PresetTask(task, order)

    def _start(self) -> States:
        """Return the state in which no block is placed."""
        states = self._states(1)
        states.empty[0, 0, :6] = (0, 0, 0, *self._task.inner)
        states.empty_count[0] = 1
        states.left[0], states.sums[0] = self._left, (0, self._task.most_load)
        states.smallest[0] = self._ways[:, 1:].min(axis=0)
        return states

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
