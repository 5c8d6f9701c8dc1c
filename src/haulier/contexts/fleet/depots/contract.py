"""Request and response models for depots."""

from typing import Annotated

from pydantic import Field

from haulier.kernel.operations.answers import Answer, doc
from haulier.kernel.operations.declaration import Request
from haulier.kernel.operations.fields import NO_NUL, Latitude, Longitude, Name, RecordId
from haulier.kernel.values.pagination import PagedAnswer, PageRequest

ADDRESS_MAX = 300
Address = Annotated[str, Field(min_length=1, max_length=ADDRESS_MAX, pattern=NO_NUL)]


class ListDepots(PageRequest):
    """Filters and page of a depot list."""

    closed: bool = False
    """If true, include closed depots."""


class DepotRef(Request):
    """Reference to a depot."""

    depot_id: RecordId


class CreateDepot(Request):
    """A new depot."""

    name: Name
    """Name of the depot."""
    address: Address
    """Address of the depot as free text."""
    lat: Latitude
    """Latitude in decimal degrees (WGS 84)."""
    lng: Longitude
    """Longitude in decimal degrees (WGS 84)."""


class UpdateDepot(Request):
    """Changes to a depot. Omitted fields are unchanged."""

    depot_id: RecordId
    name: Name | None = None
    address: Address | None = None
    lat: Latitude | None = None
    """Latitude in decimal degrees (WGS 84)."""
    lng: Longitude | None = None
    """Longitude in decimal degrees (WGS 84)."""


class DepotDetail(Answer):
    """A place where routes start and end."""

    id: int
    name: str
    address: str
    lat: Annotated[float, doc("Latitude in decimal degrees (WGS 84).")]
    lng: Annotated[float, doc("Longitude in decimal degrees (WGS 84).")]
    closed: Annotated[bool, doc("If true, existing routes keep the depot and new routes cannot use it.")]


class DepotAnswer(Answer):
    """One depot."""

    result: bool = True
    depot: DepotDetail


class DepotList(PagedAnswer):
    """A page of depots, by name."""

    depots: list[DepotDetail]
