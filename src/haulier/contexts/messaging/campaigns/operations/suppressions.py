"""Operations for suppression lists."""

from haulier.contexts.messaging.campaigns.actions.contacts import suppress_number
from haulier.contexts.messaging.campaigns.contract.suppressions import (
    LiftSmsSuppression,
    ListSmsSuppressions,
    SmsSuppressionAnswer,
    SmsSuppressionList,
    SmsSuppressionRecord,
    SuppressionReason,
    SuppressSmsNumber,
)
from haulier.contexts.messaging.campaigns.errors import SMS_SUPPRESSED_BY_RECIPIENT
from haulier.contexts.messaging.campaigns.operations.contacts import FEATURE, READ, WRITE
from haulier.contexts.messaging.campaigns.rules.numbers import number_key
from haulier.contexts.messaging.campaigns.store import suppressions as store
from haulier.contexts.messaging.campaigns.store.tables import SmsSuppressionRow
from haulier.kernel.call import Call
from haulier.kernel.operations.declaration import GraphQL, Rest, reads, writes
from haulier.kernel.operations.enums import OFFICE, Risk
from haulier.kernel.operations.errors import INVALID_REQUEST, NOT_FOUND, FieldError, record_not_found
from haulier.kernel.operations.records import record

PATH = "/v1/sms-marketing/suppressions"
BY_RECIPIENT = frozenset({SuppressionReason.STOP_REPLY, SuppressionReason.REVIEW})
"""Reasons set by replies only. Staff can neither set nor lift them."""


@reads(
    "list_sms_suppressions",
    audience=OFFICE,
    scopes=READ,
    feature=FEATURE,
    doors=(Rest("GET", PATH), GraphQL("smsSuppressions")),
)
async def list_sms_suppressions(call: Call, request: ListSmsSuppressions) -> SmsSuppressionList:
    """List suppressed numbers.

    Results are ordered newest first and cover all messages, marketing and notifications.
    """
    filters = {"list": request.list and request.list.value}
    filters["key"] = request.phone and number_key(call.client_id, request.phone)
    given = {name: value for name, value in filters.items() if value is not None}
    rows, total = await store.list_suppression_rows(
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
    doors=(Rest("POST", PATH), GraphQL("suppressSmsNumber")),
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
        for each in await store.list_suppressions_of(call.work, key)
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
    doors=(Rest("POST", f"{PATH}/{{sms_suppression_id}}/lift"), GraphQL("liftSmsSuppression")),
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
