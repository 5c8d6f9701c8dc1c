"""What lanes like: exponents of the score of a block, and which empty boxes come first."""

from msgspec import Struct


class BlockTaste(Struct, frozen=True):
    """Exponents of a score."""

    contact: float
    few: float
    """Blocks of few, large boxes."""
    usable: float = 1.0
    gap: float = 0.0
    """Sides that are this part of the space's length apart, or less, count as if they touched."""
    is_whole: bool = False
    """Only blocks in which nothing is left empty."""
    weights: tuple[int, int, int] = (1, 1, 1)
    """Which empty boxes come first: near to a corner, to an end wall, to the floor."""


TASTES = (
    (BlockTaste(4.0, 0.2), BlockTaste(4.0, 0.2, weights=(8, 2, 1))),
    (BlockTaste(2.0, 0.1), BlockTaste(4.0, 0.2, weights=(1, 2, 8))),
)
"""By lane."""
TASTES_OF_FEW = (
    (
        BlockTaste(4.0, 0.2, usable=4.0, is_whole=True),
        BlockTaste(4.0, 0.2, usable=4.0, is_whole=True, weights=(8, 2, 1)),
    ),
    (BlockTaste(4.0, 0.2), BlockTaste(4.0, 0.2, is_whole=True, weights=(1, 2, 8))),
)
"""For few kinds of boxes that need not rest on others: large blocks with holes lose more there than they win."""
KINDS_FEW = 15
