"""Land and sea of a rectangle, from the coastlines that cross it.

Coastlines of OpenStreetMap have the land on their left. Pieces are clipped to the rectangle and closed along its edge,
anticlockwise, which keeps the land on the left. Reversed lines give the sea.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

Point = tuple[float, float]
Ring = list[Point]
Box = tuple[float, float, float, float]
Polygon = list[Ring]


def split_land_and_sea(box: Box, coastlines: Iterable[Sequence[Point]]) -> tuple[list[Polygon], list[Polygon]]:
    """Return the polygons of land and of sea, each as its outer ring and holes."""
    pieces = [piece for line in _joined(coastlines) for piece in _clipped(box, _stretched(box, line))]
    lines = [piece for piece in pieces if piece[0] != piece[-1]]
    rings = [piece for piece in pieces if piece[0] == piece[-1] and len(piece) > 3]
    islands, basins = [ring for ring in rings if _area(ring) > 0], [ring for ring in rings if _area(ring) <= 0]
    if lines:
        land, sea = _closed(box, lines), _closed(box, [line[::-1] for line in lines])
    elif islands:
        land, sea = [], [_box_ring(box)]
    else:
        land, sea = [_box_ring(box)], []
    return _with_holes([*land, *islands], basins), _with_holes([*sea, *(ring[::-1] for ring in basins)], islands)


def _box_ring(box: Box) -> Ring:
    west, south, east, north = box
    return [(west, south), (east, south), (east, north), (west, north), (west, south)]


def _area(ring: Sequence[Point]) -> float:
    return sum(a[0] * b[1] - b[0] * a[1] for a, b in pairwise(ring)) / 2


def _joined(lines: Iterable[Sequence[Point]]) -> list[Ring]:
    """Join pieces where one ends and another begins."""
    by_start = {line[0]: list(line) for line in lines if len(line) > 1}
    ends = {line[-1] for line in by_start.values()}
    first = [start for start in by_start if start not in ends]
    joined: list[Ring] = []
    for start in [*first, *by_start]:
        line = by_start.pop(start, None)
        if line is None:
            continue
        while line[-1] in by_start:
            line += by_start.pop(line[-1])[1:]
        joined.append(line)
    return joined


def _stretched(box: Box, line: Ring) -> Ring:
    """Lengthen a line that ends inside the rectangle to the nearest edge."""
    if line[0] == line[-1]:
        return _from_outside(box, line)
    before = [_nearest_edge(box, line[0])] if _is_inside(box, line[0]) else []
    after = [_nearest_edge(box, line[-1])] if _is_inside(box, line[-1]) else []
    return [*before, *line, *after]


def _from_outside(box: Box, ring: Ring) -> Ring:
    """Rotate a ring so that it begins outside the rectangle, if it leaves it."""
    at = next((at for at, point in enumerate(ring) if not _is_inside(box, point)), 0)
    return [*ring[at:-1], *ring[: at + 1]]


def _is_inside(box: Box, point: Point) -> bool:
    return box[0] < point[0] < box[2] and box[1] < point[1] < box[3]


def _nearest_edge(box: Box, point: Point) -> Point:
    x, y = point
    west, south, east, north = box
    return min((x - west, (west, y)), (east - x, (east, y)), (y - south, (x, south)), (north - y, (x, north)))[1]


def _clipped(box: Box, line: Sequence[Point]) -> Iterator[Ring]:
    """Yield the pieces of a line inside the rectangle."""
    piece: Ring = []
    for a, b in pairwise(line):
        part = _clipped_segment(box, a, b)
        if part is None:
            continue
        if piece and piece[-1] != part[0]:
            yield piece
            piece = []
        piece = [*piece, part[1]] if piece else [part[0], part[1]]
        if part[1] != b:
            yield piece
            piece = []
    if len(piece) > 1:
        yield piece


def _clipped_segment(box: Box, a: Point, b: Point) -> tuple[Point, Point] | None:
    """Return the part of a segment inside the rectangle (Liang and Barsky)."""
    dx, dy = b[0] - a[0], b[1] - a[1]
    enters, leaves = 0.0, 1.0
    for p, q in ((-dx, a[0] - box[0]), (dx, box[2] - a[0]), (-dy, a[1] - box[1]), (dy, box[3] - a[1])):
        if p == 0:
            if q < 0:
                return None
        elif p < 0:
            enters = max(enters, q / p)
        else:
            leaves = min(leaves, q / p)
    if enters >= leaves:
        return None
    start = a if enters == 0 else _on_edge(box, (a[0] + enters * dx, a[1] + enters * dy))
    end = b if leaves == 1 else _on_edge(box, (a[0] + leaves * dx, a[1] + leaves * dy))
    return start, end


def _on_edge(box: Box, point: Point) -> Point:
    """Move a point of the edge exactly onto it."""
    return _nearest_edge(box, (min(max(point[0], box[0]), box[2]), min(max(point[1], box[1]), box[3])))


def _edge_position(box: Box, point: Point) -> float:
    """Return the position on the edge: 0 to 4, anticlockwise from the south-west."""
    x, y = point
    west, south, east, north = box
    across, up = (x - west) / (east - west), (y - south) / (north - south)
    if y == south:
        return across
    if x == east:
        return 1 + up
    return 3 - across if y == north else 4 - up


def _closed(box: Box, lines: Sequence[Ring]) -> list[Ring]:
    """Close lines along the edge, anticlockwise from an end to the next beginning."""
    starts = sorted((_edge_position(box, line[0]), at) for at, line in enumerate(lines))
    left = set(range(len(lines)))
    rings: list[Ring] = []
    while left:
        first = at = min(left)
        ring: Ring = []
        while at in left:
            left.discard(at)
            ring += lines[at]
            end = _edge_position(box, lines[at][-1])
            position, at = min(starts, key=lambda start: (start[0] - end) % 4)
            ring += _corners(box, end, (position - end) % 4)
        if at == first and len(ring) > 2:
            rings.append([*ring, ring[0]])
    return rings


def _corners(box: Box, start: float, length: float) -> list[Point]:
    """Return the corners within a length of the edge, anticlockwise."""
    ring = _box_ring(box)[:4]
    first = int(start) + 1
    return [ring[corner % 4] for corner in range(first, first + 4) if corner < start + length]


def _with_holes(outers: Sequence[Ring], holes: Sequence[Ring]) -> list[Polygon]:
    polygons: list[Polygon] = [[ring] for ring in outers]
    for hole in holes:
        around = [polygon for polygon in polygons if _contains(polygon[0], hole[0])]
        if around:
            min(around, key=lambda polygon: abs(_area(polygon[0]))).append(hole)
    return polygons


def _contains(ring: Sequence[Point], point: Point) -> bool:
    x, y = point
    crossings = sum(
        (a[1] > y) != (b[1] > y) and x < (b[0] - a[0]) * (y - a[1]) / (b[1] - a[1]) + a[0] for a, b in pairwise(ring)
    )
    return crossings % 2 == 1
