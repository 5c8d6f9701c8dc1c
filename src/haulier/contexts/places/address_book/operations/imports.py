"""Imports: a file of addresses, brought into the book in the background."""

import asyncio
from typing import Any, NamedTuple

import msgspec
from msgspec import Struct

from haulier.contexts.places.address_book import store
from haulier.contexts.places.address_book.actions import AddressFileRow, import_rows
from haulier.contexts.places.address_book.contract import (
    MAX_FILE_BYTES,
    MAX_FILE_TEXT,
    MAX_IMPORT_ROWS,
    AddressImportFieldError,
    AddressImportOutcome,
    AddressImportResult,
    CreateAddress,
    GetAddressImport,
    ImportAddresses,
    ImportRef,
    ImportStarted,
)
from haulier.contexts.places.address_book.rules import match_address_columns
from haulier.contexts.places.events import AddressesImported
from haulier.kernel.background.jobs import job
from haulier.kernel.call import Call
from haulier.kernel.file_reading import FileReader, PackedRows
from haulier.kernel.foreign_files import read_foreign_file, text_hints, unpack_upload
from haulier.kernel.job_run import JobRun
from haulier.kernel.operations.answers import Done
from haulier.kernel.operations.declaration import GraphQL, Rest, reads, writes
from haulier.kernel.operations.enums import OFFICE, Risk, Scope
from haulier.kernel.operations.error_rendering import render_field_error
from haulier.kernel.operations.errors import (
    INVALID_REQUEST,
    NOT_FOUND,
    FieldError,
    OperationError,
    declare_error,
    record_not_found,
)
from haulier.kernel.operations.records import record
from haulier.kernel.request_context import RequestContext
from haulier.kernel.values.batch_states import batch_state
from haulier.kernel.values.table_files import TableQuestion, read_table_file
from haulier.kernel.values.text_encodings import TextHints, to_utf8

IMPORT_IS_OVER = declare_error("address_import_is_over", 409)
ROWS_PER_TRANSACTION = 200
"""A worker that dies loses the work of one transaction at most; the next worker repeats it."""
NEEDED = ("name", "address", "city")


class ProcessAddressImport(Struct, frozen=True):
    """The job of an import."""

    import_id: int


class _ReadFile(NamedTuple):
    """A file read before the transaction: UTF-8 CSV bytes and row count, or its error."""

    document: bytes
    total: int
    columns: dict[str, int]
    encoding: str | None = None
    error: OperationError | None = None


async def _read_before(context: RequestContext, request: ImportAddresses) -> _ReadFile:
    """A large file takes a second to read, which must not hold the database's writer."""
    file = await unpack_upload(request)
    document = file.content
    try:
        if len(document) > MAX_FILE_BYTES:
            return _unreadable("document", "field.table_too_long", most=MAX_IMPORT_ROWS)
        hints = text_hints(context, file.encoding, country=request.country)
        question = TableQuestion(request.format, MAX_IMPORT_ROWS, hints)
        table = await read_foreign_file(context.app, read_table_file, document, question, field="document")
        columns = match_address_columns(table.header, request.mapping, CreateAddress.model_fields)
    except ValueError:  # an `UnreadableTable`
        return _unreadable("document", "field.unreadable_table")
    except KeyError as missing:
        return _unreadable("mapping", "field.no_such_column", column=str(missing.args[0]))
    total = table.rows.total
    if total > MAX_IMPORT_ROWS:
        return _unreadable("document", "field.table_too_long", most=MAX_IMPORT_ROWS)
    lacking = [name for name in NEEDED if name not in columns]
    if lacking or not (request.country or "country" in columns):
        return _unreadable("mapping", "field.columns_missing", columns=", ".join(lacking or ["country"]))
    return _ReadFile(await asyncio.to_thread(to_utf8, document, table.encoding), total, columns, table.encoding)


def _unreadable(field: str, code: str, **params: Any) -> _ReadFile:
    return _ReadFile(b"", 0, {}, error=INVALID_REQUEST.for_fields(FieldError(field, code, params)))


@writes(
    "import_addresses",
    audience=OFFICE,
    scopes={Scope.ADDRESS_WRITE},
    risk=Risk.MEDIUM,
    body_limit_bytes=MAX_FILE_TEXT + 100_000,
    prepare=_read_before,
    interfaces=(Rest("POST", "/v1/address-imports"), GraphQL("importAddresses")),
)
async def import_addresses(call: Call, request: ImportAddresses) -> ImportStarted:
    """Import addresses from a CSV or XLSX file.

    Runs in the background; each row has its own outcome. A row with a known reference updates that address. A row with
    a known name and place is a duplicate.
    """
    file: _ReadFile = call.prepared
    if file.error:
        raise file.error
    values = {
        "file_name": request.file_name,
        "format": request.format,
        "mapping": {"columns": file.columns, "country": request.country},
        "check_only": request.check_only,
        "document": file.document,
        "total": file.total,
        "done": 0,
        "created_by": call.actor,
        "created_at": call.now,
    }
    import_id = await store.insert_import(call.work, values)
    call.add_audit_subjects("address_import", import_id)
    await call.enqueue("places.import_addresses", ProcessAddressImport(import_id))
    return ImportStarted(import_id=import_id, total=file.total, encoding=file.encoding)


@reads(
    "get_address_import",
    audience=OFFICE,
    scopes={Scope.ADDRESS_READ},
    errors=(NOT_FOUND,),
    interfaces=(Rest("GET", "/v1/address-imports/{import_id}"), GraphQL("addressImport")),
)
async def get_address_import(call: Call, request: GetAddressImport) -> AddressImportResult:
    """Get the progress of an address import.

    Row outcomes are paged.
    """
    row = await store.get_import_progress(call.work, request.import_id)
    if row is None:
        raise record_not_found(import_id=request.import_id)
    count = await store.count_import_outcomes(call.work, row.id)
    outcomes = await store.list_import_outcomes(
        call.work, row.id, request.state, limit=request.per_page, offset=request.offset
    )
    return AddressImportResult(
        total=count.get(request.state, 0) if request.state else row.done,
        page=request.page,
        per_page=request.per_page,
        import_id=row.id,
        file_name=row.file_name,
        state=batch_state(row.total, row.done, count.get("refused", 0), row.finished_at, row.cancelled_at),
        check_only=row.check_only,
        rows=row.total,
        done=row.done,
        created=count.get("created", 0),
        updated=count.get("updated", 0),
        unchanged=count.get("unchanged", 0),
        duplicates=count.get("duplicate", 0),
        refused=count.get("refused", 0),
        created_at=call.local_time(row.created_at),
        finished_at=call.local_time(row.finished_at),
        outcomes=[_outcome(call, outcome) for outcome in outcomes],
    )


@writes(
    "cancel_address_import",
    audience=OFFICE,
    scopes={Scope.ADDRESS_WRITE},
    risk=Risk.MEDIUM,
    errors=(NOT_FOUND, IMPORT_IS_OVER),
    interfaces=(Rest("POST", "/v1/address-imports/{import_id}/cancel"), GraphQL("cancelAddressImport")),
)
async def cancel_address_import(call: Call, request: ImportRef) -> Done:
    """Cancel an address import.

    Imported rows remain.
    """
    row = await store.get_import_row(call.work, request.import_id, lock=True)
    if row is None:
        raise record_not_found(import_id=request.import_id)
    if row.finished_at:
        raise IMPORT_IS_OVER()
    await store.update_import(call.work, row.id, cancelled_at=call.now, finished_at=call.now, document=None)
    call.add_audit_subjects("address_import", row.id)
    return Done(message=call.translate("address_import_cancelled"))


@job("places.import_addresses", ProcessAddressImport, queue="batches")
async def process_address_import(run: JobRun, args: ProcessAddressImport) -> None:
    """Import the rows of a file, 200 per transaction.

    Running it again imports nothing twice.
    """
    async with run.call() as call:
        row = await store.get_import_row(call.work, args.import_id)
    if row is None or row.document is None or row.finished_at:
        return
    question = TableQuestion("xlsx" if row.format == "xlsx" else "csv", MAX_IMPORT_ROWS, TextHints("utf-8"))
    table = await run.app.adapter(FileReader).read(read_table_file, row.document, question)
    rows = await asyncio.to_thread(_file_rows, row, table.rows)
    while True:
        async with run.call() as call:
            current = await store.get_import_row(call.work, args.import_id, lock=True)
            if current is None or current.finished_at:
                return
            some = rows[current.done : current.done + ROWS_PER_TRANSACTION]
            if not some:
                await _finish(call, current)
                return
            outcomes = await import_rows(call, some, check_only=current.check_only)
            await store.insert_import_outcomes(call.work, args.import_id, outcomes)
            await store.update_import(call.work, args.import_id, done=current.done + len(some))


async def _finish(call: Call, row: store.AddressImportLine) -> None:
    """Say that all rows were tried, and forget the file."""
    await store.update_import(call.work, row.id, finished_at=call.now, document=None)
    count = await store.count_import_outcomes(call.work, row.id)
    counts = {state: count.get(state, 0) for state in ("created", "updated", "refused")}
    await call.publish(AddressesImported(import_id=row.id, check_only=row.check_only, **counts))


def _file_rows(row: store.AddressImportLine, rows: PackedRows) -> list[AddressFileRow]:
    """The rows of an import's file by the fields of an address."""
    mapping: dict[str, Any] = dict(row.mapping)
    columns: dict[str, int] = mapping["columns"]
    country = mapping["country"] or ""
    return [
        AddressFileRow(number, _with_country({field: cells[index] for field, index in columns.items()}, country))
        for number, cells in enumerate(rows, 1)
    ]


def _with_country(cells: dict[str, str], country: str) -> dict[str, str]:
    return {**cells, "country": cells.get("country") or country}


def _outcome(call: Call, row: store.ImportOutcomeRow) -> AddressImportOutcome:
    errors = msgspec.convert(row.fault or [], list[FieldError])
    rendered = [render_field_error(error, call.app.catalogues, call.language) for error in errors]
    fields = [AddressImportFieldError(**each) for each in rendered]
    refused = row.state == "refused"
    return record(AddressImportOutcome, row, errors=fields if refused else [], warnings=[] if refused else fields)
