"""Pictures of packed boxes as page items: isometric, and from above at one height."""

from collections.abc import Sequence

from haulier.rendering.packing_pictures import COLOURS, Corner, PackedPicture, painters_order
from haulier.rendering.page import Item, Polygon, Text

BELOW = "#f3f3f3"
NUMBER, SMALL_NUMBER = 26, 20
SHADES = (1.0, 0.86, 0.72)
"""Brightness of the top, right and left sides of an item."""
Frame = tuple[float, float, float, float]
"""Left, top, width and height in dots."""


def isometric_items(picture: PackedPicture, into: Frame) -> list[Item]:
    """Return an isometric view of a box, as large as it fits.

    Items are numbered by step.
    """
    x, y, z = picture.inner
    left, top, width, height = into
    scale = min(width / ((x + y) * 0.866), height / (z + (x + y) * 0.5))

    def at(point: tuple[float, float, float]) -> tuple[float, float]:
        a, b, c = point
        return left + (y + a - b) * 0.866 * scale, top + (z + (a + b) * 0.5 - c) * scale

    walls = (
        ((0, 0, 0), (x, 0, 0), (x, y, 0), (0, y, 0)),
        ((0, 0, 0), (x, 0, 0), (x, 0, z), (0, 0, z)),
        ((0, 0, 0), (0, y, 0), (0, y, z), (0, 0, z)),
    )
    items: list[Item] = [Polygon([at(corner) for corner in wall], faint=True) for wall in walls]
    colours = colours_of(picture)
    for box in painters_order(picture.boxes):
        faces = zip(_faces(box.low, box.high), SHADES, strict=True)
        items += [Polygon([at(p) for p in face], _shaded(colours[box.colour], shade)) for face, shade in faces]
        middle_x, middle_y = at(((box.low[0] + box.high[0]) / 2, (box.low[1] + box.high[1]) / 2, box.high[2]))
        items.append(Text(middle_x, middle_y + NUMBER / 3, NUMBER, str(box.step), True, "center"))
    return items


def layer_items(picture: PackedPicture, height: int, into: Frame) -> list[Item]:
    """Return a box from above at a height.

    Items that begin there are coloured, lower ones grey.
    """
    x, y, _ = picture.inner
    left, top, width, tall = into
    scale = min(width / x, tall / y)
    colours = colours_of(picture)
    items: list[Item] = [Polygon(_rectangle(left, top, (0, 0), (x, y), scale))]
    for box in picture.boxes:
        if not box.low[2] <= height < box.high[2]:
            continue
        begins = box.low[2] == height
        shape = _rectangle(left, top, box.low[:2], box.high[:2], scale)
        items.append(Polygon(shape, colours[box.colour] if begins else BELOW, faint=not begins))
        if begins:
            middle = [(shape[0][axis] + shape[2][axis]) / 2 for axis in (0, 1)]
            items.append(Text(middle[0], middle[1] + SMALL_NUMBER / 3, SMALL_NUMBER, str(box.step), True, "center"))
    return items


def layer_heights(picture: PackedPicture) -> list[int]:
    """Return the heights at which items begin, in ascending order."""
    return sorted({box.low[2] for box in picture.boxes})


def colours_of(picture: PackedPicture) -> dict[str, str]:
    """Return a colour for each colour key."""
    words = dict.fromkeys(box.colour for box in picture.boxes)
    return {word: COLOURS[number % len(COLOURS)] for number, word in enumerate(words)}


def _faces(low: Corner, high: Corner) -> Sequence[Sequence[Corner]]:
    """Return the three visible faces: the top and two sides."""
    (x0, y0, z0), (x1, y1, z1) = low, high
    return (
        ((x0, y0, z1), (x1, y0, z1), (x1, y1, z1), (x0, y1, z1)),
        ((x1, y0, z0), (x1, y1, z0), (x1, y1, z1), (x1, y0, z1)),
        ((x0, y1, z0), (x1, y1, z0), (x1, y1, z1), (x0, y1, z1)),
    )


def _shaded(colour: str, shade: float) -> str:
    return "#" + "".join(f"{round(int(colour[at : at + 2], 16) * shade):02x}" for at in (1, 3, 5))


def _rectangle(
    left: float, top: float, low: Sequence[int], high: Sequence[int], scale: float
) -> list[tuple[float, float]]:
    x0, y0, x1, y1 = left + low[0] * scale, top + low[1] * scale, left + high[0] * scale, top + high[1] * scale
    return [(x0, y0), (x1, y0), (x1, y1), (x0, y1)]
