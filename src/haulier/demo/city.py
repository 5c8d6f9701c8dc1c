"""Addresses and tours in central Helsinki, from OpenStreetMap.

`helsinki.json` holds eight tours. Each visits up to sixteen addresses of the packaged region in the order that the
route solver found for the streets, and has the line along the streets. Leaving out stops keeps a sensible order.
"""

import gzip
import json
from collections.abc import Mapping, Sequence
from functools import cache, partial
from importlib.resources import files
from itertools import pairwise
from typing import Any, NamedTuple
from zoneinfo import ZoneInfo

from haulier.adapters.regions.folder import PACKAGED, PACKAGED_ADDRESSES
from haulier.kernel.values.geography import LatLng, great_circle_m

ADDRESSES = f"helsinki/demo/{PACKAGED_ADDRESSES}"
"""Addresses of the region, within the packaged ones."""
ZONE = ZoneInfo("Europe/Helsinki")
CITY: dict[str, Any] = {"city": "Helsinki", "country": "FI"}
DEPOTS = (
    ("Kluuvi hub", "Yliopistonkatu 6", "00100", 60.16973, 24.94798),
    ("Hakaniemi hub", "Siltasaarenkatu 4", "00530", 60.17728, 24.94977),
)


class StreetAddress(NamedTuple):
    """A street address with its coordinates."""

    street: str
    postal_code: str
    lat: float
    lng: float

    @property
    def fields(self) -> dict[str, Any]:
        """The address as the fields of an order's address."""
        return {
            **CITY,
            "address": self.street,
            "postal_code": self.postal_code,
            "lat": self.lat,
            "lng": self.lng,
        }


class StreetTour(NamedTuple):
    """Addresses in the order of visit, and the line along the streets.

    The line begins and ends at the depot.
    """

    depot: int
    addresses: tuple[StreetAddress, ...]
    line: tuple[LatLng, ...]
    at: tuple[int, ...]
    """Index on the line of each address."""

    def leg(self, start: int | None, end: int | None) -> Sequence[LatLng]:
        """Return the line between two addresses; None is the depot."""
        first = 0 if start is None else self.at[start]
        last = len(self.line) - 1 if end is None else self.at[end]
        return self.line[first : last + 1]


def length_m(line: Sequence[LatLng]) -> float:
    """Return the length of a line in metres."""
    return sum(great_circle_m(start, end) for start, end in pairwise(line))


def point_along(line: Sequence[LatLng], share: float) -> LatLng:
    """Return the point at a share of a line's length, from 0 to 1."""
    left = max(0.0, min(1.0, share)) * length_m(line)
    for start, end in pairwise(line):
        step = great_circle_m(start, end)
        if left < step:
            return start[0] + (end[0] - start[0]) * left / step, start[1] + (end[1] - start[1]) * left / step
        left -= step
    return line[-1]


def region_lines() -> list[str]:
    """Return the addresses and streets of the packaged region as GeoJSON lines."""
    return gzip.decompress((PACKAGED / ADDRESSES).read_bytes()).decode().splitlines()


@cache
def region_addresses() -> Mapping[str, StreetAddress]:
    """Return the addresses of the packaged region by street and number.

    Some have no postal code.
    """
    found: dict[str, StreetAddress] = {}
    for feature in map(json.loads, region_lines()):
        if "addr:housenumber" in feature["properties"]:
            address = StreetAddress(_street_of(feature), _code_of(feature), *_place_of(feature))
            found.setdefault(address.street, address)
    return found


def find_region_address(street: str) -> StreetAddress:
    """Return an address of the region.

    Without a postal code, it gets the one of the nearest address.
    """
    address = region_addresses()[street]
    if address.postal_code:
        return address
    coded = (each for each in region_addresses().values() if each.postal_code)
    return address._replace(postal_code=min(coded, key=partial(_distance, address)).postal_code)


def _street_of(feature: dict[str, Any]) -> str:
    return f"{feature['properties']['addr:street']} {feature['properties']['addr:housenumber']}"


def _code_of(feature: dict[str, Any]) -> str:
    return feature["properties"].get("addr:postcode", "")


def _place_of(feature: dict[str, Any]) -> LatLng:
    lng, lat = feature["geometry"]["coordinates"]
    return round(lat, 5), round(lng, 5)


def _distance(one: StreetAddress, other: StreetAddress) -> float:
    """Return the square of a distance.

    A degree to the north is twice as long as one to the east here.
    """
    return (one.lat - other.lat) ** 2 * 4 + (one.lng - other.lng) ** 2


@cache
def tours() -> tuple[StreetTour, ...]:
    """Return all tours."""
    stored = json.loads(files("haulier.demo").joinpath("helsinki.json").read_text(encoding="utf-8"))
    return tuple(
        StreetTour(
            depot=tour["depot"],
            addresses=tuple(find_region_address(stop[0]) for stop in tour["stops"]),
            line=tuple(zip(tour["line"][::2], tour["line"][1::2], strict=True)),
            at=tuple(stop[1] for stop in tour["stops"]),
        )
        for tour in stored["tours"]
    )


@cache
def _positions() -> dict[str, tuple[int, int]]:
    return {
        address.street: (number, index)
        for number, tour in enumerate(tours())
        for index, address in enumerate(tour.addresses)
    }


def tour_position(street: str | None) -> tuple[int, int] | None:
    """Return the tour and index of a street address, or None if no tour visits it."""
    return _positions().get((street or "").partition(",")[0].strip())
