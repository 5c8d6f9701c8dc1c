"""What a plan says of its spaces: steps, weights on axles after every stop, the centre of gravity."""

from collections.abc import Iterable, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from haulier.solvers.loading.journey import LoadedBox, nests_in
from haulier.solvers.loading.journey_rules import WeighedBox, axle_weights, centre_of_gravity
from haulier.solvers.loading.plan import LoadedPiece, LoadingPlan, RepackedPiece
from haulier.solvers.loading.problem import Box, LoadingProblem, LoadPiece, LoadSpace
from haulier.solvers.packing.problem import UPRIGHT_TURNS, turned_size, volume_of


class PlacedBox(Struct, frozen=True):
    """A piece, how it lies, and where."""

    step: int
    """When it is put in, from 1."""
    piece: LoadPiece
    place: LoadedPiece | RepackedPiece
    box: Box
    nested_mm: int = 0
    """So deep it stands in the piece below it."""

    @property
    def seen(self) -> Box:
        """What of it stands out: nothing of that overlaps."""
        x0, y0, z0, *high = self.box
        return x0, y0, z0 + self.nested_mm, high[0], high[1], high[2]


class AxleMoment(Struct, frozen=True):
    """What weighs on an axle after a stop, rounded to grams; None is the departure."""

    after_stop: int | None
    axle: str
    weight_g: int
    limit_g: int
    least_g: int


def boxes_of(problem: LoadingProblem, plan: LoadingPlan, number: int) -> list[PlacedBox]:
    """What lies in a space, by its number from 0, in the order of loading."""
    pieces = {piece.id: piece for piece in problem.pieces}
    inside = [place for place in plan.placements if place.space == number]
    return _nested([_placed(step, pieces[place.piece], place) for step, place in enumerate(inside, 1)])


def repacked_boxes(plan: LoadingPlan, boxes: Sequence[PlacedBox]) -> dict[int, list[PlacedBox]]:
    """By stop: the boxes that are taken out there, where they are put back. What is not aboard then is left out."""
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
    """What is inside after a stop was unloaded, where it lies then; None for the departure."""
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
    """The volume that boxes take; of those that nest, what stands out."""
    return sum(volume_of(each.piece.size) - each.piece.size[0] * each.piece.size[1] * each.nested_mm for each in boxes)


def axle_moments(
    space: LoadSpace, boxes: Sequence[PlacedBox], repacked: Mapping[int, Sequence[PlacedBox]]
) -> list[AxleMoment]:
    """What weighs on each axle at departure and after each stop; nothing where no axles are known."""
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
    """The centre of gravity along x and y in rounded millimetres; None for what weighs nothing."""
    centre = centre_of_gravity(weighed(boxes))
    return None if centre is None else [round(centre[0]), round(centre[1])]


def weighed(boxes: Sequence[PlacedBox]) -> list[WeighedBox]:
    """The weights of boxes and where they begin and end."""
    return [WeighedBox(each.piece.weight_g, (each.box[0], each.box[3]), (each.box[1], each.box[4])) for each in boxes]


def floor_length(boxes: Sequence[PlacedBox]) -> int:
    """From the first piece to the last, in millimetres."""
    return max(each.box[3] for each in boxes) - min(each.box[0] for each in boxes)
