"""Distances on earth between places in degrees (WGS 84)."""

from collections.abc import Sequence
from itertools import pairwise
from math import asin, cos, hypot, radians, sin, sqrt

EARTH_RADIUS_M = 6_371_008.8
"""Mean radius of the earth (IUGG)."""

LatLng = tuple[float, float]
"""Latitude and longitude in degrees."""


def great_circle_m(a: LatLng, b: LatLng) -> float:
    """Return the great-circle distance in metres (haversine formula)."""
    lat_a, lng_a, lat_b, lng_b = map(radians, (*a, *b))
    half = sin((lat_b - lat_a) / 2) ** 2 + cos(lat_a) * cos(lat_b) * sin((lng_b - lng_a) / 2) ** 2
    return 2 * EARTH_RADIUS_M * asin(min(1.0, sqrt(half)))


def to_unit_vector(place: LatLng) -> tuple[float, float, float]:
    """Return a place as a unit vector from the centre of the earth.

    Chord lengths order like distances.
    """
    lat, lng = radians(place[0]), radians(place[1])
    return cos(lat) * cos(lng), cos(lat) * sin(lng), sin(lat)


def distance_to_line_m(place: LatLng, line: Sequence[LatLng]) -> float | None:
    """Return the distance in metres from a place to a line, or None without points.

    Uses an equirectangular projection around the place, accurate to one percent within a few hundred kilometres.
    """
    if not line:
        return None
    points = [_to_plane(place, point) for point in line]
    if len(points) == 1:
        return hypot(*points[0])
    return min(_distance_to_segment(a, b) for a, b in pairwise(points))


def _to_plane(origin: LatLng, point: LatLng) -> tuple[float, float]:
    """Return metres east and north of the origin, the shorter way around the earth."""
    turn = (point[1] - origin[1] + 180) % 360 - 180
    east = radians(turn) * cos(radians((point[0] + origin[0]) / 2)) * EARTH_RADIUS_M
    return east, radians(point[0] - origin[0]) * EARTH_RADIUS_M


def _distance_to_segment(a: tuple[float, float], b: tuple[float, float]) -> float:
    """Return the distance from the origin to a segment in the plane."""
    along = (b[0] - a[0], b[1] - a[1])
    square = along[0] ** 2 + along[1] ** 2
    share = 0.0 if square == 0 else max(0.0, min(1.0, -(a[0] * along[0] + a[1] * along[1]) / square))
    return hypot(a[0] + share * along[0], a[1] + share * along[1])
