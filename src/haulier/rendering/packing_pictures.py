"""SVG pictures of packed boxes: isometric and layer by layer from above.

Lengths are in millimetres.
"""

from collections.abc import Callable, Sequence
from html import escape
from itertools import combinations

from msgspec import Struct

Corner = tuple[int, int, int]

Project = Callable[[tuple[float, float, float]], tuple[float, float]]
"""Projection of a point in the box to the picture."""

COLOURS = ("#9ecae1", "#fdd0a2", "#c7e9c0", "#dadaeb", "#fcbba1", "#d9d9d9", "#c6dbef", "#fee391", "#ccebc5", "#f2b6d5")
"""Light colours, so that black numbers are readable on all of them."""
INK, FAINT = "#222222", "#999999"
PICTURE_PX = 640
"""Approximate length of a picture's longest side."""
CAPTION_PX = 26


class DrawnPiece(Struct, frozen=True):
    """An item and its place. Items with the same `colour` key share a colour."""

    step: int
    name: str
    colour: str
    low: Corner
    high: Corner
    time: int | None = None
    """Items of different times are never shown together; None for items that are always shown."""


class PackedPicture(Struct, frozen=True):
    """A box and its contents."""

    title: str
    inner: Corner
    boxes: tuple[DrawnPiece, ...]


def draw_isometric(picture: PackedPicture) -> str:
    """Draw a box seen from above its far corner, where x and y end.

    Items are numbered by step.

    y runs to the right and x to the left, so that a vehicle is not mirrored.
    """
    x, y, z = picture.inner
    scale = PICTURE_PX / (x + y + z)
    left, up = x * 0.866 * scale, z * scale

    def at(point: tuple[float, float, float]) -> tuple[float, float]:
        a, b, c = point
        return left + (b - a) * 0.866 * scale, up + ((a + b) * 0.5 - c) * scale

    wide, high = (x + y) * 0.866 * scale, up + (x + y) * 0.5 * scale
    colours = _colours(picture)
    parts = [_line(at(a), at(b)) for a, b in _edges(picture.inner) if not _is_front(a, b, picture.inner)]
    for box in painters_order(picture.boxes):
        parts += _solid(box, at, colours[box.colour])
    parts += [_line(at(a), at(b), dashed=True) for a, b in _edges(picture.inner) if _is_front(a, b, picture.inner)]
    return _svg(picture.title, wide, high, parts)


def draw_layers(picture: PackedPicture) -> str:
    """Draw a box from above, once per height at which an item begins.

    Lower items are faint.

    x runs to the right and y up, so that a vehicle is not mirrored.
    """
    x, y, _ = picture.inner
    scale = PICTURE_PX / max(x, y)
    colours = _colours(picture)
    parts: list[str] = []
    top = 0.0
    for height in sorted({box.low[2] for box in picture.boxes}):
        parts.append(f'<text x="0" y="{top + 18:.1f}" font-size="15" fill="{INK}">z = {height} mm</text>')
        top += CAPTION_PX
        parts.append(_rectangle(0, top, x * scale, y * scale, "none", INK))
        for box in picture.boxes:
            if box.low[2] <= height < box.high[2]:
                lower = top + (y - box.high[1]) * scale
                parts += _seen_from_above(box, lower, scale, colours[box.colour] if box.low[2] == height else None)
        top += y * scale + CAPTION_PX / 2
    return _svg(picture.title, x * scale, top, parts)


def painters_order(boxes: Sequence[DrawnPiece]) -> list[DrawnPiece]:
    """Sort items back to front, so that each is painted after those behind it.

    Of two items that overlap in the picture, one lies behind the other along at least one axis.
    """
    before: dict[int, set[int]] = {number: set() for number in range(len(boxes))}
    for i, j in combinations(range(len(boxes)), 2):
        if _are_seen_together(boxes[i], boxes[j]) and _meet_in_picture(boxes[i], boxes[j]):
            behind = any(boxes[i].high[axis] <= boxes[j].low[axis] for axis in range(3))
            before[j if behind else i].add(i if behind else j)
    ordered: list[DrawnPiece] = []
    waiting = sorted(before, key=lambda number: (sum(boxes[number].low), number))
    while waiting:
        # Take the first if none is free: items that cover each other in a cycle have no correct order.
        number = next((each for each in waiting if not before[each]), waiting[0])
        waiting.remove(number)
        ordered.append(boxes[number])
        for others in before.values():
            others.discard(number)
    return ordered


def _are_seen_together(one: DrawnPiece, other: DrawnPiece) -> bool:
    return one.time is None or other.time is None or one.time == other.time


def _meet_in_picture(one: DrawnPiece, other: DrawnPiece) -> bool:
    return all(
        one.low[a] - one.high[b] < other.high[a] - other.low[b]
        and other.low[a] - other.high[b] < one.high[a] - one.low[b]
        for a, b in ((0, 1), (0, 2), (1, 2))
    )


def _colours(picture: PackedPicture) -> dict[str, str]:
    words = dict.fromkeys(box.colour for box in picture.boxes)
    return {word: COLOURS[number % len(COLOURS)] for number, word in enumerate(words)}


def _solid(box: DrawnPiece, at: Project, colour: str) -> list[str]:
    (x0, y0, z0), (x1, y1, z1) = box.low, box.high
    faces = (
        (colour, "1", ((x0, y0, z1), (x1, y0, z1), (x1, y1, z1), (x0, y1, z1))),
        (colour, "0.85", ((x1, y0, z0), (x1, y1, z0), (x1, y1, z1), (x1, y0, z1))),
        (colour, "0.7", ((x0, y1, z0), (x1, y1, z0), (x1, y1, z1), (x0, y1, z1))),
    )
    parts = ["<g>", f"<title>{escape(f'{box.step}. {box.name}')}</title>"]
    for fill, light, points in faces:
        where = " ".join(f"{a:.1f},{b:.1f}" for a, b in map(at, points))
        # Paint grey below the translucent side faces, which darkens them and hides items behind.
        parts.append(f'<polygon points="{where}" fill="#555555" stroke="{INK}"/>')
        parts.append(f'<polygon points="{where}" fill="{fill}" fill-opacity="{light}" stroke="{INK}"/>')
    a, b = at(((x0 + x1) / 2, (y0 + y1) / 2, z1))
    parts += [_number(a, b, box.step), "</g>"]
    return parts


def _seen_from_above(box: DrawnPiece, top: float, scale: float, colour: str | None) -> list[str]:
    x, y = box.low[0] * scale, top
    wide, deep = (box.high[0] - box.low[0]) * scale, (box.high[1] - box.low[1]) * scale
    if colour is None:
        return [_rectangle(x, y, wide, deep, "#f3f3f3", FAINT)]
    title = escape(f"{box.step}. {box.name}")
    shape = _rectangle(x, y, wide, deep, colour, INK)
    return ["<g>", f"<title>{title}</title>", shape, _number(x + wide / 2, y + deep / 2, box.step), "</g>"]


def _number(x: float, y: float, step: int) -> str:
    return f'<text x="{x:.1f}" y="{y + 5:.1f}" font-size="14" text-anchor="middle" fill="#000000">{step}</text>'


def _rectangle(x: float, y: float, wide: float, deep: float, fill: str, stroke: str) -> str:
    place = f'x="{x:.1f}" y="{y:.1f}" width="{wide:.1f}" height="{deep:.1f}"'
    return f'<rect {place} fill="{fill}" stroke="{stroke}"/>'


def _edges(inner: Corner) -> list[tuple[Corner, Corner]]:
    x, y, z = inner
    corners = [(a, b, c) for a in (0, x) for b in (0, y) for c in (0, z)]
    return [(p, q) for p, q in combinations(corners, 2) if sum(i != j for i, j in zip(p, q, strict=True)) == 1]


def _is_front(one: Corner, other: Corner, inner: Corner) -> bool:
    """Return True if an edge of the box is in front of its contents.

    Such an edge touches the nearest corner.
    """
    return inner in (one, other)


def _line(a: tuple[float, float], b: tuple[float, float], *, dashed: bool = False) -> str:
    dashes = ' stroke-dasharray="5 4"' if dashed else ""
    place = f'x1="{a[0]:.1f}" y1="{a[1]:.1f}" x2="{b[0]:.1f}" y2="{b[1]:.1f}"'
    return f'<line {place} stroke="{FAINT}"{dashes}/>'


def _svg(title: str, wide: float, high: float, parts: Sequence[str]) -> str:
    margin = 8
    view = f"{-margin} {-margin} {wide + 2 * margin:.1f} {high + 2 * margin:.1f}"
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{view}" role="img" font-family="sans-serif">'
    ground = f'<rect x="{-margin}" y="{-margin}" width="100%" height="100%" fill="#ffffff"/>'
    return "\n".join((head, f"<title>{escape(title)}</title>", ground, *parts, "</svg>\n"))
