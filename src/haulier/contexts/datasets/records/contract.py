"""Request and response models for records."""

from datetime import datetime
from typing import Annotated, Any, Literal

from msgspec import UNSET, UnsetType
from pydantic import Field

from haulier.contexts.datasets.datasets.contract import FieldName
from haulier.kernel.operations.answers import Answer, doc
from haulier.kernel.operations.declaration import Request
from haulier.kernel.operations.fields import NO_NUL, Latitude, Longitude, RecordId
from haulier.kernel.operations.ids import DatasetRecordId, GeocodingId, RefersTo
from haulier.kernel.values.pagination import MAX_CURSOR_LENGTH

MAX_FILTERS = 8
MAX_ANY_OF = 100
MAX_RADIUS_M = 200_000
MAX_EXPORTED = 5_000
EXAMPLE_VALUES: dict[str, Any] = {"code": "D-17", "name": "North dock", "address": "1 Front St, Toronto", "bays": 4}
Values = Annotated[dict[str, Any], Field(examples=[EXAMPLE_VALUES])]
FilterText = Annotated[str, Field(max_length=500, pattern=NO_NUL, examples=["North dock"])]
FilterNumber = Annotated[float, Field(ge=-1e300, le=1e300)]
FilterValue = FilterText | bool | FilterNumber
Cursor = Annotated[str, Field(min_length=1, max_length=MAX_CURSOR_LENGTH, examples=["WyIwMDAwNCIsMTJd"])]
PlaceState = Literal["none", "given", "exact", "approximate", "not_found"]


class RecordRef(Request):
    """Reference to a record."""

    dataset_id: RecordId
    record_id: DatasetRecordId
    """ID of the record."""


class CreateDatasetRecord(Request):
    """A new record."""

    dataset_id: RecordId
    values: Values
    """Values, which must fit the dataset's schema."""
    lat: Latitude | None = None
    """Latitude in decimal degrees (WGS 84); requires `lng`. Without it, the address is geocoded if the dataset has
    address fields."""
    lng: Longitude | None = None


class UpdateDatasetRecord(Request):
    """Changes to a record."""

    dataset_id: RecordId
    record_id: DatasetRecordId
    values: Annotated[dict[str, Any], Field(examples=[{"bays": 6}])] = {}
    """Values to change. null removes a value; omitted values are kept."""
    lat: Latitude | None = None
    lng: Longitude | None = None
    version: int | None = Field(default=None, ge=1, le=2**31 - 1)
    """Version that you saw. If the record was changed since, the call is rejected."""


class FieldFilter(Request):
    """Conditions for one field. All of them must hold."""

    field: FieldName = Field(examples=["bays"])
    """An indexed field, or the key field."""
    equals: FilterValue | None = None
    """Equal to this value. Texts ignore case and accents, except in the key field."""
    any_of: Annotated[list[FilterValue], Field(min_length=1, max_length=MAX_ANY_OF)] | None = None
    """One of these values."""
    at_least: FilterValue | None = None
    """Minimum value."""
    at_most: FilterValue | None = None
    """Maximum value."""
    begins_with: FilterText | None = None
    """Text prefix."""
    present: bool | None = None
    """If false, only records without a value; if true, only those with one."""


class NearPlace(Request):
    """A circle on the map."""

    lat: Latitude
    """Latitude of the centre in decimal degrees (WGS 84)."""
    lng: Longitude
    """Longitude of the centre in decimal degrees (WGS 84)."""
    radius_m: float = Field(gt=0, le=MAX_RADIUS_M, examples=[5000])
    """Radius in metres, as the crow flies."""


class SearchDatasetRecords(Request):
    """Search conditions and order for records."""

    dataset_id: RecordId
    """The dataset."""
    search: Annotated[str, Field(min_length=1, max_length=200, pattern=NO_NUL, examples=["north dock"])] | None = None
    """Words of the record, by prefix, in any order, ignoring case and accents."""
    filters: Annotated[list[FieldFilter], Field(max_length=MAX_FILTERS)] = []
    """Conditions for fields. All of them must hold."""
    near: NearPlace | None = None
    """Only records in this circle, nearest first unless `sort` is set."""
    place: PlaceState | None = None
    """Filter by source of the place. `none`: not geocoded yet."""
    sort: FieldName | None = Field(default=None, examples=["bays"])
    """Indexed field or key field to sort by; records without a value come last. Default: newest first."""
    descending: bool = False
    """If true, reverse the order."""
    with_total: bool = False
    """If true, return the total, up to 10,000."""
    cursor: Cursor | None = None
    """`next_cursor` of the previous response, with the same parameters."""
    per_page: int = Field(default=50, ge=1, le=200)
    """Records per response."""


class ExportDatasetRecords(Request):
    """Filters and format of an export."""

    dataset_id: RecordId
    format: Literal["csv", "xlsx", "json", "geojson"] = "csv"
    """Format. GeoJSON contains records with a place as points."""
    after_id: Annotated[int, RefersTo(None)] = Field(default=0, ge=0, le=2**53 - 1)
    """`next_after_id` of the previous response."""
    limit: int = Field(default=MAX_EXPORTED, ge=1, le=MAX_EXPORTED)
    """Records per response."""


class GeocodeDataset(Request):
    """Records to geocode."""

    dataset_id: RecordId
    again: bool = False
    """If true, include addresses that were not found before."""


class DatasetEntry(Answer):
    """A record of a dataset."""

    id: int
    dataset_id: int
    values: Annotated[dict[str, Any], doc("Values of the record.")]
    lat: float | None
    lng: float | None
    place: Annotated[
        str,
        doc(
            "Source of its place: given, found by address (exact or approximate), not_found, or none.",
            "given",
        ),
    ]
    place_quality: Annotated[
        str | None,
        doc(
            "Accuracy of a geocoded place: pin, rooftop, street, postal_code or town, best first.",
            "rooftop",
        ),
    ]
    place_fault: Annotated[
        str | None,
        doc(
            "Reason why the place was not found: no_address (empty address fields), no_country (unknown "
            "country) or unknown (unknown address).",
            "unknown",
        ),
    ]
    distance_m: Annotated[float | UnsetType, doc("Distance from the centre of the requested circle in metres.")] = UNSET
    version: Annotated[int, doc("Number of writes.")]
    schema_version: Annotated[int, doc("Dataset version against which its values were validated.")]
    created_at: datetime
    updated_at: datetime


class DatasetEntryAnswer(Answer):
    """One record."""

    result: bool = True
    record: DatasetEntry


class DatasetEntries(Answer):
    """Matching records."""

    result: bool = True
    records: list[DatasetEntry]
    next_cursor: Annotated[str | None, doc("Cursor of the next page, or null at the end.")]
    total: Annotated[int | UnsetType, doc("Total number, if requested; a lower bound for very many.")] = UNSET
    total_is_floor: Annotated[bool | UnsetType, doc("True if there are more than `total`.")] = UNSET


class DatasetExport(Answer):
    """A part of a dataset as a document."""

    result: bool = True
    data: Annotated[str, doc("Document; XLSX is in base64.")]
    media_type: str
    count: Annotated[int, doc("Number of records in it.")]
    next_after_id: Annotated[int | None, doc("Value of `after_id` for the next part; null at the end.")]


class ValueChange(Answer):
    """A difference between a version of a record and the previous one."""

    path: Annotated[str, doc("Path of the value.", "bays")]
    before: Annotated[Any, doc("Earlier value, or null.")]
    after: Annotated[Any, doc("Later value, or null.")]


class RecordVersion(Answer):
    """A version of a record with its changes."""

    version: int
    schema_version: int
    values: dict[str, Any]
    lat: float | None
    lng: float | None
    written_at: datetime
    written_by: Annotated[int | None, doc("User who wrote it.")]
    changes: Annotated[list[ValueChange], doc("Differences from the previous version.")]


class RecordVersions(Answer):
    """The versions of a record, newest first."""

    result: bool = True
    deleted: Annotated[bool, doc("True if the record is deleted; its newest version is the last.")]
    versions: list[RecordVersion]


class GeocodingStarted(Answer):
    """A started geocoding."""

    result: bool = True
    geocoding_id: Annotated[GeocodingId, doc("Geocoding id for GET /v1/dataset-geocodings/{geocoding_id}.")]
    waiting: Annotated[int, doc("Number of records to geocode.")]


class GeocodingRef(Request):
    """Reference to a geocoding."""

    geocoding_id: GeocodingId
    """ID of the geocoding."""


class DatasetGeocoding(Answer):
    """A geocoding of a dataset's records, and its progress."""

    id: int
    dataset_id: int
    state: Annotated[
        str, doc("queued, running, done, partly_done (some not found), failed (none found) or cancelled.", "done")
    ]
    again: Annotated[bool, doc("True if records that were not found before are included.")]
    total: Annotated[int, doc("Number of records at the start.")]
    done: Annotated[int, doc("Number of processed records.")]
    exact: Annotated[int, doc("Number of records located at their building.")]
    approximate: Annotated[int, doc("Number of records located at their street, postal code or town.")]
    not_found: int
    created_at: datetime
    finished_at: datetime | None


class DatasetGeocodingAnswer(Answer):
    """Progress of a geocoding."""

    result: bool = True
    geocoding: DatasetGeocoding
