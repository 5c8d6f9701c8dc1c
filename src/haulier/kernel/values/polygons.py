"""Polygons in the plane of degrees.

Provides area, winding, self-intersection and containment.

Points are (longitude, latitude), as in GeoJSON. Edges are straight in that plane, as RFC 7946 defines them.
"""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from math import radians, sin

from msgspec import Struct

from haulier.kernel.values.geography import EARTH_RADIUS_M

Point = tuple[float, float]
"""Longitude and latitude in degrees (WGS 84)."""
Ring = Sequence[Point]
"""A closed line whose last point equals the first."""
Edge = tuple[float, float, float, float]
Box = tuple[float, float, float, float]
"""West, south, east, north."""
_EDGES_PER_BAND = 4
"""Target number of edges per band. Measurements showed no gain from narrower bands, which need more memory."""


def is_counterclockwise(ring: Ring) -> bool:
    """Return True if the inside is to the left, as RFC 7946 requires for outer rings."""
    return sum((bx - ax) * (by + ay) for (ax, ay), (bx, by) in pairwise(ring)) < 0


def ring_area_m2(ring: Ring) -> float:
    """Return the area of a ring on the sphere in square metres."""
    total = sum(radians(bx - ax) * (2 + sin(radians(ay)) + sin(radians(by))) for (ax, ay), (bx, by) in pairwise(ring))
    return abs(total) * EARTH_RADIUS_M**2 / 2


def box_around(points: Sequence[Point]) -> Box:
    """Return the bounding box of one or more points."""
    east, north = [x for x, _ in points], [y for _, y in points]
    return min(east), min(north), max(east), max(north)


def find_crossing(rings: Sequence[Ring]) -> Point | None:
    """Return a point of an edge that illegally meets another edge, or None.

    Sweeps the edges from west to east and compares only those that overlap. Neighbouring edges may share a corner.
    """
    edges = sorted(
        (min(a[0], b[0]), max(a[0], b[0]), a, b, number, at, len(ring) - 1)
        for number, ring in enumerate(rings)
        for at, (a, b) in enumerate(pairwise(ring))
    )
    active: list[tuple[float, float, Point, Point, int, int, int]] = []
    for edge in edges:
        west, _, a, b, number, at, count = edge
        active = [other for other in active if other[1] >= west]
        low, high = min(a[1], b[1]), max(a[1], b[1])
        for _, _, c, d, other_number, other_at, _ in active:
            if max(c[1], d[1]) < low or min(c[1], d[1]) > high:
                continue
            neighbours = number == other_number and (at - other_at) % count in (1, count - 1)
            if _fold_back(a, b, c, d) if neighbours else _meet(a, b, c, d):
                return a
        active.append(edge)
    return None


def _side(a: Point, b: Point, c: Point) -> float:
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])


def _is_between(a: Point, b: Point, c: Point) -> bool:
    return min(a[0], b[0]) <= c[0] <= max(a[0], b[0]) and min(a[1], b[1]) <= c[1] <= max(a[1], b[1])


def _meet(a: Point, b: Point, c: Point, d: Point) -> bool:
    """Return True if two edges have a common point."""
    ac, ad, ca, cb = _side(a, b, c), _side(a, b, d), _side(c, d, a), _side(c, d, b)
    if ((ac > 0) != (ad > 0) or ac == 0 or ad == 0) and ((ca > 0) != (cb > 0) or ca == 0 or cb == 0):
        if ac and ad and ca and cb:
            return True
        return (
            (ac == 0 and _is_between(a, b, c))
            or (ad == 0 and _is_between(a, b, d))
            or (ca == 0 and _is_between(c, d, a))
            or (cb == 0 and _is_between(c, d, b))
        )
    return False


def _fold_back(a: Point, b: Point, c: Point, d: Point) -> bool:
    """Return True if two edges with a common corner overlap."""
    shared = b if b == c else a
    own, other = (a, d) if b == c else (b, c)
    return _side(shared, own, other) == 0 and (
        (own[0] - shared[0]) * (other[0] - shared[0]) + (own[1] - shared[1]) * (other[1] - shared[1]) > 0
    )


class PreparedArea(Struct, frozen=True):
    """An area prepared for fast containment checks.

    Its edges are sorted into bands from south to north, and a place is only compared with the edges of its band.
    """

    box: Box
    area_m2: float
    south: float
    band_height: float
    bands: tuple[tuple[Edge, ...], ...]

    def contains(self, x: float, y: float) -> bool:
        """Return True if a place is inside (even-odd rule).

        A place on a shared border is in exactly one of two areas.
        """
        west, south, east, north = self.box
        if not (west <= x <= east and south <= y <= north):
            return False
        band = self.bands[min(int((y - self.south) / self.band_height), len(self.bands) - 1)]
        odd = False
        for ax, ay, bx, by in band:
            if (ay > y) != (by > y):
                odd ^= x < ax + (y - ay) / (by - ay) * (bx - ax)
        return odd


def prepare_area(polygons: Sequence[Sequence[Ring]]) -> PreparedArea:
    """Prepare one or more polygons, each an outer ring with its holes, as one area."""
    edges = [(*a, *b) for rings in polygons for ring in rings for a, b in pairwise(ring) if a[1] != b[1]]
    box = box_around([point for rings in polygons for point in rings[0]])
    count = max(1, len(edges) // _EDGES_PER_BAND)
    height = (box[3] - box[1]) / count or 1.0
    bands: list[list[Edge]] = [[] for _ in range(count)]
    for edge in edges:
        for band in _bands_of(edge, box[1], height, count):
            bands[band].append(edge)
    area = sum(ring_area_m2(rings[0]) - sum(map(ring_area_m2, rings[1:])) for rings in polygons)
    return PreparedArea(box, area, box[1], height, tuple(map(tuple, bands)))


def _bands_of(edge: Edge, south: float, height: float, count: int) -> Iterator[int]:
    low, high = sorted((edge[1], edge[3]))
    first, last = int((low - south) / height), int((high - south) / height)
    # One band more on each side, because places and edges are divided separately and may be rounded differently.
    return iter(range(max(0, first - 1), min(count - 1, last + 1) + 1))
