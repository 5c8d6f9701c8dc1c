"""Each recipient of a campaign gets a text of their own, before the first is sent."""

from hashlib import blake2b
from secrets import token_hex
from typing import Any

from haulier.contexts.messaging.campaigns.queries.audience import segment_rules
from haulier.contexts.messaging.campaigns.queries.settings import segment_price
from haulier.contexts.messaging.campaigns.queries.texts import finished_text
from haulier.contexts.messaging.campaigns.rules.hours import place_key
from haulier.contexts.messaging.campaigns.rules.laws import MessagePurpose
from haulier.contexts.messaging.campaigns.rules.lifecycle import MessageState, SkipReason
from haulier.contexts.messaging.campaigns.rules.links import LinkCode
from haulier.contexts.messaging.campaigns.rules.texts import MAX_SEGMENTS, MissingVariable, measure_text
from haulier.contexts.messaging.campaigns.rules.winners import is_in_sample
from haulier.contexts.messaging.campaigns.store import contacts as contact_store
from haulier.contexts.messaging.campaigns.store import messages as message_store
from haulier.contexts.messaging.campaigns.store.tables import TEXT_MAX, SmsCampaignRow, SmsContactRow, SmsMarketingRow
from haulier.kernel.call import Call

RECIPIENTS_AT_ONCE = 500
"""So many are written in a transaction: a worker that dies loses no more."""


async def prepare_recipients(call: Call, campaign: SmsCampaignRow, settings: SmsMarketingRow) -> None:
    """Write the texts of the next recipients, and how far that is. All whose turn it is have one, whatever becomes of it."""
    found = await contact_store.list_audience(
        call.work, segment_rules(campaign.rules or {}), campaign.prepared_until or 0, RECIPIENTS_AT_ONCE
    )
    first = campaign.prepared + 1
    wanted = [contact for contact in found if _is_due(campaign, contact.number_key)]
    rows = [_message(call, campaign, settings, contact, first + number) for number, contact in enumerate(wanted)]
    await message_store.insert_messages(call.work, rows)
    places = sorted({*campaign.places, *(row["place"] for row in rows)})
    whole = len(found) < RECIPIENTS_AT_ONCE
    values: dict[str, Any] = {"prepared": campaign.prepared + len(rows), "places": places}
    values["prepared_until"] = None if whole else found[-1].id
    await SmsCampaignRow.update(call.work, campaign.id, values)


def _is_due(campaign: SmsCampaignRow, number_key: str) -> bool:
    """Whether a recipient is of those whose turn it is: of a campaign that is tested the sample, and the rest after it."""
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
    """Return the variant of a recipient: the winner, else by the number and the campaign alone, in the shares that were
    asked for.
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
