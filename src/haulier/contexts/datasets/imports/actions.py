"""Start of imports: the file is checked, stored, and processed in the background."""

import asyncio

from msgspec import Struct

from haulier.contexts.datasets.datasets.queries import get_dataset_to_write
from haulier.contexts.datasets.imports import store
from haulier.contexts.datasets.imports.contract import (
    MAX_IMPORT_ROWS,
    DatasetImportAnswer,
    ImportDatasetRecords,
)
from haulier.contexts.datasets.imports.rules import RecordFileQuestion, read_raw_rows
from haulier.contexts.datasets.imports.serializers import dataset_import
from haulier.kernel.call import Call
from haulier.kernel.file_reading import UnreadableFile
from haulier.kernel.foreign_files import read_foreign_file, text_hints, unpack_upload
from haulier.kernel.operations.errors import INVALID_REQUEST, FieldError, record_not_found
from haulier.kernel.request_context import RequestContext
from haulier.kernel.values.text_encodings import to_utf8

IMPORT_JOB = "datasets.import"


class RunImport(Struct, frozen=True):
    """Job arguments: an import."""

    import_id: int


class CountedFile(Struct, frozen=True):
    """A checked file of records."""

    content: bytes
    total: int
    encoding: str | None


async def count_rows_of_file(context: RequestContext, request: ImportDatasetRecords) -> CountedFile:
    """Check a file before the transaction.

    Raises `INVALID_REQUEST` for a wrong format.
    """
    file = await unpack_upload(request)
    try:
        question = RecordFileQuestion(request.format, text_hints(context, file.encoding))
        read = await read_foreign_file(context.app, read_raw_rows, file.content, question, field=request.file_field)
    except UnreadableFile as fault:
        raise INVALID_REQUEST.for_fields(FieldError("content", fault.code or "field.file_no_table")) from None
    total = read.rows.total
    if not 1 <= total <= MAX_IMPORT_ROWS:
        raise INVALID_REQUEST.for_fields(FieldError("content", "field.file_rows", {"most": MAX_IMPORT_ROWS}))
    return CountedFile(await asyncio.to_thread(to_utf8, file.content, read.encoding), total, read.encoding)


async def begin_import(call: Call, request: ImportDatasetRecords) -> DatasetImportAnswer:
    """Store a checked file and enqueue it."""
    dataset = await get_dataset_to_write(call, request.dataset_id)
    file: CountedFile = call.prepared
    values = {
        "dataset_id": dataset.id,
        "format": request.format,
        "content": file.content,
        "total": file.total,
        "if_exists": request.if_exists,
        "check_only": request.check_only,
        "encoding": file.encoding,
        "created_by": call.actor,
        "account": call.principal.account.value,
        "created_at": call.now,
    }
    import_id = await store.insert_import(call.work, values)
    await call.enqueue(IMPORT_JOB, RunImport(import_id))
    call.add_audit_subjects("dataset", dataset.id)
    row = await store.get_import_row(call.work, import_id)
    if row is None:
        raise record_not_found(import_id=import_id)
    return DatasetImportAnswer(dataset_import=dataset_import(call, row))
