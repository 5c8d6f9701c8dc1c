"""Files of contacts are read over, kept, and written row by row."""

from collections.abc import Sequence
from typing import Any

from msgspec import Struct

from haulier.contexts.messaging.campaigns.actions.contacts import CONTACT_COLUMNS, add_consents, add_contact
from haulier.contexts.messaging.campaigns.contract.contacts import CreateSmsContact
from haulier.contexts.messaging.campaigns.contract.imports import MAX_SMS_IMPORT_ROWS, ImportSmsContacts
from haulier.contexts.messaging.campaigns.rules.files import contact_document, read_contact_rows
from haulier.contexts.messaging.campaigns.rules.numbers import number_key
from haulier.contexts.messaging.campaigns.store import contacts as contact_store
from haulier.contexts.messaging.campaigns.store.imports import SmsImportHeader, contact_imports
from haulier.contexts.messaging.campaigns.store.tables import SmsContactRow
from haulier.kernel.call import Call
from haulier.kernel.file_reading import UnreadableFile
from haulier.kernel.foreign_files import read_foreign_file, text_hints, unpack_upload
from haulier.kernel.operations.errors import INVALID_REQUEST, FieldError, OperationError
from haulier.kernel.operations.rows import MalformedRow, read_row, with_row_errors
from haulier.kernel.operations.table_cells import lost_digit_errors
from haulier.kernel.request_context import RequestContext
from haulier.kernel.row_imports import KEPT, RowOutcome
from haulier.kernel.values.batch_states import ImportRowState
from haulier.kernel.values.spreadsheet_cells import repair_codes
from haulier.kernel.values.table_files import FormatQuestion, NamedRows

IMPORT_JOB = "sms.import_contacts"


class RunSmsImport(Struct, frozen=True):
    """The job of an import."""

    import_id: int


async def read_sms_file(context: RequestContext, request: ImportSmsContacts) -> NamedRows:
    """Return the rows of a file, read before the transaction and beside the event loop.

    Raises `INVALID_REQUEST`.
    """
    file = await unpack_upload(request)
    try:
        question = FormatQuestion(request.format, text_hints(context, file.encoding))
        read = await read_foreign_file(context.app, read_contact_rows, file.content, question, field=request.file_field)
    except UnreadableFile:
        raise INVALID_REQUEST.for_fields(FieldError("content", "field.file_no_table")) from None
    if not 1 <= len(read.rows) <= MAX_SMS_IMPORT_ROWS:
        raise INVALID_REQUEST.for_fields(FieldError("content", "field.file_rows", {"most": MAX_SMS_IMPORT_ROWS}))
    return read


async def begin_sms_import(call: Call, request: ImportSmsContacts) -> int:
    """Keep the rows of a file that was read, and have them worked off. Returns the id of the import."""
    await contact_imports.delete_old_imports(call.work, call.now - KEPT)
    consent = request.consent and request.consent.model_dump(mode="json", exclude_none=True)
    file: NamedRows = call.prepared
    header = {
        "kind": "contacts",
        "check_only": request.check_only,
        "encoding": file.encoding,
        "consent": consent,
        "created_by": call.actor,
        "created_at": call.now,
    }
    import_id = await contact_imports.insert_import(call.work, header, file.rows)
    await call.enqueue(IMPORT_JOB, RunSmsImport(import_id))
    call.add_audit_subjects("sms_contact_import", import_id)
    return import_id


async def find_contact_row_keys(call: Call, header: SmsImportHeader, rows: Sequence[dict[str, Any]]) -> list[set[str]]:
    """Return the number of each row, which is all that a row shares with others."""
    cells = [repair_codes(row, {"phone"}).cells for row in rows]
    return [{"".join(filter(str.isdecimal, each.get("phone", "")))} for each in cells]


async def write_contact_rows(call: Call, header: SmsImportHeader, rows: Sequence[dict[str, Any]]) -> list[RowOutcome]:
    """Write some rows: a number that is there is changed by what the row says, any other is a new contact."""
    repaired = [repair_codes(row, {"phone"}) for row in rows]
    documents = [contact_document(row.cells, header.consent) for row in repaired]
    requests = [
        with_row_errors(read_row(CreateSmsContact, document), lost_digit_errors(row.rounded))
        for document, row in zip(documents, repaired, strict=True)
    ]
    keys = {number_key(call.client_id, each.phone) for each in requests if isinstance(each, CreateSmsContact)}
    known = await contact_store.get_contacts_by_key(call.work, keys)
    ids = {key: contact.id for key, contact in known.items()}
    return [
        await _write_row(call, document, request, ids, known)
        for document, request in zip(documents, requests, strict=True)
    ]


async def _write_row(
    call: Call,
    document: dict[str, Any],
    request: CreateSmsContact | MalformedRow,
    ids: dict[str, int],
    known: dict[str, SmsContactRow],
) -> RowOutcome:
    if isinstance(request, MalformedRow):
        return RowOutcome(ImportRowState.REFUSED, error=INVALID_REQUEST.for_fields(*request.field_errors))
    key = number_key(call.client_id, request.phone)
    try:
        async with call.work.savepoint():
            if key not in ids:
                contact_id = await add_contact(call, request)
                ids[key] = contact_id
                return RowOutcome(ImportRowState.CREATED, str(contact_id))
            values = {name: getattr(request, name) for name in (*CONTACT_COLUMNS, "tags") if document.get(name)}
            if key in known and "variables" in values:
                values["variables"] = {**known[key].variables, **values["variables"]}
            await contact_store.update_contact_row(call.work, ids[key], {**values, "updated_at": call.now})
            await add_consents(call, request.phone, request.consents)
            return RowOutcome(ImportRowState.UPDATED, str(ids[key]))
    except OperationError as error:
        return RowOutcome(ImportRowState.REFUSED, error=error)
