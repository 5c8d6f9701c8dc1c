"""Request and response models for datasets and groups."""

from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import Field

from haulier.contexts.datasets.datasets.rules import MAX_FIELD_NAME, MAX_INDEXED_FIELDS
from haulier.kernel.operations.answers import Answer, doc
from haulier.kernel.operations.declaration import Request
from haulier.kernel.operations.fields import NO_NUL, Name, Note, RecordId
from haulier.kernel.values.countries import CountryCode
from haulier.kernel.values.pagination import PagedAnswer, PageRequest

EXAMPLE_SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "code": {"type": "string", "maxLength": 20},
        "name": {"type": "string"},
        "address": {"type": "string"},
        "bays": {"type": "integer", "minimum": 0},
        "opened": {"type": "string", "format": "date"},
    },
    "required": ["code"],
    "additionalProperties": False,
}
MAX_ADDRESS_FIELDS = 8
FieldName = Annotated[str, Field(min_length=1, max_length=MAX_FIELD_NAME, pattern=NO_NUL)]
SearchText = Annotated[str, Field(min_length=1, max_length=120, pattern=NO_NUL, examples=["dock"])]
RecordSchema = Annotated[dict[str, Any], Field(examples=[EXAMPLE_SCHEMA])]
IndexedFields = Annotated[list[FieldName], Field(max_length=MAX_INDEXED_FIELDS, examples=[["code", "bays", "opened"]])]
AddressFields = Annotated[list[FieldName], Field(max_length=MAX_ADDRESS_FIELDS, examples=[["address"]])]
Reader = Literal["employee", "contractor", "driver", "customer"]
"""Kinds of account that a group can be opened to; admins read everything."""


class ListDatasets(PageRequest):
    """Filters for datasets."""

    group_id: RecordId | None = None
    """Filter by group."""
    search: SearchText | None = None
    """Part of the name."""


class DatasetRef(Request):
    """Reference to a dataset."""

    dataset_id: RecordId
    """ID of the dataset."""


class CreateDataset(Request):
    """A new dataset."""

    name: Name = Field(examples=["Loading docks"])
    """Name, unique among the client's datasets."""
    description: Note | None = None
    """Purpose of the dataset or group."""
    group_id: RecordId | None = None
    """Group of the dataset, which defines its readers. Without one, staff read it."""
    record_schema: RecordSchema
    """JSON Schema (2020-12) of a record's values: one object of up to 100 fields, without external references."""
    indexed_fields: IndexedFields | None = None
    """Up to 8 fields for filtering and sorting, each a text, number or boolean. Default: the first ones of the
    schema."""
    key_field: FieldName | None = Field(default=None, examples=["code"])
    """Field that identifies records: required by the schema, a text or integer, and unique. Imports use it to find
    existing records."""
    address_fields: AddressFields = []
    """Fields of a record's address in order of writing, used for geocoding. Fields called city, postal_code, region or
    country contain that part; others are parsed by the rules of their country."""
    address_country: CountryCode | None = None
    """Country of addresses without one, ISO 3166-1 alpha-2. Default: the business's country."""


class UpdateDataset(Request):
    """Fields to change.

    Omitted fields keep their values; null empties the description, the group or the country.
    """

    dataset_id: RecordId
    name: Name | None = None
    description: Note | None = None
    group_id: RecordId | None = None
    record_schema: RecordSchema | None = None
    """New schema. Existing records stay, also if they do not fit; a changed record must fit."""
    indexed_fields: IndexedFields | None = None
    """New indexed fields. Added ones are available once records are indexed in the background."""
    address_fields: AddressFields | None = None
    address_country: CountryCode | None = None


class CompareDatasetVersions(Request):
    """Two versions of a dataset to compare."""

    dataset_id: RecordId
    before: int = Field(ge=1, le=1_000_000, examples=[1])
    """Older version."""
    after: int | None = Field(default=None, ge=1, le=1_000_000)
    """Newer version. Default: the current one."""


class DatasetRecord(Answer):
    """A dataset in a list."""

    id: int
    name: str
    description: str | None
    group_id: int | None
    version: Annotated[int, doc("Version of its schema and fields, from 1.")]
    key_field: str | None
    record_count: Annotated[int, doc("Number of records.")]
    indexing: Annotated[bool, doc("True while records are indexed again after its fields changed.")]
    created_at: datetime
    updated_at: datetime


class DatasetDetail(DatasetRecord):
    """A dataset with its schema and fields."""

    record_schema: Annotated[dict[str, Any], doc("JSON Schema of a record's values.")]
    indexed_fields: Annotated[list[str], doc("Fields for filtering and sorting.")]
    address_fields: list[str]
    address_country: Annotated[str | None, doc("Country of addresses without one.", "CA")]


class DatasetAnswer(Answer):
    """One dataset."""

    result: bool = True
    dataset: DatasetDetail


class DatasetList(PagedAnswer):
    """A page of datasets, by name."""

    datasets: list[DatasetRecord]


class DatasetVersion(Answer):
    """A version of a dataset's schema and fields."""

    version: int
    record_schema: dict[str, Any]
    indexed_fields: list[str]
    address_fields: list[str]
    written_at: datetime
    written_by: Annotated[int | None, doc("User who wrote it.")]


class DatasetVersions(Answer):
    """The versions of a dataset, newest first."""

    result: bool = True
    versions: list[DatasetVersion]


class DatasetDifference(Answer):
    """One place in which two versions differ."""

    path: Annotated[str, doc("Path of names separated by dots.", "properties.bays.minimum")]
    before: Annotated[Any, doc("Earlier value, or null.")]
    after: Annotated[Any, doc("Later value, or null.")]


class DatasetComparison(Answer):
    """Where two versions differ."""

    result: bool = True
    before: int
    after: int
    differences: list[DatasetDifference]


class CreateDatasetGroup(Request):
    """A new group of datasets."""

    name: Name = Field(examples=["Sites"])
    """Name, unique among the client's groups."""
    description: Note | None = None
    readers: list[Reader] = Field(default=["employee"], max_length=4, examples=[["employee", "driver"]])
    """Accounts that read its datasets besides admins."""


class UpdateDatasetGroup(Request):
    """Fields of a group to change.

    Omitted fields keep their values; null empties the description.
    """

    group_id: RecordId
    name: Name | None = None
    description: Note | None = None
    readers: Annotated[list[Reader], Field(max_length=4)] | None = None


class DatasetGroupRef(Request):
    """Reference to a group."""

    group_id: RecordId
    """ID of the group."""


class DatasetGroup(Answer):
    """A group of datasets."""

    id: int
    name: str
    description: str | None
    readers: Annotated[list[str], doc("Accounts that read its datasets besides admins.")]
    dataset_count: int


class DatasetGroupAnswer(Answer):
    """One group."""

    result: bool = True
    group: DatasetGroup


class DatasetGroupList(Answer):
    """All groups that the caller may read, by name."""

    result: bool = True
    groups: list[DatasetGroup]
