"""Imports begin: the file is read over, its rows are kept, and they are worked off in the background."""

from msgspec import Struct

from haulier.contexts.warehouse.stock_imports.contract import (
    MAX_STOCK_IMPORT_ROWS,
    ImportTable,
    StockImportAnswer,
    StockImportKind,
)
from haulier.contexts.warehouse.stock_imports.rules import read_file_rows
from haulier.contexts.warehouse.stock_imports.serializers import load_import
from haulier.contexts.warehouse.stock_imports.store import stock_imports
from haulier.kernel.call import Call
from haulier.kernel.file_reading import UnreadableFile
from haulier.kernel.foreign_files import read_foreign_file
from haulier.kernel.operations.errors import INVALID_REQUEST, FieldError
from haulier.kernel.request_context import RequestContext
from haulier.kernel.row_imports import KEPT

IMPORT_JOB = "warehouse.import"


class RunStockImport(Struct, frozen=True):
    """The job of an import."""

    import_id: int


async def read_table_rows(context: RequestContext, request: ImportTable) -> list[dict[str, str]]:
    """The rows of a file, read before the transaction and beside the event loop: a large one takes half a second."""
    try:
        rows = await read_foreign_file(context.app, read_file_rows, request.decoded, request.format, field="content")
    except UnreadableFile:
        raise INVALID_REQUEST.for_fields(FieldError("content", "field.file_no_table")) from None
    if not 1 <= len(rows) <= MAX_STOCK_IMPORT_ROWS:
        raise INVALID_REQUEST.for_fields(FieldError("content", "field.file_rows", {"most": MAX_STOCK_IMPORT_ROWS}))
    return rows


async def begin_import(call: Call, kind: StockImportKind, reference: str | None = None) -> StockImportAnswer:
    """Keep the rows of a file that was read, and have them worked off. Old outcomes are forgotten by the way."""
    await stock_imports.delete_old_imports(call.work, call.now - KEPT)
    header = {
        "kind": kind.value,
        "account": call.principal.account.value,
        "reference": reference,
        "created_by": call.actor,
        "created_at": call.now,
    }
    import_id = await stock_imports.insert_import(call.work, header, call.prepared)
    await call.enqueue(IMPORT_JOB, RunStockImport(import_id))
    call.add_audit_subjects("stock_import", import_id)
    return await load_import(call, import_id)
