"""Campaigns: draft, schedule, hours, caps and costs, and a state per recipient."""

from datetime import UTC, datetime

from tests.contexts.messaging.campaigns.makers import (
    TORONTO,
    answered,
    make_campaign,
    make_contact,
    make_marketing_business,
    outcomes_of_messages,
    phone_of,
    send,
    the_status,
    told,
)
from tests.support.app import App

from haulier.contexts.messaging.ports import SmsBusy, SmsRefused


async def test_a_campaign_reaches_only_contacts_who_consented(app: App) -> None:
    gateway = await make_marketing_business(app)
    await make_contact(app, 1)
    await make_contact(app, 2, consent=False)
    await make_contact(app, 3)
    await app.answer("admin", "suppress_sms_number", {"phone": phone_of(3)})
    campaign = await make_campaign(app)
    assert gateway.taken == []
    await send(app, campaign)
    assert gateway.numbers() == [phone_of(1)]
    assert gateway.taken[0].text == "Demo Parcels: Hi Ann 1, 10% off! Reply STOP to opt out"
    assert await outcomes_of_messages(app, campaign) == {
        phone_of(1): "sent",
        phone_of(2): "skipped:no_consent",
        phone_of(3): "skipped:suppressed",
    }
    assert await the_status(app, campaign) == ("done", None)


async def test_receipts_in_any_order_set_the_delivery_status_of_a_message(app: App) -> None:
    gateway = await make_marketing_business(app)
    await make_contact(app, 1)
    campaign = await make_campaign(app)
    await send(app, campaign)
    ref = f"ref-{gateway.taken[0].reference}"
    assert (await told(app, provider_ref=ref, state="delivered")).json()["repeated"] is False
    assert (await told(app, provider_ref=ref, state="sent")).json()["repeated"] is True
    assert await outcomes_of_messages(app, campaign) == {phone_of(1): "delivered"}
    assert (await told(app, provider_ref="somebody's", state="failed")).json()["repeated"] is True


async def test_messages_wait_for_permitted_hours_of_their_recipients(app: App) -> None:
    gateway = await make_marketing_business(app)
    app.clock.now = datetime(2026, 6, 11, 2, tzinfo=UTC)  # ten in the evening of Toronto, seven of Vancouver
    await make_contact(app, 1)
    await make_contact(app, 2, time_zone="America/Vancouver")
    await make_contact(app, 3, time_zone=None)  # of an area code of Toronto
    campaign = await make_campaign(app)
    await send(app, campaign)
    assert gateway.numbers() == [phone_of(2)]
    app.clock.now = datetime(2026, 6, 11, 13, tzinfo=UTC)
    await app.work_off()
    assert sorted(gateway.numbers()) == [phone_of(1), phone_of(2), phone_of(3)]
    assert await the_status(app, campaign) == ("done", None)


async def test_a_business_can_set_narrower_hours_than_the_law(app: App) -> None:
    gateway = await make_marketing_business(app, quiet_from="09:00", quiet_until="11:00")
    await make_contact(app, 1)
    await send(app, await make_campaign(app))
    assert gateway.taken == []
    app.clock.forward(hours=1)
    await app.work_off()
    assert gateway.numbers() == [phone_of(1)]


async def test_messages_per_minute_stay_within_the_throttle(app: App) -> None:
    gateway = await make_marketing_business(app, throttle_per_minute=2)
    for number in range(5):
        await make_contact(app, number)
    await send(app, await make_campaign(app))
    assert len(gateway.taken) == 2
    app.clock.forward(seconds=30)
    await app.work_off()
    assert len(gateway.taken) == 2
    app.clock.forward(seconds=31)
    await app.work_off()
    assert len(gateway.taken) == 4


async def test_messages_are_capped_per_day_and_per_recipient(app: App) -> None:
    gateway = await make_marketing_business(app, daily_cap=3)
    for number in range(4):
        await make_contact(app, number)
    await send(app, await make_campaign(app))
    assert len(gateway.taken) == 3
    app.clock.forward(hours=23)
    await app.work_off()
    assert len(gateway.taken) == 4
    second = await make_campaign(app)
    await send(app, second)
    assert len(gateway.taken) == 4, "the day is over for the first three, who had one within 24 hours"
    app.clock.forward(hours=2)
    await app.work_off()
    assert gateway.numbers()[4:] == [phone_of(0), phone_of(1)]


async def test_a_campaign_pauses_at_its_cost_cap(app: App) -> None:
    gateway = await make_marketing_business(app)
    for number in range(4):
        await make_contact(app, number)
    campaign = await make_campaign(app, cost_cap_micros=2 * 7900)
    await send(app, campaign)
    assert len(gateway.taken) == 2
    assert await the_status(app, campaign) == ("paused", "cost_cap")
    report = await app.answer("admin", "get_sms_campaign", {"sms_campaign_id": campaign})
    assert report.variants[0].cost_sent_micros == 2 * 7900


async def test_a_campaign_can_be_paused_resumed_and_cancelled(app: App) -> None:
    gateway = await make_marketing_business(app)
    await make_contact(app, 1)
    campaign = await make_campaign(app)
    ref = {"sms_campaign_id": campaign}
    await app.answer("admin", "schedule_sms_campaign", {**ref, "starts_at": "2026-06-10T15:00:00Z"})
    await app.answer("admin", "pause_sms_campaign", ref)
    app.clock.forward(hours=2)
    await app.work_off()
    assert gateway.taken == []
    await app.answer("admin", "resume_sms_campaign", ref)
    await app.work_off()
    assert gateway.numbers() == [phone_of(1)]
    again = await app.call("admin", "schedule_sms_campaign", ref)
    assert again.error
    assert again.error["code"] == "SMS_CAMPAIGN_STEP_REFUSED"
    second = await make_campaign(app)
    await app.answer("admin", "cancel_sms_campaign", {"sms_campaign_id": second})
    refused = await app.call("admin", "schedule_sms_campaign", {"sms_campaign_id": second})
    assert refused.status == 409


async def test_a_rejected_message_fails_a_busy_provider_is_retried_and_a_timeout_is_not(app: App) -> None:
    gateway = await make_marketing_business(app)
    for number in range(3):
        await make_contact(app, number)
    gateway.faults = [SmsRefused("no", "21211"), SmsBusy("later"), OSError("no answer")]
    campaign = await make_campaign(app)
    await send(app, campaign)
    assert sorted((await outcomes_of_messages(app, campaign)).values()) == [
        "failed:21211",
        "unknown:no_answer",
        "waiting",
    ]
    app.clock.forward(seconds=40)
    await app.work_off()
    assert sorted((await outcomes_of_messages(app, campaign)).values()) == ["failed:21211", "sent", "unknown:no_answer"]
    assert len(gateway.taken) == 1


async def test_two_variants_are_compared_by_visits_and_opt_outs(app: App) -> None:
    gateway = await make_marketing_business(app)
    for number in range(40):
        await make_contact(app, number)
    campaign = await make_campaign(app, "Sale! {link}", "Only for you: {link}", link_url="https://demo.example/sale")
    await send(app, campaign)
    link = gateway.taken[0].text.split("/s/")[1].split()[0]
    gone = await app.http.get(f"/s/{link}", follow_redirects=False)
    assert (gone.status_code, gone.headers["location"]) == (302, "https://demo.example/sale")
    assert (await app.http.get(f"/s/{link[:-1]}", follow_redirects=False)).status_code == 404
    stopped = next(each for each in gateway.taken if "Only for you" in each.text)
    await answered(app, int(stopped.to[-4:]), "STOP")
    first, second = (await app.answer("admin", "get_sms_campaign", {"sms_campaign_id": campaign})).variants
    assert first.recipients + second.recipients == 40
    assert min(first.recipients, second.recipients) > 8
    assert first.clicked + second.clicked == 1
    assert (first.opted_out, second.opted_out) == (0, 1)


async def test_us_numbers_require_a_registered_sender(app: App) -> None:
    await make_marketing_business(app)
    asked = {
        "phone": "+12125550123",
        "time_zone": TORONTO,
        "consents": [{"basis": "express_written", "method": "paper"}],
    }
    asked["consents"][0]["wording"] = "Yes"  # type: ignore[index]
    await app.answer("admin", "create_sms_contact", asked)
    campaign = {"sms_campaign_id": await make_campaign(app)}
    refused = await app.call("admin", "schedule_sms_campaign", campaign)
    assert refused.error
    assert refused.error["code"] == "SMS_SENDER_NOT_REGISTERED"


async def test_a_message_with_a_missing_variable_is_skipped(app: App) -> None:
    gateway = await make_marketing_business(app)
    await make_contact(app, 1, variables={"city": "Toronto"})
    await make_contact(app, 2)
    campaign = await make_campaign(app, "Sale in {city}! STOP ends it. Demo Parcels")
    await send(app, campaign)
    assert [each.text for each in gateway.taken] == ["Sale in Toronto! STOP ends it. Demo Parcels"]
    assert (await outcomes_of_messages(app, campaign))[phone_of(2)] == "skipped:variable_missing"
