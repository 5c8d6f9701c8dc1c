"""What goes in and out of positions."""

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
    """When, by the device's clock."""
    lat: Latitude
    """Degrees north, WGS 84."""
    lng: Longitude
    """Degrees east."""
    accuracy_m: Annotated[float, Field(ge=0, le=100_000)] | None = None
    """How sure the place is: a radius in metres."""
    speed_mps: Annotated[float, Field(ge=0, le=1_000)] | None = None
    """Metres per second."""
    heading_deg: Annotated[float, Field(ge=0, le=360)] | None = None
    """Degrees clockwise from north."""
    battery_percent: Annotated[int, Field(ge=0, le=100)] | None = None

    @property
    def point(self) -> DevicePoint:
        """The same, as the rules see it."""
        return DevicePoint(**{name: getattr(self, name) for name in DevicePoint.__struct_fields__})


class PushPositions(Request):
    """Where a device was, in any order. Repeated points change nothing."""

    points: Annotated[list[PositionPoint], Field(min_length=1, max_length=POINTS_MAX, exclude=True, repr=False)]
    """The points; they are not written into the audit trail."""
    sent_at: Moment | None = None
    """The device's clock while sending. With it, the time of each point is corrected by the clock's offset."""


class PushPositionsResult(Answer):
    """The result for the points."""

    result: bool = True
    stored: Annotated[int, doc("Points kept in the journal.")]
    thinned: Annotated[int, doc("Points too near in time to a stored one, or reported before.")]
    refused: Annotated[int, doc("Points older than the retention time.")]
    queued: Annotated[int, doc("Points taken, and stored within seconds; which of them are kept is not known yet.")] = 0
    latest_at: Annotated[datetime | None, doc("When the newest position was that we know of.")]
    every_s: Annotated[int, doc("At most one point is kept for each stretch of so many seconds.")]


class GetDriverTrail(Request):
    """The driver and the time span."""

    driver_id: DriverId
    since: Moment
    """From when on."""
    until: Moment | None = None
    """Until when; now when left out."""


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
    more: Annotated[bool, doc(f"Whether there are more than {TRAIL_MAX}; go on from the last one's time.")]
