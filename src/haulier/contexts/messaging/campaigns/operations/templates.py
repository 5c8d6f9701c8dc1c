"""Operations on campaigns: templates."""

from collections.abc import Sequence
from typing import Any

from haulier.contexts.messaging.campaigns.actions.contacts import apply_receipt, opt_out, record_reply
from haulier.contexts.messaging.campaigns.actions.dispatch import RunSmsCampaign, requeue, set_winner
from haulier.contexts.messaging.campaigns.contract.campaigns import (
    ChooseSmsCampaignWinner,
    FollowSmsLink,
    ListSmsReplies,
    ListSmsSegments,
    ListSmsTemplates,
    PreviewSmsText,
    ReceiveSmsEvent,
    ReplyOutcome,
    ResolveSmsReply,
    SaveSmsSegment,
    SaveSmsTemplate,
    SmsCampaignAnswer,
    SmsEventReceived,
    SmsLinkTarget,
    SmsPreview,
    SmsReach,
    SmsReplyAnswer,
    SmsReplyList,
    SmsReplyRecord,
    SmsSegmentAnswer,
    SmsSegmentList,
    SmsSegmentRecord,
    SmsSegmentRef,
    SmsTemplateAnswer,
    SmsTemplateList,
    SmsTemplateRecord,
    SmsTemplateRef,
    UpdateSmsSegment,
    UpdateSmsTemplate,
)
from haulier.contexts.messaging.campaigns.contract.contacts import SuppressionReason
from haulier.contexts.messaging.campaigns.errors import (
    SMS_CAMPAIGN_STEP_REFUSED,
    SMS_EVENT_UNREADABLE,
    SMS_MARKETING_NOT_SET_UP,
    SMS_NAME_TAKEN,
    SMS_REPLY_IS_RESOLVED,
    SMS_SIGNATURE_WRONG,
)
from haulier.contexts.messaging.campaigns.operations.campaigns import ONE, require_campaign
from haulier.contexts.messaging.campaigns.operations.contacts import EVENTS_PATH, FEATURE, READ, WRITE
from haulier.contexts.messaging.campaigns.queries import (
    SAMPLE_LINK,
    finished_text,
    load_reach,
    require_segment,
    require_settings,
    segment_price,
    segment_rules,
)
from haulier.contexts.messaging.campaigns.rules.campaigns import (
    CampaignStatus,
    ChosenBy,
    MissingVariable,
    measure_text,
    parse_link_code,
)
from haulier.contexts.messaging.campaigns.rules.sms_regulations import MessagePurpose
from haulier.contexts.messaging.campaigns.serializers import campaign_record
from haulier.contexts.messaging.campaigns.store import campaigns as campaigns_store
from haulier.contexts.messaging.campaigns.store import contacts as contacts_store
from haulier.contexts.messaging.campaigns.store import messages as messages_store
from haulier.contexts.messaging.campaigns.store.tables import SmsCampaignRow, SmsReplyRow, SmsSegmentRow, SmsTemplateRow
from haulier.contexts.messaging.ports import SmsAnswered, SmsNotice, SmsReceipt, SmsUnreadable, SmsUnsigned
from haulier.contexts.messaging.sms.queries import open_gateway
from haulier.kernel.call import Call, call_as_system
from haulier.kernel.data.personal_data import ERASED
from haulier.kernel.data.unit_of_work import UniqueConflict
from haulier.kernel.operations.answers import Done
from haulier.kernel.operations.declaration import GraphQL, RateLimit, Rest, reads, writes
from haulier.kernel.operations.enums import OFFICE, Account, Risk
from haulier.kernel.operations.errors import INVALID_REQUEST, NOT_FOUND, FieldError, record_not_found
from haulier.kernel.operations.records import record
from haulier.kernel.request_context import RequestContext

PATH = "/v1/sms-marketing/replies"
News = Sequence[SmsReceipt | SmsAnswered]


async def read_sms_notice(context: RequestContext, request: ReceiveSmsEvent) -> tuple[int, News]:
    """Verify a provider notification before anything is written.

    Returns its business and contents. Raises `NOT_FOUND`, `SMS_SIGNATURE_WRONG`, `SMS_EVENT_UNREADABLE`.
    """
    async with context.app.database.read(None) as work:
        settings = await campaigns_store.find_settings_by_endpoint(work, request.endpoint_key)
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
    interfaces=(
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
            new |= await apply_receipt(told, each, request.message)
        else:
            new |= await record_reply(told, each)
    return SmsEventReceived(repeated=not new)


@reads(
    "list_sms_replies",
    audience=OFFICE,
    scopes=READ,
    feature=FEATURE,
    interfaces=(Rest("GET", PATH), GraphQL("smsReplies")),
)
async def list_sms_replies(call: Call, request: ListSmsReplies) -> SmsReplyList:
    """List replies to SMS messages.

    Results are ordered newest first.
    """
    rows, total = await messages_store.list_reply_rows(
        call.work, request.needs_person, limit=request.per_page, offset=request.offset
    )
    shown = [_reply(call, row) for row in rows]
    return SmsReplyList(total=total, page=request.page, per_page=request.per_page, replies=shown)


@writes(
    "resolve_sms_reply",
    available_when={"needs_person": True},
    audience=OFFICE,
    scopes=WRITE,
    feature=FEATURE,
    risk=Risk.MEDIUM,
    interfaces=(Rest("POST", f"{PATH}/{{sms_reply_id}}/resolve"), GraphQL("resolveSmsReply")),
    errors=(NOT_FOUND, SMS_REPLY_IS_RESOLVED),
)
async def resolve_sms_reply(call: Call, request: ResolveSmsReply) -> SmsReplyAnswer:
    """Resolve a reply that needs review.

    Until then nothing is sent to a number whose reply may have meant STOP.
    """
    await campaigns_store.get_settings_row(call.work, lock=True)
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
    if not await messages_store.count_open_questions(call.work, row.number_key):
        reasons = (SuppressionReason.REVIEW.value,)
        await contacts_store.lift_suppressions(
            call.work, row.number_key, reasons, call.now, call.actor, request.outcome.value
        )
    call.add_audit_subjects("sms_reply", row.id)
    resolved = await SmsReplyRow.lock(call.work, row.id)
    return SmsReplyAnswer(reply=_reply(call, resolved or row))


@writes(
    "follow_sms_link",
    audience={Account.PUBLIC},
    interfaces=(Rest("POST", "/v1/sms-links/{code}/visits"),),
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
    target = await messages_store.find_link(work, code.campaign_id, code.position, code.link_key)
    if target is None or target.link_url is None:
        raise record_not_found(code=request.code)
    await messages_store.count_visit(work, target.id, call.now)
    return SmsLinkTarget(url=target.link_url)


def _reply(call: Call, row: SmsReplyRow) -> SmsReplyRecord:
    received, resolved = call.local_time(row.received_at), call.local_time(row.resolved_at)
    return record(SmsReplyRecord, row, received_at=received, resolved_at=resolved)


TEMPLATES, SEGMENTS = "/v1/sms-marketing/templates", "/v1/sms-marketing/segments"
TEMPLATE, SEGMENT = f"{TEMPLATES}/{{sms_template_id}}", f"{SEGMENTS}/{{sms_segment_id}}"


@reads(
    "list_sms_templates",
    audience=OFFICE,
    scopes=READ,
    feature=FEATURE,
    interfaces=(Rest("GET", TEMPLATES), GraphQL("smsTemplates")),
)
async def list_sms_templates(call: Call, request: ListSmsTemplates) -> SmsTemplateList:
    """List SMS templates.

    Results are ordered by name.
    """
    rows, total = await campaigns_store.list_template_rows(call.work, request.per_page, request.offset)
    shown = [_template(call, row) for row in rows]
    return SmsTemplateList(total=total, page=request.page, per_page=request.per_page, templates=shown)


@writes(
    "create_sms_template",
    audience=OFFICE,
    scopes=WRITE,
    feature=FEATURE,
    risk=Risk.MEDIUM,
    interfaces=(Rest("POST", TEMPLATES), GraphQL("createSmsTemplate")),
    errors=(SMS_NAME_TAKEN,),
)
async def create_sms_template(call: Call, request: SaveSmsTemplate) -> SmsTemplateAnswer:
    """Create an SMS template.

    A template has a text for each language.
    """
    try:
        async with call.savepoint():
            values = {**request.model_dump(), "updated_at": call.now}
            template_id = await SmsTemplateRow.insert(call.work, **values)
    except UniqueConflict:
        raise SMS_NAME_TAKEN() from None
    call.add_audit_subjects("sms_template", template_id)
    return SmsTemplateAnswer(template=_template(call, await _require_template(call, template_id)))


@writes(
    "update_sms_template",
    audience=OFFICE,
    scopes=WRITE,
    feature=FEATURE,
    risk=Risk.MEDIUM,
    interfaces=(Rest("PUT", TEMPLATE), GraphQL("updateSmsTemplate")),
    errors=(NOT_FOUND, SMS_NAME_TAKEN),
)
async def update_sms_template(call: Call, request: UpdateSmsTemplate) -> SmsTemplateAnswer:
    """Replace an SMS template.

    Scheduled campaigns keep their texts.
    """
    template = await _require_template(call, request.sms_template_id)
    values = {**request.model_dump(exclude={"sms_template_id"}), "updated_at": call.now}
    try:
        async with call.savepoint():
            await SmsTemplateRow.update(call.work, template.id, values)
    except UniqueConflict:
        raise SMS_NAME_TAKEN() from None
    call.add_audit_subjects("sms_template", template.id)
    return SmsTemplateAnswer(template=_template(call, await _require_template(call, template.id)))


@writes(
    "delete_sms_template",
    audience=OFFICE,
    scopes=WRITE,
    feature=FEATURE,
    risk=Risk.MEDIUM,
    interfaces=(Rest("DELETE", TEMPLATE), GraphQL("deleteSmsTemplate")),
    errors=(NOT_FOUND,),
)
async def delete_sms_template(call: Call, request: SmsTemplateRef) -> Done:
    """Delete an SMS template.

    Scheduled campaigns keep their texts.
    """
    template = await _require_template(call, request.sms_template_id)
    await SmsTemplateRow.delete(call.work, template.id)
    call.add_audit_subjects("sms_template", template.id)
    return Done(message=call.translate("sms_template_deleted"))


@reads(
    "preview_sms_text",
    audience=OFFICE,
    scopes=READ,
    feature=FEATURE,
    interfaces=(Rest("POST", "/v1/sms-marketing/preview"), GraphQL("smsPreview")),
    errors=(SMS_MARKETING_NOT_SET_UP,),
)
async def preview_sms_text(call: Call, request: PreviewSmsText) -> SmsPreview:
    """Preview an SMS message.

    Returns the final text with its segments and cost.
    """
    settings = await require_settings(call)
    values = {**request.variables, **({"name": request.name} if request.name else {})}
    values |= {"business": settings.business_name, "link": f"{call.app.base_url}{SAMPLE_LINK}"}
    try:
        text = finished_text(call.app, settings, request.text, values, request.purpose, request.language)
    except MissingVariable as missing:
        fault = FieldError("text", "field.sms_variable_missing", {"name": str(missing)})
        raise INVALID_REQUEST.for_fields(fault) from None
    size, price = measure_text(text), segment_price(settings, request.country)
    return SmsPreview(
        text=text,
        encoding=size.encoding,
        units=size.units,
        segments=size.segments,
        left_in_segment=max(0, size.per_segment * size.segments - size.units),
        segment_cost_micros=price,
        total_cost_micros=price * size.segments,
        currency=settings.currency,
    )


@reads(
    "list_sms_segments",
    audience=OFFICE,
    scopes=READ,
    feature=FEATURE,
    interfaces=(Rest("GET", SEGMENTS), GraphQL("smsSegments")),
)
async def list_sms_segments(call: Call, request: ListSmsSegments) -> SmsSegmentList:
    """List contact segments.

    Results are ordered by name.
    """
    rows, total = await campaigns_store.list_segment_rows(call.work, request.per_page, request.offset)
    shown = [_segment(call, row) for row in rows]
    return SmsSegmentList(total=total, page=request.page, per_page=request.per_page, segments=shown)


@reads(
    "get_sms_segment",
    audience=OFFICE,
    scopes=READ,
    feature=FEATURE,
    interfaces=(Rest("GET", SEGMENT), GraphQL("smsSegment")),
    errors=(NOT_FOUND,),
)
async def get_sms_segment(call: Call, request: SmsSegmentRef) -> SmsSegmentAnswer:
    """Get a contact segment.

    Includes the number of contacts who can receive marketing messages now.
    """
    return await _segment_answer(call, request.sms_segment_id)


@writes(
    "create_sms_segment",
    audience=OFFICE,
    scopes=WRITE,
    feature=FEATURE,
    interfaces=(Rest("POST", SEGMENTS), GraphQL("createSmsSegment")),
    errors=(SMS_NAME_TAKEN,),
)
async def create_sms_segment(call: Call, request: SaveSmsSegment) -> SmsSegmentAnswer:
    """Create a contact segment.

    Segments are the audiences of campaigns.
    """
    try:
        async with call.savepoint():
            segment_id = await SmsSegmentRow.insert(call.work, **(_segment_values(call, request)))
    except UniqueConflict:
        raise SMS_NAME_TAKEN() from None
    call.add_audit_subjects("sms_segment", segment_id)
    return await _segment_answer(call, segment_id)


@writes(
    "update_sms_segment",
    audience=OFFICE,
    scopes=WRITE,
    feature=FEATURE,
    interfaces=(Rest("PUT", SEGMENT), GraphQL("updateSmsSegment")),
    errors=(NOT_FOUND, SMS_NAME_TAKEN),
)
async def update_sms_segment(call: Call, request: UpdateSmsSegment) -> SmsSegmentAnswer:
    """Replace a contact segment.

    Scheduled campaigns keep their audience.
    """
    segment = await require_segment(call, request.sms_segment_id)
    try:
        async with call.savepoint():
            await SmsSegmentRow.update(call.work, segment.id, _segment_values(call, request))
    except UniqueConflict:
        raise SMS_NAME_TAKEN() from None
    call.add_audit_subjects("sms_segment", segment.id)
    return await _segment_answer(call, segment.id)


@writes(
    "delete_sms_segment",
    audience=OFFICE,
    scopes=WRITE,
    feature=FEATURE,
    interfaces=(Rest("DELETE", SEGMENT), GraphQL("deleteSmsSegment")),
    errors=(NOT_FOUND,),
)
async def delete_sms_segment(call: Call, request: SmsSegmentRef) -> Done:
    """Delete a contact segment.

    Its contacts stay.
    """
    segment = await require_segment(call, request.sms_segment_id)
    await SmsSegmentRow.delete(call.work, segment.id)
    call.add_audit_subjects("sms_segment", segment.id)
    return Done(message=call.translate("sms_segment_deleted"))


def _segment_values(call: Call, request: SaveSmsSegment) -> dict[str, Any]:
    rules = request.model_dump(mode="json", exclude={"name", "sms_segment_id"})
    return {"name": request.name, "rules": rules, "updated_at": call.now}


async def _segment_answer(call: Call, segment_id: int) -> SmsSegmentAnswer:
    row = await require_segment(call, segment_id)
    reach = await load_reach(call, segment_rules(row.rules), MessagePurpose.MARKETING)
    return SmsSegmentAnswer(
        segment=_segment(call, row),
        contacts=sum(each.contacts for each in reach),
        reachable=sum(each.reachable for each in reach),
        reach=[record(SmsReach, each) for each in reach],
    )


def _segment(call: Call, row: SmsSegmentRow) -> SmsSegmentRecord:
    rules = segment_rules(row.rules)
    lists = {
        name: list(getattr(rules, name)) for name in ("languages", "countries", "tags_all", "tags_any", "tags_none")
    }
    created, updated = call.local_time(rules.created_after), call.local_time(row.updated_at)
    return SmsSegmentRecord(id=row.id, name=row.name, **lists, created_after=created, updated_at=updated)


async def _require_template(call: Call, template_id: int) -> SmsTemplateRow:
    row = (await campaigns_store.get_template_rows(call.work, [template_id])).get(template_id)
    if row is None:
        raise record_not_found(sms_template_id=template_id)
    return row


def _template(call: Call, row: SmsTemplateRow) -> SmsTemplateRecord:
    return record(SmsTemplateRecord, row, updated_at=call.local_time(row.updated_at))


OPEN = (CampaignStatus.SENDING, CampaignStatus.PAUSED)


@writes(
    "choose_sms_campaign_winner",
    available_when={"status": frozenset(OPEN)},
    audience=OFFICE,
    scopes=WRITE,
    feature=FEATURE,
    risk=Risk.MEDIUM,
    interfaces=(Rest("POST", f"{ONE}/winner"), GraphQL("chooseSmsCampaignWinner")),
    errors=(NOT_FOUND, SMS_CAMPAIGN_STEP_REFUSED),
)
async def choose_sms_campaign_winner(call: Call, request: ChooseSmsCampaignWinner) -> SmsCampaignAnswer:
    """Choose the winning variant of an SMS campaign.

    The rest of the audience gets this variant instead of the one that would be chosen automatically. The sample need
    not be complete. The choice is final.
    """
    await campaigns_store.get_settings_row(
        call.work, lock=True
    )  # locked before the campaign, in the same order as sending
    campaign = await require_campaign(call, request.sms_campaign_id, lock=True)
    known = {variant["key"] for variant in campaign.variants}
    sampled = campaign.begun_at is not None and campaign.prepared_until is None
    if campaign.test is None or campaign.winner or campaign.status not in OPEN or not sampled:
        raise SMS_CAMPAIGN_STEP_REFUSED(action="choose_winner", status=campaign.status)
    if request.variant not in known:
        raise INVALID_REQUEST.for_fields(FieldError("variant", "field.sms_no_such_variant"))
    await set_winner(call, campaign, request.variant, ChosenBy.PERSON)
    if campaign.status == CampaignStatus.SENDING:
        await SmsCampaignRow.update(call.work, campaign.id, {"round": campaign.round + 1})
        await requeue(call, RunSmsCampaign(campaign_id=campaign.id, round=campaign.round + 1, turn=-1), call.now)
    call.add_audit_subjects("sms_campaign", campaign.id)
    changed = await require_campaign(call, campaign.id)
    return SmsCampaignAnswer(campaign=campaign_record(call, changed))
