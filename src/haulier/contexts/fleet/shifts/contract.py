"""Request and response models for working profiles.

Times of day are in the time zone of the business.
"""

from enum import StrEnum
from itertools import pairwise
from typing import Annotated

from pydantic import Field, model_validator
from pydantic_core import PydanticCustomError

from haulier.kernel.operations.answers import Answer, doc
from haulier.kernel.operations.declaration import Request
from haulier.kernel.operations.fields import Latitude, Longitude, RecordId, Skills
from haulier.kernel.operations.ids import DriverId
from haulier.kernel.values.postal_codes import DISTINCT_PREFIXES, PostalPrefix

TimeOfDay = Annotated[str, Field(pattern=r"^([01]\d|2[0-3]):[0-5]\d$", max_length=5, examples=["08:30"])]


SHIFTS_MAX = 21


class DayEnd(StrEnum):
    """Place where the day of a driver starts or ends.

    `anywhere` is only valid for the end: at the last stop.
    """

    DEPOT = "depot"
    HOME = "home"
    ANYWHERE = "anywhere"


class WorkBreak(Request):
    """A break that starts within a time span."""

    earliest: TimeOfDay
    """Earliest start."""
    latest: TimeOfDay
    """Latest start. A time before `earliest` is on the next day."""
    minutes: int = Field(ge=1, le=480)
    """Duration in minutes."""


class WorkShift(Request):
    """Working hours on a day of the week."""

    weekday: int = Field(ge=1, le=7)
    """Day of the week. 1 is Monday."""
    start: TimeOfDay
    """Start time."""
    end: TimeOfDay
    """End time. A time not after `start` is on the next day."""
    breaks: Annotated[list[WorkBreak], Field(max_length=5)] = []
    """Breaks in chronological order."""


class ZonePoint(Request):
    """A coordinate (WGS 84)."""

    lat: Latitude
    """Latitude in decimal degrees (WGS 84)."""
    lng: Longitude
    """Longitude in decimal degrees (WGS 84)."""


class DriverZone(Request):
    """An area defined by a polygon, postal code prefixes, or both.

    Matching one of them is enough.
    """

    polygon: Annotated[list[ZonePoint], Field(max_length=500)] = []
    """Corners of the polygon in order, at least three. The last is joined to the first."""
    postal_prefixes: Annotated[list[PostalPrefix], Field(max_length=200), DISTINCT_PREFIXES] = []
    """Prefixes of postal codes. Case, spaces and hyphens are ignored."""

    @model_validator(mode="after")
    def _says_something(self) -> "DriverZone":
        if not (self.postal_prefixes or self.polygon) or 0 < len(self.polygon) < 3:
            raise PydanticCustomError("zone_empty", "a zone needs three corners or a postal prefix")
        return self


class WorkingProfileRef(Request):
    """Reference to the working profile of a driver."""

    driver_id: DriverId
    """ID of the driver."""


class SetWorkingProfile(Request):
    """Complete working profile of a driver.

    Omitted fields are reset to their defaults.
    """

    driver_id: DriverId
    """ID of the driver."""
    shifts: Annotated[list[WorkShift], Field(max_length=SHIFTS_MAX)] = []
    """Shifts. Several on one day of the week must not overlap. Default: 08:00 to 18:00 every day."""
    skills: Skills = []
    """Skills that orders can require, in addition to those of the vehicle."""
    starts_at: DayEnd = DayEnd.DEPOT
    """Start of the day: at the depot, or at home with the vehicle loaded the evening before."""
    ends_at: DayEnd = DayEnd.DEPOT
    """End of the day."""
    home: ZonePoint | None = None
    """Location of the home. Required to start or end there."""
    depot_id: RecordId | None = None
    """Depot of the driver. Default: the depot of their vehicle."""
    vehicle_id: RecordId | None = None
    """Usual vehicle of the driver."""
    max_stops: int | None = Field(default=None, ge=1, le=1000)
    """Maximum number of stops on a route."""
    max_time_s: int | None = Field(default=None, ge=60, le=172_800)
    """Maximum duration of a route in seconds."""
    max_distance_m: int | None = Field(default=None, ge=1, le=5_000_000)
    """Maximum length of a route in metres."""
    zones: Annotated[list[DriverZone], Field(max_length=50)] = []
    """Zones where the driver works. Default: everywhere."""

    @model_validator(mode="after")
    def _makes_sense(self) -> "SetWorkingProfile":
        for one, other in pairwise(sorted(self.shifts, key=lambda shift: (shift.weekday, shift.start))):
            if one.weekday == other.weekday and not one.start < one.end <= other.start:
                raise PydanticCustomError("shifts_overlap", "shifts of one day overlap")
        if self.starts_at is DayEnd.ANYWHERE:
            raise PydanticCustomError("start_unknown", "a day begins at the depot or at home")
        if DayEnd.HOME in (self.starts_at, self.ends_at) and self.home is None:
            raise PydanticCustomError("home_needed", "to begin or end at home, say where that is")
        return self


class WorkBreakRecord(Answer):
    """A break."""

    earliest: str
    latest: str
    minutes: int


class WorkShiftRecord(Answer):
    """A shift."""

    weekday: Annotated[int, doc("Day of the week. 1 is Monday.")]
    start: str
    end: str
    breaks: list[WorkBreakRecord]


class ZonePointRecord(Answer):
    """A coordinate (WGS 84)."""

    lat: float
    lng: float


class DriverZoneRecord(Answer):
    """An area."""

    polygon: list[ZonePointRecord]
    postal_prefixes: list[str]


class WorkingProfile(Answer):
    """Working profile of a driver."""

    driver_id: DriverId
    is_default: Annotated[bool, doc("If true, the profile is the default and was never set.")]
    shifts: list[WorkShiftRecord]
    skills: list[str]
    starts_at: DayEnd
    ends_at: DayEnd
    home: ZonePointRecord | None
    depot_id: int | None
    vehicle_id: int | None
    max_stops: int | None
    max_time_s: int | None
    max_distance_m: int | None
    zones: list[DriverZoneRecord]


class WorkingProfileAnswer(Answer):
    """Working profile of a driver."""

    result: bool = True
    profile: WorkingProfile
