"""Operations for contacts and their consents."""

from haulier.contexts.messaging.campaigns.actions.consents import require_past
from haulier.contexts.messaging.campaigns.actions.contacts import add_consents, add_contact, revoke_consents
from haulier.contexts.messaging.campaigns.contract.contacts import (
    CreateSmsContact,
    GetSmsContact,
    ListSmsContacts,
    RecordSmsConsent,
    RevokeSmsConsent,
    SmsConsentRecord,
    SmsContactAnswer,
    SmsContactDetail,
    SmsContactList,
    SmsContactRef,
    UpdateSmsContact,
)
from haulier.contexts.messaging.campaigns.errors import SMS_CONSENT_NOT_ENOUGH, SMS_CONTACT_EXISTS
from haulier.contexts.messaging.campaigns.queries.contacts import contact_records, require_contact
from haulier.contexts.messaging.campaigns.rules.laws import MessagePurpose
from haulier.contexts.messaging.campaigns.store import consents as consent_store
from haulier.contexts.messaging.campaigns.store import contacts as store
from haulier.contexts.messaging.campaigns.store.tables import SmsConsentRow, SmsContactRow
from haulier.kernel.call import Call
from haulier.kernel.data.unit_of_work import UniqueConflict
from haulier.kernel.operations.answers import Done
from haulier.kernel.operations.declaration import GraphQL, Rest, reads, writes
from haulier.kernel.operations.enums import OFFICE, Feature, Risk, Scope
from haulier.kernel.operations.errors import NOT_FOUND
from haulier.kernel.operations.records import record
from haulier.kernel.values.pagination import total_fields

PATH = "/v1/sms-marketing/contacts"
ONE = f"{PATH}/{{sms_contact_id}}"
FEATURE, READ, WRITE = Feature.SMS_MARKETING, {Scope.SMS_MARKETING_READ}, {Scope.SMS_MARKETING_WRITE}


@writes(
    "create_sms_contact",
    audience=OFFICE,
    scopes=WRITE,
    feature=FEATURE,
    risk=Risk.MEDIUM,
    doors=(Rest("POST", PATH), GraphQL("createSmsContact")),
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
    doors=(Rest("GET", PATH), GraphQL("smsContacts")),
)
async def list_sms_contacts(call: Call, request: ListSmsContacts) -> SmsContactList:
    """List SMS contacts.

    Results are ordered newest first and show the permissions of each contact.
    """
    filters = request.model_dump(include={"search", "tag", "language", "country"}, exclude_none=True)
    rows, counted = await store.list_contact_rows(call.work, filters, limit=request.per_page, offset=request.offset)
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
    doors=(Rest("GET", ONE), GraphQL("smsContact")),
    errors=(NOT_FOUND,),
)
async def get_sms_contact(call: Call, request: GetSmsContact) -> SmsContactDetail:
    """Get an SMS contact with its consents.

    Shows every consent and revocation of the number with time, method, wording and evidence.
    """
    contact = await require_contact(call, request.sms_contact_id)
    rows, total = await consent_store.list_consent_rows(
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
    doors=(Rest("PATCH", ONE), GraphQL("updateSmsContact")),
    errors=(NOT_FOUND,),
)
async def update_sms_contact(call: Call, request: UpdateSmsContact) -> SmsContactAnswer:
    """Update an SMS contact.

    The number and the consents cannot be changed.
    """
    contact = await require_contact(call, request.sms_contact_id)
    values = request.model_dump(exclude={"sms_contact_id"}, exclude_none=True)
    await store.update_contact_row(call.work, contact.id, {**values, "updated_at": call.now})
    call.add_audit_subjects("sms_contact", contact.id)
    return await _answer(call, contact.id)


@writes(
    "delete_sms_contact",
    audience=OFFICE,
    scopes=WRITE,
    feature=FEATURE,
    risk=Risk.MEDIUM,
    doors=(Rest("DELETE", ONE), GraphQL("deleteSmsContact")),
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
    doors=(Rest("POST", f"{ONE}/consents"), GraphQL("recordSmsConsent")),
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
    doors=(Rest("POST", f"{ONE}/revocations"), GraphQL("revokeSmsConsent")),
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
