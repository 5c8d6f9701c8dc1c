"""From a question to the solver's problem, and its name."""

import hashlib
from collections.abc import Iterable, Sequence

import msgspec

from haulier.contexts.warehouse.packing.contract.plans import PieceRules, PlacedPiece
from haulier.solvers.packing.plan import PackingPlan, PiecePlace, ProofState
from haulier.solvers.packing.problem import UPRIGHT_TURNS, PackingPiece, PackingProblem, Size, Turn, volume_of
from haulier.solvers.packing.void_filling import filling_cents


def pieces_of(
    name: str, size: Size, weight_g: int, quantity: int, rules: PieceRules, cushion_mm: int
) -> list[PackingPiece]:
    """Equal pieces: one has the name itself, several have it with a number. Fragile ones have a cushion."""
    names = [name] if quantity == 1 else [f"{name}#{number}" for number in range(1, quantity + 1)]
    return [
        PackingPiece(
            id=each,
            size=size,
            weight_g=weight_g,
            turns=UPRIGHT_TURNS if rules.this_side_up else tuple(Turn),
            bears_g=0 if rules.fragile else rules.bears_g,
            together=rules.together,
            goods=rules.goods,
            cushion=cushion_mm if rules.fragile else 0,
        )
        for each in names
    ]


def input_hash(problem: PackingProblem) -> str:
    """Names a problem: anything in it that changes, a carton's size or the stock, gives another name."""
    return _digest(problem)


def plan_digest(hash: str, plan: PackingPlan) -> str:
    """Names a plan for a problem."""
    return _digest((hash, plan.cartons, sorted(plan.placements, key=lambda place: place.piece)))


def _digest(document: object) -> str:
    return hashlib.sha256(msgspec.json.encode(document, order="deterministic")).hexdigest()


def proposed_plan(carton_ids: Sequence[int], placements: Iterable[PlacedPiece]) -> PackingPlan:
    """Somebody's plan as the checker reads it. It claims nothing of its objective."""
    return PackingPlan(
        cartons=tuple(str(id) for id in carton_ids),
        placements=tuple(
            PiecePlace(
                piece=place.piece,
                carton=place.carton - 1,
                x=place.x_mm,
                y=place.y_mm,
                z=place.z_mm,
                turn=place.turn,
            )
            for place in placements
        ),
        state=ProofState.BEST_FOUND,
    )


def objective_of(problem: PackingProblem, plan: PackingPlan) -> tuple[int, int, int]:
    """Outer volume in cubic millimetres, number and cost of a plan's cartons with what fills them."""
    kinds = {kind.id: kind for kind in problem.cartons}
    used = [kinds[id] for id in plan.cartons]
    cost = sum(kind.cost_cents for kind in used)
    if problem.filling:
        void = sum(volume_of(kind.inner) for kind in used) - sum(volume_of(piece.size) for piece in problem.pieces)
        cost += filling_cents(problem.filling, void)
    return sum(kind.outer_volume for kind in used), len(used), cost
