"""Which libraries are installed that search better than what is ours: the extras `packing`, `proofs` and `loading`.

They are loaded when they are first asked for, which only the processes of searches do: a process that serves never holds them.
"""

import os
import subprocess
import sys
from functools import cache
from importlib.util import find_spec

from haulier.solvers.packing.ports import ChoicePacker, ChoiceProver, SpaceFiller

PACKER_SECONDS = 5.0
"""With less than this left, a packer that is not loaded yet stays out."""
WITHOUT_LIBRARIES = "ours"
"""The word with which a process of a search is started that loads none of them."""


@cache
def installed_filler() -> SpaceFiller | None:
    """What fills one space densely, with the extra `packing`."""
    if WITHOUT_LIBRARIES in sys.argv[1:] or find_spec("packingsolver3d") is None:
        return None
    from haulier.solvers.packing.tree_search import TreeSearchFiller

    return TreeSearchFiller()


@cache
def installed_fillers(*, may_wait: bool = True) -> tuple[SpaceFiller, ...]:
    """All that fill one space densely, in the order of their turns: with the extra `loading` blocks and beams come first.

    These are machine code, which is made once for each version and machine. Who may not wait for that goes without them, while
    a process with the least precedence makes it for those who come later.
    """
    filler = installed_filler()
    others = (filler,) if filler else ()
    if not _has_machine_code(may_wait=may_wait):
        return others
    from haulier.solvers.packing.block_search.filler import BlockFiller

    return (BlockFiller(), *others)


def find_packer(seconds_left: float | None) -> ChoicePacker | None:
    """What empties cartons of a choice and packs them anew, many times, with the extra `loading`; see `FindPacker`."""
    # Why: its library is loaded in 1 to 2 s of a processor, in which most questions are answered without it.
    if seconds_left is not None and seconds_left < PACKER_SECONDS and "numba" not in sys.modules:
        return None
    return _installed_packer(seconds_left is None)


@cache
def _installed_packer(may_wait: bool) -> ChoicePacker | None:
    if not _has_machine_code(may_wait=may_wait):
        return None
    from haulier.solvers.packing.block_search.order_packer import OrderPacker

    return OrderPacker()


def _has_machine_code(*, may_wait: bool) -> bool:
    """Whether searches may be machine code here; who may not wait for it has it made for those who come later."""
    is_off = os.environ.get("NUMBA_DISABLE_JIT", "0") != "0" or WITHOUT_LIBRARIES in sys.argv[1:]
    if is_off or find_spec("numba") is None:
        return False
    from haulier.solvers.packing.block_search.jit import READY_MARK

    if not READY_MARK.exists() and not may_wait:
        start_making()
        return False
    return True


def start_making() -> None:
    """Make the machine code in a process that outlives this one."""
    making = ("nice", "-n", "19", sys.executable, "-m", "haulier.solvers.packing.block_search")
    nowhere = subprocess.DEVNULL
    subprocess.Popen(making, stdin=nowhere, stdout=nowhere, stderr=nowhere, start_new_session=True)


@cache
def installed_prover() -> ChoiceProver | None:
    """What decides choices of cartons exactly, with the extra `proofs`."""
    if WITHOUT_LIBRARIES in sys.argv[1:] or find_spec("ortools") is None:
        return None
    from haulier.solvers.packing.constraint_model import ConstraintProver

    return ConstraintProver()
