"""Operations for provider notifications, replies and short links."""

from collections.abc import Sequence

from haulier.contexts.messaging.campaigns.actions.replies import opt_out, take_receipt, take_reply
from haulier.contexts.messaging.campaigns.contract.replies import (
    FollowSmsLink,
    ListSmsReplies,
    ReceiveSmsEvent,
    ReplyOutcome,
    ResolveSmsReply,
    SmsEventReceived,
    SmsLinkTarget,
    SmsReplyAnswer,
    SmsReplyList,
    SmsReplyRecord,
)
from haulier.contexts.messaging.campaigns.contract.suppressions import SuppressionReason
from haulier.contexts.messaging.campaigns.errors import (
    SMS_EVENT_UNREADABLE,
    SMS_REPLY_IS_RESOLVED,
    SMS_SIGNATURE_WRONG,
)
from haulier.contexts.messaging.campaigns.operations.contacts import FEATURE, READ, WRITE
from haulier.contexts.messaging.campaigns.operations.settings import EVENTS_PATH
from haulier.contexts.messaging.campaigns.rules.links import parse_link_code
from haulier.contexts.messaging.campaigns.store import messages as message_store
from haulier.contexts.messaging.campaigns.store import replies as store
from haulier.contexts.messaging.campaigns.store import settings as settings_store
from haulier.contexts.messaging.campaigns.store import suppressions as suppression_store
from haulier.contexts.messaging.campaigns.store.tables import SmsReplyRow
from haulier.contexts.messaging.ports import SmsAnswered, SmsNotice, SmsReceipt, SmsUnreadable, SmsUnsigned
from haulier.contexts.messaging.sms.queries import open_gateway
from haulier.kernel.call import Call, call_as_system
from haulier.kernel.data.personal_data import ERASED
from haulier.kernel.operations.declaration import GraphQL, RateLimit, Rest, reads, writes
from haulier.kernel.operations.enums import OFFICE, Account, Risk
from haulier.kernel.operations.errors import NOT_FOUND, record_not_found
from haulier.kernel.operations.records import record
from haulier.kernel.request_context import RequestContext

PATH = "/v1/sms-marketing/replies"
News = Sequence[SmsReceipt | SmsAnswered]


async def read_sms_notice(context: RequestContext, request: ReceiveSmsEvent) -> tuple[int, News]:
    """Verify a provider notification before anything is written.

    Returns its business and contents. Raises `NOT_FOUND`, `SMS_SIGNATURE_WRONG`, `SMS_EVENT_UNREADABLE`.
    """
    async with context.app.database.read(None) as work:
        settings = await settings_store.find_settings_by_endpoint(work, request.endpoint_key)
    if settings is None:
        raise record_not_found(endpoint_key=request.endpoint_key)
    gateway = await open_gateway(context.app, settings.client_id)
    url = f"{context.app.base_url}/api{EVENTS_PATH}/{request.endpoint_key}"
    url += f"?message={request.message}" if request.message is not None else ""
    notice = SmsNotice(url=url, body=request.document, content_type=request.content_type, signature=request.signature)
    try:
        if gateway is None:
            raise SmsUnsigned
        return settings.client_id, gateway.read_notice(notice)
    except SmsUnsigned:
        raise SMS_SIGNATURE_WRONG() from None
    except SmsUnreadable:
        raise SMS_EVENT_UNREADABLE() from None


@writes(
    "receive_sms_event",
    audience={Account.PUBLIC},
    doors=(
        Rest(
            "POST",
            f"{EVENTS_PATH}/{{endpoint_key}}",
            query=("message",),
            headers={"signature": "X-Twilio-Signature"},
        ),
    ),
    limits=(RateLimit(60_000, 60),),
    body_limit_bytes=65_536,
    prepare=read_sms_notice,
    errors=(NOT_FOUND, SMS_SIGNATURE_WRONG, SMS_EVENT_UNREADABLE),
)
async def receive_sms_event(call: Call, request: ReceiveSmsEvent) -> SmsEventReceived:
    """Receive an SMS receipt or reply.

    Called by SMS providers with a notification signed with the account's secret. STOP and START take effect before
    the response is sent. Notifications may be repeated and arrive in any order.
    """
    client_id, news = call.prepared
    work = call.work.for_tenant(client_id, "the signature says whose notice it is")
    told = await call_as_system(call.app, client_id, work, now=call.now, dry_run=call.dry_run)
    new = False
    for each in news:
        if isinstance(each, SmsReceipt):
            new |= await take_receipt(told, each, request.message)
        else:
            new |= await take_reply(told, each)
    return SmsEventReceived(repeated=not new)


@reads(
    "list_sms_replies",
    audience=OFFICE,
    scopes=READ,
    feature=FEATURE,
    doors=(Rest("GET", PATH), GraphQL("smsReplies")),
)
async def list_sms_replies(call: Call, request: ListSmsReplies) -> SmsReplyList:
    """List replies to SMS messages.

    Results are ordered newest first.
    """
    rows, total = await store.list_reply_rows(
        call.work, request.needs_person, limit=request.per_page, offset=request.offset
    )
    shown = [_reply(call, row) for row in rows]
    return SmsReplyList(total=total, page=request.page, per_page=request.per_page, replies=shown)


@writes(
    "resolve_sms_reply",
    allowed_where={"needs_person": True},
    audience=OFFICE,
    scopes=WRITE,
    feature=FEATURE,
    risk=Risk.MEDIUM,
    doors=(Rest("POST", f"{PATH}/{{sms_reply_id}}/resolve"), GraphQL("resolveSmsReply")),
    errors=(NOT_FOUND, SMS_REPLY_IS_RESOLVED),
)
async def resolve_sms_reply(call: Call, request: ResolveSmsReply) -> SmsReplyAnswer:
    """Resolve a reply that needs review.

    Until then nothing is sent to a number whose reply may have meant STOP.
    """
    await settings_store.get_settings_row(call.work, lock=True)
    row = await SmsReplyRow.lock(call.work, request.sms_reply_id)
    if row is None:
        raise record_not_found(sms_reply_id=request.sms_reply_id)
    if not row.needs_person:
        raise SMS_REPLY_IS_RESOLVED()
    values = {
        "needs_person": False,
        "resolution": request.outcome.value,
        "resolved_at": call.now,
        "resolved_by": call.actor,
    }
    await SmsReplyRow.update(call.work, row.id, values)
    if request.outcome is ReplyOutcome.OPTED_OUT:
        if row.phone == ERASED:  # only the key of the number is known, under which it stays suppressed
            return SmsReplyAnswer(reply=_reply(call, await SmsReplyRow.lock(call.work, row.id) or row))
        await opt_out(call, row.phone, row.text)
    if not await store.count_open_questions(call.work, row.number_key):
        reasons = (SuppressionReason.REVIEW.value,)
        await suppression_store.lift_suppressions(
            call.work, row.number_key, reasons, call.now, call.actor, request.outcome.value
        )
    call.add_audit_subjects("sms_reply", row.id)
    resolved = await SmsReplyRow.lock(call.work, row.id)
    return SmsReplyAnswer(reply=_reply(call, resolved or row))


@writes(
    "follow_sms_link",
    audience={Account.PUBLIC},
    doors=(Rest("POST", "/v1/sms-links/{code}/visits"),),
    limits=(RateLimit(120, 60),),
    errors=(NOT_FOUND,),
)
async def follow_sms_link(call: Call, request: FollowSmsLink) -> SmsLinkTarget:
    """Follow a short link of an SMS message.

    Counts a visit and returns the target. The address `/s/{code}` redirects to it.
    """
    code = parse_link_code(request.code)
    if code is None:
        raise record_not_found(code=request.code)
    work = call.work.for_tenant(code.client_id, "the code of a link says whose it is")
    target = await message_store.find_link(work, code.campaign_id, code.position, code.link_key)
    if target is None or target.link_url is None:
        raise record_not_found(code=request.code)
    await message_store.count_visit(work, target.id, call.now)
    return SmsLinkTarget(url=target.link_url)


def _reply(call: Call, row: SmsReplyRow) -> SmsReplyRecord:
    received, resolved = call.local_time(row.received_at), call.local_time(row.resolved_at)
    return record(SmsReplyRecord, row, received_at=received, resolved_at=resolved)
