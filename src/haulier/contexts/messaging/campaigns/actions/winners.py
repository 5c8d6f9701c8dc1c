"""The test of a campaign's variants: its sample has its texts, it is measured, and the rest of the audience gets the winner."""

from datetime import timedelta

from haulier.contexts.messaging.campaigns.rules.lifecycle import NEVER_HANDED_OVER
from haulier.contexts.messaging.campaigns.rules.winners import ChosenBy, VariantTally, WinnerMeasure, choose_winner
from haulier.contexts.messaging.campaigns.store import messages as message_store
from haulier.contexts.messaging.campaigns.store.tables import SmsCampaignRow
from haulier.kernel.call import Call


async def measure_sample(call: Call, campaign: SmsCampaignRow) -> SmsCampaignRow:
    """Go on with a test whose sample has all its texts: begin to measure, or choose when it is time."""
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
        count
        for count in await message_store.count_messages(call.work, campaign.id)
        if count.state not in NEVER_HANDED_OVER
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
