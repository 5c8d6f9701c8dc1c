"""Variant tests: a sample tries the variants, and the rest gets the winner.

By the rule, or by a user's choice.
"""

import asyncio
from collections import Counter
from typing import Any

from tests.contexts.messaging.campaigns.makers import (
    Gateway,
    answered,
    make_campaign,
    make_contact,
    make_marketing_business,
    outcomes_of_messages,
    send,
    the_status,
)
from tests.support.app import App

from haulier.contexts.messaging.campaigns.rules.campaigns import VariantTally, WinnerMeasure, choose_winner

AUDIENCE = 24
TEST: dict[str, Any] = {"sample_percent": 50, "wait_minutes": 60}
LINK = "https://demo.example/sale"
STOPS: dict[str, Any] = {"test": {**TEST, "measure": "stops"}}


async def make_test(app: App, **values: Any) -> tuple[Gateway, int]:
    """A campaign whose sample has its texts. Gives the provider, and the campaign."""
    gateway = await make_marketing_business(app)
    await asyncio.gather(*(make_contact(app, number) for number in range(AUDIENCE)))
    given: dict[str, Any] = {"link_url": LINK, "test": TEST, **values}
    campaign = await make_campaign(app, "First {link}", "Second {link}", **given)
    await send(app, campaign)
    return gateway, campaign


async def the_test(app: App, campaign: int) -> Any:
    return (await app.answer("admin", "get_sms_campaign", {"sms_campaign_id": campaign})).campaign.test


def variants(gateway: Gateway, since: int = 0) -> Counter[str]:
    """Return the number of messages handed over by variant."""
    return Counter("A" if "First" in each.text else "B" for each in gateway.taken[since:])


async def visit(app: App, gateway: Gateway, word: str) -> None:
    text = next(each.text for each in gateway.taken if word in each.text)
    code = text.split("/s/")[1].split()[0]
    await app.answer(None, "follow_sms_link", {"code": code})


async def after_the_wait(app: App) -> None:
    app.clock.forward(minutes=61)
    await app.work_off()


async def test_the_remaining_contacts_get_the_most_visited_variant(app: App) -> None:
    gateway, campaign = await make_test(app)
    sample = len(gateway.taken)
    assert 4 <= sample <= AUDIENCE - 4
    assert (await the_test(app, campaign)).state == "measuring"
    await visit(app, gateway, "Second")
    app.clock.forward(minutes=59)
    await app.work_off()
    assert len(gateway.taken) == sample
    await after_the_wait(app)
    assert variants(gateway, sample) == {"B": AUDIENCE - sample}
    assert Counter(gateway.numbers()).most_common(1)[0][1] == 1
    test = await the_test(app, campaign)
    assert (test.state, test.winner, test.chosen_by) == ("chosen", "B", "rule")
    assert await the_status(app, campaign) == ("done", None)
    assert len(await outcomes_of_messages(app, campaign)) == AUDIENCE


async def test_the_variant_with_the_fewest_opt_outs_wins_by_opt_outs(app: App) -> None:
    gateway, campaign = await make_test(app, **STOPS)
    sample = len(gateway.taken)
    left = next(each for each in gateway.taken if "First" in each.text)
    await answered(app, int(left.to[-4:]), "STOP")
    await after_the_wait(app)
    assert set(variants(gateway, sample)) == {"B"}
    assert (await the_test(app, campaign)).winner == "B"


async def test_a_user_can_choose_the_winner_once_before_the_rule_does(app: App) -> None:
    gateway, campaign = await make_test(app)
    sample = len(gateway.taken)
    await visit(app, gateway, "First")
    chosen = {"sms_campaign_id": campaign, "variant": "B"}
    unknown = await app.call("admin", "choose_sms_campaign_winner", {**chosen, "variant": "D"})
    assert unknown.status == 422
    await app.answer("admin", "choose_sms_campaign_winner", chosen)
    await app.work_off()
    assert set(variants(gateway, sample)) == {"B"}
    assert (await the_test(app, campaign)).chosen_by == "person"
    await after_the_wait(app)
    assert len(gateway.taken) == AUDIENCE
    again = await app.call("admin", "choose_sms_campaign_winner", {**chosen, "variant": "A"})
    assert again.error
    assert again.error["code"] == "SMS_CAMPAIGN_STEP_REFUSED"


async def test_a_paused_test_waits_and_a_cancelled_one_ends(app: App) -> None:
    gateway, campaign = await make_test(app)
    sample, ref = len(gateway.taken), {"sms_campaign_id": campaign}
    await app.answer("admin", "pause_sms_campaign", ref)
    await app.answer("admin", "choose_sms_campaign_winner", {**ref, "variant": "A"})
    await after_the_wait(app)
    assert len(gateway.taken) == sample
    await app.answer("admin", "resume_sms_campaign", ref)
    await app.work_off()
    assert variants(gateway, sample) == {"A": AUDIENCE - sample}
    second = await make_campaign(app, "First", "Second", **STOPS)
    app.clock.forward(days=1)
    await send(app, second)
    taken = len(gateway.taken)
    await app.answer("admin", "cancel_sms_campaign", {"sms_campaign_id": second})
    await after_the_wait(app)
    assert len(gateway.taken) == taken
    assert (await the_test(app, second)).state == "measuring"


async def test_a_test_needs_variants_and_a_link_if_visits_decide(app: App) -> None:
    await make_marketing_business(app)
    segment = (await app.answer("admin", "create_sms_segment", {"name": "All"})).segment.id
    template = (await app.answer("admin", "create_sms_template", {"name": "T", "texts": {"en": "Hi"}})).template.id
    half = {"sms_template_id": template, "share_percent": 50}
    draft = {"name": "Sale", "sms_segment_id": segment, "variants": [half, half]}
    for wrong in ({"test": TEST}, {**STOPS, "variants": [{"sms_template_id": template}]}):
        assert (await app.call("admin", "create_sms_campaign", {**draft, **wrong})).status == 422
    drafted = (await app.answer("admin", "create_sms_campaign", {**draft, **STOPS})).campaign
    assert (drafted.test.state, drafted.test.measure, drafted.test.wait_minutes) == ("sampling", "stops", 60)


def test_ties_are_decided_by_the_other_rate_and_then_the_variant_letter() -> None:
    few, many = VariantTally("A", texts=10, visited=2, stopped=1), VariantTally("B", texts=100, visited=10, stopped=2)
    assert choose_winner([few, many], WinnerMeasure.VISITS) == "A"
    assert choose_winner([few, many], WinnerMeasure.STOPS) == "B"
    same = VariantTally("C", texts=100, visited=20, stopped=1)
    assert choose_winner([few, same], WinnerMeasure.VISITS) == "C"
    nobody = [VariantTally(key, texts=0, visited=0, stopped=0) for key in "AB"]
    assert choose_winner(nobody, WinnerMeasure.STOPS) == "A"
    assert choose_winner([nobody[0], many], WinnerMeasure.STOPS) == "B"
