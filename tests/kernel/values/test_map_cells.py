"""Places near another are in the ranges around it."""

from math import asin, atan2, cos, degrees, pi, radians, sin

from hypothesis import example, given
from hypothesis import strategies as st

from haulier.kernel.values.geography import EARTH_RADIUS_M, LatLng
from haulier.kernel.values.map_cells import MAX_RANGES, cell_of, cells_within, ranges_within

LATITUDES, LONGITUDES = st.floats(-90, 90), st.floats(-180, 180)
HALF_WAY_ROUND_M = pi * EARTH_RADIUS_M


def somewhere(start: LatLng, distance_m: float, bearing: float) -> LatLng:
    """Return the place at a distance and bearing (radians from north)."""
    lat, lng, angle = radians(start[0]), radians(start[1]), distance_m / EARTH_RADIUS_M
    north = asin(max(-1.0, min(1.0, sin(lat) * cos(angle) + cos(lat) * sin(angle) * cos(bearing))))
    east = lng + atan2(sin(bearing) * sin(angle) * cos(lat), cos(angle) - sin(lat) * sin(north))
    return degrees(north), (degrees(east) + 540) % 360 - 180


@given(LATITUDES, LONGITUDES, st.floats(1, HALF_WAY_ROUND_M), st.floats(0, 0.999), st.floats(0, 2 * pi))
@example(0.0, 180.0, 1000.0, 0.9, pi / 2)
@example(89.9999, 0.0, 1000.0, 0.9, 0.0)
@example(-90.0, 0.0, 1000.0, 0.9, 1.0)
def test_every_location_within_a_radius_is_in_one_of_a_few_ranges(
    lat: float, lng: float, radius_m: float, share: float, bearing: float
) -> None:
    ranges = ranges_within(lat, lng, radius_m)
    assert 1 <= len(ranges) <= MAX_RANGES
    cell = cell_of(*somewhere((lat, lng), radius_m * share, bearing))
    assert any(first <= cell <= last for first, last in ranges)


@given(st.floats(-80, 80), LONGITUDES, st.floats(0, 0.999), st.floats(0, 2 * pi))
def test_every_location_within_two_hundred_metres_is_in_a_neighbouring_cell(
    lat: float, lng: float, share: float, bearing: float
) -> None:
    assert cell_of(*somewhere((lat, lng), 200 * share, bearing), 16) in cells_within(lat, lng, 200, 16)
