"""What is asked of places to fetch parcels, and what it answers."""

from typing import Annotated, Literal

from pydantic import Field

from haulier.contexts.lockers.sites.contract import RADIUS_MAX_M, SizeOfBox
from haulier.contexts.places.points_of_interest.contract import OpeningHoursRecord
from haulier.kernel.operations.answers import Answer, doc
from haulier.kernel.operations.declaration import Request
from haulier.kernel.operations.fields import Latitude, Longitude
from haulier.kernel.values.moments import Moment


class FindPickupPoints(Request):
    """What is around a place."""

    lat: Latitude
    """Degrees north, WGS 84."""
    lng: Longitude
    """Degrees east, WGS 84."""
    radius_m: int = Field(default=20_000, ge=1, le=RADIUS_MAX_M)
    """Within so many metres, as the crow flies."""
    kind: Literal["counter", "locker"] | None = None
    """Only counters, or only lockers."""
    size: SizeOfBox = "s"
    """Of lockers, only those with a box at least so large that is free now."""
    open_at: Moment | None = None
    """Only those that are open at this moment."""
    limit: int = Field(default=20, ge=1, le=100)
    """The nearest so many."""


class PickupPoint(Answer):
    """A place where recipients can fetch parcels."""

    kind: Annotated[str, doc("counter or locker.", "counter")]
    point_of_interest_id: Annotated[int | None, doc("The point of interest; null for lockers that are at none.")]
    locker_site_id: Annotated[int | None, doc("The site of lockers; null for counters.")]
    name: str
    address: str | None
    lat: Annotated[float, doc("Degrees north, WGS 84.")]
    lng: Annotated[float, doc("Degrees east, WGS 84.")]
    distance_m: Annotated[int, doc("Metres from where it was asked, as the crow flies.")]
    opening_hours: Annotated[
        OpeningHoursRecord | None, doc("Null where they are not known, and for lockers that are always open.")
    ]
    open_now: Annotated[bool | None, doc("Null where the hours are not known.")]
    accessibility: Annotated[list[str], doc("What helps people who need it; known of lockers.")]
    free: Annotated[int | None, doc("How many boxes that are large enough are free now; null for counters.")]


class NearbyPickupPoints(Answer):
    """Places to fetch parcels, the nearest first."""

    result: bool = True
    pickup_points: list[PickupPoint]
