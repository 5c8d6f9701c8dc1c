"""Operations for campaigns and their results."""

from collections.abc import Sequence
from typing import Any

from haulier.contexts.messaging.campaigns.actions.dispatch import RunSmsCampaign, pause_campaign, requeue
from haulier.contexts.messaging.campaigns.contract.campaigns import (
    VARIANT_KEYS,
    CampaignVariant,
    ListSmsCampaigns,
    ListSmsMessages,
    SaveSmsCampaign,
    ScheduleSmsCampaign,
    SmsCampaignAnswer,
    SmsCampaignList,
    SmsCampaignRef,
    SmsCampaignReport,
    SmsMessageList,
    UpdateSmsCampaign,
)
from haulier.contexts.messaging.campaigns.errors import (
    SMS_CAMPAIGN_STEP_REFUSED,
    SMS_MARKETING_NOT_SET_UP,
    SMS_SENDER_NOT_REGISTERED,
)
from haulier.contexts.messaging.campaigns.operations.contacts import FEATURE, READ, WRITE
from haulier.contexts.messaging.campaigns.queries import load_reach, require_segment, require_settings, segment_rules
from haulier.contexts.messaging.campaigns.rules.campaigns import CampaignAction, CampaignStatus, campaign_life
from haulier.contexts.messaging.campaigns.rules.sms_regulations import MessagePurpose, regulation_for
from haulier.contexts.messaging.campaigns.serializers import campaign_record, message_record, variant_reports
from haulier.contexts.messaging.campaigns.store import campaigns as campaigns_store
from haulier.contexts.messaging.campaigns.store import messages
from haulier.contexts.messaging.campaigns.store.tables import SmsCampaignRow, SmsTemplateRow
from haulier.contexts.messaging.sms.queries import campaign_route
from haulier.kernel.call import Call
from haulier.kernel.operations.declaration import GraphQL, Rest, reads, writes
from haulier.kernel.operations.enums import OFFICE, Risk
from haulier.kernel.operations.errors import NOT_FOUND, record_not_found

PATH = "/v1/sms-marketing/campaigns"
ONE = f"{PATH}/{{sms_campaign_id}}"


@reads(
    "list_sms_campaigns",
    audience=OFFICE,
    scopes=READ,
    feature=FEATURE,
    interfaces=(Rest("GET", PATH), GraphQL("smsCampaigns")),
)
async def list_sms_campaigns(call: Call, request: ListSmsCampaigns) -> SmsCampaignList:
    """List SMS campaigns.

    Results are ordered newest first.
    """
    rows, total = await campaigns_store.list_campaign_rows(
        call.work, request.status, limit=request.per_page, offset=request.offset
    )
    shown = [campaign_record(call, row) for row in rows]
    return SmsCampaignList(total=total, page=request.page, per_page=request.per_page, campaigns=shown)


@reads(
    "get_sms_campaign",
    audience=OFFICE,
    scopes=READ,
    feature=FEATURE,
    interfaces=(Rest("GET", ONE), GraphQL("smsCampaign")),
    errors=(NOT_FOUND,),
)
async def get_sms_campaign(call: Call, request: SmsCampaignRef) -> SmsCampaignReport:
    """Get an SMS campaign with its report.

    The report shows message states, costs, visits and opt-outs by variant.
    """
    campaign = await require_campaign(call, request.sms_campaign_id)
    counts = await messages.count_messages(call.work, campaign.id)
    return SmsCampaignReport(
        campaign=campaign_record(call, campaign),
        recipients=sum(count.messages for count in counts),
        variants=variant_reports(counts),
    )


@reads(
    "list_sms_messages",
    audience=OFFICE,
    scopes=READ,
    feature=FEATURE,
    interfaces=(Rest("GET", f"{ONE}/messages"), GraphQL("smsMessages")),
    errors=(NOT_FOUND,),
)
async def list_sms_messages(call: Call, request: ListSmsMessages) -> SmsMessageList:
    """List the messages of an SMS campaign.

    Each message shows its state.
    """
    campaign = await require_campaign(call, request.sms_campaign_id)
    rows, total = await messages.list_message_rows(
        call.work, campaign.id, request.state, limit=request.per_page, offset=request.offset
    )
    shown = [message_record(call, row) for row in rows]
    return SmsMessageList(total=total, page=request.page, per_page=request.per_page, messages=shown)


@writes(
    "create_sms_campaign",
    audience=OFFICE,
    scopes=WRITE,
    feature=FEATURE,
    risk=Risk.MEDIUM,
    interfaces=(Rest("POST", PATH), GraphQL("createSmsCampaign")),
    errors=(NOT_FOUND,),
)
async def create_sms_campaign(call: Call, request: SaveSmsCampaign) -> SmsCampaignAnswer:
    """Create a draft SMS campaign.

    Nothing is sent before the campaign is scheduled.
    """
    values = await _draft_values(call, request)
    campaign_id = await SmsCampaignRow.insert(
        call.work,
        **{
            **values,
            "status": CampaignStatus.DRAFT.value,
            "round": 0,
            "places": [],
            "prepared": 0,
            "prepared_until": 0,
            "created_by": call.actor,
            "created_at": call.now,
        },
    )
    call.add_audit_subjects("sms_campaign", campaign_id)
    return await _answer(call, campaign_id)


@writes(
    "update_sms_campaign",
    available_when={"status": CampaignStatus.DRAFT.value},
    audience=OFFICE,
    scopes=WRITE,
    feature=FEATURE,
    risk=Risk.MEDIUM,
    interfaces=(Rest("PUT", ONE), GraphQL("updateSmsCampaign")),
    errors=(NOT_FOUND, SMS_CAMPAIGN_STEP_REFUSED),
)
async def update_sms_campaign(call: Call, request: UpdateSmsCampaign) -> SmsCampaignAnswer:
    """Replace a draft SMS campaign.

    A scheduled campaign can no longer be changed.
    """
    campaign = await require_campaign(call, request.sms_campaign_id, lock=True)
    if campaign.status != CampaignStatus.DRAFT:
        raise SMS_CAMPAIGN_STEP_REFUSED(action="update", status=campaign.status)
    await SmsCampaignRow.update(call.work, campaign.id, await _draft_values(call, request))
    call.add_audit_subjects("sms_campaign", campaign.id)
    return await _answer(call, campaign.id)


@writes(
    "schedule_sms_campaign",
    available_when={"status": campaign_life.allowing(CampaignAction.SCHEDULE)},
    audience=OFFICE,
    scopes=WRITE,
    feature=FEATURE,
    risk=Risk.HIGH,
    interfaces=(Rest("POST", f"{ONE}/schedule"), GraphQL("scheduleSmsCampaign")),
    errors=(NOT_FOUND, SMS_CAMPAIGN_STEP_REFUSED, SMS_MARKETING_NOT_SET_UP, SMS_SENDER_NOT_REGISTERED),
)
async def schedule_sms_campaign(call: Call, request: ScheduleSmsCampaign) -> SmsCampaignAnswer:
    """Schedule an SMS campaign.

    The campaign starts now or later. Consent and suppression are checked when each message is sent, in the permitted
    hours of its recipient. The segment and the texts are stored as they are now.
    """
    await require_campaign(call, request.sms_campaign_id)
    settings = await require_settings(call, lock=True)  # locked before the campaign, in the same order as sending
    campaign = await require_campaign(call, request.sms_campaign_id, lock=True)
    reached = campaign_life.next_status_or_raise(CampaignAction.SCHEDULE, CampaignStatus(campaign.status))
    if await campaign_route(call.app, call.work) == "nobody":
        raise SMS_MARKETING_NOT_SET_UP()
    segment = await require_segment(call, campaign.segment_id or 0)
    if settings.us_registration is None:
        await _require_no_registration(call, campaign, segment.rules)
    values = {
        "status": reached.value,
        "rules": segment.rules,
        "variants": await _with_texts(call, campaign.variants),
        "starts_at": request.starts_at or call.now,
        "scheduled_by": call.actor,
        "round": campaign.round + 1,
    }
    await SmsCampaignRow.update(call.work, campaign.id, values)
    args = RunSmsCampaign(campaign_id=campaign.id, round=campaign.round + 1, turn=-1)
    await requeue(call, args, max(call.now, request.starts_at or call.now))
    call.add_audit_subjects("sms_campaign", campaign.id)
    return await _answer(call, campaign.id)


@writes(
    "pause_sms_campaign",
    available_when={"status": campaign_life.allowing(CampaignAction.PAUSE)},
    audience=OFFICE,
    scopes=WRITE,
    feature=FEATURE,
    risk=Risk.MEDIUM,
    interfaces=(Rest("POST", f"{ONE}/pause"), GraphQL("pauseSmsCampaign")),
    errors=(NOT_FOUND, SMS_CAMPAIGN_STEP_REFUSED),
)
async def pause_sms_campaign(call: Call, request: SmsCampaignRef) -> SmsCampaignAnswer:
    """Pause an SMS campaign.

    No more messages are sent until the campaign is resumed. Messages that are already being sent still go out.
    """
    campaign = await require_campaign(call, request.sms_campaign_id, lock=True)
    await pause_campaign(call, campaign, "by_hand")
    call.add_audit_subjects("sms_campaign", campaign.id)
    return await _answer(call, campaign.id)


@writes(
    "resume_sms_campaign",
    available_when={"status": campaign_life.allowing(CampaignAction.RESUME)},
    audience=OFFICE,
    scopes=WRITE,
    feature=FEATURE,
    risk=Risk.HIGH,
    interfaces=(Rest("POST", f"{ONE}/resume"), GraphQL("resumeSmsCampaign")),
    errors=(NOT_FOUND, SMS_CAMPAIGN_STEP_REFUSED),
)
async def resume_sms_campaign(call: Call, request: SmsCampaignRef) -> SmsCampaignAnswer:
    """Resume a paused SMS campaign.

    A campaign that has reached its cost cap pauses again.
    """
    campaign = await require_campaign(call, request.sms_campaign_id, lock=True)
    reached = campaign_life.next_status_or_raise(CampaignAction.RESUME, CampaignStatus(campaign.status))
    begun = campaign.begun_at or call.now
    values = {"status": reached.value, "pause_reason": None, "round": campaign.round + 1, "begun_at": begun}
    await SmsCampaignRow.update(call.work, campaign.id, values)
    args = RunSmsCampaign(campaign_id=campaign.id, round=campaign.round + 1, turn=-1)
    await requeue(call, args, max(call.now, campaign.starts_at or call.now))
    call.add_audit_subjects("sms_campaign", campaign.id)
    return await _answer(call, campaign.id)


@writes(
    "cancel_sms_campaign",
    available_when={"status": campaign_life.allowing(CampaignAction.CANCEL)},
    audience=OFFICE,
    scopes=WRITE,
    feature=FEATURE,
    risk=Risk.MEDIUM,
    interfaces=(Rest("POST", f"{ONE}/cancel"), GraphQL("cancelSmsCampaign")),
    errors=(NOT_FOUND, SMS_CAMPAIGN_STEP_REFUSED),
)
async def cancel_sms_campaign(call: Call, request: SmsCampaignRef) -> SmsCampaignAnswer:
    """Cancel an SMS campaign.

    Queued messages are not sent.
    """
    campaign = await require_campaign(call, request.sms_campaign_id, lock=True)
    reached = campaign_life.next_status_or_raise(CampaignAction.CANCEL, CampaignStatus(campaign.status))
    values = {"status": reached.value, "finished_at": call.now, "round": campaign.round + 1}
    await SmsCampaignRow.update(call.work, campaign.id, values)
    await messages.delete_waiting_messages(call.work, campaign.id, call.now)
    call.add_audit_subjects("sms_campaign", campaign.id)
    return await _answer(call, campaign.id)


async def _draft_values(call: Call, request: SaveSmsCampaign) -> dict[str, Any]:
    """Return the columns of a draft. Raises `NOT_FOUND` for a missing reference."""
    await require_segment(call, request.sms_segment_id)
    await _templates(call, [variant.sms_template_id for variant in request.variants])
    return {
        "name": request.name,
        "purpose": request.purpose.value,
        "segment_id": request.sms_segment_id,
        "variants": [_variant(key, each) for key, each in zip(VARIANT_KEYS, request.variants, strict=False)],
        "link_url": request.link_url,
        "cost_cap_micros": request.cost_cap_micros,
        "test": request.test and request.test.model_dump(mode="json"),
    }


def _variant(key: str, variant: CampaignVariant) -> dict[str, Any]:
    return {"key": key, "sms_template_id": variant.sms_template_id, "share_percent": variant.share_percent}


async def _templates(call: Call, ids: Sequence[int]) -> dict[int, SmsTemplateRow]:
    found = await campaigns_store.get_template_rows(call.work, ids)
    for id in ids:
        if id not in found:
            raise record_not_found(sms_template_id=id)
    return found


async def _with_texts(call: Call, variants: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the variants with the current texts of their templates."""
    found = await _templates(call, [variant["sms_template_id"] for variant in variants])
    return [
        {**variant, "texts": template.texts, "language": template.language}
        for variant in variants
        for template in (found[variant["sms_template_id"]],)
    ]


async def _require_no_registration(call: Call, campaign: SmsCampaignRow, rules: dict[str, Any]) -> None:
    """Raise an error for a campaign to numbers that need a registered sender."""
    for reach in await load_reach(call, segment_rules(rules), MessagePurpose(campaign.purpose)):
        if reach.reachable and regulation_for(reach.country).registration:
            raise SMS_SENDER_NOT_REGISTERED(country=reach.country)


async def require_campaign(call: Call, campaign_id: int, *, lock: bool = False) -> SmsCampaignRow:
    """Return a campaign of the business. Raises `NOT_FOUND`."""
    row = await (SmsCampaignRow.lock if lock else SmsCampaignRow.get)(call.work, campaign_id)
    if row is None:
        raise record_not_found(sms_campaign_id=campaign_id)
    return row


async def _answer(call: Call, campaign_id: int) -> SmsCampaignAnswer:
    return SmsCampaignAnswer(campaign=campaign_record(call, await require_campaign(call, campaign_id)))
