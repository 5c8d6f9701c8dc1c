"""Start and processing of imports, row by row.

The family that starts an import writes its rows.
"""

from collections.abc import Callable, Mapping, Sequence

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
from haulier.kernel import row_imports
from haulier.kernel.call import Call
from haulier.kernel.file_reading import UnreadableFile
from haulier.kernel.foreign_files import read_foreign_file, text_hints
from haulier.kernel.job_run import JobRun
from haulier.kernel.operations.declaration import DocumentRequest
from haulier.kernel.request_context import RequestContext
from haulier.kernel.row_imports import KEPT
from haulier.kernel.row_imports import process_rows as work_off_rows
from haulier.kernel.values.batch_states import ImportRowState
from haulier.kernel.values.table_files import NamedRows

WriteRows = row_imports.WriteRows[ImportHeader]


class ProcessPlaceImport(Struct, frozen=True):
    """The job of writing the rows of an import."""

    import_id: int


async def read_import_document(context: RequestContext, request: DocumentRequest) -> NamedRows:
    """Return the rows of a document, read before the transaction.

    A large one takes half a second. Raises `IMPORT_UNREADABLE` and `IMPORT_TOO_LONG`.
    """
    kind = request.content_type
    question = PlaceFileQuestion(kind, text_hints(context, getattr(request, "encoding", None)))
    try:
        read = await read_foreign_file(context.app, read_rows, request.document, question, field="document")
    except UnreadableFile:
        raise IMPORT_UNREADABLE(media_type=kind or GEOJSON) from None
    if len(read.rows) > MAX_ROWS:
        raise IMPORT_TOO_LONG(rows=len(read.rows), most=MAX_ROWS)
    return read


async def start_import(
    call: Call,
    kind: ImportKind,
    job_kind: str,
    file: NamedRows,
    *,
    check_only: bool = False,
    zone_map_id: int | None = None,
) -> PlaceImportStarted:
    """Store the rows of a document and enqueue its job. Also deletes old outcomes."""
    await place_imports.delete_old_imports(call.work, call.now - KEPT)
    header = {
        "kind": kind.value,
        "check_only": check_only,
        "encoding": file.encoding,
        "zone_map_id": zone_map_id,
        "created_by": call.actor,
        "created_at": call.now,
    }
    import_id = await place_imports.insert_import(call.work, header, file.rows)
    await call.enqueue(job_kind, ProcessPlaceImport(import_id))
    call.add_audit_subjects("place_import", import_id)
    return PlaceImportStarted(place_import_id=import_id, rows=len(file.rows), encoding=file.encoding)


async def process_rows(run: JobRun, import_id: int, write: WriteRows, find_key: Callable[[ImportRow], str]) -> None:
    """Write or check the queued rows.

    `find_key` returns the reference or code under which a row is written.
    """

    async def find_keys(call: Call, header: ImportHeader, rows: Sequence[ImportRow]) -> list[set[str]]:
        return [{key} if (key := find_key(row)) else set() for row in rows]

    await work_off_rows(run, place_imports, import_id, write, find_keys=find_keys, finished=_publish_imported)


async def _publish_imported(call: Call, header: ImportHeader, counts: Mapping[str, int]) -> None:
    states = (ImportRowState.CREATED, ImportRowState.UPDATED, ImportRowState.REFUSED)
    await call.publish(
        PlacesImported(
            place_import_id=header.id,
            kind=header.kind,
            zone_map_id=header.zone_map_id,
            check_only=header.check_only,
            **{state.value: counts.get(state, 0) for state in states},
        )
    )
