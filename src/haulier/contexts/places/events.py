"""Events of places.

They carry only ids: details are read by callers who may see them.
"""

from typing import Literal

from haulier.kernel.background.events import DomainEvent

Change = Literal["created", "changed", "removed"]
"""Type of change of a record."""


class AddressChanged(DomainEvent, frozen=True, kw_only=True):
    """An address was added, changed or removed.

    An import publishes one event of its own instead.
    """

    address_id: int
    change: Change
    merged_into: int | None = None
    """Of one that was taken out: the address that took its place, if one did."""


class AddressesImported(DomainEvent, frozen=True, kw_only=True):
    """All rows of an address file were processed.

    With `check_only` nothing was written.
    """

    import_id: int
    created: int
    updated: int
    refused: int
    check_only: bool


class PointOfInterestChanged(DomainEvent, frozen=True, kw_only=True):
    """A point of interest was added, changed or deleted.

    An import publishes one event of its own instead.
    """

    point_of_interest_id: int
    change: Change


class ZoneMapPublished(DomainEvent, frozen=True, kw_only=True):
    """Another version of a zone map is in force, by publication or rollback.

    An archived map has no zones in force.
    """

    zone_map_id: int
    version: int
    archived: bool = False


class PlacesImported(DomainEvent, frozen=True, kw_only=True):
    """All rows of a document of places or zones were processed.

    With `check_only` nothing was written.
    """

    place_import_id: int
    kind: str
    zone_map_id: int | None
    check_only: bool = False
    created: int
    updated: int
    refused: int
