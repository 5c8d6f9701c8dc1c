"""Coordinates that cannot be those of their address: zero, swapped, with a lost sign, or on another continent."""

from collections.abc import Iterator, Sequence
from enum import StrEnum

from msgspec import Struct

from haulier.kernel.values.countries import country_places, territory_places
from haulier.kernel.values.geography import LatLng, great_circle_m

ZERO_DEGREES = 0.01
COUNTRY_REACH_M = 3_000_000
"""No place of a country is farther than this from the nearest of its reference points."""
TERRITORY_REACH_M = 500_000
COUNTRY_MEANT_M = 1_000_000
"""Coordinates outside a country are explained by a mistake if they would be this near to one of its points without it."""
DEPOT_REACH_M = 2_000_000
"""Farther than any vehicle of the business delivers."""
SUSPECT_M, MEANT_M = 300_000, 50_000
"""Coordinates this far from every depot are suspect if a common mistake would put them this near to one."""


class CoordinateFault(StrEnum):
    """Reason why coordinates cannot be right."""

    ZERO = "coordinates_zero"
    SWAPPED = "coordinates_swapped"
    SIGN_LOST = "coordinates_sign_lost"
    FAR_FROM_COUNTRY = "coordinates_far_from_country"
    FAR_FROM_DEPOTS = "coordinates_far_from_depots"


class CoordinateFinding(Struct, frozen=True):
    """A fault, how far the coordinates are from where they are expected, and the coordinates that were probably meant."""

    fault: CoordinateFault
    away_m: float = 0
    meant: LatLng | None = None


def check_coordinates(place: LatLng, country: str, depots: Sequence[LatLng] = ()) -> CoordinateFinding | None:
    """Compare coordinates with the country of their address and with depots. Returns None if they may be right."""
    if max(map(abs, place)) < ZERO_DEGREES:
        return CoordinateFinding(CoordinateFault.ZERO)
    return _check_country(place, country) or _check_depots(place, depots)


def _check_country(place: LatLng, country: str) -> CoordinateFinding | None:
    points = country_places(country)
    if not points or _is_near(place, points, COUNTRY_REACH_M):
        return None
    if _is_near(place, territory_places(country), TERRITORY_REACH_M):
        return None
    away = _distance_m(place, points)
    return _explain(place, points, COUNTRY_MEANT_M, away) or CoordinateFinding(CoordinateFault.FAR_FROM_COUNTRY, away)


def _check_depots(place: LatLng, depots: Sequence[LatLng]) -> CoordinateFinding | None:
    if not depots or _is_near(place, depots, SUSPECT_M):
        return None
    away = _distance_m(place, depots)
    if found := _explain(place, depots, MEANT_M, away):
        return found
    return CoordinateFinding(CoordinateFault.FAR_FROM_DEPOTS, away) if away > DEPOT_REACH_M else None


def _explain(place: LatLng, points: Sequence[LatLng], reach_m: float, away_m: float) -> CoordinateFinding | None:
    """Return the mistake that would put the coordinates nearest to the points, within reach."""
    found = min(_mistakes(place), key=lambda each: _distance_m(each[1], points))
    fault, meant = found
    return CoordinateFinding(fault, away_m, meant) if _is_near(meant, points, reach_m) else None


def _mistakes(place: LatLng) -> Iterator[tuple[CoordinateFault, LatLng]]:
    lat, lng = place
    for meant in ((lat, -lng), (-lat, lng), (-lat, -lng)):
        yield CoordinateFault.SIGN_LOST, meant
    if abs(lng) <= 90:
        for meant in ((lng, lat), (lng, -lat), (-lng, lat), (-lng, -lat)):
            yield CoordinateFault.SWAPPED, meant


def _is_near(place: LatLng, points: Sequence[LatLng], reach_m: float) -> bool:
    return any(great_circle_m(place, point) <= reach_m for point in points)


def _distance_m(place: LatLng, points: Sequence[LatLng]) -> float:
    return min(great_circle_m(place, point) for point in points)
