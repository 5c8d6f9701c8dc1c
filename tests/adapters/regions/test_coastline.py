"""Coastlines divide a rectangle into land and sea."""

from itertools import pairwise

import pytest

from haulier.adapters.regions.coastline import Polygon, Ring, split_land_and_sea

BOX = (0.0, 0.0, 10.0, 10.0)


def size(polygons: list[Polygon]) -> float:
    """Return the area of polygons without their holes."""
    return sum(ring_size(polygon[0]) - sum(ring_size(hole) for hole in polygon[1:]) for polygon in polygons)


def ring_size(ring: Ring) -> float:
    assert ring[0] == ring[-1]
    return abs(sum(a[0] * b[1] - b[0] * a[1] for a, b in pairwise(ring))) / 2


def square(left: float, low: float, width: float) -> Ring:
    """Return an anticlockwise square, which is an island."""
    right, high = left + width, low + width
    return [(left, low), (right, low), (right, high), (left, high), (left, low)]


@pytest.mark.parametrize(
    ("coastlines", "land"),
    [
        pytest.param([], 100, id="no coast: all land"),
        pytest.param([[(-5, 4), (15, 4)]], 60, id="the land is on the left, here the north"),
        pytest.param([[(15, 4), (-5, 4)]], 40, id="and here the south"),
        pytest.param([[(4, -5), (4, 5)], [(4, 5), (4, 15)]], 40, id="pieces are joined"),
        pytest.param([[(4, 5), (4, 15)], [(4, -5), (4, 5)]], 40, id="in any order"),
        pytest.param([[(4, 1), (4, 9)]], 40, id="ends inside reach for the nearest edge"),
        pytest.param([[(-5, 4), (15, 4)], [(15, 8), (-5, 8)]], 40, id="a strip between two coasts"),
        pytest.param([[(-5, 8), (15, 8)], [(15, 4), (-5, 4)]], 60, id="a strait between two coasts"),
        pytest.param([square(2, 2, 3)], 9, id="an island in the sea"),
        pytest.param([square(2, 2, 3)[::-1]], 91, id="a basin in the land"),
        pytest.param([[(-5, 8), (15, 8)], square(2, 2, 3)], 29, id="an island before a coast"),
        pytest.param([square(-2, -2, 5)], 9, id="an island that reaches out of the rectangle"),
        pytest.param([[(-5, -5), (-4, -4)]], 100, id="a coast elsewhere"),
    ],
)
def test_land_and_sea_are_divided_at_the_coast(coastlines: list[Ring], land: float) -> None:
    ground, sea = split_land_and_sea(BOX, coastlines)
    assert (size(ground), size(sea)) == pytest.approx((land, 100 - land))
