"""What a campaign does next: begin, prepare, claim, wait, end. One step is one transaction."""

from collections.abc import Sequence
from datetime import datetime, time, timedelta

from msgspec import Struct

from haulier.contexts.messaging.campaigns.actions.prepare import prepare_recipients
from haulier.contexts.messaging.campaigns.actions.winners import measure_sample
from haulier.contexts.messaging.campaigns.queries.settings import quiet_hours
from haulier.contexts.messaging.campaigns.rules.hours import QuietHours, may_send_now
from haulier.contexts.messaging.campaigns.rules.laws import MessagePurpose, sufficient_keys
from haulier.contexts.messaging.campaigns.rules.lifecycle import (
    CampaignAction,
    CampaignStatus,
    MessageState,
    campaign_life,
)
from haulier.contexts.messaging.campaigns.store import claims
from haulier.contexts.messaging.campaigns.store import settings as settings_store
from haulier.contexts.messaging.campaigns.store.claims import Candidate, ClaimedText
from haulier.contexts.messaging.campaigns.store.tables import SmsCampaignRow, SmsMarketingRow
from haulier.kernel.call import Call

CAMPAIGN_JOB = "sms.campaign"
BATCH = 50
"""Texts that are claimed at once: what a worker that is killed leaves unknown at most."""
MINUTE, LOST_AFTER = timedelta(minutes=1), timedelta(minutes=3)
THROTTLED, CAPPED, FORGOTTEN_AFTER = timedelta(seconds=5), timedelta(minutes=30), timedelta(minutes=20)
QUARTER, LONGEST_QUIET = timedelta(minutes=15), timedelta(days=8)


class RunSmsCampaign(Struct, frozen=True, kw_only=True):
    """The job of a campaign. One of an older round does nothing; `turn` counts the jobs of a round."""

    campaign_id: int
    round: int
    turn: int = 0


class CampaignStep(Struct, frozen=True):
    """What was done. `texts` are to be handed over now; without `more`, the job is over."""

    texts: Sequence[ClaimedText] = ()
    more: bool = True


OVER = CampaignStep(more=False)


async def take_campaign_step(call: Call, args: RunSmsCampaign) -> CampaignStep:
    """Do the next thing for a campaign, within one transaction."""
    settings = await settings_store.get_settings_row(call.work, lock=True)
    campaign = await SmsCampaignRow.lock(call.work, args.campaign_id)
    if campaign is None or settings is None or campaign.round != args.round:
        return OVER
    status = CampaignStatus(campaign.status)
    if status is CampaignStatus.SCHEDULED:
        return await _begin(call, campaign, args)
    if status is not CampaignStatus.SENDING:
        return OVER
    if campaign.prepared_until is not None:
        await prepare_recipients(call, campaign, settings)
        return CampaignStep()
    await claims.settle_lost_texts(call.work, campaign.id, call.now - LOST_AFTER)
    return await _claim(call, campaign, settings, args)


async def look_again(call: Call, args: RunSmsCampaign, at: datetime) -> CampaignStep:
    """End this job, and have another go on at a moment."""
    following = RunSmsCampaign(campaign_id=args.campaign_id, round=args.round, turn=args.turn + 1)
    key = f"{args.campaign_id}:{args.round}:{following.turn}"
    await call.enqueue(CAMPAIGN_JOB, following, run_at=at, idempotency_key=key)
    await SmsCampaignRow.update(call.work, args.campaign_id, {"next_look_at": at + FORGOTTEN_AFTER})
    return OVER


async def pause_campaign(call: Call, campaign: SmsCampaignRow, reason: str) -> None:
    """Hand over no more texts of a campaign until somebody resumes it."""
    reached = campaign_life.next_status_or_raise(CampaignAction.PAUSE, CampaignStatus(campaign.status))
    values = {"status": reached.value, "pause_reason": reason, "round": campaign.round + 1}
    await SmsCampaignRow.update(call.work, campaign.id, values)


async def _begin(call: Call, campaign: SmsCampaignRow, args: RunSmsCampaign) -> CampaignStep:
    if campaign.starts_at and campaign.starts_at > call.now:
        return await look_again(call, args, campaign.starts_at)
    reached = campaign_life.next_status_or_raise(CampaignAction.BEGIN, CampaignStatus.SCHEDULED)
    await SmsCampaignRow.update(call.work, campaign.id, {"status": reached.value, "begun_at": call.now})
    return CampaignStep()


async def _claim(call: Call, campaign: SmsCampaignRow, settings: SmsMarketingRow, args: RunSmsCampaign) -> CampaignStep:
    quiet = quiet_hours(settings)
    places = [place for place in campaign.places if may_send_now(place, call.now, quiet)]
    this_minute = settings.throttle_per_minute - await claims.count_claimed_since(call.work, call.now - MINUTE)
    today = settings.daily_cap - await claims.count_claimed_since(call.work, _midnight(call))
    room = min(BATCH, this_minute, today)
    found: list[Candidate] = []
    if room > 0 and places:
        found = await claims.list_candidates(
            call.work, campaign.id, places, contact_cap=settings.contact_daily_cap, now=call.now, room=room
        )
    affordable = await _affordable(call, campaign, found)
    if found and not affordable:
        await pause_campaign(call, campaign, "cost_cap")
        return OVER
    if affordable:
        keys = sufficient_keys(frozenset(each.country for each in affordable), MessagePurpose(campaign.purpose))
        ids = [each.id for each in affordable]
        await SmsCampaignRow.update(call.work, campaign.id, {"next_look_at": call.now + FORGOTTEN_AFTER})
        return CampaignStep(await claims.claim_texts(call.work, ids, call.now, keys))
    if not await claims.has_texts(call.work, campaign.id, MessageState.WAITING):
        return await _end_of_texts(call, campaign, args)
    if today <= 0 or (places and room > 0):
        return await look_again(call, args, call.now + CAPPED)
    return await look_again(
        call, args, call.now + THROTTLED if places else _next_hour(campaign.places, call.now, quiet)
    )


async def _affordable(call: Call, campaign: SmsCampaignRow, found: Sequence[Candidate]) -> list[Candidate]:
    """Return the first of some texts that the cost cap leaves room for."""
    if campaign.cost_cap_micros is None or not found:
        return list(found)
    left = campaign.cost_cap_micros - await claims.sum_cost(call.work, campaign.id)
    fitting: list[Candidate] = []
    for each in found:
        left -= each.cost_micros
        if left < 0:
            break
        fitting.append(each)
    return fitting


async def _end_of_texts(call: Call, campaign: SmsCampaignRow, args: RunSmsCampaign) -> CampaignStep:
    """No text waits: once none is under way either, the sample is measured, or the campaign is over."""
    if await claims.has_texts(call.work, campaign.id, MessageState.SENDING):
        return await look_again(call, args, call.now + LOST_AFTER)
    if campaign.test is not None and campaign.winner is None:
        measured = await measure_sample(call, campaign)
        return CampaignStep() if measured.winner else await look_again(call, args, measured.test_until or call.now)
    reached = campaign_life.next_status_or_raise(CampaignAction.FINISH, CampaignStatus(campaign.status))
    await SmsCampaignRow.update(call.work, campaign.id, {"status": reached.value, "finished_at": call.now})
    return OVER


def _midnight(call: Call) -> datetime:
    """When the day of the business began; a text of that very moment counts."""
    return datetime.combine(call.today, time(), call.time_zone) - timedelta(microseconds=1)


def _next_hour(places: Sequence[str], now: datetime, quiet: QuietHours | None) -> datetime:
    """When texts may be sent to one of some places next, to the quarter of an hour; of none, in some days."""
    at = now.replace(minute=now.minute // 15 * 15, second=0, microsecond=0)
    while at < now + LONGEST_QUIET:
        at += QUARTER
        if any(may_send_now(place, at, quiet) for place in places):
            return at
    return at
