"""What is in a carton of a plan, as products: pieces of a product are named by its SKU, several with a number."""

from collections import Counter
from collections.abc import Collection

from haulier.solvers.packing.plan import PackingPlan
from haulier.solvers.packing.problem import PackingProblem, volume_of
from haulier.solvers.packing.void_filling import filling_grams


def sku_of_piece(piece: str, pieces: Collection[str]) -> str:
    """The SKU of a piece among all pieces of a plan: `MUG#2` is a `MUG` where there is a `MUG#1`, too."""
    sku, _, number = piece.rpartition("#")
    several = sku and number.isdecimal() and {f"{sku}#1", f"{sku}#2"} <= set(pieces)
    return sku if several else piece


def carton_contents(plan: PackingPlan, number: int) -> Counter[str]:
    """How many pieces of which SKU are in a carton, by its number from 1."""
    pieces = {place.piece for place in plan.placements}
    return Counter(sku_of_piece(place.piece, pieces) for place in plan.placements if place.carton == number - 1)


def carton_void(problem: PackingProblem, plan: PackingPlan, number: int) -> int:
    """The room that the pieces of a carton leave, by its number from 0, in cubic millimetres."""
    (inner,) = (kind.inner for kind in problem.cartons if kind.id == plan.cartons[number])
    sizes = {piece.id: piece.size for piece in problem.pieces}
    return volume_of(inner) - sum(volume_of(sizes[each.piece]) for each in plan.placements if each.carton == number)


def carton_weight(problem: PackingProblem, plan: PackingPlan, number: int) -> int:
    """What a carton weighs with its own weight, its pieces and its filling, by its number from 0; grams."""
    (tare,) = (kind.tare_g for kind in problem.cartons if kind.id == plan.cartons[number])
    weights = {piece.id: piece.weight_g for piece in problem.pieces}
    filling = filling_grams(problem.filling, carton_void(problem, plan, number)) if problem.filling else 0
    return tare + filling + sum(weights[each.piece] for each in plan.placements if each.carton == number)
