"""An independent check of loading plans. It shares no code with the engine, and computes with integers and fractions alone.

Every plan passes here before it is stored or shown, whoever made it. What changes under way is checked at departure and after
every stop.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import combinations

from msgspec import Struct

from haulier.solvers.loading.journey import LoadedBox, check_journey, nests_in
from haulier.solvers.loading.journey_rules import BrokenLoadingRule
from haulier.solvers.loading.plan import LoadedPiece, LoadingPlan, LoadingRule, LoadingState
from haulier.solvers.loading.problem import LoadingProblem, LoadPiece, LoadSpace


class _Inventory(Struct, frozen=True):
    """What a plan says of each piece."""

    placed: Counter[str]
    left: Counter[str]


def check_loading_plan(problem: LoadingProblem, plan: LoadingPlan) -> list[BrokenLoadingRule]:
    """Every broken rule of a plan; empty when it is right."""
    inventory = _Inventory(
        Counter(place.piece for place in plan.placements), Counter(each.piece for each in plan.left_over)
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
            broken += _check_space(problem, space, number, boxes)
            broken += check_journey(problem, space, number, boxes)
    return [*broken, *_check_groups(problem, plan), *_check_objective(problem, plan, contents)]


def _box(piece: LoadPiece, placement: LoadedPiece) -> LoadedBox:
    edge = {"l": piece.size[0], "w": piece.size[1], "h": piece.size[2]}
    a, b, c = placement.turn.value
    x, y, z = placement.x, placement.y, placement.z
    corners = (x, y, z, x + edge[a], y + edge[b], z + edge[c])
    return LoadedBox(piece, placement.turn in piece.turns, corners, c == "h")


def _check_pieces(problem: LoadingProblem, inventory: _Inventory) -> Iterator[BrokenLoadingRule]:
    """Each piece is loaded once, or stays behind."""
    known = {piece.id for piece in problem.pieces}
    times = inventory.placed + inventory.left
    for piece, count in times.items():
        if piece not in known:
            yield BrokenLoadingRule(LoadingRule.UNKNOWN, (piece,))
        elif count > 1:
            yield BrokenLoadingRule(LoadingRule.TWICE, (piece,))
    yield from (
        BrokenLoadingRule(LoadingRule.MISSING, (piece.id,)) for piece in problem.pieces if piece.id not in times
    )


def _check_spaces(problem: LoadingProblem, plan: LoadingPlan) -> Iterator[BrokenLoadingRule]:
    """Spaces are known, none is empty, and there are no more than there are."""
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
    """What holds of a space and its content at any time."""
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
    """Whether two boxes that overlap do so as nesting pieces may: the upper one no deeper in the lower one than it goes."""
    lower, upper = sorted((one, other), key=lambda box: box.corners[2])
    return nests_in(upper, lower) and upper.corners[2] >= lower.corners[5] - upper.piece.nesting_mm


def _nested_volume(boxes: Sequence[LoadedBox]) -> int:
    """What of pieces stands in others, and so takes no volume."""
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
    """What holds of each piece for itself."""
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
    """What belongs together travels in one space, or stays behind together."""
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
    """What is claimed of the numbers is right. The last one is rounded, and so is only asked not to be negative."""
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
    sums = (sum(piece.mandatory for piece in left), sum(piece.priority for piece in left), cost, length)
    wrong = plan.objective[:4] != sums or plan.objective[4] < 0
    too_low = plan.bound is not None and plan.bound > sums[:3]
    unproved = plan.state == LoadingState.OPTIMAL and (bool(left) or plan.bound != sums[:3])
    if wrong or too_low or unproved or (bool(left) != (plan.state == LoadingState.PARTLY)):
        yield BrokenLoadingRule(LoadingRule.OBJECTIVE)
