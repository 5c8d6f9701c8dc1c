"""Request and response models for imports."""

from datetime import datetime
from typing import Annotated, Literal

from pydantic import Field

from haulier.kernel.operations.answers import Answer, doc
from haulier.kernel.operations.declaration import Request
from haulier.kernel.operations.fields import RecordId
from haulier.kernel.operations.ids import DatasetImportId
from haulier.kernel.values.pagination import PagedAnswer, PageRequest
from haulier.kernel.values.table_uploads import TableUpload

MAX_TEXT = 15_000_000
MAX_IMPORT_ROWS = 1_000_000
FileFormat = Literal["csv", "xlsx", "json", "geojson"]
IfExists = Literal["update", "skip", "refuse"]


class ImportDatasetRecords(TableUpload):
    """A file of records."""

    dataset_id: RecordId
    format: FileFormat
    """File format. CSV and XLSX: a header row with field names, and `lat` and `lng` for places. JSON: a list of
    values, or of objects with `values`, `lat` and `lng`. GeoJSON: points with the values as properties."""
    content: str = Field(min_length=1, max_length=MAX_TEXT, repr=False, exclude=True, examples=["code,bays\nD-17,4\n"])
    """File as text or in base64; an XLSX in base64. Not stored in the audit trail. Split larger files."""
    if_exists: IfExists = "update"
    """Handling of records with an existing key: update, keep, or refuse the row."""
    check_only: bool = False
    """If true, validate each row without writing."""


class DatasetImportRef(Request):
    """Reference to an import."""

    import_id: DatasetImportId
    """ID of the import."""


class GetDatasetImport(Request):
    """An import, and filters for its outcomes."""

    import_id: DatasetImportId
    """ID of the import."""
    after_row: int = Field(default=-1, ge=-1, le=MAX_IMPORT_ROWS)
    """Only outcomes after this row; rows count from 0."""
    refused_only: bool = False
    """If true, only rejected rows."""
    per_page: int = Field(default=50, ge=1, le=200)
    """Outcomes per response."""


class ListDatasetImports(PageRequest):
    """Filters for imports."""

    dataset_id: RecordId
    """Filter by dataset."""


class DatasetImportFieldError(Answer):
    """One thing wrong with a row."""

    field: Annotated[str, doc("Field path.", "values.bays")]
    code: Annotated[str, doc("Machine-readable error code.", "MINIMUM")]
    message: Annotated[str, doc("Error message in the caller's language.")]


class DatasetImportOutcome(Answer):
    """Outcome of a row."""

    row: Annotated[int, doc("Row number from 0, without the header.")]
    state: Annotated[str, doc("created, updated, unchanged or refused; where nothing is written: what it would be.")]
    record_id: int | None
    code: Annotated[str | None, doc("Machine-readable error code.", "INVALID_REQUEST")] = None
    message: Annotated[str | None, doc("Reason in the caller's language.")] = None
    errors: list[DatasetImportFieldError] = []


class DatasetImport(Answer):
    """State of an import."""

    id: int
    dataset_id: int
    format: str
    if_exists: str
    check_only: bool
    encoding: Annotated[str | None, doc("Character encoding that the file was read in; null for XLSX.", "utf-8")]
    state: Annotated[str, doc("queued, running, done, partly_done, failed or cancelled.")]
    total: Annotated[int, doc("Rows of the file.")]
    done: Annotated[int, doc("Number of processed rows.")]
    created: int
    updated: int
    unchanged: int
    refused: int
    created_at: datetime
    finished_at: datetime | None


class DatasetImportAnswer(Answer):
    """A new import."""

    result: bool = True
    dataset_import: DatasetImport


class DatasetImportDetail(Answer):
    """One import with some of its outcomes."""

    result: bool = True
    dataset_import: DatasetImport
    outcomes: list[DatasetImportOutcome]
    next_after_row: Annotated[int | None, doc("Value of `after_row` for further outcomes; null at the end.")]


class DatasetImportList(PagedAnswer):
    """A page of imports, newest first."""

    imports: list[DatasetImport]
