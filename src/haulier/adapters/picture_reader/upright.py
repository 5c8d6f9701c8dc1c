"""Orientation of a label from its lines of text, and their upright positions."""

import math
from collections.abc import Sequence
from statistics import median

from haulier.contexts.documents.ports import PictureBox

Corner = tuple[float, float]
Corners = Sequence[Corner]
Edges = tuple[float, float, float, float]
"""Left, top, right, bottom."""
TALL = 1.5
"""Ratio of height to width from which a box contains a vertical line."""


def box_of(corners: Corners, width: float, height: float) -> PictureBox:
    """Return the bounding box of the corners, as fractions of the image size."""
    left, top, right, bottom = _around(corners)
    left, right = (min(max(value / width, 0.0), 1.0) for value in (left, right))
    top, bottom = (min(max(value / height, 0.0), 1.0) for value in (top, bottom))
    return PictureBox(round(left, 4), round(top, 4), round(right - left, 4), round(bottom - top, 4))


def lies_on_its_side(boxes: Sequence[Corners]) -> bool:
    """Return True if most lines are vertical, weighted by length."""
    tall = sum(_length(box) for box in boxes if is_tall(box))
    return tall > sum(_length(box) for box in boxes if not is_tall(box))


def is_upside_down(boxes: Sequence[Corners], turned: Sequence[bool], *, sideways: bool) -> bool:
    """Return True if most lines are upside down, weighted by length.

    Vertical lines are first turned to the left.
    """
    votes = [(_length(box), each) for box, each in zip(boxes, turned, strict=True) if is_tall(box) == sideways]
    return sum(length for length, each in votes if each) > sum(length for length, each in votes if not each)


def upright_edges(
    boxes: Sequence[Corners], width: float, height: float, *, sideways: bool, upside_down: bool
) -> list[Edges]:
    """Return the edges of each box in the upright, deskewed image."""
    turned = [[_turn(corner, width, height, sideways, upside_down) for corner in box] for box in boxes]
    slopes = [slope for box in turned if (slope := _slope(box)) is not None]
    slope = median(slopes) if slopes else 0.0
    cos, sin = math.cos(-slope), math.sin(-slope)
    return [_line_edges([(x * cos - y * sin, x * sin + y * cos) for x, y in box]) for box in turned]


def _line_edges(corners: Corners) -> Edges:
    """Return the edges of a nearly horizontal line.

    Averages neighbouring corners, so that a remaining slope does not increase the height.
    """
    xs, ys = sorted(x for x, _ in corners), sorted(y for _, y in corners)
    return (xs[0] + xs[1]) / 2, (ys[0] + ys[1]) / 2, (xs[2] + xs[3]) / 2, (ys[2] + ys[3]) / 2


def _turn(corner: Corner, width: float, height: float, sideways: bool, upside_down: bool) -> Corner:
    x, y = corner
    if sideways:
        return (height - y, x) if upside_down else (y, width - x)
    return (width - x, height - y) if upside_down else (x, y)


def _slope(box: Corners) -> float | None:
    """Return the angle of a line in radians, or None if it is too short."""
    left, top, right, bottom = _around(box)
    if right - left < 2 * (bottom - top):
        return None
    corners = sorted(box)
    west, east = corners[:2], corners[2:]
    dx = (east[0][0] + east[1][0] - west[0][0] - west[1][0]) / 2
    dy = (east[0][1] + east[1][1] - west[0][1] - west[1][1]) / 2
    return math.atan2(dy, dx)


def is_tall(box: Corners) -> bool:
    """Return True if a line is vertical."""
    (a, b, c, _) = box
    return math.dist(b, c) >= TALL * math.dist(a, b)


def _length(box: Corners) -> float:
    (a, b, c, _) = box
    return max(math.dist(a, b), math.dist(b, c))


def _around(corners: Corners) -> Edges:
    xs, ys = [x for x, _ in corners], [y for _, y in corners]
    return min(xs), min(ys), max(xs), max(ys)
