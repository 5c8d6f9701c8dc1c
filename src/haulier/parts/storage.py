"""Storage: payable storage orders and ship-outs."""

from haulier.contexts.storage.public import PAYABLES
from haulier.parts import Adapters, Part, Shared


def _adapters(_: Shared) -> Adapters:
    return {}


PART = Part(adapters=_adapters, payables=PAYABLES)
