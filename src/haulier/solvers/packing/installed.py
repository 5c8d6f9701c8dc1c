"""Optional search libraries: the extras `packing`, `proofs` and `loading`.

They are loaded on first use, which happens only in search processes, never in a serving process.
"""

import os
import subprocess
import sys
from functools import cache
from importlib.util import find_spec

from haulier.solvers.packing.ports import ChoicePacker, ChoiceProver, SpaceFiller

PACKER_SECONDS = 5.0
"""Minimum remaining seconds for loading a packer."""
WITHOUT_LIBRARIES = "ours"
"""Argument that starts a search process without these libraries."""


@cache
def installed_filler() -> SpaceFiller | None:
    """Return the filler for single spaces of the extra `packing`, if installed."""
    if WITHOUT_LIBRARIES in sys.argv[1:] or find_spec("packingsolver3d") is None:
        return None
    from haulier.solvers.packing.tree_search import TreeSearchFiller

    return TreeSearchFiller()


@cache
def installed_fillers(*, may_wait: bool = True) -> tuple[SpaceFiller, ...]:
    """Return all fillers for single spaces, in order of use.

    The block search of the extra `loading` comes first. It is compiled once for each version and machine. Unless
    `may_wait` is true, it is left out until it is compiled, which a low-priority process does in the background.
    """
    filler = installed_filler()
    others = (filler,) if filler else ()
    if not _has_machine_code(may_wait=may_wait):
        return others
    from haulier.solvers.packing.block_search.filler import BlockFiller

    return (BlockFiller(), *others)


def find_packer(seconds_left: float | None) -> ChoicePacker | None:
    """Return the packer of the extra `loading`, if available; see `FindPacker`."""
    # Loading the library takes 1 to 2 s of processor time; most problems are solved sooner.
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
    """Return True if compiled code may be used.

    Unless `may_wait` is true, missing code is compiled in the background.
    """
    is_off = os.environ.get("NUMBA_DISABLE_JIT", "0") != "0" or WITHOUT_LIBRARIES in sys.argv[1:]
    if is_off or find_spec("numba") is None:
        return False
    from haulier.solvers.packing.block_search.jit import READY_MARK

    if not READY_MARK.exists() and not may_wait:
        start_making()
        return False
    return True


def start_making() -> None:
    """Compile in a process that outlives this one."""
    making = ("nice", "-n", "19", sys.executable, "-m", "haulier.solvers.packing.block_search")
    nowhere = subprocess.DEVNULL
    subprocess.Popen(making, stdin=nowhere, stdout=nowhere, stderr=nowhere, start_new_session=True)


@cache
def installed_prover() -> ChoiceProver | None:
    """Return the exact prover of the extra `proofs`, if installed."""
    if WITHOUT_LIBRARIES in sys.argv[1:] or find_spec("ortools") is None:
        return None
    from haulier.solvers.packing.constraint_model import ConstraintProver

    return ConstraintProver()
