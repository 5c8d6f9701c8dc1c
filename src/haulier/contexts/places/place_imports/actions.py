"""Starting an import, and working it off row by row; what a row is written to is the family's that starts it."""

from collections.abc import Awaitable, Callable, Mapping, Sequence

from msgspec import Struct

from haulier.contexts.places.events import PlacesImported
from haulier.contexts.places.place_imports.contract import ImportKind, PlaceImportStarted
from haulier.contexts.places.place_imports.rules import (
    GEOJSON,
    IMPORT_TOO_LONG,
    IMPORT_UNREADABLE,
    MAX_ROWS,
    ImportRow,
    PlaceFileQuestion,
    read_rows,
)
from haulier.contexts.places.place_imports.store import ImportHeader as ImportHeader
from haulier.contexts.places.place_imports.store import place_imports
from haulier.kernel.call import Call
from haulier.kernel.file_reading import UnreadableFile
from haulier.kernel.foreign_files import read_foreign_file, text_hints
from haulier.kernel.job_run import JobRun
from haulier.kernel.operations.declaration import DocumentRequest
from haulier.kernel.request_context import RequestContext
from haulier.kernel.row_imports import KEPT, RowOutcome
from haulier.kernel.row_imports import work_off as work_off_rows
from haulier.kernel.values.batch_states import ImportRowState

WriteRows = Callable[[Call, ImportHeader, Sequence[ImportRow]], Awaitable[Sequence[RowOutcome]]]
"""Writes some rows, and says of each what became of it."""


class ProcessPlaceImport(Struct, frozen=True):
    """The job of writing the rows of an import."""

    import_id: int


async def read_import_document(context: RequestContext, request: DocumentRequest) -> list[ImportRow]:
    """The rows of a document, read before the transaction: a large one takes half a second.

    Raises `IMPORT_UNREADABLE` and `IMPORT_TOO_LONG`.
    """
    kind = request.content_type
    question = PlaceFileQuestion(kind, text_hints(context, getattr(request, "encoding", None)))
    try:
        rows = await read_foreign_file(context.app, read_rows, request.document, question, field="document")
    except UnreadableFile:
        raise IMPORT_UNREADABLE(media_type=kind or GEOJSON) from None
    if len(rows) > MAX_ROWS:
        raise IMPORT_TOO_LONG(rows=len(rows), most=MAX_ROWS)
    return rows


async def start_import(
    call: Call, kind: ImportKind, job_kind: str, rows: Sequence[ImportRow], *, zone_map_id: int | None = None
) -> PlaceImportStarted:
    """Write down the rows of a document and the job of working them off. Old outcomes are forgotten by the way."""
    await place_imports.delete_old_imports(call.work, call.now - KEPT)
    header = {"kind": kind.value, "zone_map_id": zone_map_id, "created_by": call.actor, "created_at": call.now}
    import_id = await place_imports.insert_import(call.work, header, rows)
    await call.enqueue(job_kind, ProcessPlaceImport(import_id))
    call.add_audit_subjects("place_import", import_id)
    return PlaceImportStarted(place_import_id=import_id, rows=len(rows))


async def work_off(run: JobRun, import_id: int, write: WriteRows) -> None:
    """Write the rows that still wait, some in each transaction. Running it again writes nothing twice."""
    await work_off_rows(run, place_imports, import_id, write, _announce)


async def _announce(call: Call, header: ImportHeader, counts: Mapping[str, int]) -> None:
    states = (ImportRowState.CREATED, ImportRowState.UPDATED, ImportRowState.REFUSED)
    await call.publish(
        PlacesImported(
            place_import_id=header.id,
            kind=header.kind,
            zone_map_id=header.zone_map_id,
            **{state.value: counts.get(state, 0) for state in states},
        )
    )
