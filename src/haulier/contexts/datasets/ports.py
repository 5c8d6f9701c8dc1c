"""What datasets need from outside: somebody who knows where an address is."""

from collections.abc import Sequence
from typing import Protocol

from msgspec import Struct

from haulier.kernel.call import Call


class PlaceFound(Struct, frozen=True):
    """Where an address is. `exact` is false where only its surroundings are known, such as its town."""

    lat: float
    lng: float
    exact: bool


class RecordGeocoder(Protocol):
    """Finds the places of addresses that are written in one line."""

    available: bool
    """Whether there is anything to ask."""

    async def find_places(self, call: Call, addresses: Sequence[str]) -> list[PlaceFound | None]:
        """The place of each address, in their order; None for one that is not found."""
        ...
