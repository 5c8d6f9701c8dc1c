"""Areas as GeoJSON: containment, size and refusals."""

from itertools import pairwise
from math import cos, pi, sin
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic_core import PydanticCustomError

from haulier.kernel.values.geojson import AREAS, area_of, read_geometry
from haulier.kernel.values.polygons import Point, ring_area_m2

SQUARE = [[0.0, 0.0], [4.0, 0.0], [4.0, 4.0], [0.0, 4.0], [0.0, 0.0]]
HOLE = [[1.0, 1.0], [2.0, 1.0], [2.0, 2.0], [1.0, 2.0], [1.0, 1.0]]


def make_star(radii: list[float]) -> list[Point]:
    """Return a ring around 10 degrees east and 50 north that does not cross itself."""
    turns = [2 * pi * at / len(radii) for at in range(len(radii))]
    ring = [(10 + radius * cos(turn), 50 + radius * sin(turn)) for radius, turn in zip(radii, turns, strict=True)]
    return [*ring, ring[0]]


def is_inside(ring: list[Point], x: float, y: float) -> bool:
    """Apply the even-odd rule to every edge."""
    odd = False
    for (ax, ay), (bx, by) in pairwise(ring):
        if (ay > y) != (by > y):
            odd ^= x < ax + (y - ay) / (by - ay) * (bx - ax)
    return odd


@given(st.lists(st.floats(0.1, 1), min_size=5, max_size=60), st.lists(st.tuples(st.floats(9, 11), st.floats(49, 51))))
def test_a_prepared_area_contains_the_same_points_as_its_edges(radii: list[float], places: list[Point]) -> None:
    ring = make_star(radii)
    area = area_of(read_geometry({"type": "Polygon", "coordinates": [[list(p) for p in ring]]}, AREAS))
    assert area is not None
    assert [area.contains(*place) for place in places] == [is_inside(ring, *place) for place in places]


def test_holes_and_multiple_parts_count() -> None:
    away = [[10.0, 0.0], [11.0, 0.0], [11.0, 1.0], [10.0, 1.0], [10.0, 0.0]]
    area = area_of(read_geometry({"type": "MultiPolygon", "coordinates": [[SQUARE, HOLE], [away]]}, AREAS))
    assert area is not None
    inside = {(0.5, 0.5): True, (1.5, 1.5): False, (3.0, 3.0): True, (10.5, 0.5): True, (7.0, 0.5): False}
    assert {place: area.contains(*place) for place in inside} == inside


def test_a_square_degree_at_the_equator_has_its_size() -> None:
    ring = [(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0), (0.0, 0.0)]
    assert ring_area_m2(ring) == pytest.approx(12_363.7e6, rel=1e-4)


def test_unsupported_geometry_is_refused_with_a_reason() -> None:
    refused: dict[str, Any] = {
        "geometry_crosses": [[0, 0], [1, 1], [1, 0], [0, 1], [0, 0]],
        "geometry_open": [[0, 0], [1, 0], [1, 1], [0, 1]],
        "geometry_short": [[0, 0], [1, 0], [0, 0]],
        "geometry_off_earth": [[0, 0], [181, 0], [181, 1], [0, 1], [0, 0]],
        "geometry_over_180": [[-170, 0], [170, 0], [170, 1], [-170, 1], [-170, 0]],
        "geometry_position": [[0, 0], [1, "0"], [1, 1], [0, 1], [0, 0]],
        "geometry_size": [[-80, -80], [80, -80], [80, 80], [-80, 80], [-80, -80]],
    }
    told: dict[str, str] = {}
    for reason, ring in refused.items():
        with pytest.raises(PydanticCustomError) as error:
            read_geometry({"type": "Polygon", "coordinates": [ring]}, AREAS)
        told[reason] = error.value.type
    assert told == {reason: reason for reason in refused}
    with pytest.raises(PydanticCustomError, match="hole"):
        read_geometry({"type": "Polygon", "coordinates": [HOLE, SQUARE]}, AREAS)
