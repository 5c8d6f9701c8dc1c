"""The part of the check that looks at a journey: what rests on what, ways in and out, axles and balance, stop after stop."""

from collections.abc import Collection, Iterator, Sequence
from fractions import Fraction

from msgspec import Struct

from haulier.solvers.loading.journey_rules import BrokenLoadingRule, WeighedBox, axle_weights, centre_of_gravity
from haulier.solvers.loading.plan import LoadingRule
from haulier.solvers.loading.problem import Box, DoorSide, LoadingProblem, LoadPiece, LoadSpace

Rectangle = tuple[int, int, int, int]
"""x0, y0, x1, y1."""
Contacts = list[list[tuple[int, Rectangle]]]
"""By box: what it rests on, as numbers of boxes, and where they touch. Obstacles have the numbers after the boxes."""


class LoadedBox(Struct, frozen=True):
    """A piece where it lies."""

    piece: LoadPiece
    may_lie_so: bool
    corners: Box


def check_journey(
    problem: LoadingProblem, space: LoadSpace, number: int, boxes: Sequence[LoadedBox]
) -> Iterator[BrokenLoadingRule]:
    """Every broken rule of a space on its journey; what is broken at departure is not named again after a stop."""
    contacts = _contacts(boxes, space.obstacles)
    yield from _check_stacking(number, boxes, contacts)
    yield from _check_steps(problem, number, boxes, contacts)
    yield from _check_ways(space, number, boxes, contacts)
    said: set[tuple[LoadingRule, tuple[str, ...], str | None]] = set()
    stops = sorted({box.piece.stop for box in boxes})
    for after in (None, *stops[:-1]):
        aboard = [at for at, box in enumerate(boxes) if after is None or box.piece.stop > after]
        for broken in _check_moment(problem, space, boxes, contacts, aboard):
            key = (broken.rule, broken.pieces, broken.axle)
            if key not in said:
                said.add(key)
                yield BrokenLoadingRule(broken.rule, broken.pieces, number, after, broken.axle)


def _contacts(boxes: Sequence[LoadedBox], obstacles: Sequence[Box]) -> Contacts:
    corners = [*(box.corners for box in boxes), *obstacles]
    by_top: dict[int, list[int]] = {}
    for at, box in enumerate(corners):
        by_top.setdefault(box[5], []).append(at)
    found: Contacts = []
    for at, (x0, y0, z0, x1, y1, _) in enumerate(corners[: len(boxes)]):
        touching: list[tuple[int, Rectangle]] = []
        for below in by_top.get(z0, ()):
            a0, b0, _, a1, b1, _ = corners[below]
            rectangle = (max(x0, a0), max(y0, b0), min(x1, a1), min(y1, b1))
            if below != at and rectangle[0] < rectangle[2] and rectangle[1] < rectangle[3]:
                touching.append((below, rectangle))
        found.append(touching)
    return found


def _area(rectangle: Rectangle) -> int:
    return (rectangle[2] - rectangle[0]) * (rectangle[3] - rectangle[1])


def _check_stacking(number: int, boxes: Sequence[LoadedBox], contacts: Contacts) -> Iterator[BrokenLoadingRule]:
    """Stacking groups, what bears nothing because it is the top, and layers. They only get better under way."""
    layers = [0] * len(boxes)
    for at in sorted(range(len(boxes)), key=lambda each: -boxes[each].corners[2]):
        for below, _ in contacts[at]:
            if below >= len(boxes):
                continue
            upper, lower = boxes[at].piece, boxes[below].piece
            layers[below] = max(layers[below], layers[at] + 1)
            if upper.stack_group > lower.stack_group:
                yield BrokenLoadingRule(LoadingRule.STACK_GROUP, (upper.id, lower.id), number)
            if lower.top_only:
                yield BrokenLoadingRule(LoadingRule.TOP_ONLY, (lower.id, upper.id), number)
    for at, box in enumerate(boxes):
        if box.piece.layers_above is not None and layers[at] > box.piece.layers_above:
            yield BrokenLoadingRule(LoadingRule.LAYERS, (box.piece.id,), number)


def _check_steps(
    problem: LoadingProblem, number: int, boxes: Sequence[LoadedBox], contacts: Contacts
) -> Iterator[BrokenLoadingRule]:
    """What is put in rests on what is there before it. Boxes stand in the order of loading."""
    for at, box in enumerate(boxes):
        there = [area for below, area in contacts[at] if below < at or below >= len(boxes)]
        percent = problem.support_percent
        if percent and len(there) < len(contacts[at]) and not _is_supported(box.corners, there, percent):
            yield BrokenLoadingRule(LoadingRule.STEPS, (box.piece.id,), number)


def _check_ways(
    space: LoadSpace, number: int, boxes: Sequence[LoadedBox], contacts: Contacts
) -> Iterator[BrokenLoadingRule]:
    """Each piece can be put in when its turn comes, and can leave at its stop, on a straight way through some door.

    Boxes stand in the order of loading.
    """
    upon: list[list[int]] = [[] for _ in boxes]
    for at, touching in enumerate(contacts):
        for below, _ in touching:
            if below < len(boxes):
                upon[below].append(at)
    for at, box in enumerate(boxes):
        ways = [_in_the_way(boxes, at, door) for door in space.doors]
        if ways and all(any(other < at for other in way) for way in ways):
            yield BrokenLoadingRule(LoadingRule.STEPS, (box.piece.id,), number)
        if not ways:
            continue
        later = [{other for other in way if boxes[other].piece.stop > box.piece.stop} for way in ways]
        on_top = {other for other in upon[at] if boxes[other].piece.stop > box.piece.stop}
        blockers = on_top or (min(later, key=len) if all(later) else set())
        if blockers:
            named = (box.piece.id, *(boxes[other].piece.id for other in sorted(blockers)))
            yield BrokenLoadingRule(LoadingRule.UNLOADING, named, number)


def _in_the_way(boxes: Sequence[LoadedBox], at: int, door: DoorSide) -> list[int]:
    """The boxes that a box meets on its straight way to a door."""
    axis, forward = {
        DoorSide.REAR: (0, True),
        DoorSide.FRONT: (0, False),
        DoorSide.RIGHT: (1, True),
        DoorSide.LEFT: (1, False),
        DoorSide.TOP: (2, True),
    }[door]
    box = boxes[at].corners
    others = [each for each in range(3) if each != axis]
    found: list[int] = []
    for number, each in enumerate(boxes):
        other = each.corners
        beyond = other[axis] >= box[axis + 3] if forward else other[axis + 3] <= box[axis]
        if beyond and all(box[a] < other[a + 3] and other[a] < box[a + 3] for a in others):
            found.append(number)
    return found


def _check_moment(
    problem: LoadingProblem,
    space: LoadSpace,
    boxes: Sequence[LoadedBox],
    contacts: Contacts,
    aboard: Sequence[int],
) -> Iterator[BrokenLoadingRule]:
    """What holds with what is aboard between two stops."""
    here = {*aboard, *range(len(boxes), len(boxes) + len(space.obstacles))}
    resting = {at: [contact for contact in contacts[at] if contact[0] in here] for at in aboard}
    if problem.support_percent:
        for at in aboard:
            if not _is_supported(boxes[at].corners, [area for _, area in resting[at]], problem.support_percent):
                yield BrokenLoadingRule(LoadingRule.SUPPORT, (boxes[at].piece.id,))
    yield from _check_bearing(boxes, resting, aboard)
    weighed = [
        WeighedBox(box.piece.weight_g, (box.corners[0], box.corners[3]), (box.corners[1], box.corners[4]))
        for box in (boxes[at] for at in aboard)
    ]
    if space.axles:
        for axle in axle_weights(space.axles, weighed):
            if not axle.is_kept:
                yield BrokenLoadingRule(LoadingRule.AXLES, axle=axle.name)
    centre, limits = centre_of_gravity(weighed), space.balance
    if limits and centre:
        x, y = centre
        if not (limits.x_from <= x <= limits.x_to and limits.y_from <= y <= limits.y_to):
            yield BrokenLoadingRule(LoadingRule.BALANCE)


def _is_supported(box: Box, rectangles: Sequence[Rectangle], percent: int) -> bool:
    """Enough of the base rests on something, and its middle is above the hull of what it rests on."""
    if box[2] == 0:
        return True
    base = (box[0], box[1], box[3], box[4])
    # Why a sum is the union: what lies below at one height does not overlap, or `overlap` is broken anyway.
    return sum(map(_area, rectangles)) * 100 >= percent * _area(base) and _is_above(base, rectangles)


def _is_above(base: Rectangle, rectangles: Sequence[Rectangle]) -> bool:
    """Whether the middle of a base is not outside the hull of rectangles: no line through it has them all on one side.

    All lengths are doubled to stay integers.
    """
    x, y = base[0] + base[2], base[1] + base[3]
    corners = {(2 * a - x, 2 * b - y) for x0, y0, x1, y1 in rectangles for a in (x0, x1) for b in (y0, y1)}
    if (0, 0) in corners:
        return True
    return not any(
        all(a * d - b * c > 0 or (a * d == b * c and a * c + b * d > 0) for c, d in corners) for a, b in corners
    )


def _check_bearing(
    boxes: Sequence[LoadedBox], resting: dict[int, list[tuple[int, Rectangle]]], aboard: Collection[int]
) -> Iterator[BrokenLoadingRule]:
    """Weights are handed down from the top, in proportion to the areas of contact."""
    on_top = dict.fromkeys(aboard, Fraction(0))
    for at in sorted(aboard, key=lambda each: -boxes[each].corners[2]):
        total = sum(_area(rectangle) for _, rectangle in resting[at])
        for below, rectangle in resting[at]:
            if below in on_top:
                on_top[below] += (boxes[at].piece.weight_g + on_top[at]) * Fraction(_area(rectangle), total)
    for at, weight in on_top.items():
        limit = boxes[at].piece.bears_g
        if limit is not None and weight > limit:
            yield BrokenLoadingRule(LoadingRule.BEARING, (boxes[at].piece.id,))
