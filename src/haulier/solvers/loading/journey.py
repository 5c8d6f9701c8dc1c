"""Check of a loaded space on its route.

It covers support, access, axles and balance at every stop. Repacking splits a journey into several legs, each checked
like the first one.
"""

from collections.abc import Collection, Iterator, Sequence
from fractions import Fraction

from msgspec import Struct
from msgspec.structs import replace

from haulier.solvers.loading.journey_rules import BrokenLoadingRule, WeighedBox, axle_weights, centre_of_gravity
from haulier.solvers.loading.plan import LoadingRule
from haulier.solvers.loading.problem import Box, DoorSide, LoadingProblem, LoadPiece, LoadSpace, Reach

Rectangle = tuple[int, int, int, int]
"""x0, y0, x1, y1."""
AXIS_OF = {
    DoorSide.REAR: (0, True),
    DoorSide.FRONT: (0, False),
    DoorSide.RIGHT: (1, True),
    DoorSide.LEFT: (1, False),
    DoorSide.TOP: (2, True),
}
"""Axis of the way out by door, and True if coordinates grow towards the door."""
Contacts = list[list[tuple[int, Rectangle]]]
"""For each box, the boxes below it and the rectangles of contact. Obstacles are numbered after the boxes."""


class LoadedBox(Struct, frozen=True):
    """A piece at its position."""

    piece: LoadPiece
    may_lie_so: bool
    corners: Box
    is_upright: bool = True
    taken_out_at: int | None = None
    """Earlier stop at which it is taken out and put back, if any."""

    @property
    def leaves(self) -> int:
        """Return the stop at which it leaves this position."""
        return self.piece.stop if self.taken_out_at is None else self.taken_out_at


class Leg(Struct, frozen=True, kw_only=True):
    """A part of a journey during which each box stays in place until it leaves."""

    boxes: Sequence[LoadedBox]
    """Boxes in loading order."""
    stood: int = 0
    """Number of boxes that remain from the previous leg."""
    begins_after: int | None = None
    """Stop after which the leg begins; None for departure."""
    ends_at: int | None = None
    """Stop at which boxes are repacked; None for the end of the journey."""

    def is_put_in(self, at: int) -> bool:
        """Return True if a box is loaded where the leg begins."""
        return at >= self.stood

    def is_taken_out(self, at: int) -> bool:
        """Return True if a box leaves its position on this leg."""
        return self.ends_at is None or self.boxes[at].leaves <= self.ends_at


def nests_in(upper: LoadedBox, lower: LoadedBox) -> bool:
    """Return True if a piece nests in the one below it.

    Both nest, have the same base, stand upright and are aligned.
    """
    one, other = upper.piece, lower.piece
    return (
        bool(one.nesting_mm and other.nesting_mm)
        and one.size[:2] == other.size[:2]
        and upper.is_upright
        and lower.is_upright
        and all(upper.corners[edge] == lower.corners[edge] for edge in (0, 1, 3, 4))
    )


def legs_of(boxes: Sequence[LoadedBox], repacks: Sequence[tuple[int, LoadedBox]]) -> Iterator[Leg]:
    """Yield the legs of a journey: one, plus one after each stop with repacks."""
    stood, begins = 0, None
    for stop in sorted({stop for stop, _ in repacks}):
        back = [box for each, box in repacks if each == stop]
        moved = {box.piece.id for box in back}
        boxes = [replace(box, taken_out_at=stop) if box.piece.id in moved else box for box in boxes]
        yield Leg(boxes=boxes, stood=stood, begins_after=begins, ends_at=stop)
        stays = [box for box in boxes if box.leaves > stop]
        boxes, stood, begins = [*stays, *back], len(stays), stop
    yield Leg(boxes=boxes, stood=stood, begins_after=begins)


def check_journey(
    problem: LoadingProblem, space: LoadSpace, number: int, legs: Sequence[Leg]
) -> Iterator[BrokenLoadingRule]:
    """Yield every broken rule of a space on its journey.

    A rule that is broken at departure is not repeated for later stops.
    """
    said: set[tuple[LoadingRule, tuple[str, ...], str | None]] = set()
    for leg in legs:
        contacts = _contacts(leg.boxes, space.obstacles)
        for broken in (
            *_check_stacking(number, leg.boxes, contacts),
            *_check_steps(problem, number, leg, contacts),
            *_check_ways(space, number, leg, contacts),
        ):
            yield replace(broken, after_stop=leg.begins_after)
        stops = sorted({box.leaves for box in leg.boxes})
        passed = stops[:-1] if leg.ends_at is None else [stop for stop in stops if stop < leg.ends_at]
        for after in (leg.begins_after, *passed):
            aboard = [at for at, box in enumerate(leg.boxes) if after is None or box.leaves > after]
            for broken in _check_moment(problem, space, leg.boxes, contacts, aboard):
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
        inside = boxes[at].piece.nesting_mm
        # A nesting piece sinks into a matching one and stands on any other.
        tops = [(each, False) for each in by_top.get(z0, ())]
        tops += [(each, True) for each in by_top.get(z0 + inside, ())] if inside else []
        for below, sinks in tops:
            a0, b0, _, a1, b1, _ = corners[below]
            rectangle = (max(x0, a0), max(y0, b0), min(x1, a1), min(y1, b1))
            matches = below < len(boxes) and nests_in(boxes[at], boxes[below])
            meets = below != at and rectangle[0] < rectangle[2] and rectangle[1] < rectangle[3]
            if meets and matches is sinks:
                touching.append((below, rectangle))
        found.append(touching)
    return found


def _area(rectangle: Rectangle) -> int:
    return (rectangle[2] - rectangle[0]) * (rectangle[3] - rectangle[1])


def _check_stacking(number: int, boxes: Sequence[LoadedBox], contacts: Contacts) -> Iterator[BrokenLoadingRule]:
    """Check stacking groups, top-only pieces and layers.

    Checked once per leg: unloading can only improve them.
    """
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


def _check_steps(problem: LoadingProblem, number: int, leg: Leg, contacts: Contacts) -> Iterator[BrokenLoadingRule]:
    """Check that each box, in loading order, rests on boxes loaded before it."""
    for at, box in enumerate(leg.boxes):
        if not leg.is_put_in(at):
            continue
        there = [area for below, area in contacts[at] if below < at or below >= len(leg.boxes)]
        percent = problem.support_percent
        if percent and len(there) < len(contacts[at]) and not _is_supported(box.corners, there, percent):
            yield BrokenLoadingRule(LoadingRule.STEPS, (box.piece.id,), number)


def _check_ways(space: LoadSpace, number: int, leg: Leg, contacts: Contacts) -> Iterator[BrokenLoadingRule]:
    """Check that each piece can be loaded in turn and unloaded at its stop.

    Both need a straight way through a door. Boxes are in loading order.
    """
    boxes = leg.boxes
    upon: list[list[int]] = [[] for _ in boxes]
    for at, touching in enumerate(contacts):
        for below, _ in touching:
            if below < len(boxes):
                upon[below].append(at)
    for at, box in enumerate(boxes):
        ways = [_in_the_way(boxes, at, door) for door in space.doors]
        if leg.is_put_in(at) and ways and all(any(other < at for other in way) for way in ways):
            yield BrokenLoadingRule(LoadingRule.STEPS, (box.piece.id,), number)
        elif not _is_reached_in_time(space, leg, at, ways):
            yield BrokenLoadingRule(LoadingRule.REACH, (box.piece.id,), number)
        if not ways or not leg.is_taken_out(at):
            continue
        later = [{other for other in way if boxes[other].leaves > box.leaves} for way in ways]
        on_top = {other for other in upon[at] if boxes[other].leaves > box.leaves}
        blockers = on_top or (min(later, key=len) if all(later) else set())
        if blockers:
            named = (box.piece.id, *(boxes[other].piece.id for other in sorted(blockers)))
            yield BrokenLoadingRule(LoadingRule.UNLOADING, named, number)


def _is_reached_in_time(space: LoadSpace, leg: Leg, at: int, ways: Sequence[Sequence[int]]) -> bool:
    """Return True if a piece is within reach of an open door when loaded and unloaded.

    `ways` holds the blocking boxes for each door of the space.
    """
    boxes, stop = leg.boxes, leg.boxes[at].leaves
    reach = next((each for each in space.reach if each.method == boxes[at].piece.method), None)
    if reach is None or not ways:
        return True
    before = [box.corners for box in boxes[:at]]
    later = [box.corners for box in boxes if box.leaves > stop]
    doors = list(zip(space.doors, ways, strict=True))
    put_in = [door for door, way in doors if not any(other < at for other in way)]
    out = [door for door, way in doors if not any(boxes[other].leaves > stop for other in way)]
    goes_in = any(_reaches(space, reach, boxes[at].corners, door, before) for door in put_in)
    comes_out = not out or any(_reaches(space, reach, boxes[at].corners, door, later) for door in out)
    return (goes_in or not leg.is_put_in(at)) and (comes_out or not leg.is_taken_out(at))


def _reaches(space: LoadSpace, reach: Reach, box: Box, door: DoorSide, there: Sequence[Box]) -> bool:
    """Return True if a method reaches a box through a door past the other boxes."""
    if reach.doors is not None and door not in reach.doors:
        return False
    if reach.height_mm is not None and door is not DoorSide.TOP and box[2] > reach.height_mm:
        return False
    axis, forward = AXIS_OF[door]
    across = 1 - axis
    # Through the top, the reach counts from the edge, regardless of neighbouring pieces.
    if reach.enters and door is not DoorSide.TOP:
        beside = [other for other in there if other[across] < box[across + 3] and box[across] < other[across + 3]]
        near = [other[axis + 3] if forward else -other[axis] for other in beside]
        face = box[axis + 3] if forward else -box[axis]
        deep = max([face, *near]) - face
    else:
        deep = space.inner[axis] - box[axis + 3] if forward else box[axis]
    return reach.depth_mm is None or deep <= reach.depth_mm


def _in_the_way(boxes: Sequence[LoadedBox], at: int, door: DoorSide) -> list[int]:
    """Return the boxes on the straight way from a box to a door."""
    axis, forward = AXIS_OF[door]
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
    """Check the rules that depend on the load between two stops."""
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
    """Return True if enough of the base is supported, and its centre as well."""
    if box[2] == 0:
        return True
    base = (box[0], box[1], box[3], box[4])
    # The sum equals the union: boxes at one height do not overlap, or `overlap` is broken anyway.
    return sum(map(_area, rectangles)) * 100 >= percent * _area(base) and _is_above(base, rectangles)


def _is_above(base: Rectangle, rectangles: Sequence[Rectangle]) -> bool:
    """Return True if the centre of a base is inside the convex hull of rectangles.

    It is outside if a line through it has all corners on one side. Lengths are doubled to stay integers.
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
    """Check load-bearing limits; weight passes down in proportion to contact areas."""
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
