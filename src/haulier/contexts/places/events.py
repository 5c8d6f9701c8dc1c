"""Events that places publish. They carry ids alone: what is at an address is asked for by whoever may see it."""

from typing import Literal

from haulier.kernel.background.events import DomainEvent

Change = Literal["created", "changed", "removed"]
"""What became of a record."""


class AddressChanged(DomainEvent, frozen=True, kw_only=True):
    """An address was added to the book, changed, or taken out of it. An import announces itself instead, once."""

    address_id: int
    change: Change
    merged_into: int | None = None
    """Of one that was taken out: the address that took its place, if one did."""


class AddressesImported(DomainEvent, frozen=True, kw_only=True):
    """All rows of a file were tried for the address book; with `check_only` nothing was written."""

    import_id: int
    created: int
    updated: int
    refused: int
    check_only: bool


class PointOfInterestChanged(DomainEvent, frozen=True, kw_only=True):
    """A point of interest was added, changed or deleted. An import announces itself instead, once."""

    point_of_interest_id: int
    change: Change


class ZoneMapPublished(DomainEvent, frozen=True, kw_only=True):
    """Another version of a zone map is in force, published or rolled back to; of an archived one, none of its zones."""

    zone_map_id: int
    version: int
    archived: bool = False


class PlacesImported(DomainEvent, frozen=True, kw_only=True):
    """All rows of a document of places or zones were tried; with `check_only` nothing was written."""

    place_import_id: int
    kind: str
    zone_map_id: int | None
    check_only: bool = False
    created: int
    updated: int
    refused: int
