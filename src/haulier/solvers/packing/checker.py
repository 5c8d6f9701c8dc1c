"""Independent check of packing plans.

It shares no code with the engines and computes with integers and fractions only. Every plan passes this check before it
is stored or shown, regardless of its origin.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import combinations
from math import ceil

from msgspec import Struct

from haulier.solvers.packing.plan import PackingPlan, PackingRule, PiecePlace, ProofState
from haulier.solvers.packing.problem import CartonKind, PackingPiece, PackingProblem


class BrokenRule(Struct, frozen=True):
    """One broken rule with its pieces (ids) and carton (number in the plan)."""

    rule: PackingRule
    pieces: tuple[str, ...] = ()
    carton: int | None = None


Corner = tuple[int, int, int]


class _Box(Struct, frozen=True):
    """A placed piece: `low` and `high` are corners of its cushion, `own` of the piece."""

    piece: PackingPiece
    may_lie_so: bool
    low: Corner
    high: Corner
    own: tuple[Corner, Corner]


def check_plan(problem: PackingProblem, plan: PackingPlan) -> list[BrokenRule]:
    """Return every broken rule of a plan; empty if the plan is valid.

    An infeasible plan has no placements and breaks no rule.
    """
    if plan.state == ProofState.INFEASIBLE and not plan.placements and not plan.cartons:
        return []
    broken = list(_check_inventory(problem, plan))
    pieces = {piece.id: piece for piece in problem.pieces}
    kinds = {kind.id: kind for kind in problem.cartons}
    contents: dict[int, list[_Box]] = {number: [] for number in range(len(plan.cartons))}
    for placement in plan.placements:
        if placement.piece in pieces and placement.carton in contents:
            contents[placement.carton].append(_box(pieces[placement.piece], placement))
    for number, boxes in contents.items():
        if plan.cartons[number] in kinds:
            broken += _check_carton(problem, kinds[plan.cartons[number]], number, boxes)
    return [*broken, *_check_groups(problem, plan), *_check_objective(problem, plan, kinds)]


def _box(piece: PackingPiece, placement: PiecePlace) -> _Box:
    edge = {"l": piece.size[0], "w": piece.size[1], "h": piece.size[2]}
    x, y, z = placement.x, placement.y, placement.z
    a, b, c = placement.turn.value
    high, wide = (x + edge[a], y + edge[b], z + edge[c]), piece.cushion
    around = ((x - wide, y - wide, z - wide), (high[0] + wide, high[1] + wide, high[2] + wide))
    return _Box(piece, placement.turn in piece.turns, *around, ((x, y, z), high))


def _check_inventory(problem: PackingProblem, plan: PackingPlan) -> Iterator[BrokenRule]:
    """Check that each piece is packed once, and cartons are known, used and in stock."""
    known, stock = {piece.id for piece in problem.pieces}, {kind.id: kind.stock for kind in problem.cartons}
    times = Counter(placement.piece for placement in plan.placements)
    for piece, count in times.items():
        if piece not in known:
            yield BrokenRule(PackingRule.UNKNOWN, (piece,))
        elif count > 1:
            yield BrokenRule(PackingRule.TWICE, (piece,))
    yield from (BrokenRule(PackingRule.MISSING, (piece.id,)) for piece in problem.pieces if piece.id not in times)
    used = {placement.carton for placement in plan.placements}
    for number in sorted(used - set(range(len(plan.cartons)))):
        yield BrokenRule(PackingRule.UNKNOWN, carton=number)
    for number, kind in enumerate(plan.cartons):
        if kind not in stock:
            yield BrokenRule(PackingRule.UNKNOWN, carton=number)
        if number not in used:
            yield BrokenRule(PackingRule.EMPTY, carton=number)
    for kind, count in Counter(plan.cartons).items():
        most = stock.get(kind)
        if most is not None and count > most:
            yield BrokenRule(PackingRule.STOCK, carton=plan.cartons.index(kind))


def _check_carton(
    problem: PackingProblem, kind: CartonKind, number: int, boxes: Sequence[_Box]
) -> Iterator[BrokenRule]:
    inner_volume = kind.inner[0] * kind.inner[1] * kind.inner[2]
    packed = sum(box.piece.size[0] * box.piece.size[1] * box.piece.size[2] for box in boxes)
    everything = tuple(box.piece.id for box in boxes)
    if packed * 100 > problem.fill_cap_percent * inner_volume:
        yield BrokenRule(PackingRule.FILL, everything, number)
    if sum(box.piece.weight_g for box in boxes) + _filling(problem, inner_volume - packed)[0] > kind.payload_g:
        yield BrokenRule(PackingRule.PAYLOAD, everything, number)
    yield from _check_boxes(problem, kind, number, boxes)
    yield from _check_support(problem, number, boxes)
    yield from _check_bearing(number, boxes)


def _check_boxes(problem: PackingProblem, kind: CartonKind, number: int, boxes: Sequence[_Box]) -> Iterator[BrokenRule]:
    """Check positions, orientations, cushions, overlaps and goods to keep apart."""
    for box in boxes:
        if not _is_inside(*box.own, kind, 0):
            yield BrokenRule(PackingRule.INSIDE, (box.piece.id,), number)
        elif not _is_inside(box.low, box.high, kind, problem.wall_cushion):
            yield BrokenRule(PackingRule.CUSHION, (box.piece.id,), number)
        if not box.may_lie_so:
            yield BrokenRule(PackingRule.ORIENTATION, (box.piece.id,), number)
    for one, other in combinations(boxes, 2):
        if _overlap(one.own, other.own):
            yield BrokenRule(PackingRule.OVERLAP, (one.piece.id, other.piece.id), number)
        elif _overlap((one.low, one.high), (other.low, other.high)):
            yield BrokenRule(PackingRule.CUSHION, (one.piece.id, other.piece.id), number)
        if one.piece.goods and other.piece.goods and _are_apart(problem, one.piece.goods, other.piece.goods):
            yield BrokenRule(PackingRule.APART, (one.piece.id, other.piece.id), number)


def _filling(problem: PackingProblem, void: int) -> tuple[Fraction, Fraction]:
    """Return the weight (g) and cost (cents) of void fill for a volume."""
    if problem.filling is None:
        return Fraction(0), Fraction(0)
    units = Fraction(max(0, void), problem.filling.unit_mm3)
    return units * problem.filling.unit_g, units * problem.filling.unit_cents


def _is_inside(low: Corner, high: Corner, kind: CartonKind, margin: int) -> bool:
    return min(low) >= margin and all(end + margin <= most for end, most in zip(high, kind.inner, strict=True))


def _overlap(one: tuple[Corner, Corner], other: tuple[Corner, Corner]) -> bool:
    return all(one[0][axis] < other[1][axis] and other[0][axis] < one[1][axis] for axis in range(3))


def _are_apart(problem: PackingProblem, one: str, other: str) -> bool:
    return (one, other) in problem.apart or (other, one) in problem.apart


def _contacts(box: _Box, boxes: Sequence[_Box]) -> list[tuple[_Box, tuple[int, int, int, int]]]:
    """Return the boxes directly below, with contact rectangles (x0, y0, x1, y1)."""
    found: list[tuple[_Box, tuple[int, int, int, int]]] = []
    for below in boxes:
        x0, y0 = max(box.low[0], below.low[0]), max(box.low[1], below.low[1])
        x1, y1 = min(box.high[0], below.high[0]), min(box.high[1], below.high[1])
        if below.high[2] == box.low[2] and x0 < x1 and y0 < y1:
            found.append((below, (x0, y0, x1, y1)))
    return found


def _area(rectangle: tuple[int, int, int, int]) -> int:
    return (rectangle[2] - rectangle[0]) * (rectangle[3] - rectangle[1])


def _check_support(problem: PackingProblem, number: int, boxes: Sequence[_Box]) -> Iterator[BrokenRule]:
    """Check that enough of each base is supported, with its centre above the supports."""
    percent = problem.support_percent
    for box in boxes:
        if not percent or box.low[2] == problem.wall_cushion:
            continue
        base = (box.low[0], box.low[1], box.high[0], box.high[1])
        rectangles = [rectangle for _, rectangle in _contacts(box, boxes)]
        # The sum equals the union: boxes at one height do not overlap, or `overlap` is broken anyway.
        resting = sum(map(_area, rectangles))
        if resting * 100 < percent * _area(base) or not _is_above(base, rectangles):
            yield BrokenRule(PackingRule.SUPPORT, (box.piece.id,), number)


def _is_above(base: tuple[int, int, int, int], rectangles: Sequence[tuple[int, int, int, int]]) -> bool:
    """Return True if the centre of a base is inside the convex hull of rectangles.

    Lengths are doubled to stay integers.
    """
    middle = (base[0] + base[2], base[1] + base[3])
    corners = sorted({(2 * x, 2 * y) for x0, y0, x1, y1 in rectangles for x in (x0, x1) for y in (y0, y1)})

    def turns_right(a: tuple[int, int], b: tuple[int, int], c: tuple[int, int]) -> bool:
        return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]) < 0

    def half(points: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
        line: list[tuple[int, int]] = []
        for point in points:
            while len(line) > 1 and not turns_right(line[-2], point, line[-1]):
                line.pop()
            line.append(point)
        return line[:-1]

    hull = [*half(corners), *half(corners[::-1])]
    return not any(turns_right(a, b, middle) for a, b in zip(hull, [*hull[1:], *hull[:1]], strict=True))


def _check_bearing(number: int, boxes: Sequence[_Box]) -> Iterator[BrokenRule]:
    """Check load-bearing limits; weight passes down in proportion to contact areas."""
    on_top = {box.piece.id: Fraction(0) for box in boxes}
    for box in sorted(boxes, key=lambda each: -each.low[2]):
        contacts = _contacts(box, boxes)
        total = sum(_area(rectangle) for _, rectangle in contacts)
        for below, rectangle in contacts:
            on_top[below.piece.id] += (box.piece.weight_g + on_top[box.piece.id]) * Fraction(_area(rectangle), total)
    for box in boxes:
        if box.piece.bears_g is not None and on_top[box.piece.id] > box.piece.bears_g:
            yield BrokenRule(PackingRule.BEARING, (box.piece.id,), number)


def _check_groups(problem: PackingProblem, plan: PackingPlan) -> Iterator[BrokenRule]:
    """Check that pieces of a group share one carton."""
    carton = {placement.piece: placement.carton for placement in plan.placements}
    groups: dict[str, list[str]] = {}
    for piece in problem.pieces:
        if piece.together is not None and piece.id in carton:
            groups.setdefault(piece.together, []).append(piece.id)
    for pieces in groups.values():
        if len({carton[piece] for piece in pieces}) > 1:
            yield BrokenRule(PackingRule.TOGETHER, tuple(pieces))


def _check_objective(problem: PackingProblem, plan: PackingPlan, kinds: dict[str, CartonKind]) -> Iterator[BrokenRule]:
    """Check the stated objective, and that it is not below the bound."""
    used = [kinds[kind] for kind in plan.cartons if kind in kinds]
    volume = sum(kind.outer[0] * kind.outer[1] * kind.outer[2] for kind in used)
    void = sum(kind.inner[0] * kind.inner[1] * kind.inner[2] for kind in used)
    void -= sum(piece.size[0] * piece.size[1] * piece.size[2] for piece in problem.pieces)
    cost = sum(kind.cost_cents for kind in used) + ceil(_filling(problem, void)[1])
    sums = (volume, len(used), cost)
    wrong = plan.objective is not None and plan.objective != sums
    too_low = plan.bound is not None and plan.bound > sums
    unproved = plan.state == ProofState.OPTIMAL and plan.bound is not None and plan.bound != sums
    if len(used) == len(plan.cartons) and (wrong or too_low or unproved):
        yield BrokenRule(PackingRule.OBJECTIVE)
