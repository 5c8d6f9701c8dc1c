"""Known distances on earth, and properties of any distance."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from haulier.kernel.values.geography import LatLng, distance_to_line_m, great_circle_m

PARIS, LONDON, SYDNEY = (48.8566, 2.3522), (51.5074, -0.1278), (-33.8688, 151.2093)

places = st.tuples(st.floats(-85, 85), st.floats(-180, 180))
near = st.tuples(st.floats(43.5, 43.8), st.floats(-79.6, -79.2))


def test_great_circle_distances_match_published_tables() -> None:
    assert great_circle_m(PARIS, LONDON) == pytest.approx(343_556, abs=500)
    assert great_circle_m(PARIS, SYDNEY) == pytest.approx(16_960_000, rel=0.001)


@given(places, places)
def test_a_distance_is_symmetric_and_at_most_half_the_globe(a: LatLng, b: LatLng) -> None:
    assert great_circle_m(a, b) == pytest.approx(great_circle_m(b, a))
    assert 0 <= great_circle_m(a, b) <= 20_015_200
    assert great_circle_m(a, a) == 0


@given(places, places, places)
def test_the_triangle_inequality_holds(a: LatLng, b: LatLng, c: LatLng) -> None:
    assert great_circle_m(a, c) <= great_circle_m(a, b) + great_circle_m(b, c) + 1e-3


@given(near, st.lists(near, min_size=1, max_size=8))
def test_a_line_is_at_least_as_near_as_its_nearest_vertex(place: LatLng, line: list[LatLng]) -> None:
    found = distance_to_line_m(place, line)
    corner = min(great_circle_m(place, point) for point in line)
    assert found is not None
    assert 0 <= found <= corner * 1.01 + 0.01


@given(near, near, st.floats(0, 1))
def test_a_point_on_a_line_has_distance_zero(a: LatLng, b: LatLng, share: float) -> None:
    on_it = (a[0] + share * (b[0] - a[0]), a[1] + share * (b[1] - a[1]))
    assert (distance_to_line_m(on_it, [a, b]) or 0) <= 30  # lines in degrees curve over forty kilometres


@given(near, st.lists(near, min_size=1, max_size=6))
def test_a_reversed_line_has_the_same_distance(place: LatLng, line: list[LatLng]) -> None:
    assert distance_to_line_m(place, line) == pytest.approx(distance_to_line_m(place, line[::-1]), abs=1e-6)


@given(near, st.lists(near, min_size=1, max_size=6), near)
def test_a_longer_line_is_no_farther_away(place: LatLng, line: list[LatLng], more: LatLng) -> None:
    assert (distance_to_line_m(place, [*line, more]) or 0) <= (distance_to_line_m(place, line) or 0) + 1e-6


def test_a_line_across_the_date_line_takes_the_short_way() -> None:
    line = [(-17.0, 179.9), (-17.0, -179.9)]
    assert (distance_to_line_m((-17.0, 180.0), line) or 0) < 1
    assert distance_to_line_m((-16.0, -179.95), line) == pytest.approx(111_195, rel=0.01)


def test_an_empty_line_has_no_distance() -> None:
    assert distance_to_line_m(PARIS, []) is None
