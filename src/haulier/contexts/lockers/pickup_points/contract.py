"""Request and response models for pickup points."""

from typing import Annotated, Literal

from pydantic import Field

from haulier.contexts.lockers.sites.contract import RADIUS_MAX_M, SizeOfBox
from haulier.contexts.places.points_of_interest.contract import OpeningHoursRecord
from haulier.kernel.operations.answers import Answer, doc
from haulier.kernel.operations.declaration import Request
from haulier.kernel.operations.fields import Latitude, Longitude
from haulier.kernel.values.moments import Moment


class FindPickupPoints(Request):
    """A place to search around."""

    lat: Latitude
    """Latitude in decimal degrees (WGS 84)."""
    lng: Longitude
    """Longitude in decimal degrees (WGS 84)."""
    radius_m: int = Field(default=20_000, ge=1, le=RADIUS_MAX_M)
    """Search radius in metres, as the crow flies."""
    kind: Literal["counter", "locker"] | None = None
    """Filter by kind: counters or lockers."""
    size: SizeOfBox = "s"
    """Required compartment size. Only lockers with a free compartment at least this large are returned."""
    open_at: Moment | None = None
    """Only pickup points that are open at this time."""
    limit: int = Field(default=20, ge=1, le=100)
    """Maximum number of results."""


class PickupPoint(Answer):
    """A place where recipients can collect parcels."""

    kind: Annotated[str, doc("counter or locker.", "counter")]
    point_of_interest_id: Annotated[int | None, doc("ID of the point of interest. Null for lockers without one.")]
    locker_site_id: Annotated[int | None, doc("ID of the locker site. Null for counters.")]
    name: str
    address: str | None
    lat: Annotated[float, doc("Latitude in decimal degrees (WGS 84).")]
    lng: Annotated[float, doc("Longitude in decimal degrees (WGS 84).")]
    distance_m: Annotated[int, doc("Distance in metres as the crow flies.")]
    opening_hours: Annotated[
        OpeningHoursRecord | None, doc("Opening hours. Null if unknown, or for lockers that are always open.")
    ]
    open_now: Annotated[bool | None, doc("If true, the place is open now. Null if the hours are unknown.")]
    accessibility: Annotated[list[str], doc("Accessibility features, for lockers.")]
    free: Annotated[int | None, doc("Number of free compartments that are large enough. Null for counters.")]


class NearbyPickupPoints(Answer):
    """Pickup points, nearest first."""

    result: bool = True
    pickup_points: list[PickupPoint]
