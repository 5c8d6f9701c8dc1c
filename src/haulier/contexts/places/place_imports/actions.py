"""Starting an import, and working it off row by row; what a row is written to is the family's that starts it."""

from asyncio import to_thread
from collections.abc import Awaitable, Callable, Sequence
from datetime import timedelta
from typing import Any

import msgspec
from msgspec import Struct

from haulier.contexts.places.place_imports import store
from haulier.contexts.places.place_imports.contract import ImportKind, PlaceImportStarted, RowOutcome
from haulier.contexts.places.place_imports.rules import ImportRow, read_rows
from haulier.kernel.call import Call
from haulier.kernel.job_run import JobRun
from haulier.kernel.operations.declaration import DocumentRequest
from haulier.kernel.operations.errors import FieldError, OperationError
from haulier.kernel.request_context import RequestContext

ROWS_PER_TRANSACTION = 100
"""A worker that dies loses the work of one transaction at most, and other writers wait no longer than for that."""
KEPT = timedelta(days=30)
"""How long outcomes can be read."""
ImportHeader = store.ImportHeader
WriteRows = Callable[[Call, ImportHeader, Sequence[ImportRow]], Awaitable[Sequence[RowOutcome]]]
"""Writes some rows, and says of each what became of it."""


class ProcessPlaceImport(Struct, frozen=True):
    """The job of writing the rows of an import."""

    import_id: int


class ImportRowError(Struct, frozen=True):
    """An error as a row keeps it: message ids, so that it is read in any language."""

    id: str
    params: dict[str, Any]
    fields: list[FieldError] = []


async def read_import_document(context: RequestContext, request: DocumentRequest) -> list[ImportRow]:
    """The rows of a document, read before the transaction and beside the event loop: a large one takes half a second."""
    return await to_thread(read_rows, request.content_type, request.document)


async def start_import(
    call: Call, kind: ImportKind, job_kind: str, rows: Sequence[ImportRow], *, zone_map_id: int | None = None
) -> PlaceImportStarted:
    """Write down the rows of a document and the job of working them off. Old outcomes are forgotten by the way."""
    await store.delete_old_imports(call.work, call.now - KEPT)
    header = {"kind": kind.value, "zone_map_id": zone_map_id, "created_by": call.actor, "created_at": call.now}
    import_id = await store.insert_import(call.work, header, rows)
    await call.enqueue(job_kind, ProcessPlaceImport(import_id))
    call.add_audit_subjects("place_import", import_id)
    return PlaceImportStarted(place_import_id=import_id, rows=len(rows))


async def work_off(run: JobRun, import_id: int, write: WriteRows) -> None:
    """Write the rows that still wait, some in each transaction. Running it again writes nothing twice."""
    while True:
        async with run.call() as call:
            header = await store.get_import_header(call.work, import_id, lock=True)
            if header is None or header.finished_at:
                return
            rows = await store.list_queued_rows(call.work, import_id, ROWS_PER_TRANSACTION)
            if not rows:
                await store.finish_import(call.work, import_id, call.now)
                return
            outcomes = await write(call, header, [row.document for row in rows])
            await store.update_rows(
                call.work, [_row_update(row, outcome) for row, outcome in zip(rows, outcomes, strict=True)]
            )


def _row_update(row: store.ImportRowRow, outcome: RowOutcome) -> dict[str, Any]:
    return {
        "row": row.id,
        "new_state": outcome.state.value,
        "new_record": outcome.record,
        "new_fault": _error_document(outcome.error) if outcome.error else None,
    }


def _error_document(error: OperationError) -> dict[str, Any]:
    return msgspec.to_builtins(ImportRowError(error.error_type.id, dict(error.params), list(error.field_errors)))
