"""Whether a place is in a driver's zones."""

from collections.abc import Mapping, Sequence
from typing import Any

from haulier.kernel.values.postal_codes import matches_postal_prefix

DriverZones = Sequence[Mapping[str, Any]]


def is_in_driver_zones(zones: DriverZones, place: tuple[float, float] | None, postal_code: str | None) -> bool:
    """Whether one of the zones has the place or its postal code; without zones, a driver drives everywhere."""
    return not zones or any(_is_in_zone(zone, place, postal_code) for zone in zones)


def _is_in_zone(zone: Mapping[str, Any], place: tuple[float, float] | None, postal_code: str | None) -> bool:
    if matches_postal_prefix(postal_code, zone["postal_prefixes"]):
        return True
    return place is not None and is_inside_polygon(
        [(corner["lat"], corner["lng"]) for corner in zone["polygon"]], place
    )


def is_inside_polygon(corners: Sequence[tuple[float, float]], place: tuple[float, float]) -> bool:
    """Whether a ray from the place crosses the border an odd number of times (even-odd rule), on the plane of degrees.

    Enough for areas of a town or a county; a polygon over the 180th meridian is not understood.
    """
    north, east = place
    odd = False
    for (a_north, a_east), (b_north, b_east) in zip(corners, (*corners[1:], *corners[:1]), strict=True):
        if (a_north > north) != (b_north > north):
            crossing = a_east + (north - a_north) / (b_north - a_north) * (b_east - a_east)
            odd ^= east < crossing
    return odd
