"""Writes of campaigns for other families: dispatch."""

from collections.abc import Sequence
from datetime import datetime, time, timedelta
from hashlib import blake2b
from secrets import token_hex
from typing import Any

from msgspec import Struct

from haulier.contexts.messaging.campaigns.queries import finished_text, quiet_hours, segment_price, segment_rules
from haulier.contexts.messaging.campaigns.rules.campaigns import (
    MAX_SEGMENTS,
    NEVER_HANDED_OVER,
    CampaignAction,
    CampaignStatus,
    ChosenBy,
    LinkCode,
    MessageState,
    MissingVariable,
    SkipReason,
    VariantTally,
    WinnerMeasure,
    campaign_life,
    choose_winner,
    is_in_sample,
    measure_text,
)
from haulier.contexts.messaging.campaigns.rules.sms_regulations import (
    MessagePurpose,
    QuietHours,
    may_send_now,
    place_key,
    sufficient_keys,
)
from haulier.contexts.messaging.campaigns.store import campaigns as campaigns_store
from haulier.contexts.messaging.campaigns.store import contacts as contacts_store
from haulier.contexts.messaging.campaigns.store import messages
from haulier.contexts.messaging.campaigns.store.messages import Candidate, ClaimedMessage
from haulier.contexts.messaging.campaigns.store.tables import TEXT_MAX, SmsCampaignRow, SmsContactRow, SmsMarketingRow
from haulier.kernel.call import Call

RECIPIENTS_AT_ONCE = 500
"""Number of recipients written per transaction, the most that a dying worker loses."""


async def prepare_recipients(call: Call, campaign: SmsCampaignRow, settings: SmsMarketingRow) -> None:
    """Write the messages of the next recipients, and the progress of the campaign.

    Every due recipient has a message, regardless of its outcome.
    """
    found = await contacts_store.list_audience(
        call.work, segment_rules(campaign.rules or {}), campaign.prepared_until or 0, RECIPIENTS_AT_ONCE
    )
    first = campaign.prepared + 1
    wanted = [contact for contact in found if _is_due(campaign, contact.number_key)]
    rows = [_message(call, campaign, settings, contact, first + number) for number, contact in enumerate(wanted)]
    await messages.insert_messages(call.work, rows)
    places = sorted({*campaign.places, *(row["place"] for row in rows)})
    whole = len(found) < RECIPIENTS_AT_ONCE
    values: dict[str, Any] = {"prepared": campaign.prepared + len(rows), "places": places}
    values["prepared_until"] = None if whole else found[-1].id
    await SmsCampaignRow.update(call.work, campaign.id, values)


def _is_due(campaign: SmsCampaignRow, number_key: str) -> bool:
    """Return True if a recipient is due.

    In a tested campaign, the sample first and the rest afterwards.
    """
    if campaign.test is None:
        return True
    return is_in_sample(campaign.id, number_key, campaign.test["sample_percent"]) is (campaign.winner is None)


def _message(
    call: Call, campaign: SmsCampaignRow, settings: SmsMarketingRow, contact: SmsContactRow, position: int
) -> dict[str, Any]:
    variant = _variant_of(campaign, contact.number_key)
    code = LinkCode(call.client_id, campaign.id, position, token_hex(2)) if campaign.link_url else None
    text, reason = _text(call, campaign, settings, contact, variant, code)
    segments = measure_text(text).segments if text else 0
    if segments > MAX_SEGMENTS or len(text) > TEXT_MAX:
        text, reason, segments = text[:TEXT_MAX], SkipReason.TEXT_TOO_LONG, 0
    return {
        "campaign_id": campaign.id,
        "position": position,
        "contact_id": contact.id,
        "phone": contact.phone,
        "number_key": contact.number_key,
        "country": contact.country,
        "place": place_key(contact.country, contact.time_zone, contact.phone),
        "purpose": campaign.purpose,
        "variant": variant["key"],
        "text": text,
        "segments": segments,
        "cost_micros": segments * segment_price(settings, contact.country),
        "link_key": code and code.link_key,
        "state": (MessageState.SKIPPED if reason else MessageState.WAITING).value,
        "reason": reason and reason.value,
        "settled_at": call.now if reason else None,
        "clicks": 0,
        "created_at": call.now,
    }


def _text(
    call: Call,
    campaign: SmsCampaignRow,
    settings: SmsMarketingRow,
    contact: SmsContactRow,
    variant: dict[str, Any],
    code: LinkCode | None,
) -> tuple[str, SkipReason | None]:
    texts: dict[str, str] = variant["texts"]
    language = contact.language if contact.language in texts else variant["language"]
    values = {**contact.variables, "business": settings.business_name}
    values |= {"name": contact.name} if contact.name else {}
    values |= {"link": f"{call.app.base_url}/s/{code}"} if code else {}
    purpose = MessagePurpose(campaign.purpose)
    try:
        return finished_text(call.app, settings, texts[language], values, purpose, language), None
    except MissingVariable:
        return "", SkipReason.VARIABLE_MISSING


def _variant_of(campaign: SmsCampaignRow, number_key: str) -> dict[str, Any]:
    """Return the variant of a recipient.

    The winner, else a variant derived from number and campaign in the requested shares.
    """
    if campaign.winner is not None:
        return next(variant for variant in campaign.variants if variant["key"] == campaign.winner)
    digest = blake2b(f"{campaign.id}:{number_key}".encode(), digest_size=8).digest()
    place, reached = int.from_bytes(digest) % 100, 0
    for variant in campaign.variants:
        reached += variant["share_percent"]
        if place < reached:
            return variant
    return campaign.variants[-1]


async def measure_sample(call: Call, campaign: SmsCampaignRow) -> SmsCampaignRow:
    """Continue a test whose sample is sent.

    Start measuring, or choose when it is time.
    """
    assert campaign.test is not None
    if campaign.test_until is None:
        until = call.now + timedelta(minutes=campaign.test["wait_minutes"])
        await SmsCampaignRow.update(call.work, campaign.id, {"test_until": until})
    elif campaign.test_until <= call.now:
        await set_winner(call, campaign, await _best_variant(call, campaign), ChosenBy.RULE)
    else:
        return campaign
    changed = await SmsCampaignRow.get(call.work, campaign.id)
    assert changed is not None
    return changed


async def set_winner(call: Call, campaign: SmsCampaignRow, variant: str, by: ChosenBy) -> None:
    """Let the rest of the audience get a variant: their texts are written next."""
    values = {"winner": variant, "winner_by": by.value, "winner_at": call.now, "prepared_until": 0}
    await SmsCampaignRow.update(call.work, campaign.id, values)


async def _best_variant(call: Call, campaign: SmsCampaignRow) -> str:
    assert campaign.test is not None
    counts = [
        count for count in await messages.count_messages(call.work, campaign.id) if count.state not in NEVER_HANDED_OVER
    ]
    tallies = [
        VariantTally(
            key,
            texts=sum(count.messages for count in counts if count.variant == key),
            visited=sum(count.clicked for count in counts if count.variant == key),
            stopped=sum(count.opted_out for count in counts if count.variant == key),
        )
        for key in (variant["key"] for variant in campaign.variants)
    ]
    return choose_winner(tallies, WinnerMeasure(campaign.test["measure"]))


CAMPAIGN_JOB = "sms.campaign"
BATCH = 50
"""Texts that are claimed at once: what a worker that is killed leaves unknown at most."""
MINUTE, LOST_AFTER = timedelta(minutes=1), timedelta(minutes=3)
THROTTLED, CAPPED, FORGOTTEN_AFTER = timedelta(seconds=5), timedelta(minutes=30), timedelta(minutes=20)
QUARTER, LONGEST_QUIET = timedelta(minutes=15), timedelta(days=8)


class RunSmsCampaign(Struct, frozen=True, kw_only=True):
    """Arguments of a campaign job.

    A job of an older round does nothing; `turn` counts the jobs of a round.
    """

    campaign_id: int
    round: int
    turn: int = 0


class CampaignStep(Struct, frozen=True):
    """Result of a campaign step.

    `texts` must be handed over now; without `more`, the job is finished.
    """

    texts: Sequence[ClaimedMessage] = ()
    more: bool = True


OVER = CampaignStep(more=False)


async def run_campaign_step(call: Call, args: RunSmsCampaign) -> CampaignStep:
    """Do the next thing for a campaign, within one transaction."""
    settings = await campaigns_store.get_settings_row(call.work, lock=True)
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
    await messages.fail_lost_messages(call.work, campaign.id, call.now - LOST_AFTER)
    return await _claim(call, campaign, settings, args)


async def requeue(call: Call, args: RunSmsCampaign, at: datetime) -> CampaignStep:
    """End this job, and enqueue another one to continue at a moment."""
    following = RunSmsCampaign(campaign_id=args.campaign_id, round=args.round, turn=args.turn + 1)
    key = f"{args.campaign_id}:{args.round}:{following.turn}"
    await call.enqueue(CAMPAIGN_JOB, following, run_at=at, idempotency_key=key)
    await SmsCampaignRow.update(call.work, args.campaign_id, {"next_look_at": at + FORGOTTEN_AFTER})
    return OVER


async def pause_campaign(call: Call, campaign: SmsCampaignRow, reason: str) -> None:
    """Pause a campaign until it is resumed."""
    reached = campaign_life.next_status_or_raise(CampaignAction.PAUSE, CampaignStatus(campaign.status))
    values = {"status": reached.value, "pause_reason": reason, "round": campaign.round + 1}
    await SmsCampaignRow.update(call.work, campaign.id, values)


async def _begin(call: Call, campaign: SmsCampaignRow, args: RunSmsCampaign) -> CampaignStep:
    if campaign.starts_at and campaign.starts_at > call.now:
        return await requeue(call, args, campaign.starts_at)
    reached = campaign_life.next_status_or_raise(CampaignAction.BEGIN, CampaignStatus.SCHEDULED)
    await SmsCampaignRow.update(call.work, campaign.id, {"status": reached.value, "begun_at": call.now})
    return CampaignStep()


async def _claim(call: Call, campaign: SmsCampaignRow, settings: SmsMarketingRow, args: RunSmsCampaign) -> CampaignStep:
    quiet = quiet_hours(settings)
    places = [place for place in campaign.places if may_send_now(place, call.now, quiet)]
    this_minute = settings.throttle_per_minute - await messages.count_claimed_since(call.work, call.now - MINUTE)
    today = settings.daily_cap - await messages.count_claimed_since(call.work, _midnight(call))
    room = min(BATCH, this_minute, today)
    found: list[Candidate] = []
    if room > 0 and places:
        found = await messages.list_candidates(
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
        return CampaignStep(await messages.claim_messages(call.work, ids, call.now, keys))
    if not await messages.has_messages(call.work, campaign.id, MessageState.WAITING):
        return await _end_of_texts(call, campaign, args)
    if today <= 0 or (places and room > 0):
        return await requeue(call, args, call.now + CAPPED)
    return await requeue(call, args, call.now + THROTTLED if places else _next_hour(campaign.places, call.now, quiet))


async def _affordable(call: Call, campaign: SmsCampaignRow, found: Sequence[Candidate]) -> list[Candidate]:
    """Return the first of some texts that the cost cap leaves room for."""
    if campaign.cost_cap_micros is None or not found:
        return list(found)
    left = campaign.cost_cap_micros - await messages.sum_cost(call.work, campaign.id)
    fitting: list[Candidate] = []
    for each in found:
        left -= each.cost_micros
        if left < 0:
            break
        fitting.append(each)
    return fitting


async def _end_of_texts(call: Call, campaign: SmsCampaignRow, args: RunSmsCampaign) -> CampaignStep:
    """Handle the end of waiting messages.

    Once none is in transit, the sample is measured, or the campaign is finished.
    """
    if await messages.has_messages(call.work, campaign.id, MessageState.SENDING):
        return await requeue(call, args, call.now + LOST_AFTER)
    if campaign.test is not None and campaign.winner is None:
        measured = await measure_sample(call, campaign)
        return CampaignStep() if measured.winner else await requeue(call, args, measured.test_until or call.now)
    reached = campaign_life.next_status_or_raise(CampaignAction.FINISH, CampaignStatus(campaign.status))
    await SmsCampaignRow.update(call.work, campaign.id, {"status": reached.value, "finished_at": call.now})
    return OVER


def _midnight(call: Call) -> datetime:
    """When the day of the business began; a text of that very moment counts."""
    return datetime.combine(call.today, time(), call.time_zone) - timedelta(microseconds=1)


def _next_hour(places: Sequence[str], now: datetime, quiet: QuietHours | None) -> datetime:
    """Return the next time when messages may be sent to one of some places.

    Rounded to the quarter of an hour; in a few days without places.
    """
    at = now.replace(minute=now.minute // 15 * 15, second=0, microsecond=0)
    while at < now + LONGEST_QUIET:
        at += QUARTER
        if any(may_send_now(place, at, quiet) for place in places):
            return at
    return at
