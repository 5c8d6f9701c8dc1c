"""Which libraries are installed that search better than what is ours: the extras `packing` and `proofs`.

They are loaded when they are first asked for, which only the processes of searches do: a process that serves never holds them.
"""

import sys
from functools import cache
from importlib.util import find_spec

from haulier.solvers.packing.ports import ChoiceProver, SpaceFiller

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
def installed_prover() -> ChoiceProver | None:
    """What decides choices of cartons exactly, with the extra `proofs`."""
    if WITHOUT_LIBRARIES in sys.argv[1:] or find_spec("ortools") is None:
        return None
    from haulier.solvers.packing.constraint_model import ConstraintProver

    return ConstraintProver()
