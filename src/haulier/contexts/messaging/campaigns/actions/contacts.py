"""Writes of campaigns for other families: contacts."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from hashlib import blake2b
from secrets import token_hex
from typing import Any

from msgspec import Struct

from haulier.contexts.messaging.campaigns.contract.contacts import (
    MAX_SMS_IMPORT_ROWS,
    ConsentGiven,
    ConsentMethod,
    CreateSmsContact,
    ImportSmsContacts,
    SuppressionList,
    SuppressionReason,
)
from haulier.contexts.messaging.campaigns.errors import SMS_CONSENT_NOT_ENOUGH
from haulier.contexts.messaging.campaigns.rules.campaigns import (
    SETTLED,
    MessageState,
    ReplyMeaning,
    contact_document,
    meaning_of,
    next_message_state,
    read_contact_rows,
)
from haulier.contexts.messaging.campaigns.rules.sms_regulations import (
    LONGEST,
    MessagePurpose,
    consent_key,
    country_of,
    number_key,
    regulation_for,
    sufficient_bases,
)
from haulier.contexts.messaging.campaigns.store import campaigns as campaigns_store
from haulier.contexts.messaging.campaigns.store import contacts as contacts_store
from haulier.contexts.messaging.campaigns.store import messages as messages_store
from haulier.contexts.messaging.campaigns.store.contacts import SmsImportHeader, contact_imports
from haulier.contexts.messaging.campaigns.store.tables import WORDING_MAX, SmsConsentRow, SmsContactRow, SmsMessageRow
from haulier.contexts.messaging.ports import SmsAnswered, SmsReceipt
from haulier.kernel.call import Call
from haulier.kernel.file_reading import UnreadableFile
from haulier.kernel.foreign_files import read_foreign_file, text_hints, unpack_upload
from haulier.kernel.operations.errors import INVALID_REQUEST, FieldError, OperationError
from haulier.kernel.operations.rows import MalformedRow, read_row, with_row_errors
from haulier.kernel.operations.table_cells import lost_digit_errors
from haulier.kernel.operations.text_safety import replace_unstorable
from haulier.kernel.request_context import RequestContext
from haulier.kernel.row_imports import KEPT, RowOutcome
from haulier.kernel.values.batch_states import ImportRowState
from haulier.kernel.values.spreadsheet_cells import repair_codes
from haulier.kernel.values.table_files import FormatQuestion, NamedRows


def consent_values(given: ConsentGiven, country: str, now: datetime) -> dict[str, Any]:
    """Return the columns of a consent to texts to a number of a country.

    Raises `SMS_CONSENT_NOT_ENOUGH` where the country's law takes no such consent, `INVALID_REQUEST` for one of the
    future and one that is over.
    """
    if given.basis not in (taken := sufficient_bases(country, given.purpose)):
        names = ", ".join(sorted(taken))
        raise SMS_CONSENT_NOT_ENOUGH(
            country=country, basis=given.basis.value, taken=names, statute=regulation_for(country).statute
        )
    occurred = given.occurred_at or now
    require_past("occurred_at", occurred, now)
    ends = [given.expires_at] if given.expires_at else []
    ends += [occurred + LONGEST[given.basis]] if given.basis in LONGEST else []
    expires = min(ends, default=None)
    if expires is not None and expires <= now:
        raise INVALID_REQUEST.for_fields(FieldError("expires_at", "field.sms_consent_over"))
    return {
        "granted": True,
        "purpose": given.purpose.value,
        "basis": given.basis.value,
        "consent_key": consent_key(country, given.purpose, given.basis),
        "method": given.method.value,
        "wording": given.wording,
        "source": given.source,
        "proof": dict(given.proof),
        "occurred_at": occurred,
        "expires_at": expires,
    }


def require_past(field: str, moment: datetime, now: datetime) -> None:
    """Refuse a future moment: a later consent would outlive a revocation of today."""
    if moment > now:
        raise INVALID_REQUEST.for_fields(FieldError(field, "field.sms_not_yet"))


CONTACT_COLUMNS = ("name", "language", "time_zone", "variables", "source")


async def add_contact(call: Call, request: CreateSmsContact) -> int:
    """Insert a contact with their consents.

    Raises `UniqueConflict` if the number is already a contact.
    """
    key, country = number_key(call.client_id, request.phone), country_of(request.phone)
    given = [consent_values(consent, country, call.now) for consent in request.consents]
    values = {name: getattr(request, name) for name in CONTACT_COLUMNS}
    contact_id = await contacts_store.insert_contact(
        call.work,
        {
            **values,
            "phone": request.phone,
            "number_key": key,
            "country": country,
            "created_at": call.now,
            "updated_at": call.now,
        },
        request.tags,
    )
    await write_consents(call, request.phone, given)
    return contact_id


async def add_consents(call: Call, phone: str, consents: Sequence[ConsentGiven]) -> None:
    """Record consents of a number's holder.

    It lifts no suppression. Raises as `consent_values`.
    """
    country = country_of(phone)
    await write_consents(call, phone, [consent_values(consent, country, call.now) for consent in consents])


async def write_consents(call: Call, phone: str, rows: Sequence[Mapping[str, Any]]) -> None:
    """Add rows to what is known of a number's consents."""
    common = {
        "phone": phone,
        "number_key": number_key(call.client_id, phone),
        "recorded_at": call.now,
        "recorded_by": call.actor,
    }
    await SmsConsentRow.insert_many(call.work, [{**row, **common} for row in rows])


async def revoke_consents(
    call: Call,
    phone: str,
    purposes: Collection[MessagePurpose],
    *,
    method: str,
    wording: str | None,
    occurred_at: datetime,
) -> None:
    """Record the revocation of consents. Later claims of messages respect it."""
    await lock_rights(call)
    revoked: dict[str, Any] = {
        "granted": False,
        "basis": None,
        "consent_key": None,
        "method": method,
        "wording": wording,
        "source": None,
        "proof": {},
        "occurred_at": occurred_at,
        "expires_at": None,
    }
    await write_consents(call, phone, [{**revoked, "purpose": purpose.value} for purpose in purposes])


async def suppress_number(
    call: Call, phone: str, list: SuppressionList, reason: SuppressionReason, note: str | None = None
) -> None:
    """Put a number on a list; no later claim of a text passes it."""
    await lock_rights(call)
    await contacts_store.insert_suppression(
        call.work,
        {
            "phone": phone,
            "number_key": number_key(call.client_id, phone),
            "list": list.value,
            "reason": reason.value,
            "note": note,
            "added_at": call.now,
            "added_by": call.actor,
            "lifted_at": None,
        },
    )


async def lock_rights(call: Call) -> None:
    """Wait for a running claim of messages.

    The next claim sees what this transaction revokes.
    """
    await campaigns_store.get_settings_row(call.work, lock=True)


IMPORT_JOB = "sms.import_contacts"


class RunSmsImport(Struct, frozen=True):
    """The job of an import."""

    import_id: int


async def read_sms_file(context: RequestContext, request: ImportSmsContacts) -> NamedRows:
    """Return the rows of a file, read before the transaction and off the event loop.

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
    """Store the rows of a file, enqueue their import, and return its id."""
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
    """Write contact rows.

    A known number is updated by the row; any other is a new contact.
    """
    repaired = [repair_codes(row, {"phone"}) for row in rows]
    documents = [contact_document(row.cells, header.consent) for row in repaired]
    requests = [
        with_row_errors(read_row(CreateSmsContact, document), lost_digit_errors(row.rounded))
        for document, row in zip(documents, repaired, strict=True)
    ]
    keys = {number_key(call.client_id, each.phone) for each in requests if isinstance(each, CreateSmsContact)}
    known = await contacts_store.get_contacts_by_key(call.work, keys)
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
            await contacts_store.update_contact_row(call.work, ids[key], {**values, "updated_at": call.now})
            await add_consents(call, request.phone, request.consents)
            return RowOutcome(ImportRowState.UPDATED, str(ids[key]))
    except OperationError as error:
        return RowOutcome(ImportRowState.REFUSED, error=error)


FOR_A_PERSON = frozenset({ReplyMeaning.IN_QUESTION, ReplyMeaning.HELP, ReplyMeaning.OTHER})
OF_REPLIES = (SuppressionReason.STOP_REPLY.value, SuppressionReason.REVIEW.value)
LOOKED_THROUGH = 50
"""Number of recent consents and revocations that START examines."""


async def apply_receipt(call: Call, receipt: SmsReceipt, message_id: int | None) -> bool:
    """Record the outcome of a message.

    Returns False for an unknown message, or if nothing is new.
    """
    row = await messages_store.find_message(call.work, receipt.provider_ref, message_id)
    if row is None and receipt.phone:
        key = number_key(call.client_id, receipt.phone)
        row = await messages_store.find_message_to(call.work, key, receipt.other_refs)
    if row is None:
        return False
    known = MessageState(row.state)
    reached = next_message_state(known, MessageState(receipt.state.value))
    if reached is known:
        return False
    values: dict[str, Any] = {"state": reached.value, "provider_ref": receipt.provider_ref[:100]}
    values |= {"reason": receipt.code[:40]} if receipt.code else {}
    values |= {"settled_at": call.now} if reached in SETTLED else {}
    values |= {"sent_at": row.sent_at or call.now}
    await SmsMessageRow.update(call.work, row.id, values)
    return True


async def record_reply(call: Call, answered: SmsAnswered) -> bool:
    """Handle a reply.

    STOP and START apply at once; other replies go to staff. Returns False for a repeat.
    """
    await lock_rights(call)
    text, key = replace_unstorable(answered.text), number_key(call.client_id, answered.phone)
    meaning = meaning_of(text)
    contact = (await contacts_store.get_contacts_by_key(call.work, [key])).get(key)
    latest = await messages_store.get_latest_message(call.work, key)
    written = await messages_store.insert_reply(
        call.work,
        {
            "phone": answered.phone,
            "number_key": key,
            "contact_id": contact and contact.id,
            "campaign_id": latest and latest.campaign_id,
            "text": text,
            "meaning": meaning.value,
            "provider_ref": (answered.provider_ref or _own_reference(call, answered, meaning))[:100],
            "received_at": call.now,
            "needs_person": meaning in FOR_A_PERSON,
        },
    )
    if not written:
        return False
    if meaning is ReplyMeaning.STOP:
        await opt_out(call, answered.phone, text)
    elif meaning is ReplyMeaning.START:
        await opt_in_again(call, answered.phone, text)
    elif meaning is ReplyMeaning.IN_QUESTION:
        await suppress_number(call, answered.phone, SuppressionList.ALL, SuppressionReason.REVIEW)
    return True


def _own_reference(call: Call, answered: SmsAnswered, meaning: ReplyMeaning) -> str:
    """Return the reference of a reply without a provider number.

    The same words within an hour count as a repeat. Replies that mean STOP are exempt: of STOP, START, STOP the last
    must count, and handling one twice does no harm.
    """
    if meaning in (ReplyMeaning.STOP, ReplyMeaning.IN_QUESTION):
        return f"stop-{token_hex(16)}"
    said = f"{answered.phone}:{answered.text}:{int(call.now.timestamp()) // 3600}"
    return f"said-{blake2b(said.encode(), digest_size=16).hexdigest()}"


async def opt_out(call: Call, phone: str, wording: str) -> None:
    """Opt out a number.

    Revokes every consent, suppresses the number, and records it with the last message.
    """
    await revoke_consents(
        call,
        phone,
        [*MessagePurpose],
        method=ConsentMethod.TEXT.value,
        wording=wording[:WORDING_MAX],
        occurred_at=call.now,
    )
    await suppress_number(call, phone, SuppressionList.ALL, SuppressionReason.STOP_REPLY)
    latest = await messages_store.get_latest_message(call.work, number_key(call.client_id, phone))
    if latest is not None and latest.opted_out_at is None:
        await SmsMessageRow.update(call.work, latest.id, {"opted_out_at": call.now})


async def opt_in_again(call: Call, phone: str, wording: str) -> None:
    """Opt in a number again.

    Restores the consents from before the revocation, and no others.
    """
    key = number_key(call.client_id, phone)
    await contacts_store.lift_suppressions(call.work, key, OF_REPLIES, call.now, None, "START")
    rows, _ = await contacts_store.list_consent_rows(call.work, key, limit=LOOKED_THROUGH, offset=0)
    again: list[dict[str, Any]] = []
    for purpose in MessagePurpose:
        own = [row for row in rows if row.purpose == purpose]
        given = next((row for row in own if row.granted), None)
        if given is None or own[0].granted or (given.expires_at and given.expires_at <= call.now):
            continue
        again.append(
            {
                "granted": True,
                "purpose": purpose.value,
                "basis": given.basis,
                "consent_key": given.consent_key,
                "method": ConsentMethod.TEXT.value,
                "wording": wording[:WORDING_MAX],
                "source": given.source,
                "proof": {"again": f"consent {given.id}"},
                "occurred_at": call.now,
                "expires_at": given.expires_at,
            }
        )
    await write_consents(call, phone, again)
