"""Heuristic weights of lanes: block score and order of empty boxes."""

from msgspec import Struct


class BlockPreset(Struct, frozen=True):
    """Exponents of the block score."""

    contact: float
    few: float
    """Prefers blocks of few, large boxes."""
    usable: float = 1.0
    gap: float = 0.0
    """Maximum gap, as a share of the length of the space, at which sides count as touching."""
    is_whole: bool = False
    """If true, only blocks without gaps."""
    weights: tuple[int, int, int] = (1, 1, 1)
    """Priority of empty boxes: near a corner, an end wall or the floor."""


PRESETS = (
    (BlockPreset(4.0, 0.2), BlockPreset(4.0, 0.2, weights=(8, 2, 1))),
    (BlockPreset(2.0, 0.1), BlockPreset(4.0, 0.2, weights=(1, 2, 8))),
)
"""By lane."""
FEW_PRESETS = (
    (
        BlockPreset(4.0, 0.2, usable=4.0, is_whole=True),
        BlockPreset(4.0, 0.2, usable=4.0, is_whole=True, weights=(8, 2, 1)),
    ),
    (BlockPreset(4.0, 0.2), BlockPreset(4.0, 0.2, is_whole=True, weights=(1, 2, 8))),
)
"""For few kinds of boxes without required support, where large blocks with gaps lose more than they gain."""
KINDS_FEW = 15
