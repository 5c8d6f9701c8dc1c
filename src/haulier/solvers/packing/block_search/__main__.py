"""Compilation of the search to disk.

Run `python -m haulier.solvers.packing.block_search`. It takes 15 to 30 s of processor time, once for each version and
machine. A lock lets one process compile at a time; others exit.
"""

import fcntl
import sys

from haulier.solvers.packing.block_search.filler import BlockFiller
from haulier.solvers.packing.block_search.jit import READY_MARK
from haulier.solvers.packing.block_search.order_packer import OrderPacker
from haulier.solvers.packing.budget import PackingBudget, StepMeter
from haulier.solvers.packing.compiled import CompiledPacking
from haulier.solvers.packing.ports import FillKind, FillTask
from haulier.solvers.packing.problem import CartonKind, PackingPiece, PackingProblem


def compile_all() -> bool:
    """Compile all functions; return True if the compiled code is on disk."""
    READY_MARK.parent.mkdir(parents=True, exist_ok=True)
    with READY_MARK.with_suffix(".lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return READY_MARK.exists()
        kinds = (FillKind(((2, 1, 1), (1, 2, 1)), 3, 2, 0), FillKind(((1, 1, 1),), 5, 1, 0))
        for is_supported in (False, True):
            BlockFiller().fill(FillTask((3, 2, 2), 1, kinds, is_supported=is_supported, steps=1))
        kind = CartonKind(id="c", inner=(2, 2, 1), outer=(2, 2, 1), payload_g=1)
        small = CompiledPacking(PackingProblem(pieces=(PackingPiece(id="p", size=(2, 1, 1)),), cartons=(kind,)))
        OrderPacker().pack(small, (0,), StepMeter(PackingBudget(steps=1)), 0, 1)
        READY_MARK.touch()
    return True


if __name__ == "__main__":
    sys.exit(not compile_all())
