"""Operations for contact imports."""

from typing import Any

from haulier.contexts.messaging.campaigns.actions.imports import begin_sms_import, read_sms_file
from haulier.contexts.messaging.campaigns.contract.imports import (
    GetSmsImport,
    ImportSmsContacts,
    ListSmsImports,
    SmsImportAnswer,
    SmsImportDetail,
    SmsImportFieldError,
    SmsImportList,
    SmsImportOutcome,
    SmsImportRecord,
    SmsImportRef,
)
from haulier.contexts.messaging.campaigns.errors import SMS_IMPORT_IS_OVER
from haulier.contexts.messaging.campaigns.operations.contacts import FEATURE, READ, WRITE
from haulier.contexts.messaging.campaigns.store.imports import SmsImportHeader, contact_imports
from haulier.kernel.call import Call
from haulier.kernel.operations.answers import Done
from haulier.kernel.operations.declaration import GraphQL, Rest, reads, writes
from haulier.kernel.operations.enums import OFFICE, Risk
from haulier.kernel.operations.errors import NOT_FOUND, record_not_found
from haulier.kernel.operations.records import record
from haulier.kernel.operations.stored_errors import render_stored_error
from haulier.kernel.row_imports import ImportRow, import_progress

PATH = "/v1/sms-marketing/contact-imports"
ONE = f"{PATH}/{{sms_import_id}}"


@writes(
    "import_sms_contacts",
    audience=OFFICE,
    scopes=WRITE,
    feature=FEATURE,
    risk=Risk.MEDIUM,
    doors=(Rest("POST", PATH), GraphQL("importSmsContacts")),
    body_limit_bytes=48_000_000,
    prepare=read_sms_file,
)
async def import_sms_contacts(call: Call, request: ImportSmsContacts) -> SmsImportAnswer:
    """Import SMS contacts from CSV or XLSX.

    The import runs in the background, and each row has its own outcome. A consent in a file counts like a recorded
    one: it does not lift a suppression, and a consent older than a revocation has no effect.
    """
    import_id = await begin_sms_import(call, request)
    header = await _header(call, import_id)
    counts = await contact_imports.count_rows_by_state(call.work, [header.id])
    return SmsImportAnswer(sms_import=_import(call, header, counts[header.id]))


@reads(
    "list_sms_contact_imports",
    audience=OFFICE,
    scopes=READ,
    feature=FEATURE,
    doors=(Rest("GET", PATH), GraphQL("smsContactImports")),
)
async def list_sms_contact_imports(call: Call, request: ListSmsImports) -> SmsImportList:
    """List imports of SMS contacts.

    Results are ordered newest first.
    """
    headers, total = await contact_imports.list_import_headers(
        call.work, None, limit=request.per_page, offset=request.offset
    )
    counts = await contact_imports.count_rows_by_state(call.work, [header.id for header in headers])
    shown = [_import(call, header, counts[header.id]) for header in headers]
    return SmsImportList(total=total, page=request.page, per_page=request.per_page, imports=shown)


@reads(
    "get_sms_contact_import",
    audience=OFFICE,
    scopes=READ,
    feature=FEATURE,
    doors=(Rest("GET", ONE), GraphQL("smsContactImport")),
    errors=(NOT_FOUND,),
)
async def get_sms_contact_import(call: Call, request: GetSmsImport) -> SmsImportDetail:
    """Get an import of SMS contacts.

    Shows its progress and a page of row outcomes.
    """
    header = await _header(call, request.sms_import_id)
    counts = (await contact_imports.count_rows_by_state(call.work, [header.id]))[header.id]
    rows = await contact_imports.list_import_rows(
        call.work, header.id, request.state, limit=request.per_page, offset=request.offset
    )
    return SmsImportDetail(
        total=counts.get(request.state, 0) if request.state else header.rows,
        page=request.page,
        per_page=request.per_page,
        sms_import=_import(call, header, counts),
        outcomes=[_outcome(call, row) for row in rows],
    )


@writes(
    "cancel_sms_contact_import",
    allowed_where={"finished_at": None},
    audience=OFFICE,
    scopes=WRITE,
    feature=FEATURE,
    risk=Risk.MEDIUM,
    doors=(Rest("POST", f"{ONE}/cancel"), GraphQL("cancelSmsContactImport")),
    errors=(NOT_FOUND, SMS_IMPORT_IS_OVER),
)
async def cancel_sms_contact_import(call: Call, request: SmsImportRef) -> Done:
    """Cancel an import of SMS contacts.

    Imported rows stay; the remaining rows are skipped.
    """
    header = await _header(call, request.sms_import_id, lock=True)
    if header.finished_at:
        raise SMS_IMPORT_IS_OVER()
    await contact_imports.cancel_import(call.work, header.id, call.now)
    call.add_audit_subjects("sms_contact_import", header.id)
    return Done(message=call.translate("sms_import_cancelled"))


async def _header(call: Call, import_id: int, *, lock: bool = False) -> SmsImportHeader:
    header = await contact_imports.get_import_header(call.work, import_id, lock=lock)
    if header is None:
        raise record_not_found(sms_import_id=import_id)
    return header


def _import(call: Call, header: SmsImportHeader, counts: dict[str, int]) -> SmsImportRecord:
    return record(SmsImportRecord, header, **import_progress(call, header, counts))


def _outcome(call: Call, row: ImportRow) -> SmsImportOutcome:
    phone = row.document.get("phone")
    return record(SmsImportOutcome, row, phone=phone and str(phone)[:50], **_error_fields(call, row.fault))


def _error_fields(call: Call, document: dict[str, Any] | None) -> dict[str, Any]:
    if document is None:
        return {}
    error = render_stored_error(document, call.app.catalogues, call.language)
    fields = [SmsImportFieldError(**field) for field in error.fields]
    return {"code": error.code, "message": error.message, "errors": fields}
