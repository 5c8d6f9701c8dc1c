"""What goes in and out of imports."""

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
    """What the file is. CSV and XLSX: a row of field names first, and one of `lat` and `lng` each where there are places.
    JSON: a list of values, or of objects with `values`, `lat` and `lng`. GeoJSON: points whose properties are the values."""
    content: str = Field(min_length=1, max_length=MAX_TEXT, repr=False, exclude=True, examples=["code,bays\nD-17,4\n"])
    """The file as text or in base64; an XLSX in base64. It is not written into the audit trail. What is larger comes in
    several files."""
    if_exists: IfExists = "update"
    """What becomes of a record whose key is there: it is updated, stays as it is, or refuses the row."""
    check_only: bool = False
    """Judge each row and write none."""


class DatasetImportRef(Request):
    """Which import."""

    import_id: DatasetImportId
    """ID of the import."""


class GetDatasetImport(Request):
    """Which import, and which of its outcomes."""

    import_id: DatasetImportId
    """ID of the import."""
    after_row: int = Field(default=-1, ge=-1, le=MAX_IMPORT_ROWS)
    """Show outcomes after this row; rows count from 0."""
    refused_only: bool = False
    """Show only the rows that were refused."""
    per_page: int = Field(default=50, ge=1, le=200)
    """Outcomes in one answer."""


class ListDatasetImports(PageRequest):
    """Which imports to list."""

    dataset_id: RecordId
    """The dataset they are for."""


class DatasetImportFieldError(Answer):
    """One thing wrong with a row."""

    field: Annotated[str, doc("Which field.", "values.bays")]
    code: Annotated[str, doc("What is wrong, for programs.", "MINIMUM")]
    message: Annotated[str, doc("What is wrong, in the caller's language.")]


class DatasetImportOutcome(Answer):
    """What became of a row."""

    row: Annotated[int, doc("Which row, from 0; the names of the fields are none.")]
    state: Annotated[str, doc("created, updated, unchanged or refused; where nothing is written: what it would be.")]
    record_id: int | None
    code: Annotated[str | None, doc("Why it was refused, for programs.", "INVALID_REQUEST")] = None
    message: Annotated[str | None, doc("Why, in the caller's language.")] = None
    errors: list[DatasetImportFieldError] = []


class DatasetImport(Answer):
    """How far an import is."""

    id: int
    dataset_id: int
    format: str
    if_exists: str
    check_only: bool
    encoding: Annotated[str | None, doc("Character encoding that the file was read in; null for XLSX.", "utf-8")]
    state: Annotated[str, doc("queued, running, done, partly_done, failed or cancelled.")]
    total: Annotated[int, doc("Rows of the file.")]
    done: Annotated[int, doc("Rows that were tried.")]
    created: int
    updated: int
    unchanged: int
    refused: int
    created_at: datetime
    finished_at: datetime | None


class DatasetImportAnswer(Answer):
    """One import, just begun."""

    result: bool = True
    dataset_import: DatasetImport


class DatasetImportDetail(Answer):
    """One import with some of its outcomes."""

    result: bool = True
    dataset_import: DatasetImport
    outcomes: list[DatasetImportOutcome]
    next_after_row: Annotated[int | None, doc("Where the outcomes go on; null at their end.")]


class DatasetImportList(PagedAnswer):
    """A page of imports, newest first."""

    imports: list[DatasetImport]
