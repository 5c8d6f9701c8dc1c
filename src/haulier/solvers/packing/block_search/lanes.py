"""Lanes: sequences of ever wider beams that run in threads without shared state.

Each lane has its own heuristic weights and best filling.
"""

from collections.abc import Callable, Sequence

import numpy as np
from msgspec import Struct

from haulier.solvers.packing.block_search.beam import add_child, expand
from haulier.solvers.packing.block_search.jit import Integers
from haulier.solvers.packing.block_search.states import States, Task, empty_buffers, mark_corner

GROWTH = 1.5
WIDTH_MAX = 500
CONVERGED_ROUNDS = 6
"""Rounds without growth or improvement after which a lane ends."""


class PresetTask(Struct, frozen=True):
    """A task with blocks sorted by weights; `order` holds their original numbers."""

    task: Task
    order: Integers


class Lane:
    """A set of weights with one beam each per round.

    The best filling is the second state of `_scratch`.
    """

    def __init__(self, tasks: Sequence[PresetTask], new_states: Callable[[int], States], start: States) -> None:
        self._tasks, self._new_states, self._start = tasks, new_states, start
        self._scratch = new_states(2)
        self._found = np.array([-1, 0], np.int64)
        """Value of the best filling, and number of placed blocks."""
        self._best_order: Integers | None = None
        self._width, self._idle = 1, 0

    @property
    def steps(self) -> int:
        """Return the number of blocks placed during the search."""
        return int(self._found[1])

    @property
    def value(self) -> int:
        """Return the value of the best filling; negative if there is none."""
        return int(self._found[0])

    def run_round(self, is_spent: Callable[[], bool]) -> bool:
        """Run a wider beam for each set of weights; return False at the end of the search."""
        before, is_full = self.value, False
        for tasted in self._tasks:
            if is_spent():
                return False
            is_full |= self._search_beam(tasted, is_spent)
        self._idle = 0 if is_full or self.value > before else self._idle + 1
        self._width = min(WIDTH_MAX, max(self._width + 1, round(self._width * GROWTH)))
        return self._idle < CONVERGED_ROUNDS

    def placed(self) -> list[tuple[int, tuple[int, int, int]]]:
        """Return the blocks of the best filling and their corners."""
        order = self._best_order
        rows = self._scratch.placed[1, : int(self._scratch.placed_count[1])].tolist()
        return [] if order is None else [(int(order[row[6]]), (row[0], row[1], row[2])) for row in rows]

    def _search_beam(self, tasted: PresetTask, is_spent: Callable[[], bool]) -> bool:
        """Run one beam to its end; return True if it reached its maximum width."""
        before = self.value
        try:
            return self._search_task(tasted.task, self._width, is_spent)
        finally:
            if self.value > before:
                self._best_order = tasted.order

    def _search_task(self, task: Task, width: int, is_spent: Callable[[], bool]) -> bool:
        beam, coming = self._new_states(width), self._new_states(width)
        self._begin(task, beam)
        reached, children = np.full(width, -1, np.int64), np.zeros((width * width, 5), np.int64)
        buffers = empty_buffers(beam.placed.shape[1], width)
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
                add_child(task, beam, child, coming, size, buffers.parts)
                reached[size] = child[0]
                size += 1
            beam, coming, widest = coming, beam, max(widest, size)
        return widest == width

    def _begin(self, task: Task, states: States) -> None:
        """Write the state in which no block is placed."""
        for target, source in zip(states, self._start, strict=True):
            if target is not states.alive:
                target[0] = source[0]
        mark_corner(task, states.empty[0, 0])
        fitting = np.flatnonzero(task.load <= states.sums[0, 1])
        states.alive[0, : len(fitting)], states.alive_count[0] = fitting, len(fitting)


def _best_children(children: Integers, width: int) -> list[Integers]:
    """Return the children with the best completions.

    Among children with equal completion and placed value, only the first is kept.
    """
    best: dict[tuple[int, int], Integers] = {}
    for at in np.lexsort((np.arange(len(children)), -children[:, 4], -children[:, 0])):
        child = children[at]
        best.setdefault((int(child[0]), int(child[4])), child)
        if len(best) == width:
            break
    return list(best.values())
