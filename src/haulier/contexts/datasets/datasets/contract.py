"""What goes in and out of datasets and their groups."""

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
"""The kinds of account that a group can be opened to; admins read everything."""


class ListDatasets(PageRequest):
    """Which datasets to list."""

    group_id: RecordId | None = None
    """Only those of this group."""
    search: SearchText | None = None
    """A part of the name."""


class DatasetRef(Request):
    """Which dataset."""

    dataset_id: RecordId
    """The dataset's id."""


class CreateDataset(Request):
    """A new dataset."""

    name: Name = Field(examples=["Loading docks"])
    """What people call it, unique among the client's datasets."""
    description: Note | None = None
    """Purpose of the map."""
    group_id: RecordId | None = None
    """The group it is in, which says who may read it. Without one the office reads it."""
    record_schema: RecordSchema
    """The JSON Schema (2020-12) of the values of a record: one object of up to 100 fields, without references to others."""
    indexed_fields: IndexedFields | None = None
    """Up to 8 fields by which records can be filtered and sorted, each one text, number or truth value. The first ones of the
    schema unless you say."""
    key_field: FieldName | None = Field(default=None, examples=["code"])
    """The field that tells records apart: required by the schema, a text or whole number, different in each record. By it an
    import finds the records that are there already."""
    address_fields: AddressFields = []
    """The fields that together are a record's address, in the order in which they are written; by them it is geocoded. Fields
    called city, postal_code, region or country hold that part; any other is read by the rules of its country."""
    address_country: CountryCode | None = None
    """The country of addresses that name none, ISO 3166-1 alpha-2; your business's own unless you say."""


class UpdateDataset(Request):
    """What to change; what is left out stays as it is. Null empties the description, the group or the country."""

    dataset_id: RecordId
    name: Name | None = None
    description: Note | None = None
    group_id: RecordId | None = None
    record_schema: RecordSchema | None = None
    """The schema from now on. Records that are there stay, whether or not they fit; a record must fit once it is changed."""
    indexed_fields: IndexedFields | None = None
    """The fields to filter and sort by from now on. New ones can be used once the records were indexed in the background."""
    address_fields: AddressFields | None = None
    address_country: CountryCode | None = None


class CompareDatasetVersions(Request):
    """Two versions of what a dataset says of its records."""

    dataset_id: RecordId
    before: int = Field(ge=1, le=1_000_000, examples=[1])
    """The older version."""
    after: int | None = Field(default=None, ge=1, le=1_000_000)
    """The newer version; the present one unless you say."""


class DatasetRecord(Answer):
    """A dataset in a list."""

    id: int
    name: str
    description: str | None
    group_id: int | None
    version: Annotated[int, doc("The version of its schema and fields, from 1.")]
    key_field: str | None
    record_count: Annotated[int, doc("How many records it has.")]
    indexing: Annotated[bool, doc("True while records are indexed anew after its fields changed.")]
    created_at: datetime
    updated_at: datetime


class DatasetDetail(DatasetRecord):
    """A dataset with what it says of its records."""

    record_schema: Annotated[dict[str, Any], doc("The JSON Schema of the values of a record.")]
    indexed_fields: Annotated[list[str], doc("The fields by which records are filtered and sorted.")]
    address_fields: list[str]
    address_country: Annotated[str | None, doc("The country of addresses that name none.", "CA")]


class DatasetAnswer(Answer):
    """One dataset."""

    result: bool = True
    dataset: DatasetDetail


class DatasetList(PagedAnswer):
    """A page of datasets, by name."""

    datasets: list[DatasetRecord]


class DatasetVersion(Answer):
    """What a dataset once said of its records."""

    version: int
    record_schema: dict[str, Any]
    indexed_fields: list[str]
    address_fields: list[str]
    written_at: datetime
    written_by: Annotated[int | None, doc("The user.")]


class DatasetVersions(Answer):
    """The versions of a dataset, newest first."""

    result: bool = True
    versions: list[DatasetVersion]


class DatasetDifference(Answer):
    """One place in which two versions differ."""

    path: Annotated[str, doc("Where, as names with dots between.", "properties.bays.minimum")]
    before: Annotated[Any, doc("What stood there; null where there was nothing.")]
    after: Annotated[Any, doc("What stands there; null where there is nothing.")]


class DatasetComparison(Answer):
    """Where two versions differ."""

    result: bool = True
    before: int
    after: int
    differences: list[DatasetDifference]


class CreateDatasetGroup(Request):
    """A new group of datasets."""

    name: Name = Field(examples=["Sites"])
    """What people call it, unique among the client's groups."""
    description: Note | None = None
    readers: list[Reader] = Field(default=["employee"], max_length=4, examples=[["employee", "driver"]])
    """Who reads its datasets besides admins."""


class UpdateDatasetGroup(Request):
    """What to change; what is left out stays as it is. Null empties the description."""

    group_id: RecordId
    name: Name | None = None
    description: Note | None = None
    readers: Annotated[list[Reader], Field(max_length=4)] | None = None


class DatasetGroupRef(Request):
    """Which group."""

    group_id: RecordId
    """The group's id."""


class DatasetGroup(Answer):
    """A group of datasets."""

    id: int
    name: str
    description: str | None
    readers: Annotated[list[str], doc("Who reads its datasets besides admins.")]
    dataset_count: int


class DatasetGroupAnswer(Answer):
    """One group."""

    result: bool = True
    group: DatasetGroup


class DatasetGroupList(Answer):
    """All groups the caller may read, by name."""

    result: bool = True
    groups: list[DatasetGroup]
