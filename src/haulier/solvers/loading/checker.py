"""Independent check of loading plans.

It shares no code with the engine and computes with integers and fractions only. Every plan passes this check before it
is stored or shown, regardless of its origin. Rules that depend on the remaining load are checked at departure and after
every stop.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import combinations

from msgspec import Struct
from msgspec.structs import replace

from haulier.solvers.loading.journey import LoadedBox, check_journey, legs_of, nests_in
from haulier.solvers.loading.journey_rules import BrokenLoadingRule
from haulier.solvers.loading.plan import LoadedPiece, LoadingPlan, LoadingRule, LoadingState, RepackedPiece
from haulier.solvers.loading.problem import LoadingProblem, LoadPiece, LoadSpace


class _Inventory(Struct, frozen=True):
    """Loaded, left-over and repacked pieces of a plan."""

    placed: Counter[str]
    left: Counter[str]
    repacked: set[str]


def check_loading_plan(problem: LoadingProblem, plan: LoadingPlan) -> list[BrokenLoadingRule]:
    """Return every broken rule of a plan; empty if the plan is valid."""
    inventory = _Inventory(
        Counter(place.piece for place in plan.placements),
        Counter(each.piece for each in plan.left_over),
        {each.piece for each in plan.repacks},
    )
    broken = [*_check_pieces(problem, inventory), *_check_spaces(problem, plan)]
    pieces = {piece.id: piece for piece in problem.pieces}
    spaces = {space.id: space for space in problem.spaces}
    contents: dict[int, list[LoadedBox]] = {number: [] for number in range(len(plan.spaces))}
    for placement in plan.placements:
        if placement.piece in pieces and placement.space in contents:
            contents[placement.space].append(_box(pieces[placement.piece], placement))
    for number, boxes in contents.items():
        if plan.spaces[number] in spaces:
            space = spaces[plan.spaces[number]]
            repacks = _repacks_of(plan, boxes)
            broken += _check_repacks(problem, number, boxes, repacks)
            legs = list(legs_of(boxes, _possible_repacks(boxes, repacks)))
            for leg in legs:
                for each in _check_space(problem, space, number, leg.boxes):
                    broken.append(replace(each, after_stop=leg.begins_after))
            broken += check_journey(problem, space, number, legs)
    return [*broken, *_check_groups(problem, plan), *_check_objective(problem, plan, contents)]


def _repacks_of(plan: LoadingPlan, boxes: Sequence[LoadedBox]) -> list[tuple[int, LoadedBox]]:
    """Return the repacks of a space: the stop, and the piece at its new position."""
    pieces = {box.piece.id: box.piece for box in boxes}
    return [(each.stop, _box(pieces[each.piece], each)) for each in plan.repacks if each.piece in pieces]


def _possible_repacks(
    boxes: Sequence[LoadedBox], repacks: Sequence[tuple[int, LoadedBox]]
) -> list[tuple[int, LoadedBox]]:
    """Return the possible repacks: one per piece and stop, for later stops only."""
    stops = {box.piece.stop for box in boxes}
    first: dict[tuple[int, str], LoadedBox] = {}
    for stop, box in repacks:
        if stop in stops and box.piece.stop > stop:
            first.setdefault((stop, box.piece.id), box)
    return [(stop, box) for (stop, _), box in first.items()]


def _check_repacks(
    problem: LoadingProblem, number: int, boxes: Sequence[LoadedBox], repacks: Sequence[tuple[int, LoadedBox]]
) -> Iterator[BrokenLoadingRule]:
    """Check that repacks are possible and within the limit of each stop."""
    possible = Counter((stop, box.piece.id) for stop, box in _possible_repacks(boxes, repacks))
    for stop, piece in Counter((stop, box.piece.id) for stop, box in repacks) - possible:
        yield BrokenLoadingRule(LoadingRule.REPACK, (piece,), number, stop)
    most = problem.repacks_per_stop or 0
    for stop in sorted({stop for stop, _ in repacks}):
        moved = tuple(box.piece.id for each, box in repacks if each == stop)
        if len(moved) > most:
            yield BrokenLoadingRule(LoadingRule.REPACK, moved, number, stop)


def _box(piece: LoadPiece, placement: LoadedPiece | RepackedPiece) -> LoadedBox:
    edge = {"l": piece.size[0], "w": piece.size[1], "h": piece.size[2]}
    a, b, c = placement.turn.value
    x, y, z = placement.x, placement.y, placement.z
    corners = (x, y, z, x + edge[a], y + edge[b], z + edge[c])
    return LoadedBox(piece, placement.turn in piece.turns, corners, c == "h")


def _check_pieces(problem: LoadingProblem, inventory: _Inventory) -> Iterator[BrokenLoadingRule]:
    """Check that each piece is either loaded once or left behind."""
    known = {piece.id for piece in problem.pieces}
    times = inventory.placed + inventory.left
    for piece in inventory.repacked - inventory.placed.keys():
        yield BrokenLoadingRule(LoadingRule.REPACK if piece in known else LoadingRule.UNKNOWN, (piece,))
    for piece, count in times.items():
        if piece not in known:
            yield BrokenLoadingRule(LoadingRule.UNKNOWN, (piece,))
        elif count > 1:
            yield BrokenLoadingRule(LoadingRule.TWICE, (piece,))
    yield from (
        BrokenLoadingRule(LoadingRule.MISSING, (piece.id,)) for piece in problem.pieces if piece.id not in times
    )


def _check_spaces(problem: LoadingProblem, plan: LoadingPlan) -> Iterator[BrokenLoadingRule]:
    """Check that spaces are known, used and within stock."""
    stock = {space.id: space.stock for space in problem.spaces}
    used = {placement.space for placement in plan.placements}
    for number in sorted(used - set(range(len(plan.spaces)))):
        yield BrokenLoadingRule(LoadingRule.UNKNOWN, space=number)
    for number, kind in enumerate(plan.spaces):
        if kind not in stock:
            yield BrokenLoadingRule(LoadingRule.UNKNOWN, space=number)
        if number not in used:
            yield BrokenLoadingRule(LoadingRule.EMPTY, space=number)
    for kind, count in Counter(plan.spaces).items():
        if count > stock.get(kind, count):
            yield BrokenLoadingRule(LoadingRule.STOCK, space=plan.spaces.index(kind))


def _check_space(
    problem: LoadingProblem, space: LoadSpace, number: int, boxes: Sequence[LoadedBox]
) -> Iterator[BrokenLoadingRule]:
    """Check the rules that hold for a space and its content at any time."""
    everything = tuple(box.piece.id for box in boxes)
    length, width, height = space.inner
    volume = sum(box.piece.size[0] * box.piece.size[1] * box.piece.size[2] for box in boxes) - _nested_volume(boxes)
    if volume * 100 > space.fill_cap_percent * length * width * height:
        yield BrokenLoadingRule(LoadingRule.FILL, everything, number)
    if sum(box.piece.weight_g for box in boxes) > space.payload_g:
        yield BrokenLoadingRule(LoadingRule.PAYLOAD, everything, number)
    yield from _check_boxes(space, number, boxes)
    apart = {frozenset(pair) for pair in problem.apart}
    for one, other in combinations(boxes, 2):
        if _overlap(one.corners, other.corners) and not _is_nested(one, other):
            yield BrokenLoadingRule(LoadingRule.OVERLAP, (one.piece.id, other.piece.id), number)
        if one.piece.goods and other.piece.goods and frozenset((one.piece.goods, other.piece.goods)) in apart:
            yield BrokenLoadingRule(LoadingRule.APART, (one.piece.id, other.piece.id), number)


def _is_nested(one: LoadedBox, other: LoadedBox) -> bool:
    """Return True if two overlapping boxes nest, within the nesting depth."""
    lower, upper = sorted((one, other), key=lambda box: box.corners[2])
    return nests_in(upper, lower) and upper.corners[2] >= lower.corners[5] - upper.piece.nesting_mm


def _nested_volume(boxes: Sequence[LoadedBox]) -> int:
    """Return the volume saved by nesting."""
    return sum(
        upper.piece.size[0] * upper.piece.size[1] * upper.piece.nesting_mm
        for upper in boxes
        if upper.piece.nesting_mm
        and any(
            upper.corners[2] == lower.corners[5] - upper.piece.nesting_mm and nests_in(upper, lower)
            for lower in boxes
            if lower is not upper
        )
    )


def _check_boxes(space: LoadSpace, number: int, boxes: Sequence[LoadedBox]) -> Iterator[BrokenLoadingRule]:
    """Check the rules of each piece on its own."""
    length, width, height = space.inner
    for box in boxes:
        named = (box.piece.id,)
        x0, y0, z0, x1, y1, z1 = box.corners
        if min(x0, y0, z0) < 0 or x1 > length or y1 > width or z1 > height:
            yield BrokenLoadingRule(LoadingRule.INSIDE, named, number)
        if any(_overlap(box.corners, obstacle) for obstacle in space.obstacles):
            yield BrokenLoadingRule(LoadingRule.OBSTACLE, named, number)
        if not box.may_lie_so:
            yield BrokenLoadingRule(LoadingRule.ORIENTATION, named, number)
        if box.piece.floor_only and z0 != 0:
            yield BrokenLoadingRule(LoadingRule.FLOOR_ONLY, named, number)


def _overlap(one: Sequence[int], other: Sequence[int]) -> bool:
    return all(one[axis] < other[axis + 3] and other[axis] < one[axis + 3] for axis in range(3))


def _check_groups(problem: LoadingProblem, plan: LoadingPlan) -> Iterator[BrokenLoadingRule]:
    """Check that pieces of a group share one space or all stay behind."""
    where: dict[str, int | None] = {each.piece: None for each in plan.left_over}
    where |= {placement.piece: placement.space for placement in plan.placements}
    groups: dict[str, list[str]] = {}
    for piece in problem.pieces:
        if piece.together is not None and piece.id in where:
            groups.setdefault(piece.together, []).append(piece.id)
    for pieces in groups.values():
        if len({where[piece] for piece in pieces}) > 1:
            yield BrokenLoadingRule(LoadingRule.TOGETHER, tuple(pieces))


def _check_objective(
    problem: LoadingProblem, plan: LoadingPlan, contents: dict[int, list[LoadedBox]]
) -> Iterator[BrokenLoadingRule]:
    """Check the stated objective, bound and state.

    The last component is rounded, so it is only checked for being non-negative.
    """
    if plan.objective is None:
        return
    pieces, spaces = {piece.id: piece for piece in problem.pieces}, {space.id: space for space in problem.spaces}
    if not set(plan.spaces) <= set(spaces) or any(each.piece not in pieces for each in plan.left_over):
        return
    left = [pieces[each.piece] for each in plan.left_over]
    length = sum(
        max(box.corners[3] for box in boxes) - min(box.corners[0] for box in boxes)
        for boxes in contents.values()
        if boxes
    )
    cost = sum(spaces[kind].cost_cents for kind in plan.spaces)
    repacked = (len(plan.repacks),) if problem.may_repack else ()
    sums = (sum(piece.mandatory for piece in left), sum(piece.priority for piece in left), cost, *repacked, length)
    wrong = plan.objective[:-1] != sums or plan.objective[-1] < 0
    too_low = plan.bound is not None and plan.bound > sums[:3]
    unproved = plan.state == LoadingState.OPTIMAL and (bool(left) or plan.bound != sums[:3])
    if wrong or too_low or unproved or (bool(left) != (plan.state == LoadingState.PARTLY)):
        yield BrokenLoadingRule(LoadingRule.OBJECTIVE)
