"""Campaigns and their texts as answers show them."""

from collections import defaultdict
from collections.abc import Sequence

from haulier.contexts.messaging.campaigns.contract.campaigns import (
    SmsCampaignRecord,
    SmsMessageRecord,
    SmsTestRecord,
    SmsVariantRecord,
    SmsVariantReport,
)
from haulier.contexts.messaging.campaigns.rules.campaigns import (
    NEVER_HANDED_OVER,
    CampaignAction,
    CampaignStatus,
    ChosenBy,
    ComparisonState,
    MessageState,
    campaign_life,
)
from haulier.contexts.messaging.campaigns.store.messages import MessageCount
from haulier.contexts.messaging.campaigns.store.tables import SmsCampaignRow, SmsMessageRow
from haulier.kernel.call import Call
from haulier.kernel.operations.records import record

BY_PEOPLE = (CampaignAction.SCHEDULE, CampaignAction.PAUSE, CampaignAction.RESUME, CampaignAction.CANCEL)


def campaign_record(call: Call, row: SmsCampaignRow) -> SmsCampaignRecord:
    """Return a campaign, with what can be done with it."""
    possible = campaign_life.actions(CampaignStatus(row.status))
    return record(
        SmsCampaignRecord,
        row,
        sms_segment_id=row.segment_id,
        variants=[_variant_record(variant) for variant in row.variants],
        test=_test_record(call, row),
        actions=[action.value for action in BY_PEOPLE if action in possible],
        starts_at=call.local_time(row.starts_at),
        created_at=call.local_time(row.created_at),
        begun_at=call.local_time(row.begun_at),
        finished_at=call.local_time(row.finished_at),
    )


def _test_record(call: Call, row: SmsCampaignRow) -> SmsTestRecord | None:
    if row.test is None:
        return None
    waited = ComparisonState.MEASURING if row.test_until else ComparisonState.SAMPLING
    return SmsTestRecord(
        **row.test,
        state=ComparisonState.CHOSEN if row.winner else waited,
        measured_until=call.local_time(row.test_until),
        winner=row.winner,
        chosen_by=ChosenBy(row.winner_by) if row.winner_by else None,
        chosen_at=call.local_time(row.winner_at),
    )


def _variant_record(variant: dict[str, object]) -> SmsVariantRecord:
    names = ("key", "sms_template_id", "share_percent")
    shown = {name: variant[name] for name in names} | {"texts": variant.get("texts")}
    return SmsVariantRecord(**shown)  # type: ignore[arg-type]


def message_record(call: Call, row: SmsMessageRow) -> SmsMessageRecord:
    """Return the state of one message."""
    return record(
        SmsMessageRecord,
        row,
        claimed_at=call.local_time(row.claimed_at),
        sent_at=call.local_time(row.sent_at),
        settled_at=call.local_time(row.settled_at),
        opted_out_at=call.local_time(row.opted_out_at),
    )


def variant_reports(counts: Sequence[MessageCount]) -> list[SmsVariantReport]:
    """Return the results of messages by variant."""
    by_variant: defaultdict[str, list[MessageCount]] = defaultdict(list)
    for count in counts:
        by_variant[count.variant].append(count)
    return [_variant_report(key, by_variant[key]) for key in sorted(by_variant)]


def _variant_report(key: str, counts: Sequence[MessageCount]) -> SmsVariantReport:
    states: defaultdict[str, int] = defaultdict(int)
    skipped: defaultdict[str, int] = defaultdict(int)
    for count in counts:
        states[count.state] += count.messages
        if count.state == MessageState.SKIPPED and count.reason:
            skipped[count.reason] += count.messages
    sent = [count for count in counts if count.state not in NEVER_HANDED_OVER]
    return SmsVariantReport(
        variant=key,
        recipients=sum(count.messages for count in counts),
        states=dict(states),
        skipped=dict(skipped),
        segments_sent=sum(int(count.segments) for count in sent),
        cost_sent_micros=sum(int(count.cost_micros) for count in sent),
        clicked=sum(count.clicked for count in counts),
        clicks=sum(int(count.clicks) for count in counts),
        opted_out=sum(count.opted_out for count in counts),
    )
