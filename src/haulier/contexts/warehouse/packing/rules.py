"""Rules of packing."""

import hashlib
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import accumulate

import msgspec

from haulier.contexts.warehouse.packing.contract.plans import (
    PieceRules,
    PlacedPiece,
    PlanMoment,
    SteppedPiece,
    SteppedSpace,
)
from haulier.solvers.packing.plan import PackingPlan, PiecePlace, ProofState
from haulier.solvers.packing.problem import (
    UPRIGHT_TURNS,
    CartonKind,
    PackingPiece,
    PackingProblem,
    Size,
    Turn,
    turned_size,
    volume_of,
)
from haulier.solvers.packing.void_filling import filling_cents, filling_grams


def sku_of_piece(piece: str, pieces: Collection[str]) -> str:
    """Return the SKU of a piece: `MUG#2` is a `MUG` if there is a `MUG#1`."""
    sku, _, number = piece.rpartition("#")
    several = sku and number.isdecimal() and {f"{sku}#1", f"{sku}#2"} <= set(pieces)
    return sku if several else piece


def carton_contents(plan: PackingPlan, number: int) -> Counter[str]:
    """Return the number of items by SKU in a carton, by its number from 1."""
    pieces = {place.piece for place in plan.placements}
    return Counter(sku_of_piece(place.piece, pieces) for place in plan.placements if place.carton == number - 1)


def carton_void(problem: PackingProblem, plan: PackingPlan, number: int) -> int:
    """Return the empty volume of a carton in cubic millimetres, by number from 0."""
    (inner,) = (kind.inner for kind in problem.cartons if kind.id == plan.cartons[number])
    sizes = {piece.id: piece.size for piece in problem.pieces}
    return volume_of(inner) - sum(volume_of(sizes[each.piece]) for each in plan.placements if each.carton == number)


def carton_weight(problem: PackingProblem, plan: PackingPlan, number: int) -> int:
    """Return the gross weight of a carton in grams, by number from 0."""
    (tare,) = (kind.tare_g for kind in problem.cartons if kind.id == plan.cartons[number])
    weights = {piece.id: piece.weight_g for piece in problem.pieces}
    filling = filling_grams(problem.filling, carton_void(problem, plan, number)) if problem.filling else 0
    return tare + filling + sum(weights[each.piece] for each in plan.placements if each.carton == number)


def pieces_of(
    name: str, size: Size, weight_g: int, quantity: int, rules: PieceRules, cushion_mm: int
) -> list[PackingPiece]:
    """Return equal items; several are numbered, fragile ones have a cushion."""
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
    """Return the hash of a problem, including carton sizes and stock."""
    return _digest(problem)


def plan_digest(hash: str, plan: PackingPlan) -> str:
    """Names a plan for a problem."""
    return _digest((hash, plan.cartons, sorted(plan.placements, key=lambda place: place.piece)))


def _digest(document: object) -> str:
    return hashlib.sha256(msgspec.json.encode(document, order="deterministic")).hexdigest()


def proposed_plan(carton_ids: Sequence[int], placements: Iterable[PlacedPiece]) -> PackingPlan:
    """Return a proposed plan for the checker, without an objective."""
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
    """Return outer volume (mm³), number and cost of a plan's cartons."""
    kinds = {kind.id: kind for kind in problem.cartons}
    used = [kinds[id] for id in plan.cartons]
    cost = sum(kind.cost_cents for kind in used)
    if problem.filling:
        void = sum(volume_of(kind.inner) for kind in used) - sum(volume_of(piece.size) for piece in problem.pieces)
        cost += filling_cents(problem.filling, void)
    return sum(kind.outer_volume for kind in used), len(used), cost


def stepped_cartons(
    problem: PackingProblem, plan: PackingPlan, codes: Mapping[str, str], orders: Mapping[str, int]
) -> list[SteppedSpace]:
    """Return the steps of a plan, also of an invalid one.

    Items unknown to the problem are left out; the checker reports them.
    """
    kinds = {kind.id: kind for kind in problem.cartons}
    pieces = {piece.id: piece for piece in problem.pieces}
    return [
        _carton(problem, kinds[id], codes.get(id, id), number, _placed(plan, number, pieces), orders)
        for number, id in enumerate(plan.cartons, 1)
        if id in kinds
    ]


def _placed(
    plan: PackingPlan, number: int, pieces: Mapping[str, PackingPiece]
) -> list[tuple[PackingPiece, PiecePlace]]:
    """Return the contents of a carton: the first place of each known item."""
    first: dict[str, PiecePlace] = {}
    for place in plan.placements:
        if place.piece in pieces:
            first.setdefault(place.piece, place)
    return [(pieces[place.piece], place) for place in first.values() if place.carton == number - 1]


def _carton(
    problem: PackingProblem,
    kind: CartonKind,
    code: str,
    number: int,
    placed: Sequence[tuple[PackingPiece, PiecePlace]],
    orders: Mapping[str, int],
) -> SteppedSpace:
    weights = [0, *accumulate(piece.weight_g for piece, _ in placed)]
    volumes = [0, *accumulate(volume_of(piece.size) for piece, _ in placed)]
    moments = [
        PlanMoment(
            steps=at,
            after_stop=None,
            aboard=at,
            loaded_g=weight,
            filled_percent=volume * 100 // volume_of(kind.inner),
            centre_mm=None,
            axles_g=[],
        )
        for at, (weight, volume) in enumerate(zip(weights, volumes, strict=True))
    ]
    return SteppedSpace(
        number=number,
        kind_id=int(kind.id),
        code=code,
        inner_mm=list(kind.inner),
        payload_g=kind.payload_g,
        fill_limit_percent=problem.fill_cap_percent,
        doors=[],
        obstacles=[],
        balance=None,
        axles=[],
        pieces=[_piece(step, piece, place, orders) for step, (piece, place) in enumerate(placed, 1)],
        moments=moments,
    )


def _piece(step: int, piece: PackingPiece, place: PiecePlace, orders: Mapping[str, int]) -> SteppedPiece:
    length, width, height = turned_size(piece.size, place.turn)
    return SteppedPiece(
        step=step,
        piece=piece.id,
        stop=None,
        order_id=orders.get(piece.id),
        x_mm=place.x,
        y_mm=place.y,
        z_mm=place.z,
        turn=place.turn,
        length_mm=length,
        width_mm=width,
        height_mm=height,
        nested_mm=0,
        weight_g=piece.weight_g,
    )
