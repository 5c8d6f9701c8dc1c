"""Several places that one address may mean."""

from collections.abc import Sequence
from statistics import median

from haulier.contexts.places.geocoding.rules.words import house_number
from haulier.kernel.values.geography import LatLng, great_circle_m

ONE_PLACE_M = 150.0
"""Entrances of one building lie nearer together."""


def middle(points: Sequence[LatLng]) -> LatLng:
    """The middle of some places: the median of each coordinate, which one that is far off does not move."""
    return median(point[0] for point in points), median(point[1] for point in points)


def are_one_place(points: Sequence[LatLng]) -> bool:
    """Whether places lie as near together as the entrances of one building."""
    centre = middle(points)
    return all(great_circle_m(centre, point) <= ONE_PLACE_M for point in points)


def nearest_house(address: str, houses: Sequence[tuple[str, LatLng]]) -> LatLng:
    """The house of a street whose number is nearest to that of an address; the middle of the street without a number."""
    number = house_number(address)
    numbered = (
        [(abs(found - number), point) for text, point in houses if (found := house_number(text)) is not None]
        if (number is not None)
        else []
    )
    return min(numbered)[1] if numbered else middle([point for _, point in houses])
