"""Shift of a load along and across its space to satisfy axle and balance limits.

The limits hold at departure and after every stop. Shifting a whole load changes moments linearly, so the valid
distances form an interval, computed exactly.
"""

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from math import ceil, floor

from haulier.solvers.loading.prepared import PieceKind
from haulier.solvers.loading.problem import Axle, Axles, Balance, Box, LoadSpace

Placed = tuple[PieceKind, Box]
Span = tuple[Fraction, Fraction]
Moment = tuple[int, Fraction, Fraction]
"""A weight and its moments along x and y."""


def find_shift(space: LoadSpace, placed: Sequence[Placed]) -> tuple[int, int] | None:
    """Return the shift along x and y closest to the target; None if no shift is valid.

    A load stays in place in a space with obstacles or with pieces reached from the doors.
    """
    if not placed:
        return 0, 0
    length, width, _ = space.inner
    free_x = (-min(box[0] for _, box in placed), length - max(box[3] for _, box in placed))
    free_y = (-min(box[1] for _, box in placed), width - max(box[4] for _, box in placed))
    if space.obstacles or any(not reach.enters for reach in space.reach):
        free_x = free_y = (0, 0)
    limits = space.balance
    spans_x = [(Fraction(free_x[0]), Fraction(free_x[1]))]
    spans_y = [(Fraction(free_y[0]), Fraction(free_y[1]))]
    for moment in _moments(placed):
        along, across = _spans(space, moment)
        spans_x += along
        spans_y += across
    weight, x, y = next(iter(_moments(placed)))
    # Without balance limits, pieces stay against the front wall, where they cannot slide.
    wanted_x = _middle(limits, 0, length) - x / weight if limits and weight else Fraction(0)
    wanted_y = _middle(limits, 1, width) - y / weight if weight and (limits or space.axles) else Fraction(0)
    dx, dy = _nearest(spans_x, wanted_x), _nearest(spans_y, wanted_y)
    return None if dx is None or dy is None else (dx, dy)


def keeps_balance(space: LoadSpace, states: Iterable[Sequence[Placed]]) -> bool:
    """Return True if axles and balance are within limits in every state."""
    return all(low <= 0 <= high for aboard in states for spans in _spans(space, _moment(aboard)) for low, high in spans)


def _spans(space: LoadSpace, moment: Moment) -> tuple[list[Span], list[Span]]:
    """Return the valid shifts along x and y for each axle and for the balance."""
    weight, x, y = moment
    limits = space.balance
    spans_x = list(_axle_spans(space.axles, weight, x)) if space.axles else []
    if not limits or not weight:
        return spans_x, []
    spans_x.append((limits.x_from - x / weight, limits.x_to - x / weight))
    return spans_x, [(limits.y_from - y / weight, limits.y_to - y / weight)]


def distance_from_middle(space: LoadSpace, placed: Sequence[Placed]) -> int:
    """Return the distance of the centre of gravity from the target (mm, x plus y).

    The target is the middle of the balance limits, or of the floor.
    """
    weight, x, y = next(iter(_moments(placed)))
    if not weight:
        return 0
    length, width, _ = space.inner
    return round(
        abs(x / weight - _middle(space.balance, 0, length)) + abs(y / weight - _middle(space.balance, 1, width))
    )


def _moments(placed: Sequence[Placed]) -> Iterator[Moment]:
    """Yield the weight and its moments at departure and after each stop but the last."""
    stops = sorted({kind.piece.stop for kind, _ in placed})
    for after in (None, *stops[:-1]):
        yield _moment([each for each in placed if after is None or each[0].piece.stop > after])


def _moment(aboard: Sequence[Placed]) -> Moment:
    weighed = [(kind.piece.weight_g, box) for kind, box in aboard]
    x = sum(weight * (box[0] + box[3]) for weight, box in weighed)
    y = sum(weight * (box[1] + box[4]) for weight, box in weighed)
    return sum(weight for weight, _ in weighed), Fraction(x, 2), Fraction(y, 2)


def _middle(limits: Balance | None, axis: int, length: int) -> Fraction:
    if limits is None:
        return Fraction(length, 2)
    ends = (limits.x_from, limits.x_to) if axis == 0 else (limits.y_from, limits.y_to)
    return Fraction(sum(ends), 2)


def _axle_spans(axles: Axles, weight: int, moment: Fraction) -> Iterator[Span]:
    """Yield the valid shifts for each axle."""
    front, rear = axles.front, axles.rear
    base = rear.position_mm - front.position_mm
    on_rear, slope = (moment - weight * front.position_mm) / base, Fraction(weight, base)
    yield _span(rear, on_rear + rear.tare_g, slope)
    on_front = weight - on_rear + front.tare_g
    yield _span(front, on_front, -slope)
    if axles.tractor:
        first, last = axles.tractor
        share = Fraction(front.position_mm - first.position_mm, last.position_mm - first.position_mm)
        yield _span(last, last.tare_g + on_front * share, -slope * share)
        yield _span(first, first.tare_g + on_front * (1 - share), -slope * (1 - share))


def _span(axle: Axle, weight: Fraction, slope: Fraction) -> Span:
    """Return the distances d with least <= weight + slope * d <= limit."""
    if not slope:
        wide = Fraction(10**9)
        return (-wide, wide) if axle.least_g <= weight <= axle.limit_g else (wide, -wide)
    ends = sorted(((axle.least_g - weight) / slope, (axle.limit_g - weight) / slope))
    return ends[0], ends[1]


def _nearest(spans: Sequence[Span], wanted: Fraction) -> int | None:
    low, high = ceil(max(span[0] for span in spans)), floor(min(span[1] for span in spans))
    return None if low > high else min(max(round(wanted), low), high)
