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
    """The import's id."""


class GetPlaceImport(PageRequest):
    """Reference to an import, and a page of its outcomes."""

    place_import_id: RecordId
    """The import's id."""
    state: ImportRowState | None = None
    """Only rows in this state."""


class ListPlaceImports(PageRequest):
    """Filters and page of an import list."""

    kind: ImportKind | None = None
    """Only those of this kind."""


class PlaceImportFieldError(Answer):
    """One thing wrong with one field of a row."""

    field: Annotated[str, doc("The path within the row.", "geometry")]
    code: Annotated[str, doc("What is wrong, for programs.", "MISSING")]
    message: Annotated[str, doc("What is wrong, in the caller's language.")]


class PlaceImportOutcome(Answer):
    """Outcome of one row."""

    number: Annotated[int, doc("The row's place in the document, from 1.")]
    name: Annotated[str | None, doc("What the row calls itself.")]
    state: Annotated[str, doc("queued, created, updated, refused or cancelled.")]
    record: Annotated[
        str | None, doc("The id of the point of interest or the code of the zone; null where a check would create.")
    ]
    code: Annotated[str | None, doc("Why it was refused, for programs.", "INVALID_REQUEST")] = None
    message: Annotated[str | None, doc("Why it was refused, in the caller's language.")] = None
    errors: Annotated[list[PlaceImportFieldError], doc("The fields at fault.")] = []


class PlaceImportDetail(Answer):
    """An import and how far it is."""

    id: int
    kind: Annotated[str, doc("points_of_interest or zones.")]
    check_only: Annotated[bool, doc("Rows were checked and nothing was written.")]
    encoding: Annotated[str | None, doc("Character encoding that the CSV was read in; null for other files.", "utf-8")]
    zone_map_id: Annotated[int | None, doc("The map that zones are read into.")]
    state: Annotated[str, doc("queued, running, done, partly_done, failed or cancelled.")]
    rows: Annotated[int, doc("Rows of the document.")]
    done: Annotated[int, doc("Rows that were tried.")]
    created: int
    updated: int
    refused: int
    created_at: datetime
    finished_at: datetime | None


class PlaceImportStarted(Answer):
    """Where to read how far it is."""

    result: bool = True
    place_import_id: Annotated[int, doc("Read it with GET /v1/place-imports/{place_import_id}.")]
    rows: Annotated[int, doc("Rows of the document.")]
    encoding: Annotated[str | None, doc("Character encoding that the CSV was read in; null for other files.", "utf-8")]


class PlaceImportAnswer(PagedAnswer):
    """An import, and a page of its outcomes."""

    place_import: PlaceImportDetail
    outcomes: list[PlaceImportOutcome]


class PlaceImportList(PagedAnswer):
    """A page of imports, newest first."""

    imports: list[PlaceImportDetail]
