"""A load plan step by step: what is aboard and what weighs on the axles after each piece, and after each stop."""

from collections.abc import Mapping, Sequence

from msgspec import UNSET

from haulier.contexts.warehouse.load_plans.rules.journeys import (
    PlacedBox,
    aboard_after,
    boxes_of,
    centre_of,
    loaded_volume,
    repacked_boxes,
    weighed,
)
from haulier.contexts.warehouse.packing.contract.steps import (
    CentreLimits,
    FixedBox,
    PlanMoment,
    SteppedAxle,
    SteppedPiece,
    SteppedRepack,
    SteppedSpace,
)
from haulier.solvers.loading.journey_rules import axle_weights
from haulier.solvers.loading.plan import LoadedPiece, LoadingPlan
from haulier.solvers.loading.problem import Axles, Balance, LoadingProblem, LoadSpace
from haulier.solvers.packing.problem import volume_of


def stepped_spaces(
    problem: LoadingProblem, plan: LoadingPlan, codes: Mapping[str, str], orders: Mapping[str, int]
) -> list[SteppedSpace]:
    """The spaces of a plan, also of a wrong one: what the problem does not know is left out, and named by the checker."""
    spaces = {space.id: space for space in problem.spaces}
    known = LoadingPlan(spaces=plan.spaces, placements=_known_once(problem, plan), repacks=plan.repacks)
    return [
        _space(spaces[id], codes.get(id, id), number, (boxes_of(problem, known, number - 1), known), orders)
        for number, id in enumerate(plan.spaces, 1)
        if id in spaces
    ]


def _known_once(problem: LoadingProblem, plan: LoadingPlan) -> tuple[LoadedPiece, ...]:
    """The first place of each piece that the problem knows."""
    pieces = {piece.id for piece in problem.pieces}
    first: dict[str, LoadedPiece] = {}
    for place in plan.placements:
        if place.piece in pieces:
            first.setdefault(place.piece, place)
    return tuple(first.values())


def _space(
    space: LoadSpace,
    code: str,
    number: int,
    loaded: tuple[Sequence[PlacedBox], LoadingPlan],
    orders: Mapping[str, int],
) -> SteppedSpace:
    boxes, plan = loaded
    repacked = repacked_boxes(plan, boxes)
    loading = [_moment(space, boxes[:at], at, None) for at in range(len(boxes) + 1)]
    stops = sorted({each.piece.stop for each in boxes})
    under_way = [
        _moment(space, aboard_after(boxes, repacked, after), len(boxes), after, repacked.get(after, ()))
        for after in stops
    ]
    return SteppedSpace(
        number=number,
        kind_id=int(space.id),
        code=code,
        inner_mm=list(space.inner),
        payload_g=space.payload_g,
        fill_limit_percent=space.fill_cap_percent,
        doors=[door.value for door in space.doors],
        obstacles=[_fixed(*box) for box in space.obstacles],
        balance=_limits(space.balance),
        axles=_axles(space.axles),
        pieces=[_piece(step, each, orders) for step, each in enumerate(boxes, 1)],
        moments=[*loading, *under_way],
        repacks=[_repack(at, each) for at, boxes in repacked.items() for each in boxes] or UNSET,
    )


def _moment(
    space: LoadSpace,
    aboard: Sequence[PlacedBox],
    steps: int,
    after_stop: int | None,
    repacked: Sequence[PlacedBox] = (),
) -> PlanMoment:
    weights = axle_weights(space.axles, weighed(aboard)) if space.axles else []
    return PlanMoment(
        steps=steps,
        after_stop=after_stop,
        aboard=len(aboard),
        loaded_g=sum(each.piece.weight_g for each in aboard),
        filled_percent=loaded_volume(aboard) * 100 // volume_of(space.inner),
        centre_mm=centre_of(aboard),
        axles_g=[round(each.weight_g) for each in weights],
        repacked=[each.piece.id for each in repacked] or UNSET,
    )


def _axles(axles: Axles | None) -> list[SteppedAxle]:
    found = axle_weights(axles, []) if axles else []
    return [SteppedAxle(axle=each.name, limit_g=each.axle.limit_g, least_g=each.axle.least_g) for each in found]


def _limits(balance: Balance | None) -> CentreLimits | None:
    if balance is None:
        return None
    return CentreLimits(x_from_mm=balance.x_from, x_to_mm=balance.x_to, y_from_mm=balance.y_from, y_to_mm=balance.y_to)


def _fixed(x0: int, y0: int, z0: int, x1: int, y1: int, z1: int) -> FixedBox:
    return FixedBox(x_mm=x0, y_mm=y0, z_mm=z0, length_mm=x1 - x0, width_mm=y1 - y0, height_mm=z1 - z0)


def _repack(stop: int, placed: PlacedBox) -> SteppedRepack:
    x0, y0, z0, x1, y1, z1 = placed.box
    return SteppedRepack(
        at_stop=stop,
        step=placed.step,
        piece=placed.piece.id,
        x_mm=x0,
        y_mm=y0,
        z_mm=z0,
        turn=placed.place.turn,
        length_mm=x1 - x0,
        width_mm=y1 - y0,
        height_mm=z1 - z0,
    )


def _piece(step: int, placed: PlacedBox, orders: Mapping[str, int]) -> SteppedPiece:
    x0, y0, z0, x1, y1, z1 = placed.box
    return SteppedPiece(
        step=step,
        piece=placed.piece.id,
        stop=placed.piece.stop,
        order_id=orders.get(placed.piece.id),
        x_mm=x0,
        y_mm=y0,
        z_mm=z0,
        turn=placed.place.turn,
        length_mm=x1 - x0,
        width_mm=y1 - y0,
        height_mm=z1 - z0,
        nested_mm=placed.nested_mm,
        weight_g=placed.piece.weight_g,
    )
