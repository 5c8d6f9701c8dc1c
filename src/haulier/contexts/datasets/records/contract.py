"""What goes in and out of records of datasets."""

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
    """Which record."""

    dataset_id: RecordId
    record_id: DatasetRecordId
    """The record's id."""


class CreateDatasetRecord(Request):
    """A new record."""

    dataset_id: RecordId
    values: Values
    """The values, which must fit the dataset's schema."""
    lat: Latitude | None = None
    """Where it is, in degrees north; with `lng`. Without it, its address is geocoded where the dataset says what that is."""
    lng: Longitude | None = None


class UpdateDatasetRecord(Request):
    """What to change of a record."""

    dataset_id: RecordId
    record_id: DatasetRecordId
    values: Annotated[dict[str, Any], Field(examples=[{"bays": 6}])] = {}
    """The values that change; null takes one away, the others stay."""
    lat: Latitude | None = None
    lng: Longitude | None = None
    version: int | None = Field(default=None, ge=1, le=2**31 - 1)
    """The version you saw: if the record was changed since, nothing happens and you are told."""


class FieldFilter(Request):
    """What one field must be. All that is said must hold."""

    field: FieldName = Field(examples=["bays"])
    """An indexed field, or the key field."""
    equals: FilterValue | None = None
    """This value. Texts: in any case, with or without accents, save in the key field."""
    any_of: Annotated[list[FilterValue], Field(min_length=1, max_length=MAX_ANY_OF)] | None = None
    """One of these values."""
    at_least: FilterValue | None = None
    """At least this value."""
    at_most: FilterValue | None = None
    """At most this value."""
    begins_with: FilterText | None = None
    """A text with this beginning."""
    present: bool | None = None
    """False: only records without a value; true: only those with one."""


class NearPlace(Request):
    """A circle on the map."""

    lat: Latitude
    """Its middle, in degrees north."""
    lng: Longitude
    """Its middle, in degrees east."""
    radius_m: float = Field(gt=0, le=MAX_RADIUS_M, examples=[5000])
    """How far away at most, in metres, as the crow flies."""


class SearchDatasetRecords(Request):
    """Which records of a dataset, in which order."""

    dataset_id: RecordId
    """The dataset."""
    text: Annotated[str, Field(min_length=1, max_length=200, pattern=NO_NUL, examples=["north dock"])] | None = None
    """Words that the record holds, each at least by its beginning: in any order and any case, with or without accents."""
    filters: Annotated[list[FieldFilter], Field(max_length=MAX_FILTERS)] = []
    """What fields must be; all of them."""
    near: NearPlace | None = None
    """Only records in this circle; the nearest first, unless `sort` says otherwise."""
    place: PlaceState | None = None
    """Only records that came by their place in this way; `none`: those without a place that were not geocoded yet."""
    sort: FieldName | None = Field(default=None, examples=["bays"])
    """The indexed field, or the key field, to sort by; records without a value come last. Unless you say, the newest first."""
    descending: bool = False
    """Turn the order around."""
    with_total: bool = False
    """Count them too, up to 10,000."""
    cursor: Cursor | None = None
    """Where to go on: the `next_cursor` of the last answer, with everything else as it was."""
    per_page: int = Field(default=50, ge=1, le=200)
    """Records in one answer."""


class ExportDatasetRecords(Request):
    """Which records, and in which form."""

    dataset_id: RecordId
    format: Literal["csv", "xlsx", "json", "geojson"] = "csv"
    """The form. GeoJSON has the records that have a place as points."""
    after_id: Annotated[int, RefersTo(None)] = Field(default=0, ge=0, le=2**53 - 1)
    """Go on after this record: the `next_after_id` of the last answer."""
    limit: int = Field(default=MAX_EXPORTED, ge=1, le=MAX_EXPORTED)
    """Records in one answer."""


class GeocodeDataset(Request):
    """Which records to place on the map."""

    dataset_id: RecordId
    again: bool = False
    """Also those whose address was not found before."""


class DatasetEntry(Answer):
    """A record of a dataset."""

    id: int
    dataset_id: int
    values: Annotated[dict[str, Any], doc("Its values.")]
    lat: float | None
    lng: float | None
    place: Annotated[
        str,
        doc(
            "How it came by its place: given by its writer, found by its address (exact or approximate), not_found, or none: it"
            " has none.",
            "given",
        ),
    ]
    place_quality: Annotated[
        str | None,
        doc(
            "How exact a place is that was found by its address: pin, rooftop, street, postal_code or town, the best first.",
            "rooftop",
        ),
    ]
    place_fault: Annotated[
        str | None,
        doc(
            "Why the place was not found: no_address (its address fields are empty), no_country (nothing says in which country"
            " it is) or unknown (nobody knows the address).",
            "unknown",
        ),
    ]
    distance_m: Annotated[float | UnsetType, doc("How far it is from the middle of the circle asked for.")] = UNSET
    version: Annotated[int, doc("How many times it was written.")]
    schema_version: Annotated[int, doc("The version of the dataset that its values were judged by.")]
    created_at: datetime
    updated_at: datetime


class DatasetEntryAnswer(Answer):
    """One record."""

    result: bool = True
    record: DatasetEntry


class DatasetEntries(Answer):
    """Records, as asked for."""

    result: bool = True
    records: list[DatasetEntry]
    next_cursor: Annotated[str | None, doc("Where the list goes on; null at its end.")]
    total: Annotated[
        int | UnsetType, doc("How many there are, if asked for; of very many, how many there are at least.")
    ] = UNSET
    total_is_floor: Annotated[bool | UnsetType, doc("True where there are more than `total`.")] = UNSET


class DatasetExport(Answer):
    """A part of a dataset as a document."""

    result: bool = True
    data: Annotated[str, doc("The document; XLSX is in base64.")]
    media_type: str
    count: Annotated[int, doc("Records in it.")]
    next_after_id: Annotated[int | None, doc("Where to go on; null at the end.")]


class ValueChange(Answer):
    """One place in which a version of a record differs from the one before."""

    path: Annotated[str, doc("Which value.", "bays")]
    before: Annotated[Any, doc("What it was; null where there was nothing.")]
    after: Annotated[Any, doc("What it became; null where there is nothing.")]


class RecordVersion(Answer):
    """A record as it once was, and what that changed."""

    version: int
    schema_version: int
    values: dict[str, Any]
    lat: float | None
    lng: float | None
    written_at: datetime
    written_by: Annotated[int | None, doc("The user.")]
    changes: Annotated[list[ValueChange], doc("Where it differs from the version before it.")]


class RecordVersions(Answer):
    """The versions of a record, newest first."""

    result: bool = True
    deleted: Annotated[bool, doc("Whether the record is deleted: the newest version is then its last.")]
    versions: list[RecordVersion]


class GeocodingStarted(Answer):
    """What was begun."""

    result: bool = True
    geocoding_id: Annotated[GeocodingId, doc("Read it with GET /v1/dataset-geocodings/{geocoding_id}.")]
    waiting: Annotated[int, doc("Records whose address is looked for.")]


class GeocodingRef(Request):
    """Which geocoding."""

    geocoding_id: GeocodingId
    """The geocoding's id."""


class DatasetGeocoding(Answer):
    """A search for the places of a dataset's records, and how far it is."""

    id: int
    dataset_id: int
    state: Annotated[
        str, doc("queued, running, done, partly_done (some were not found), failed (none was) or cancelled.", "done")
    ]
    again: Annotated[bool, doc("Whether also records are looked for that were not found before.")]
    total: Annotated[int, doc("Records that waited when it began.")]
    done: Annotated[int, doc("Records that were looked for.")]
    exact: Annotated[int, doc("Records of which the house is known.")]
    approximate: Annotated[int, doc("Records of which the street, the postal code or the town is known.")]
    not_found: int
    created_at: datetime
    finished_at: datetime | None


class DatasetGeocodingAnswer(Answer):
    """How far a geocoding is."""

    result: bool = True
    geocoding: DatasetGeocoding
