"""Addresses and tours in central Helsinki, from OpenStreetMap.

`helsinki.json` holds eight tours. Each visits up to sixteen addresses in the order that the route solver found for the
streets, and has the line along the streets. Leaving out stops keeps a sensible order.
"""

import json
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from itertools import pairwise
from typing import Any, NamedTuple
from zoneinfo import ZoneInfo

from haulier.kernel.values.geography import LatLng, great_circle_m

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


@cache
def tours() -> tuple[StreetTour, ...]:
    """Return all tours."""
    stored = json.loads(files("haulier.demo").joinpath("helsinki.json").read_text(encoding="utf-8"))
    return tuple(
        StreetTour(
            depot=tour["depot"],
            addresses=tuple(StreetAddress(*stop[:4]) for stop in tour["stops"]),
            line=tuple(zip(tour["line"][::2], tour["line"][1::2], strict=True)),
            at=tuple(stop[4] for stop in tour["stops"]),
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
