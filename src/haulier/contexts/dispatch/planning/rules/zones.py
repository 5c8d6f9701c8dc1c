"""Whether a place is where a driver drives."""

from collections.abc import Mapping, Sequence
from typing import Any

from haulier.contexts.dispatch.pools.rules import tidy

Zones = Sequence[Mapping[str, Any]]


def drives_there(zones: Zones, place: tuple[float, float] | None, postal_code: str | None) -> bool:
    """Whether one of the zones has the place or its postal code; without zones, a driver drives everywhere."""
    return not zones or any(_within(zone, place, postal_code) for zone in zones)


def _within(zone: Mapping[str, Any], place: tuple[float, float] | None, postal_code: str | None) -> bool:
    prefixes = tuple(map(tidy, zone["postal_prefixes"]))
    if prefixes and postal_code is not None and tidy(postal_code).startswith(prefixes):
        return True
    return place is not None and inside([(corner["lat"], corner["lng"]) for corner in zone["polygon"]], place)


def inside(corners: Sequence[tuple[float, float]], place: tuple[float, float]) -> bool:
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
