"""Fills one space by blocks and beams, where numba is installed (the extra `loading`)."""

from time import monotonic, process_time

from haulier.solvers.packing.block_search.search import BlockSearch
from haulier.solvers.packing.ports import Filled, FillTask

BLOCKS_PER_STEP = 100
"""So many placed blocks count for one step: about a millisecond."""
SUM_MAX = 2**62
"""Values and loads are summed in 64 bits; more than this is left to others."""


class BlockFiller:
    """See `SpaceFiller`. It knows that bases rest wholly on others, where that is asked for."""

    name = "blocks"
    knows_support = True

    def fixed_steps(self, pieces: int) -> int | None:
        """See `SpaceFiller`."""
        return None

    def fill(self, task: FillTask) -> Filled:
        """The best filling within the task's steps or seconds: with steps alone the same one each time."""
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
