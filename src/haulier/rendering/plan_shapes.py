"""Items of a plan as shapes: isometric, and layer by layer from above.

Lengths are in millimetres.

A page draws all items once, sorted back to front, and shows those that are present at a step. Any subset keeps a
valid order.
"""

from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import replace

from haulier.rendering.packing_pictures import Corner, DrawnPiece, painters_order

WIDE = 1000
"""Width of a drawing in its own units. Coordinates are integers."""
MARGIN = 12
LAYER_WIDE = 500
COS, SIN = 0.866, 0.5


class PieceShape(Struct, frozen=True, kw_only=True):
    """Shapes of an item in a drawing, and the position of its number."""

    step: int
    """Packing step; 0 for fixed objects."""
    outline: str
    """Path of the visible outline."""
    sides: tuple[str, ...] = ()
    """Paths of the shaded sides, the darker one last."""
    at: tuple[int, int]
    size: int
    """Maximum size of its number."""
    begins_here: bool = True
    """True if it begins in this layer, False if it extends from below."""


class Drawing(Struct, frozen=True, kw_only=True):
    """A cargo space or one of its layers."""

    wide: int
    high: int
    back: tuple[str, ...]
    """Paths behind the items."""
    front: tuple[str, ...]
    """Paths in front of the items."""
    shapes: tuple[PieceShape, ...]
    height_mm: int = 0
    """Height of a layer above the floor."""


def isometric_drawing(inner: Corner, boxes: Sequence[DrawnPiece]) -> Drawing:
    """Return a cargo space from above its rear right corner.

    The rear door is on the left.
    """
    x, y, z = inner
    scale = (WIDE - 2 * MARGIN) / ((x + y) * COS)

    def at(a: float, b: float, c: float) -> tuple[int, int]:
        return (
            round(MARGIN + (x + b - a) * COS * scale),
            round(MARGIN + (z + (a + b) * SIN - c) * scale),
        )

    floor = _path(at(0, 0, 0), at(x, 0, 0), at(x, y, 0), at(0, y, 0))
    walls = (
        _path(at(0, 0, 0), at(x, 0, 0), at(x, 0, z), at(0, 0, z)),
        _path(at(0, 0, 0), at(0, y, 0), at(0, y, z), at(0, 0, z)),
    )
    front = (_path(at(x, 0, z), at(x, y, z), at(0, y, z), closed=False), _path(at(x, y, 0), at(x, y, z), closed=False))
    shapes: list[PieceShape] = []
    for box in painters_order(boxes):
        (x0, y0, z0), (x1, y1, z1) = box.low, box.high
        middle = at((x0 + x1) / 2, (y0 + y1) / 2, z1)
        shapes.append(
            PieceShape(
                step=box.step,
                outline=_path(
                    at(x0, y0, z1), at(x1, y0, z1), at(x1, y0, z0), at(x1, y1, z0), at(x0, y1, z0), at(x0, y1, z1)
                ),
                sides=(
                    _path(at(x1, y0, z0), at(x1, y1, z0), at(x1, y1, z1), at(x1, y0, z1)),
                    _path(at(x0, y1, z0), at(x1, y1, z0), at(x1, y1, z1), at(x0, y1, z1)),
                ),
                at=middle,
                size=_letter((x1 - x0) * scale, (y1 - y0) * scale),
            )
        )
    high = round(2 * MARGIN + (z + (x + y) * SIN) * scale)
    return Drawing(wide=WIDE, high=high, back=(floor, *walls), front=front, shapes=tuple(shapes))


def layer_drawings(inner: Corner, boxes: Sequence[DrawnPiece]) -> list[Drawing]:
    """Return a cargo space from above, once per height at which an item begins.

    Includes items that extend from below. The front wall is on the left, the left wall at the bottom.
    """
    x, y, _ = inner
    scale = (LAYER_WIDE - 2 * MARGIN) / x
    floor = _path(*_rectangle(0, 0, x, y, scale))
    drawings: list[Drawing] = []
    for height in sorted({box.low[2] for box in boxes if box.step}):
        shapes = [
            _from_above(_flipped(box, y), scale, begins_here=box.low[2] == height)
            for box in sorted(boxes, key=lambda each: each.low[2] == height)
            if box.low[2] <= height < box.high[2]
        ]
        high = round(y * scale) + 2 * MARGIN
        drawings.append(
            Drawing(wide=LAYER_WIDE, high=high, back=(floor,), front=(), shapes=tuple(shapes), height_mm=height)
        )
    return drawings


def _from_above(box: DrawnPiece, scale: float, *, begins_here: bool) -> PieceShape:
    (x0, y0, _), (x1, y1, _) = box.low, box.high
    return PieceShape(
        step=box.step,
        outline=_path(*_rectangle(x0, y0, x1, y1, scale)),
        at=(round(MARGIN + (x0 + x1) / 2 * scale), round(MARGIN + (y0 + y1) / 2 * scale)),
        size=_letter((x1 - x0) * scale, (y1 - y0) * scale),
        begins_here=begins_here,
    )


def _flipped(box: DrawnPiece, width: int) -> DrawnPiece:
    """Return an item with y measured from the other wall.

    The second axis of a picture points down.
    """
    low, high = box.low, box.high
    return replace(box, low=(low[0], width - high[1], low[2]), high=(high[0], width - low[1], high[2]))


def _rectangle(x0: float, y0: float, x1: float, y1: float, scale: float) -> list[tuple[int, int]]:
    corners = ((x0, y0), (x1, y0), (x1, y1), (x0, y1))
    return [(round(MARGIN + a * scale), round(MARGIN + b * scale)) for a, b in corners]


def _letter(wide: float, deep: float) -> int:
    """Return the maximum size of a number on a side of an item."""
    return max(9, min(24, round(min(wide, deep) * 0.6)))


def _path(*points: tuple[int, int], closed: bool = True) -> str:
    return "M" + " ".join(f"{a} {b}" for a, b in points) + ("z" if closed else "")
