"""Imports begin: the file is read over, its rows are kept, and they are worked off in the background."""

from hashlib import sha256
from typing import NamedTuple

from msgspec import Struct

from haulier.contexts.warehouse.stock_imports.contract import (
    MAX_STOCK_IMPORT_ROWS,
    ImportTable,
    StockImportAnswer,
    StockImportKind,
)
from haulier.contexts.warehouse.stock_imports.rules import mark_places_named_twice, read_file_rows
from haulier.contexts.warehouse.stock_imports.serializers import load_import
from haulier.contexts.warehouse.stock_imports.store import find_import_of_reference, free_reference, stock_imports
from haulier.kernel.call import Call
from haulier.kernel.data.unit_of_work import UniqueConflict
from haulier.kernel.file_reading import UnreadableFile
from haulier.kernel.foreign_files import read_foreign_file, text_hints, unpack_upload
from haulier.kernel.operations.client_keys import require_same_content
from haulier.kernel.operations.errors import INVALID_REQUEST, FieldError
from haulier.kernel.request_context import RequestContext
from haulier.kernel.row_imports import KEPT
from haulier.kernel.values.batch_states import ImportRowState
from haulier.kernel.values.table_files import FormatQuestion

WRITTEN = (ImportRowState.CREATED, ImportRowState.UPDATED)
IMPORT_JOB = "warehouse.import"


class RunStockImport(Struct, frozen=True):
    """The job of an import."""

    import_id: int


class ReadStockFile(NamedTuple):
    """Rows, encoding and digest of a file, and the request's `check_only`."""

    rows: list[dict[str, str]]
    encoding: str | None
    sha256: str
    check_only: bool


async def read_table_rows(context: RequestContext, request: ImportTable) -> ReadStockFile:
    """The rows of a file, read before the transaction and beside the event loop: a large one takes half a second."""
    file = await unpack_upload(request)
    try:
        question = FormatQuestion(request.format, text_hints(context, file.encoding))
        read = await read_foreign_file(context.app, read_file_rows, file.content, question, field=request.file_field)
    except UnreadableFile:
        raise INVALID_REQUEST.for_fields(FieldError("content", "field.file_no_table")) from None
    if not 1 <= len(read.rows) <= MAX_STOCK_IMPORT_ROWS:
        raise INVALID_REQUEST.for_fields(FieldError("content", "field.file_rows", {"most": MAX_STOCK_IMPORT_ROWS}))
    return ReadStockFile(read.rows, read.encoding, sha256(file.content).hexdigest(), request.check_only)


async def begin_import(
    call: Call, kind: StockImportKind, file: ReadStockFile, reference: str | None = None
) -> StockImportAnswer:
    """Store the rows of a file and enqueue them. Deletes imports whose outcomes have expired.

    Received stock with a reference counts once: the same file returns its import. Raises `CLIENT_KEY_REUSED` for another.
    A check doesn't use the reference up.
    """
    await stock_imports.delete_old_imports(call.work, call.now - KEPT)
    once = reference if kind is StockImportKind.RECEIVED_STOCK else None
    if once and (repeated := await _find_repeated(call, once, file.sha256)):
        return await load_import(call, repeated)
    header = {
        "once": None if file.check_only else once,
        "check_only": file.check_only,
        "encoding": file.encoding,
        "content_sha256": file.sha256,
        "kind": kind.value,
        "account": call.principal.account.value,
        "reference": reference,
        "created_by": call.actor,
        "created_at": call.now,
    }
    rows = mark_places_named_twice(file.rows) if kind is StockImportKind.COUNTED_STOCK else file.rows
    try:
        async with call.work.savepoint():
            import_id = await stock_imports.insert_import(call.work, header, rows)
    except UniqueConflict:
        if once and (repeated := await _find_repeated(call, once, file.sha256)):
            return await load_import(call, repeated)
        raise
    await call.enqueue(IMPORT_JOB, RunStockImport(import_id))
    call.add_audit_subjects("stock_import", import_id)
    return await load_import(call, import_id)


async def _find_repeated(call: Call, reference: str, digest: str) -> int | None:
    """Return the import that a file repeats. The reference of one of which no row was written is free again."""
    before = await find_import_of_reference(call.work, reference)
    if before is None:
        return None
    if before.content_sha256 != digest:
        counts = (await stock_imports.count_rows_by_state(call.work, [before.id]))[before.id]
        if before.finished_at and not any(counts.get(state) for state in WRITTEN):
            await free_reference(call.work, before.id)
            return None
        require_same_content("reference", reference, {"content": digest}, {"content": before.content_sha256})
    return before.id
