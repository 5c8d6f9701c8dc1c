"""Strict reading of GeoJSON geometries (RFC 7946).

Invalid geometries are refused with a reason. Rings with the wrong winding (RFC 7946, 3.1.6) are reversed, because
older documents use either. Geometries that cross the 180th meridian must be cut there (3.1.9).
"""

from collections.abc import Collection, Mapping, Sequence
from itertools import pairwise
from math import isfinite
from typing import Annotated, Any

from pydantic import AfterValidator, Field
from pydantic_core import PydanticCustomError

from haulier.kernel.values.polygons import Point, PreparedArea, Ring, find_crossing, is_counterclockwise, prepare_area

MAX_VERTICES = 5_000
"""Limit of vertices: a coast line to a few hundred metres. Checking that many takes about 30 ms."""
MAX_AREA_M2 = 20e12
"""More than any country (17 million square kilometres). Larger areas result from swapped coordinates."""
AREAS = frozenset({"Polygon", "MultiPolygon"})
LINES = frozenset({"LineString", "MultiLineString"})
_DEPTHS = {"Point": 0, "LineString": 1, "MultiLineString": 2, "Polygon": 2, "MultiPolygon": 3}
Geometry = dict[str, Any]
"""A geometry object with `type` and `coordinates`."""


def read_geometry(value: Mapping[str, Any], kinds: Collection[str]) -> Geometry:
    """Return a normalized geometry without a third dimension.

    Raises `PydanticCustomError`.
    """
    kind = str(value.get("type"))
    if kind not in kinds:
        raise PydanticCustomError("geometry_kind", "not a geometry of these kinds", {"kinds": ", ".join(sorted(kinds))})
    if value.keys() - {"type", "coordinates", "bbox"}:
        raise PydanticCustomError("geometry_member", "a geometry has a type and coordinates only")
    coordinates, count = _read_positions(value.get("coordinates"), _DEPTHS[kind])
    if count > MAX_VERTICES:
        raise PydanticCustomError("geometry_too_many", "too many corners", {"most": MAX_VERTICES, "count": count})
    if kind in AREAS:
        polygons = [coordinates] if kind == "Polygon" else coordinates
        turned = [_read_polygon(rings) for rings in polygons]
        _require_size(turned)
        coordinates = turned[0] if kind == "Polygon" else turned
    elif kind in LINES:
        for line in [coordinates] if kind == "LineString" else coordinates:
            if len(line) < 2:
                raise PydanticCustomError("geometry_short", "too few places", {"least": 2})
    return {"type": kind, "coordinates": coordinates}


def _read_positions(value: Any, depth: int) -> tuple[Any, int]:
    """Return nested lists of positions, and the number of positions."""
    if not isinstance(value, list) or not value:
        raise PydanticCustomError("geometry_position", "no positions")
    if depth == 0:
        return _read_position(value), 1
    parts = [_read_positions(part, depth - 1) for part in value]
    return [part for part, _ in parts], sum(count for _, count in parts)


def _read_position(value: list[Any]) -> Point:
    numbers = [number for number in value if isinstance(number, int | float) and not isinstance(number, bool)]
    if not 2 <= len(numbers) == len(value) <= 3 or not all(map(isfinite, numbers)):
        raise PydanticCustomError("geometry_position", "a position is two numbers")
    east, north = float(numbers[0]), float(numbers[1])
    if not (-180 <= east <= 180 and -90 <= north <= 90):
        raise PydanticCustomError("geometry_off_earth", "a position is degrees east and degrees north")
    return east, north


def _read_polygon(rings: list[list[Point]]) -> list[list[Point]]:
    for ring in rings:
        if len(ring) < 4:
            raise PydanticCustomError("geometry_short", "too few corners", {"least": 4})
        if ring[0] != ring[-1]:
            raise PydanticCustomError("geometry_open", "a ring ends where it begins")
        if any(abs(b[0] - a[0]) > 180 for a, b in pairwise(ring)):
            raise PydanticCustomError("geometry_over_180", "cut at the 180th meridian")
    rings = [_without_repetitions(ring) for ring in rings]
    if crossing := find_crossing(rings):
        raise PydanticCustomError("geometry_crosses", "crosses itself", {"lng": crossing[0], "lat": crossing[1]})
    outer, *holes = rings
    inside = prepare_area([[outer]]) if holes else None
    if inside and not all(inside.contains(*hole[0]) for hole in holes):
        raise PydanticCustomError("geometry_hole", "a hole is inside its polygon")
    return [_turned(outer, True), *(_turned(hole, False) for hole in holes)]


def _without_repetitions(ring: list[Point]) -> list[Point]:
    """Remove repeated consecutive points from a ring."""
    kept = [point for at, point in enumerate(ring) if at == 0 or point != ring[at - 1]]
    if len(kept) < 4:
        raise PydanticCustomError("geometry_short", "too few corners", {"least": 4})
    return kept


def _turned(ring: list[Point], counterclockwise: bool) -> list[Point]:
    return ring if is_counterclockwise(ring) == counterclockwise else ring[::-1]


def _require_size(polygons: Sequence[Sequence[Ring]]) -> None:
    area = prepare_area(polygons).area_m2
    if not 0 < area <= MAX_AREA_M2:
        raise PydanticCustomError("geometry_size", "too large or flat", {"area": round(area / 1e6)})


def area_of(geometry: Mapping[str, Any]) -> PreparedArea | None:
    """Return a geometry prepared for containment checks, or None if it is not an area."""
    if geometry["type"] not in AREAS:
        return None
    coordinates = geometry["coordinates"]
    return prepare_area([coordinates] if geometry["type"] == "Polygon" else coordinates)


def points_of(geometry: Mapping[str, Any]) -> list[Point]:
    """Return all positions of a geometry."""
    found: list[Any] = [geometry["coordinates"]]
    for _ in range(_DEPTHS[geometry["type"]]):
        found = [part for parts in found for part in parts]
    return [(point[0], point[1]) for point in found]


def _kinds(*kinds: str) -> Any:
    return AfterValidator(lambda value: read_geometry(value, kinds))


_SQUARE = [[-79.4, 43.6], [-79.3, 43.6], [-79.3, 43.7], [-79.4, 43.7], [-79.4, 43.6]]
AreaGeometry = Annotated[
    dict[str, Any],
    Field(max_length=3, examples=[{"type": "Polygon", "coordinates": [_SQUARE]}]),
    _kinds(*sorted(AREAS)),
]
"""A Polygon or MultiPolygon (RFC 7946) in a request."""
MapGeometry = Annotated[
    dict[str, Any],
    Field(max_length=3, examples=[{"type": "Polygon", "coordinates": [_SQUARE]}]),
    _kinds(*sorted(AREAS | LINES)),
]
"""An area or line (RFC 7946) in a request."""
