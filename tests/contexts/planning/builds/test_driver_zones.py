"""Driver zones by polygon and postal code prefix."""

from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from haulier.contexts.planning.builds.rules.requests import is_in_driver_zones, is_inside_polygon

SQUARE = [(0.0, 0.0), (0.0, 10.0), (10.0, 10.0), (10.0, 0.0)]
HORSESHOE = [(0.0, 0.0), (0.0, 9.0), (9.0, 9.0), (9.0, 6.0), (3.0, 6.0), (3.0, 3.0), (9.0, 3.0), (9.0, 0.0)]
inner = st.floats(0.01, 9.99)


def zone(polygon: Sequence[tuple[float, float]] = (), prefixes: Sequence[str] = ()) -> dict[str, object]:
    return {"polygon": [{"lat": lat, "lng": lng} for lat, lng in polygon], "postal_prefixes": prefixes}


@given(inner, inner, st.integers(0, 3))
def test_a_rectangle_contains_the_points_within_its_sides_for_any_corner_order(
    north: float, east: float, first: int
) -> None:
    turned = [*SQUARE[first:], *SQUARE[:first]]
    assert is_inside_polygon(turned, (north, east))
    assert is_inside_polygon(list(reversed(turned)), (north, east))
    for off in ((north + 10, east), (north - 10, east), (north, east + 10), (north, east - 10)):
        assert not is_inside_polygon(turned, off)


def test_the_inside_of_a_horseshoe_is_outside_the_zone() -> None:
    assert not is_inside_polygon(HORSESHOE, (6.0, 4.5))
    assert is_inside_polygon(HORSESHOE, (1.5, 4.5))


def test_a_driver_without_zones_drives_everywhere_and_one_with_zones_only_there() -> None:
    assert is_in_driver_zones([], None, None)
    zones = [zone(SQUARE), zone(prefixes=["M5V", "L4"])]
    assert is_in_driver_zones(zones, (5.0, 5.0), None)
    assert is_in_driver_zones(zones, (50.0, 50.0), "M5 V2T6")
    assert not is_in_driver_zones(zones, (50.0, 50.0), "K1A 0B1")
    assert not is_in_driver_zones(zones, None, None)
