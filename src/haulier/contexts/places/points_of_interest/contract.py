"""Points of interest: requests and answers."""

from datetime import date, datetime
from typing import Annotated, Any, ClassVar, Literal
from zoneinfo import available_timezones

from pydantic import AfterValidator, Field, model_validator
from pydantic_core import PydanticCustomError

from haulier.contexts.places.place_imports.rules import CSV, GEOJSON, JSON, KML
from haulier.contexts.places.points_of_interest.rules import read_opening_hours
from haulier.kernel.operations.answers import Answer, doc
from haulier.kernel.operations.declaration import DocumentRequest, Request
from haulier.kernel.operations.fields import NO_NUL, Latitude, Longitude, Name, Note, RecordId
from haulier.kernel.operations.file_parts import FileInput
from haulier.kernel.values.geojson import AreaGeometry
from haulier.kernel.values.moments import Day
from haulier.kernel.values.pagination import MAX_CURSOR_LENGTH, MAX_PER_PAGE
from haulier.kernel.values.table_uploads import Encoding
from haulier.kernel.values.xlsx import XLSX_TYPE

STOP_RADIUS_DEFAULT_M, STOP_RADIUS_MAX_M = 25, 200
MAX_NEARBY = 200
MAX_RADIUS_M = 20_100_000
"""Half the circumference of the earth, which covers everything."""


def _require_time_zone(name: str) -> str:
    if name not in available_timezones():
        raise PydanticCustomError("unknown_time_zone", "{given} is not known", {"given": name})
    return name


ClockTime = Annotated[str, Field(pattern=r"^([01]\d|2[0-3]):[0-5]\d$", max_length=5, examples=["08:30"])]
Category = Annotated[str, Field(min_length=1, max_length=40, pattern="^[a-z0-9_]+$", examples=["pickup_point"])]
Reference = Annotated[str, Field(min_length=1, max_length=100, pattern=NO_NUL, examples=["node/1234"])]
Source = Annotated[str, Field(min_length=1, max_length=100, pattern=NO_NUL, examples=["OpenStreetMap"])]
PlaceText = Annotated[str, Field(max_length=300, pattern=NO_NUL, examples=["1 Front St W, Toronto"])]
TimeZone = Annotated[str, Field(max_length=64, examples=["America/Toronto"]), AfterValidator(_require_time_zone)]


class OpeningTime(Request):
    """Open from one time of day until another."""

    opens: ClockTime
    """Opening time."""
    closes: ClockTime
    """Closing time. A time not after `opens` is on the next day."""


class WeeklyOpening(OpeningTime):
    """Open at the same time on some days of the week."""

    weekdays: Annotated[list[Annotated[int, Field(ge=1, le=7)]], Field(min_length=1, max_length=7)]
    """Days of the week. 1 is Monday."""


class OpeningException(Request):
    """Opening hours of one day that differ from those of its day of the week."""

    day: Day
    """Day of the exception."""
    times: Annotated[list[OpeningTime], Field(max_length=6)] = []
    """Opening times of the day. Empty: closed."""


class OpeningHours(Request):
    """When a place is open."""

    time_zone: TimeZone | None = None
    """Time zone of the place (IANA name). Default: that of the business."""
    weekly: Annotated[list[WeeklyOpening], Field(max_length=28)]
    """Opening times of a regular week. Days that are not listed are closed."""
    exceptions: Annotated[list[OpeningException], Field(max_length=200)] = []
    """Holidays and other days with different times."""

    @model_validator(mode="before")
    @classmethod
    def _read_text(cls, value: Any) -> Any:
        return read_opening_hours(value) if isinstance(value, str) else value

    @model_validator(mode="after")
    def _days_once(self) -> "OpeningHours":
        if len({exception.day for exception in self.exceptions}) < len(self.exceptions):
            raise PydanticCustomError("each_once", "a day has one exception")
        return self


class PointOfInterestTerms(Request):
    """Details of a point of interest besides its name, category and place."""

    address: PlaceText | None = None
    """Address as free text."""
    geometry: AreaGeometry | None = None
    """Grounds of the place (GeoJSON Polygon or MultiPolygon). Stops on the grounds are at this place."""
    opening_hours: OpeningHours | None = None
    """Opening hours. Default: unknown."""
    stop_radius_m: int = Field(default=STOP_RADIUS_DEFAULT_M, ge=0, le=STOP_RADIUS_MAX_M)
    """Radius in metres within which stops are at this place. Routes reach them during the opening hours. 0 disables
    it."""
    access_notes: Note | None = Field(default=None, examples=["Dock 4, ring twice"])
    """Access notes for drivers."""
    source: Source | None = None
    """Source of the data."""
    reference: Reference | None = None
    """Reference in the source, unique in the business. An import updates the place with this reference, or creates
    it."""


class CreatePointOfInterest(PointOfInterestTerms):
    """A new point of interest."""

    name: Name = Field(examples=["Union Station lockers"])
    """Display name."""
    category: Category
    """Category as free text, such as `pickup_point`, `locker`, `dock` or `fuel`."""
    lat: Latitude
    """Latitude in decimal degrees (WGS 84)."""
    lng: Longitude
    """Longitude in decimal degrees (WGS 84)."""


class PointOfInterestRef(Request):
    """Reference to a point of interest."""

    point_of_interest_id: RecordId
    """ID of the point of interest."""


class UpdatePointOfInterest(CreatePointOfInterest):
    """Complete point of interest. Omitted fields are reset to their defaults."""

    point_of_interest_id: RecordId
    """ID of the point of interest."""


class ListPointsOfInterest(Request):
    """Filters and page of points of interest."""

    category: Category | None = None
    """Filter by category."""
    source: Source | None = None
    """Filter by source."""
    search: Annotated[str, Field(min_length=1, max_length=100, pattern=NO_NUL, examples=["union"])] | None = None
    """Prefix of the name, ignoring accents and case."""
    per_page: int = Field(default=50, ge=1, le=MAX_PER_PAGE)
    """Number of records per page."""
    cursor: Annotated[str, Field(max_length=MAX_CURSOR_LENGTH)] | None = None
    """`next_cursor` of the previous page."""


class FindNearbyPointsOfInterest(Request):
    """Location and radius of a search."""

    lat: Latitude
    """Latitude in decimal degrees (WGS 84)."""
    lng: Longitude
    """Longitude in decimal degrees (WGS 84)."""
    radius_m: int = Field(default=MAX_RADIUS_M, ge=1, le=MAX_RADIUS_M)
    """Maximum distance in metres, as the crow flies. Default: no limit."""
    category: Category | None = None
    """Filter by category."""
    limit: int = Field(default=20, ge=1, le=MAX_NEARBY)
    """Maximum number of places, nearest first."""


class ImportPointsOfInterest(DocumentRequest, FileInput):
    """A document of places."""

    file_field: ClassVar[str] = "document"
    media_types: ClassVar[Any] = {
        GEOJSON: {"title": "PlacesAsGeoJson", "type": "object", "description": "A FeatureCollection (RFC 7946)."},
        JSON: {"title": "PlacesAsJson", "type": "object", "description": "The same."},
        CSV: {"title": "PlacesAsCsv", "type": "string", "description": "A line of names, then a line for each place."},
        XLSX_TYPE: {
            "title": "PlacesAsXlsx",
            "type": "string",
            "description": "The same as XLSX; its first sheet is read.",
        },
        KML: {"title": "PlacesAsKml", "type": "string", "description": "A KML document (OGC KML 2.2)."},
    }
    category: Category | None = None
    """Category of rows without one."""
    source: Source | None = None
    """Source of rows without one."""
    encoding: Encoding | None = None
    """Character encoding of a CSV, such as `windows-1252` or `gbk`. Default: detected."""
    check_only: bool = False
    """If true, check each row by the rules of the import without writing anything."""


class OpeningTimeRecord(Answer):
    """Open from one time of day until another."""

    opens: str
    closes: Annotated[str, doc("Closing time. A time not after `opens` is on the next day.")]


class WeeklyOpeningRecord(OpeningTimeRecord):
    """Open at the same time on some days of the week."""

    weekdays: Annotated[list[int], doc("Days of the week. 1 is Monday.")]


class OpeningExceptionRecord(Answer):
    """Opening hours of one day that differ from those of its day of the week."""

    day: date
    times: list[OpeningTimeRecord]


class OpeningHoursRecord(Answer):
    """When a place is open."""

    time_zone: Annotated[str | None, doc("Time zone of the place; null for that of the business.")]
    weekly: list[WeeklyOpeningRecord]
    exceptions: list[OpeningExceptionRecord]


class PointOfInterest(Answer):
    """A place with hours and notes of its own."""

    id: int
    name: str
    category: str
    lat: Annotated[float, doc("Latitude in decimal degrees (WGS 84).")]
    lng: Annotated[float, doc("Longitude in decimal degrees (WGS 84).")]
    address: str | None
    geometry: Annotated[dict[str, Any] | None, doc("Grounds of the place, as GeoJSON.")]
    opening_hours: OpeningHoursRecord | None
    stop_radius_m: Annotated[int, doc("Radius in metres within which stops are at this place.")]
    access_notes: str | None
    source: str | None
    reference: str | None
    created_at: datetime
    updated_at: datetime


class NearbyPointOfInterest(PointOfInterest):
    """A place and how far it is."""

    distance_m: Annotated[int, doc("Distance from the requested location in metres, as the crow flies.")]


class PointOfInterestAnswer(Answer):
    """One point of interest."""

    result: bool = True
    point_of_interest: PointOfInterest


class PointOfInterestList(Answer):
    """A page of points of interest, by name."""

    result: bool = True
    points_of_interest: list[PointOfInterest]
    next_cursor: Annotated[str | None, doc("Cursor of the next page; null on the last page.")]


class NearbyPointsOfInterest(Answer):
    """The nearest places, by distance."""

    result: bool = True
    points_of_interest: list[NearbyPointOfInterest]


class CategoryList(Answer):
    """The categories in use, in alphabetical order."""

    result: bool = True
    categories: list[str]


class PlaceFeature(Answer):
    """A place as a Feature of RFC 7946."""

    type: Literal["Feature"] = "Feature"
    id: int
    geometry: Annotated[dict[str, Any], doc("Location of the place.")]
    properties: Annotated[dict[str, Any], doc("Other fields, as returned by `get_point_of_interest`.")]


class PlaceFeatureCollection(Answer):
    """Places as a FeatureCollection of RFC 7946."""

    type: Literal["FeatureCollection"] = "FeatureCollection"
    features: list[PlaceFeature]
    next_cursor: Annotated[str | None, doc("Cursor of the next page; null on the last page.")]
