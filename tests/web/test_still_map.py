"""The server-rendered map of a journey: content and size."""

from typing import Any

import pytest

from haulier.web.pages.still_map import HEIGHT, MARGIN, WIDTH, still_map

TORONTO, MONTREAL, SHENZHEN, SYDNEY = (43.7, -79.4), (45.5, -73.6), (22.5, 114.1), (-33.9, 151.2)
MOST_CHARACTERS = 40_000


def places(*points: tuple[float, float]) -> list[dict[str, Any]]:
    return [{"lat": lat, "lng": lng, "name": f"Place {at}", "what": "Arrived"} for at, (lat, lng) in enumerate(points)]


@pytest.mark.parametrize(
    "journey", [(TORONTO,), (TORONTO, MONTREAL), (SHENZHEN, TORONTO), (SYDNEY, TORONTO, (89.9, 0.0))]
)
def test_every_location_of_a_journey_is_well_inside_a_small_land_map(
    journey: tuple[tuple[float, float], ...],
) -> None:
    drawn = still_map(places(*journey))
    assert drawn is not None
    assert len(drawn.places) == len(journey)
    for place in drawn.places:
        assert MARGIN / 2 < place.x < WIDTH - MARGIN / 2
        assert MARGIN / 2 < place.y < HEIGHT - MARGIN / 2
    assert drawn.land.startswith("M")
    assert drawn.land.endswith("z")
    print(journey, len(drawn.land) + len(drawn.water))
    assert len(drawn.land) + len(drawn.water) < MOST_CHARACTERS
    assert drawn.towns


def test_locations_are_named_and_a_journey_without_any_has_no_map() -> None:
    drawn = still_map(places(TORONTO))
    assert drawn is not None
    assert drawn.places[0].title == "Place 0 · Arrived"
    assert still_map([]) is None
