"""What goes in and out of depots."""

from typing import Annotated

from pydantic import Field

from haulier.kernel.operations.answers import Answer, doc
from haulier.kernel.operations.declaration import Request
from haulier.kernel.operations.fields import NO_NUL, Latitude, Longitude, Name, RecordId
from haulier.kernel.values.pagination import PagedAnswer, PageRequest

ADDRESS_MAX = 300
Address = Annotated[str, Field(min_length=1, max_length=ADDRESS_MAX, pattern=NO_NUL)]


class ListDepots(PageRequest):
    """Which depots to list."""

    closed: bool = False
    """Also those that are closed."""


class DepotRef(Request):
    """Which depot."""

    depot_id: RecordId


class CreateDepot(Request):
    """A new depot."""

    name: Name
    """Its name."""
    address: Address
    """Where it stands, in words."""
    lat: Latitude
    """Degrees north, WGS 84."""
    lng: Longitude
    """Degrees east, WGS 84."""


class UpdateDepot(Request):
    """What to change; what is left out stays as it is."""

    depot_id: RecordId
    name: Name | None = None
    address: Address | None = None
    lat: Latitude | None = None
    """Degrees north, WGS 84."""
    lng: Longitude | None = None
    """Degrees east, WGS 84."""


class DepotDetail(Answer):
    """Where routes begin and end."""

    id: int
    name: str
    address: str
    lat: Annotated[float, doc("Degrees north, WGS 84.")]
    lng: Annotated[float, doc("Degrees east, WGS 84.")]
    closed: Annotated[bool, doc("A closed depot stays on old routes and takes no new ones.")]


class DepotAnswer(Answer):
    """One depot."""

    result: bool = True
    depot: DepotDetail


class DepotList(PagedAnswer):
    """A page of depots, by name."""

    depots: list[DepotDetail]
