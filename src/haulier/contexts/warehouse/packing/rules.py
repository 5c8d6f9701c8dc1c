"""A packing plan step by step: what is inside a carton after each piece."""

from collections.abc import Mapping, Sequence
from itertools import accumulate

from haulier.contexts.warehouse.packing.contract.steps import PlanMoment, SteppedPiece, SteppedSpace
from haulier.solvers.packing.plan import PackingPlan, PiecePlace
from haulier.solvers.packing.problem import CartonKind, PackingPiece, PackingProblem, turned_size, volume_of


def stepped_cartons(
    problem: PackingProblem, plan: PackingPlan, codes: Mapping[str, str], orders: Mapping[str, int]
) -> list[SteppedSpace]:
    """The cartons of a plan, also of a wrong one: what the problem does not know is left out, and named by the checker."""
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
    """What lies in a carton: the first place of each piece that the problem knows."""
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
