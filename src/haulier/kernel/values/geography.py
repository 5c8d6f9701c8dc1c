"""Distances on earth between places given in degrees (WGS 84), as the crow flies."""

from collections.abc import Sequence
from itertools import pairwise
from math import asin, cos, hypot, radians, sin, sqrt

EARTH_RADIUS_M = 6_371_008.8
"""The mean radius of the earth (IUGG)."""

LatLng = tuple[float, float]
"""Degrees north and degrees east."""


def great_circle_m(a: LatLng, b: LatLng) -> float:
    """Metres between two places along a great circle (haversine formula)."""
    lat_a, lng_a, lat_b, lng_b = map(radians, (*a, *b))
    half = sin((lat_b - lat_a) / 2) ** 2 + cos(lat_a) * cos(lat_b) * sin((lng_b - lng_a) / 2) ** 2
    return 2 * EARTH_RADIUS_M * asin(min(1.0, sqrt(half)))


def to_unit_vector(place: LatLng) -> tuple[float, float, float]:
    """A place as seen from the centre of the earth, in earth radii; through the earth, near and far are as on its surface."""
    lat, lng = radians(place[0]), radians(place[1])
    return cos(lat) * cos(lng), cos(lat) * sin(lng), sin(lat)


def distance_to_line_m(place: LatLng, line: Sequence[LatLng]) -> float | None:
    """Metres from a place to the nearest point of a line through these places; None where the line has none.

    The earth is taken as flat around the place (equirectangular projection): good to a percent within some hundred
    kilometres, which is as far as a driver strays.
    """
    if not line:
        return None
    points = [_to_plane(place, point) for point in line]
    if len(points) == 1:
        return hypot(*points[0])
    return min(_distance_to_segment(a, b) for a, b in pairwise(points))


def _to_plane(origin: LatLng, point: LatLng) -> tuple[float, float]:
    """Metres east and north of the origin; the shorter way round the earth."""
    turn = (point[1] - origin[1] + 180) % 360 - 180
    east = radians(turn) * cos(radians((point[0] + origin[0]) / 2)) * EARTH_RADIUS_M
    return east, radians(point[0] - origin[0]) * EARTH_RADIUS_M


def _distance_to_segment(a: tuple[float, float], b: tuple[float, float]) -> float:
    """From the origin to the segment between two points of the plane."""
    along = (b[0] - a[0], b[1] - a[1])
    square = along[0] ** 2 + along[1] ** 2
    share = 0.0 if square == 0 else max(0.0, min(1.0, -(a[0] * along[0] + a[1] * along[1]) / square))
    return hypot(a[0] + share * along[0], a[1] + share * along[1])
