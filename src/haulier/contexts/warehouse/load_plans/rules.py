"""Rules of load plans."""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import msgspec
from msgspec import UNSET, Struct
from msgspec.structs import replace

from haulier.contexts.warehouse.load_plans.contract import LoadSpaceTerms, PieceToLoad, ProposedLoad
from haulier.contexts.warehouse.packing.contract.plans import (
    CentreLimits,
    FixedBox,
    PlanMoment,
    SteppedAxle,
    SteppedPiece,
    SteppedRepack,
    SteppedSpace,
)
from haulier.kernel.operations.errors import FieldError
from haulier.solvers.loading.journey import LoadedBox, nests_in
from haulier.solvers.loading.journey_rules import WeighedBox, axle_weights, centre_of_gravity
from haulier.solvers.loading.plan import LeftOver, LoadedPiece, LoadingPlan, RepackedPiece
from haulier.solvers.loading.problem import Axles, Balance, Box, LoadingProblem, LoadPiece, LoadSpace
from haulier.solvers.packing.problem import UPRIGHT_TURNS, Turn, turned_size, volume_of


class PlacedBox(Struct, frozen=True):
    """An item, how it lies, and where."""

    step: int
    """When it is put in, from 1."""
    piece: LoadPiece
    place: LoadedPiece | RepackedPiece
    box: Box
    nested_mm: int = 0
    """Depth by which it nests in the item below."""

    @property
    def seen(self) -> Box:
        """Return the part of the box that is not nested; these parts never overlap."""
        x0, y0, z0, *high = self.box
        return x0, y0, z0 + self.nested_mm, high[0], high[1], high[2]


class AxleMoment(Struct, frozen=True):
    """Axle load after a stop, rounded to grams; None is the departure."""

    after_stop: int | None
    axle: str
    weight_g: int
    limit_g: int
    least_g: int


def boxes_of(problem: LoadingProblem, plan: LoadingPlan, number: int) -> list[PlacedBox]:
    """Return the boxes in a space, by its number from 0, in loading order."""
    pieces = {piece.id: piece for piece in problem.pieces}
    inside = [place for place in plan.placements if place.space == number]
    return _nested([_placed(step, pieces[place.piece], place) for step, place in enumerate(inside, 1)])


def repacked_boxes(plan: LoadingPlan, boxes: Sequence[PlacedBox]) -> dict[int, list[PlacedBox]]:
    """Return the boxes that are repacked at each stop, at their new places.

    Boxes that have left by then are not included.
    """
    loaded = {each.piece.id: each for each in boxes}
    found: dict[int, list[PlacedBox]] = {}
    for place in sorted(plan.repacks, key=lambda each: each.stop):
        known = loaded.get(place.piece)
        if known and known.piece.stop > place.stop:
            found.setdefault(place.stop, []).append(_placed(known.step, known.piece, place))
    return found


def aboard_after(
    boxes: Iterable[PlacedBox], repacked: Mapping[int, Sequence[PlacedBox]], stop: int | None
) -> list[PlacedBox]:
    """Return the boxes on board after a stop; None is the departure."""
    if stop is None:
        return list(boxes)
    back = {each.piece.id: each for at in sorted(repacked) if at <= stop for each in repacked[at]}
    return _nested([back.get(each.piece.id, each) for each in boxes if each.piece.stop > stop])


def _placed(step: int, piece: LoadPiece, place: LoadedPiece | RepackedPiece) -> PlacedBox:
    length, width, height = turned_size(piece.size, place.turn)
    box = (place.x, place.y, place.z, place.x + length, place.y + width, place.z + height)
    return PlacedBox(step, piece, place, box)


def _nested(boxes: list[PlacedBox]) -> list[PlacedBox]:
    loaded = [LoadedBox(each.piece, True, each.box, each.place.turn in UPRIGHT_TURNS) for each in boxes]

    def depth(upper: LoadedBox) -> int:
        deep = upper.piece.nesting_mm
        stands_in = deep and any(
            lower.corners[5] - deep == upper.corners[2] and nests_in(upper, lower) for lower in loaded
        )
        return deep if stands_in else 0

    return [replace(each, nested_mm=depth(box)) for each, box in zip(boxes, loaded, strict=True)]


def loaded_volume(boxes: Sequence[PlacedBox]) -> int:
    """Return the volume of boxes; nested boxes count the part that stands out."""
    return sum(volume_of(each.piece.size) - each.piece.size[0] * each.piece.size[1] * each.nested_mm for each in boxes)


def axle_moments(
    space: LoadSpace, boxes: Sequence[PlacedBox], repacked: Mapping[int, Sequence[PlacedBox]]
) -> list[AxleMoment]:
    """Return the axle loads at departure and after each stop.

    Empty if no axles are known.
    """
    if space.axles is None:
        return []
    found: list[AxleMoment] = []
    for after in (None, *sorted({each.piece.stop for each in boxes})):
        aboard = aboard_after(boxes, repacked, after)
        found += [
            AxleMoment(after, each.name, round(each.weight_g), each.axle.limit_g, each.axle.least_g)
            for each in axle_weights(space.axles, weighed(aboard))
        ]
    return found


def centre_of(boxes: Sequence[PlacedBox]) -> list[int] | None:
    """Return the centre of gravity along x and y in millimetres.

    None if the boxes weigh nothing.
    """
    centre = centre_of_gravity(weighed(boxes))
    return None if centre is None else [round(centre[0]), round(centre[1])]


def weighed(boxes: Sequence[PlacedBox]) -> list[WeighedBox]:
    """Return the weights of boxes and where they begin and end."""
    return [WeighedBox(each.piece.weight_g, (each.box[0], each.box[3]), (each.box[1], each.box[4])) for each in boxes]


def floor_length(boxes: Sequence[PlacedBox]) -> int:
    """From the first item to the last, in millimetres."""
    return max(each.box[3] for each in boxes) - min(each.box[0] for each in boxes)


def pieces_to_load(line: PieceToLoad) -> list[LoadPiece]:
    """Return equal items; several are numbered `#1`, `#2` and so on."""
    count = line.quantity
    names = [line.id] if count == 1 else [f"{line.id}#{number}" for number in range(1, count + 1)]
    return [
        LoadPiece(
            id=name,
            size=(line.length_mm, line.width_mm, line.height_mm),
            weight_g=line.weight_g,
            turns=UPRIGHT_TURNS if line.this_side_up else tuple(Turn),
            stop=line.stop,
            bears_g=0 if line.fragile else line.bears_g,
            layers_above=line.layers_above,
            stack_group=line.stack_group,
            floor_only=line.floor_only,
            top_only=line.top_only,
            together=line.together,
            goods=line.goods,
            mandatory=line.mandatory,
            priority=line.priority,
            method=line.method,
            nesting_mm=line.nesting_mm,
        )
        for name in names
    ]


def problem_hash(problem: LoadingProblem) -> str:
    """Return the hash of a problem."""
    return _digest(problem)


def load_digest(hash: str, plan: LoadingPlan) -> str:
    """Return the hash of a plan, including loading order and repacks."""
    repacks = (plan.repacks,) if plan.repacks else ()
    return _digest((hash, plan.spaces, plan.placements, sorted(each.piece for each in plan.left_over), *repacks))


def _digest(document: object) -> str:
    return hashlib.sha256(msgspec.json.encode(document, order="deterministic")).hexdigest()


def proposed_load(proposed: ProposedLoad) -> LoadingPlan:
    """Return a proposed plan for the checker, without an objective."""
    return LoadingPlan(
        spaces=tuple(map(str, proposed.spaces)),
        placements=tuple(
            LoadedPiece(
                piece=place.piece, space=place.space - 1, x=place.x_mm, y=place.y_mm, z=place.z_mm, turn=place.turn
            )
            for place in proposed.placements
        ),
        left_over=tuple(LeftOver(piece) for piece in sorted(proposed.left_over)),
        repacks=tuple(
            RepackedPiece(stop=each.stop, piece=each.piece, x=each.x_mm, y=each.y_mm, z=each.z_mm, turn=each.turn)
            for each in proposed.repacks
        ),
    )


def space_faults(terms: LoadSpaceTerms) -> list[FieldError]:
    """Return contradictions within a cargo space.

    Examples: axles in the wrong order, obstacles outside, a reach through no door.
    """
    faults: list[FieldError] = []
    axles, balance = terms.axles, terms.balance
    if axles and axles.front.position_mm >= axles.rear.position_mm:
        faults.append(FieldError("axles.rear.position_mm", "field.axle_order"))
    if axles and axles.tractor and axles.tractor[0].position_mm >= axles.tractor[1].position_mm:
        faults.append(FieldError("axles.tractor.1.position_mm", "field.axle_order"))
    if balance and balance.x_from_mm > balance.x_to_mm:
        faults.append(FieldError("balance.x_to_mm", "field.balance_order"))
    if balance and balance.y_from_mm > balance.y_to_mm:
        faults.append(FieldError("balance.y_to_mm", "field.balance_order"))
    faults += _reach_faults(terms)
    for at, each in enumerate(terms.obstacles):
        ends = (each.x_mm + each.length_mm, each.y_mm + each.width_mm, each.z_mm + each.height_mm)
        for name, end, most in zip(
            ("length_mm", "width_mm", "height_mm"),
            ends,
            (terms.length_mm, terms.width_mm, terms.height_mm),
            strict=True,
        ):
            if end > most:
                faults.append(FieldError(f"obstacles.{at}.{name}", "field.obstacle_outside"))
    return faults


def _reach_faults(terms: LoadSpaceTerms) -> list[FieldError]:
    faults: list[FieldError] = []
    for at, each in enumerate(terms.reach):
        if any(other.method == each.method for other in terms.reach[:at]):
            faults.append(FieldError(f"reach.{at}.method", "field.reach_twice"))
        if each.doors and not each.doors <= terms.doors:
            faults.append(FieldError(f"reach.{at}.doors", "field.reach_door"))
    return faults


def nesting_faults(pieces: Sequence[PieceToLoad]) -> list[FieldError]:
    """Return items that would nest as deep as they are high."""
    return [
        FieldError(f"pieces.{at}.nesting_mm", "field.nesting_too_deep", {"piece": each.id})
        for at, each in enumerate(pieces)
        if each.nesting_mm >= each.height_mm
    ]


def space_layout(terms: LoadSpaceTerms) -> dict[str, Any]:
    """Return the `layout` column: doors, obstacles, axles, balance and reach."""
    layout = terms.model_dump(mode="json", include={"obstacles", "axles", "balance", "reach"})
    for each in layout["reach"]:
        each["doors"] = each["doors"] and sorted(each["doors"])
    return {**layout, "doors": sorted(terms.doors)}


def stepped_spaces(
    problem: LoadingProblem, plan: LoadingPlan, codes: Mapping[str, str], orders: Mapping[str, int]
) -> list[SteppedSpace]:
    """Return the steps of a plan, also of an invalid one.

    Items unknown to the problem are left out; the checker reports them.
    """
    spaces = {space.id: space for space in problem.spaces}
    known = LoadingPlan(spaces=plan.spaces, placements=_known_once(problem, plan), repacks=plan.repacks)
    return [
        _space(spaces[id], codes.get(id, id), number, (boxes_of(problem, known, number - 1), known), orders)
        for number, id in enumerate(plan.spaces, 1)
        if id in spaces
    ]


def _known_once(problem: LoadingProblem, plan: LoadingPlan) -> tuple[LoadedPiece, ...]:
    """Return the first place of each item that the problem knows."""
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
