"""What is in a carton of a plan, as products: pieces of a product are named by its SKU, several with a number."""

from collections import Counter
from collections.abc import Collection

from haulier.solvers.packing.plan import PackingPlan


def sku_of_piece(piece: str, pieces: Collection[str]) -> str:
    """The SKU of a piece among all pieces of a plan: `MUG#2` is a `MUG` where there is a `MUG#1`, too."""
    sku, _, number = piece.rpartition("#")
    several = sku and number.isdecimal() and {f"{sku}#1", f"{sku}#2"} <= set(pieces)
    return sku if several else piece


def carton_contents(plan: PackingPlan, number: int) -> Counter[str]:
    """How many pieces of which SKU are in a carton, by its number from 1."""
    pieces = {place.piece for place in plan.placements}
    return Counter(sku_of_piece(place.piece, pieces) for place in plan.placements if place.carton == number - 1)
