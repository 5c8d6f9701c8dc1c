"""Request and response models for positions."""

from datetime import datetime
from typing import Annotated

from pydantic import Field

from haulier.contexts.driver_app.positions.rules import DevicePoint
from haulier.kernel.operations.answers import Answer, doc
from haulier.kernel.operations.declaration import Request
from haulier.kernel.operations.fields import Latitude, Longitude
from haulier.kernel.operations.ids import DriverId
from haulier.kernel.values.moments import Moment

POINTS_MAX = 500
TRAIL_MAX = 5_000


class PositionPoint(Request):
    """Where a device was."""

    occurred_at: Moment
    """Time of the position on the device's clock."""
    lat: Latitude
    """Latitude in decimal degrees (WGS 84)."""
    lng: Longitude
    """Longitude in decimal degrees (WGS 84)."""
    accuracy_m: Annotated[float, Field(ge=0, le=100_000)] | None = None
    """Accuracy of the position as a radius in metres."""
    speed_mps: Annotated[float, Field(ge=0, le=1_000)] | None = None
    """Speed in metres per second."""
    heading_deg: Annotated[float, Field(ge=0, le=360)] | None = None
    """Heading in degrees clockwise from north."""
    battery_percent: Annotated[int, Field(ge=0, le=100)] | None = None

    @property
    def point(self) -> DevicePoint:
        """The same, as the rules see it."""
        return DevicePoint(**{name: getattr(self, name) for name in DevicePoint.__struct_fields__})


class PushPositions(Request):
    """Where a device was, in any order. Repeated points change nothing."""

    points: Annotated[list[PositionPoint], Field(min_length=1, max_length=POINTS_MAX, exclude=True, repr=False)]
    """Positions to store. They are not recorded in the audit trail."""
    sent_at: Moment | None = None
    """Time of sending on the device's clock. Used to correct position times for the clock's offset."""


class PushPositionsResult(Answer):
    """The result for the points."""

    result: bool = True
    stored: Annotated[int, doc("Number of stored points.")]
    thinned: Annotated[int, doc("Number of points too close in time to a stored one, or repeated.")]
    refused: Annotated[int, doc("Number of points older than the retention time.")]
    queued: Annotated[int, doc("Number of points accepted for storage within seconds.")] = 0
    latest_at: Annotated[datetime | None, doc("Time of the newest known position.")]
    every_s: Annotated[int, doc("Minimum interval between stored positions in seconds.")]


class GetDriverTrail(Request):
    """The driver and the time span."""

    driver_id: DriverId
    since: Moment
    """Start of the period."""
    until: Moment | None = None
    """End of the period. Default: now."""


class DriverTrailPoint(Answer):
    """A point of a trail."""

    occurred_at: datetime
    recorded_at: datetime
    lat: float
    lng: float
    accuracy_m: float | None
    speed_mps: float | None
    heading_deg: float | None


class DriverTrail(Answer):
    """The trail of a driver, oldest point first."""

    result: bool = True
    driver_id: DriverId
    points: list[DriverTrailPoint]
    more: Annotated[bool, doc(f"True if there are more than {TRAIL_MAX}. Continue from the time of the last point.")]
