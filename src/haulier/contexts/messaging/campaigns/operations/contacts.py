"""Operations on campaigns: contacts."""

from secrets import token_urlsafe
from typing import Any

from haulier.contexts.messaging.campaigns.actions.contacts import (
    add_consents,
    add_contact,
    begin_sms_import,
    read_sms_file,
    require_past,
    revoke_consents,
    suppress_number,
)
from haulier.contexts.messaging.campaigns.contract.contacts import (
    CreateSmsContact,
    GetSmsContact,
    GetSmsImport,
    ImportSmsContacts,
    LiftSmsSuppression,
    ListSmsContacts,
    ListSmsImports,
    ListSmsSuppressions,
    RecordSmsConsent,
    RevokeSmsConsent,
    SetSmsMarketingSettings,
    SmsConsentRecord,
    SmsContactAnswer,
    SmsContactDetail,
    SmsContactList,
    SmsContactRef,
    SmsHours,
    SmsImportAnswer,
    SmsImportDetail,
    SmsImportFieldError,
    SmsImportList,
    SmsImportOutcome,
    SmsImportRecord,
    SmsImportRef,
    SmsMarketingSettings,
    SmsMarketingSettingsAnswer,
    SmsRegulationList,
    SmsRegulationRecord,
    SmsSuppressionAnswer,
    SmsSuppressionList,
    SmsSuppressionRecord,
    SuppressionReason,
    SuppressSmsNumber,
    UpdateSmsContact,
)
from haulier.contexts.messaging.campaigns.errors import (
    SMS_CONSENT_NOT_ENOUGH,
    SMS_CONTACT_EXISTS,
    SMS_IMPORT_IS_OVER,
    SMS_SUPPRESSED_BY_RECIPIENT,
)
from haulier.contexts.messaging.campaigns.queries import contact_records, require_contact
from haulier.contexts.messaging.campaigns.rules.sms_regulations import (
    DEFAULT_REGULATION,
    REGULATIONS,
    MessagePurpose,
    SmsRegulation,
    number_key,
)
from haulier.contexts.messaging.campaigns.store import campaigns as campaigns_store
from haulier.contexts.messaging.campaigns.store import contacts as contacts_store
from haulier.contexts.messaging.campaigns.store.contacts import SmsImportHeader, contact_imports
from haulier.contexts.messaging.campaigns.store.tables import SmsConsentRow, SmsContactRow, SmsSuppressionRow
from haulier.contexts.messaging.sms.queries import campaign_route
from haulier.kernel.call import Call
from haulier.kernel.data.unit_of_work import UniqueConflict
from haulier.kernel.operations.answers import Done
from haulier.kernel.operations.declaration import EmptyRequest, GraphQL, Rest, reads, writes
from haulier.kernel.operations.enums import OFFICE, Account, Feature, Risk, Scope
from haulier.kernel.operations.errors import INVALID_REQUEST, NOT_FOUND, FieldError, record_not_found
from haulier.kernel.operations.records import record
from haulier.kernel.operations.stored_errors import render_stored_error
from haulier.kernel.row_imports import ImportRow, import_progress
from haulier.kernel.values.pagination import total_fields

CONTACTS_PATH = "/v1/sms-marketing/contacts"
CONTACTS_ONE = f"{CONTACTS_PATH}/{{sms_contact_id}}"
FEATURE, READ, WRITE = Feature.SMS_MARKETING, {Scope.SMS_MARKETING_READ}, {Scope.SMS_MARKETING_WRITE}


@writes(
    "create_sms_contact",
    audience=OFFICE,
    scopes=WRITE,
    feature=FEATURE,
    risk=Risk.MEDIUM,
    interfaces=(Rest("POST", CONTACTS_PATH), GraphQL("createSmsContact")),
    errors=(SMS_CONTACT_EXISTS, SMS_CONSENT_NOT_ENOUGH),
)
async def create_sms_contact(call: Call, request: CreateSmsContact) -> SmsContactAnswer:
    """Create an SMS contact.

    A contact without a consent that is valid in their country gets no messages.
    """
    try:
        async with call.savepoint():
            contact_id = await add_contact(call, request)
    except UniqueConflict:
        raise SMS_CONTACT_EXISTS() from None
    call.add_audit_subjects("sms_contact", contact_id)
    return await _answer(call, contact_id)


@reads(
    "list_sms_contacts",
    audience=OFFICE,
    scopes=READ,
    feature=FEATURE,
    interfaces=(Rest("GET", CONTACTS_PATH), GraphQL("smsContacts")),
)
async def list_sms_contacts(call: Call, request: ListSmsContacts) -> SmsContactList:
    """List SMS contacts.

    Results are ordered newest first and show the permissions of each contact.
    """
    filters = request.model_dump(include={"search", "tag", "language", "country"}, exclude_none=True)
    rows, counted = await contacts_store.list_contact_rows(
        call.work, filters, limit=request.per_page, offset=request.offset
    )
    return SmsContactList(
        **total_fields(counted),
        page=request.page,
        per_page=request.per_page,
        contacts=await contact_records(call, rows),
    )


@reads(
    "get_sms_contact",
    audience=OFFICE,
    scopes=READ,
    feature=FEATURE,
    interfaces=(Rest("GET", CONTACTS_ONE), GraphQL("smsContact")),
    errors=(NOT_FOUND,),
)
async def get_sms_contact(call: Call, request: GetSmsContact) -> SmsContactDetail:
    """Get an SMS contact with its consents.

    Shows every consent and revocation of the number with time, method, wording and evidence.
    """
    contact = await require_contact(call, request.sms_contact_id)
    rows, total = await contacts_store.list_consent_rows(
        call.work, contact.number_key, limit=request.per_page, offset=request.offset
    )
    (shown,) = await contact_records(call, [contact])
    return SmsContactDetail(
        total=total,
        page=request.page,
        per_page=request.per_page,
        contact=shown,
        consents=[_consent(call, row) for row in rows],
    )


def _consent(call: Call, row: SmsConsentRow) -> SmsConsentRecord:
    return record(
        SmsConsentRecord,
        row,
        occurred_at=call.local_time(row.occurred_at),
        expires_at=call.local_time(row.expires_at),
        recorded_at=call.local_time(row.recorded_at),
    )


@writes(
    "update_sms_contact",
    audience=OFFICE,
    scopes=WRITE,
    feature=FEATURE,
    interfaces=(Rest("PATCH", CONTACTS_ONE), GraphQL("updateSmsContact")),
    errors=(NOT_FOUND,),
)
async def update_sms_contact(call: Call, request: UpdateSmsContact) -> SmsContactAnswer:
    """Update an SMS contact.

    The number and the consents cannot be changed.
    """
    contact = await require_contact(call, request.sms_contact_id)
    values = request.model_dump(exclude={"sms_contact_id"}, exclude_none=True)
    await contacts_store.update_contact_row(call.work, contact.id, {**values, "updated_at": call.now})
    call.add_audit_subjects("sms_contact", contact.id)
    return await _answer(call, contact.id)


@writes(
    "delete_sms_contact",
    audience=OFFICE,
    scopes=WRITE,
    feature=FEATURE,
    risk=Risk.MEDIUM,
    interfaces=(Rest("DELETE", CONTACTS_ONE), GraphQL("deleteSmsContact")),
    errors=(NOT_FOUND,),
)
async def delete_sms_contact(call: Call, request: SmsContactRef) -> Done:
    """Delete an SMS contact.

    Consents, revocations and suppressions stay with the number.
    """
    contact = await require_contact(call, request.sms_contact_id)
    await SmsContactRow.delete(call.work, contact.id)
    call.add_audit_subjects("sms_contact", contact.id)
    return Done(message=call.translate("sms_contact_deleted"))


@writes(
    "record_sms_consent",
    audience=OFFICE,
    scopes=WRITE,
    feature=FEATURE,
    risk=Risk.MEDIUM,
    interfaces=(Rest("POST", f"{CONTACTS_ONE}/consents"), GraphQL("recordSmsConsent")),
    errors=(NOT_FOUND, SMS_CONSENT_NOT_ENOUGH),
)
async def record_sms_consent(call: Call, request: RecordSmsConsent) -> SmsContactAnswer:
    """Record an SMS consent of a contact.

    A consent does not lift a suppression.
    """
    contact = await require_contact(call, request.sms_contact_id)
    await add_consents(call, contact.phone, [request])
    call.add_audit_subjects("sms_contact", contact.id)
    return await _answer(call, contact.id)


@writes(
    "revoke_sms_consent",
    audience=OFFICE,
    scopes=WRITE,
    feature=FEATURE,
    risk=Risk.MEDIUM,
    interfaces=(Rest("POST", f"{CONTACTS_ONE}/revocations"), GraphQL("revokeSmsConsent")),
    errors=(NOT_FOUND,),
)
async def revoke_sms_consent(call: Call, request: RevokeSmsConsent) -> SmsContactAnswer:
    """Revoke an SMS consent of a contact.

    The revocation takes effect immediately, also for running campaigns.
    """
    contact = await require_contact(call, request.sms_contact_id)
    occurred = request.occurred_at or call.now
    require_past("occurred_at", occurred, call.now)
    purposes = [request.purpose] if request.purpose else [*MessagePurpose]
    await revoke_consents(
        call,
        contact.phone,
        purposes,
        method=request.method.value,
        wording=request.wording,
        occurred_at=occurred,
    )
    call.add_audit_subjects("sms_contact", contact.id)
    return await _answer(call, contact.id)


async def _answer(call: Call, contact_id: int) -> SmsContactAnswer:
    (shown,) = await contact_records(call, [await require_contact(call, contact_id)])
    return SmsContactAnswer(contact=shown)


IMPORTS_PATH = "/v1/sms-marketing/contact-imports"
IMPORTS_ONE = f"{IMPORTS_PATH}/{{sms_import_id}}"


@writes(
    "import_sms_contacts",
    audience=OFFICE,
    scopes=WRITE,
    feature=FEATURE,
    risk=Risk.MEDIUM,
    interfaces=(Rest("POST", IMPORTS_PATH), GraphQL("importSmsContacts")),
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
    interfaces=(Rest("GET", IMPORTS_PATH), GraphQL("smsContactImports")),
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
    interfaces=(Rest("GET", IMPORTS_ONE), GraphQL("smsContactImport")),
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
    available_when={"finished_at": None},
    audience=OFFICE,
    scopes=WRITE,
    feature=FEATURE,
    risk=Risk.MEDIUM,
    interfaces=(Rest("POST", f"{IMPORTS_ONE}/cancel"), GraphQL("cancelSmsContactImport")),
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


SETTINGS_PATH = "/v1/sms-marketing/settings"
EVENTS_PATH = "/v1/sms-events"
_DAYS: Any = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")


@reads(
    "get_sms_marketing_settings",
    audience=OFFICE,
    scopes=READ,
    feature=FEATURE,
    interfaces=(Rest("GET", SETTINGS_PATH), GraphQL("smsMarketingSettings")),
)
async def get_sms_marketing_settings(call: Call, request: EmptyRequest) -> SmsMarketingSettingsAnswer:
    """Get the SMS marketing settings.

    Includes the path to which the provider sends receipts and replies.
    """
    row = await campaigns_store.get_settings_row(call.work)
    shown = row and record(
        SmsMarketingSettings,
        row,
        events_path=f"/api{EVENTS_PATH}/{row.endpoint_key}",
        updated_at=call.local_time(row.updated_at),
    )
    return SmsMarketingSettingsAnswer(settings=shown, through=await campaign_route(call.app, call.work))


@writes(
    "set_sms_marketing_settings",
    audience={Account.CLIENT_ADMIN},
    scopes=WRITE,
    feature=FEATURE,
    risk=Risk.MEDIUM,
    interfaces=(Rest("PUT", SETTINGS_PATH), GraphQL("setSmsMarketingSettings")),
)
async def set_sms_marketing_settings(call: Call, request: SetSmsMarketingSettings) -> SmsMarketingSettingsAnswer:
    """Set the SMS marketing settings.

    Sets the sender, quiet hours in addition to the legal ones, throttle, caps and prices. They apply from the next
    message on.
    """
    if (request.quiet_from is None) != (request.quiet_until is None):
        raise INVALID_REQUEST.for_fields(FieldError("quiet_until", "field.missing"))
    values = request.model_dump(exclude={"quiet_from", "quiet_until"})
    for name in ("quiet_from", "quiet_until"):
        moment = getattr(request, name)
        values[name] = moment and moment.isoformat()
    values |= {"currency": call.business.currency, "updated_at": call.now}
    await campaigns_store.upsert_settings(call.work, values, token_urlsafe(24))
    call.add_audit_subjects("client", call.client_id)
    return await get_sms_marketing_settings(call, EmptyRequest())


@reads(
    "list_sms_regulations",
    audience=OFFICE,
    scopes=READ,
    feature=FEATURE,
    interfaces=(Rest("GET", "/v1/sms-marketing/regulations"), GraphQL("smsRegulations")),
)
async def list_sms_regulations(call: Call, request: EmptyRequest) -> SmsRegulationList:
    """List legal requirements for SMS by country.

    Includes consents, permitted hours in the recipient's time zone and registration. This is not legal advice.
    """
    table = {**dict(sorted(REGULATIONS.items())), "default": DEFAULT_REGULATION}
    return SmsRegulationList(regulations=[_regulation_record(country, law) for country, law in table.items()])


def _regulation_record(country: str, law: SmsRegulation) -> SmsRegulationRecord:
    hours = [
        SmsHours(days=[_DAYS[day] for day in sorted(each.days)], begin=f"{each.begin:%H:%M}", end=f"{each.end:%H:%M}")
        for each in law.hours
    ]
    return record(SmsRegulationRecord, law, country=country, bases=sorted(law.bases), hours=hours)


SUPPRESSIONS_PATH = "/v1/sms-marketing/suppressions"
BY_RECIPIENT = frozenset({SuppressionReason.STOP_REPLY, SuppressionReason.REVIEW})
"""Reasons set by replies only. Staff can neither set nor lift them."""


@reads(
    "list_sms_suppressions",
    audience=OFFICE,
    scopes=READ,
    feature=FEATURE,
    interfaces=(Rest("GET", SUPPRESSIONS_PATH), GraphQL("smsSuppressions")),
)
async def list_sms_suppressions(call: Call, request: ListSmsSuppressions) -> SmsSuppressionList:
    """List suppressed numbers.

    Results are ordered newest first and cover all messages, marketing and notifications.
    """
    filters = {"list": request.list and request.list.value}
    filters["key"] = request.phone and number_key(call.client_id, request.phone)
    given = {name: value for name, value in filters.items() if value is not None}
    rows, total = await contacts_store.list_suppression_rows(
        call.work, given, in_force=request.in_force, limit=request.per_page, offset=request.offset
    )
    shown = [_suppression(call, row) for row in rows]
    return SmsSuppressionList(total=total, page=request.page, per_page=request.per_page, suppressions=shown)


@writes(
    "suppress_sms_number",
    audience=OFFICE,
    scopes=WRITE,
    feature=FEATURE,
    risk=Risk.MEDIUM,
    interfaces=(Rest("POST", SUPPRESSIONS_PATH), GraphQL("suppressSmsNumber")),
)
async def suppress_sms_number(call: Call, request: SuppressSmsNumber) -> SmsSuppressionAnswer:
    """Suppress a phone number.

    No more messages are sent to it, regardless of consents. Repeated calls change nothing.
    """
    if request.reason in BY_RECIPIENT:
        raise INVALID_REQUEST.for_fields(FieldError("reason", "field.sms_reason_of_replies"))
    await suppress_number(call, request.phone, request.list, request.reason, request.note)
    key = number_key(call.client_id, request.phone)
    (row,) = (
        each
        for each in await contacts_store.list_suppressions_of(call.work, key)
        if (each.list, each.reason) == (request.list, request.reason)
    )
    call.add_audit_subjects("sms_suppression", row.id)
    return SmsSuppressionAnswer(suppression=_suppression(call, row))


@writes(
    "lift_sms_suppression",
    audience=OFFICE,
    scopes=WRITE,
    feature=FEATURE,
    risk=Risk.HIGH,
    interfaces=(Rest("POST", f"{SUPPRESSIONS_PATH}/{{sms_suppression_id}}/lift"), GraphQL("liftSmsSuppression")),
    errors=(NOT_FOUND, SMS_SUPPRESSED_BY_RECIPIENT),
)
async def lift_sms_suppression(call: Call, request: LiftSmsSuppression) -> SmsSuppressionAnswer:
    """Lift the suppression of a number.

    A suppression caused by the holder's reply can only be lifted by their START.
    """
    row = await SmsSuppressionRow.lock(call.work, request.sms_suppression_id)
    if row is None:
        raise record_not_found(sms_suppression_id=request.sms_suppression_id)
    if row.reason in BY_RECIPIENT:
        raise SMS_SUPPRESSED_BY_RECIPIENT()
    if row.lifted_at is None:
        await SmsSuppressionRow.update(
            call.work, row.id, {"lifted_at": call.now, "lifted_by": call.actor, "lift_reason": request.reason}
        )
    call.add_audit_subjects("sms_suppression", row.id)
    lifted = await SmsSuppressionRow.lock(call.work, row.id)
    return SmsSuppressionAnswer(suppression=_suppression(call, lifted or row))


def _suppression(call: Call, row: SmsSuppressionRow) -> SmsSuppressionRecord:
    return record(
        SmsSuppressionRecord,
        row,
        added_at=call.local_time(row.added_at),
        lifted_at=call.local_time(row.lifted_at),
    )
