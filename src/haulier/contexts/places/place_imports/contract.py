"""Imports: requests and answers."""

from datetime import datetime
from enum import StrEnum
from typing import Annotated

from haulier.kernel.operations.answers import Answer, doc
from haulier.kernel.operations.declaration import Request
from haulier.kernel.operations.fields import RecordId
from haulier.kernel.values.batch_states import ImportRowState
from haulier.kernel.values.pagination import PagedAnswer, PageRequest


class ImportKind(StrEnum):
    """Target of an import."""

    POINTS_OF_INTEREST = "points_of_interest"
    ZONES = "zones"


class PlaceImportRef(Request):
    """Reference to an import."""

    place_import_id: RecordId
    """ID of the import."""


class GetPlaceImport(PageRequest):
    """Reference to an import, and a page of its outcomes."""

    place_import_id: RecordId
    """ID of the import."""
    state: ImportRowState | None = None
    """Filter by state."""


class ListPlaceImports(PageRequest):
    """Filters and page of an import list."""

    kind: ImportKind | None = None
    """Filter by kind."""


class PlaceImportFieldError(Answer):
    """One thing wrong with one field of a row."""

    field: Annotated[str, doc("Path of the field within the row.", "geometry")]
    code: Annotated[str, doc("Machine-readable reason.", "MISSING")]
    message: Annotated[str, doc("Reason in the caller's language.")]


class PlaceImportOutcome(Answer):
    """Outcome of one row."""

    number: Annotated[int, doc("Row number in the document, starting at 1.")]
    name: Annotated[str | None, doc("Name of the row.")]
    state: Annotated[str, doc("Outcome: queued, created, updated, refused or cancelled.")]
    record: Annotated[
        str | None, doc("ID of the point of interest, or code of the zone; null if a check would create it.")
    ]
    code: Annotated[str | None, doc("Machine-readable reason for the refusal.", "INVALID_REQUEST")] = None
    message: Annotated[str | None, doc("Reason for the refusal in the caller's language.")] = None
    errors: Annotated[list[PlaceImportFieldError], doc("Invalid fields.")] = []


class PlaceImportDetail(Answer):
    """An import and how far it is."""

    id: int
    kind: Annotated[str, doc("Kind: points_of_interest or zones.")]
    check_only: Annotated[bool, doc("True if rows were only checked.")]
    encoding: Annotated[str | None, doc("Character encoding of the CSV; null for other files.", "utf-8")]
    zone_map_id: Annotated[int | None, doc("Target map of the zones.")]
    state: Annotated[str, doc("One of queued, running, done, partly_done, failed or cancelled.")]
    rows: Annotated[int, doc("Number of rows in the document.")]
    done: Annotated[int, doc("Number of processed rows.")]
    created: int
    updated: int
    refused: int
    created_at: datetime
    finished_at: datetime | None


class PlaceImportStarted(Answer):
    """Where to read how far it is."""

    result: bool = True
    place_import_id: Annotated[int, doc("ID of the import. Read it with GET /v1/place-imports/{place_import_id}.")]
    rows: Annotated[int, doc("Number of rows in the document.")]
    encoding: Annotated[str | None, doc("Character encoding of the CSV; null for other files.", "utf-8")]


class PlaceImportAnswer(PagedAnswer):
    """An import, and a page of its outcomes."""

    place_import: PlaceImportDetail
    outcomes: list[PlaceImportOutcome]


class PlaceImportList(PagedAnswer):
    """A page of imports, newest first."""

    imports: list[PlaceImportDetail]
