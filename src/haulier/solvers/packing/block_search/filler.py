"""Space filler based on block and beam search with numba (the extra `loading`)."""

from time import monotonic, process_time

from haulier.solvers.packing.block_search.search import BlockSearch
from haulier.solvers.packing.ports import Filled, FillTask

BLOCKS_PER_STEP = 100
"""Placed blocks per step, about a millisecond."""
SUM_MAX = 2**62
"""Limit of values and loads that are summed in 64 bits; larger tasks are left to other fillers."""


class BlockFiller:
    """Block search as a `SpaceFiller` that can keep bases fully supported."""

    name = "blocks"
    knows_support = True

    def fixed_steps(self, pieces: int) -> int | None:
        """Return None: the filler takes a step limit."""
        return None

    def fill(self, task: FillTask) -> Filled:
        """Return the best filling; reproducible if the task limits only steps."""
        is_large = any(
            sum(each.count * worth for each, worth in zip(task.kinds, sums, strict=True)) > SUM_MAX
            for sums in ([kind.value for kind in task.kinds], [kind.load for kind in task.kinds])
        )
        if is_large or not any(kind.count and kind.ways for kind in task.kinds):
            return Filled((), 1)
        clock = process_time if task.is_processor_time else monotonic
        ends = None if task.seconds is None else clock() + task.seconds
        most = None if task.steps is None else task.steps * BLOCKS_PER_STEP
        search = BlockSearch(task)
        search.run(lambda: ends is not None and clock() >= ends, most)
        return Filled(search.placed(), 1 + search.steps // BLOCKS_PER_STEP)
