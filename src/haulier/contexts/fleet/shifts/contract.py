"""What goes in and out of working profiles. Times of day are local, in the business's time zone."""

from enum import StrEnum
from typing import Annotated

from pydantic import Field, model_validator
from pydantic_core import PydanticCustomError

from haulier.kernel.operations.answers import Answer, doc
from haulier.kernel.operations.declaration import Request
from haulier.kernel.operations.fields import Latitude, Longitude, RecordId, Skills
from haulier.kernel.operations.ids import DriverId
from haulier.kernel.values.postal_codes import DISTINCT_PREFIXES, PostalPrefix

TimeOfDay = Annotated[str, Field(pattern=r"^([01]\d|2[0-3]):[0-5]\d$", max_length=5, examples=["08:30"])]


class DayEnd(StrEnum):
    """Where a driver's day begins or ends. `anywhere` is for its end alone: after the last stop the driver is free."""

    DEPOT = "depot"
    HOME = "home"
    ANYWHERE = "anywhere"


class WorkBreak(Request):
    """A break that begins between two times of day."""

    earliest: TimeOfDay
    """When it may begin."""
    latest: TimeOfDay
    """When it must have begun; earlier in the day than `earliest` means the next day."""
    minutes: int = Field(ge=1, le=480)
    """How long it is."""


class WorkShift(Request):
    """When a driver works on a day of the week."""

    weekday: int = Field(ge=1, le=7)
    """1 is Monday."""
    start: TimeOfDay
    """When it begins."""
    end: TimeOfDay
    """When it is over; not after `start` means the next day."""
    breaks: Annotated[list[WorkBreak], Field(max_length=5)] = []
    """Pauses, in their order."""


class ZonePoint(Request):
    """A place on earth, WGS 84."""

    lat: Latitude
    """Degrees north."""
    lng: Longitude
    """Degrees east."""


class DriverZone(Request):
    """An area: inside a polygon, or with a postal code that begins like one of these; both given, either will do."""

    polygon: Annotated[list[ZonePoint], Field(max_length=500)] = []
    """At least three corners in order; the last is joined to the first."""
    postal_prefixes: Annotated[list[PostalPrefix], Field(max_length=200), DISTINCT_PREFIXES] = []
    """Prefixes of postal codes. Case, spaces and hyphens do not count."""

    @model_validator(mode="after")
    def _says_something(self) -> "DriverZone":
        if not (self.postal_prefixes or self.polygon) or 0 < len(self.polygon) < 3:
            raise PydanticCustomError("zone_empty", "a zone needs three corners or a postal prefix")
        return self


class WorkingProfileRef(Request):
    """Which driver's profile."""

    driver_id: DriverId
    """The driver's id."""


class SetWorkingProfile(Request):
    """A driver's whole profile; what is left out has its default."""

    driver_id: DriverId
    """The driver's id."""
    shifts: Annotated[list[WorkShift], Field(max_length=7)] = []
    """At most one for each day of the week. Without any, the driver works from 08:00 to 18:00 every day."""
    skills: Skills = []
    """What they can do that an order may ask for, besides what their vehicle can."""
    starts_at: DayEnd = DayEnd.DEPOT
    """At the depot; or at home, with everything for the day in the vehicle since the evening before."""
    ends_at: DayEnd = DayEnd.DEPOT
    """Where the day ends."""
    home: ZonePoint | None = None
    """Where home is; needed to begin or end there."""
    depot_id: RecordId | None = None
    """Their depot; else that of their vehicle."""
    vehicle_id: RecordId | None = None
    """What they usually drive."""
    max_stops: int | None = Field(default=None, ge=1, le=1000)
    """The most stops of a route."""
    max_time_s: int | None = Field(default=None, ge=60, le=172_800)
    """The longest time on the way, in seconds."""
    max_distance_m: int | None = Field(default=None, ge=1, le=5_000_000)
    """The longest route, in metres."""
    zones: Annotated[list[DriverZone], Field(max_length=50)] = []
    """Where they drive; without any, everywhere."""

    @model_validator(mode="after")
    def _makes_sense(self) -> "SetWorkingProfile":
        if len({shift.weekday for shift in self.shifts}) < len(self.shifts):
            raise PydanticCustomError("weekday_twice", "a day of the week has one shift")
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

    weekday: Annotated[int, doc("1 is Monday.")]
    start: str
    end: str
    breaks: list[WorkBreakRecord]


class ZonePointRecord(Answer):
    """A place on earth, WGS 84."""

    lat: float
    lng: float


class DriverZoneRecord(Answer):
    """An area."""

    polygon: list[ZonePointRecord]
    postal_prefixes: list[str]


class WorkingProfile(Answer):
    """How a driver works."""

    driver_id: DriverId
    is_default: Annotated[bool, doc("Whether nobody has set it yet.")]
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
    """A driver's profile."""

    result: bool = True
    profile: WorkingProfile
