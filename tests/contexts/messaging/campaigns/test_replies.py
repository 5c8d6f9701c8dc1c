"""Replies: STOP, START and HELP in six languages, and review by staff."""

import pytest
from tests.contexts.messaging.campaigns.makers import (
    answered,
    make_campaign,
    make_contact,
    make_marketing_business,
    outcomes_of_messages,
    phone_of,
    send,
)
from tests.support.app import App
from tests.support.every_case import for_every

from haulier.contexts.messaging.campaigns.rules.campaigns import ReplyMeaning, meaning_of
from haulier.contexts.messaging.ports import SmsRefused
from haulier.contexts.messaging.public import send_sms


@for_every(
    ("text", "meaning"),
    [
        *[(word, "stop") for word in ("STOP", " stop. ", "StopAll", "Stop all!", "unsubscribe", "Opt-out", "ＳＴＯＰ")],
        *[
            (word, "stop")
            for word in ("Abmelden", "KÜNDIGEN", "arrêt", "ARRET", "Baja", "dar de baja", "退订", "取消訂閱")
        ],
        *[(word, "start") for word in ("START", "unstop", "Anmelden", "reprendre", "alta", "订阅")],
        *[(word, "help") for word in ("Help", "INFO", "Hilfe?", "aide", "ayuda", "帮助")],
        *[(text, "in_question") for text in ("please stop", "Don't cancel my order", "请退订我", "Bitte abmelden!")],
        *[(text, "other") for text in ("Thanks", "Where is my parcel?", "", "👍")],
    ],
)
def test_the_meaning_of_a_reply_is_recognized(text: str, meaning: str) -> None:
    assert meaning_of(text) is ReplyMeaning(meaning)


async def test_stop_blocks_messages_until_the_recipient_sends_start(app: App) -> None:
    gateway = await make_marketing_business(app)
    contact = {"sms_contact_id": (await make_contact(app, 1)).id}
    await send(app, await make_campaign(app))
    app.clock.forward(hours=2)
    assert (await answered(app, 1, "STOP")).status_code == 200
    shown = (await app.answer("admin", "get_sms_contact", contact)).contact
    assert [(each.consented, each.suppressed) for each in shown.permissions] == [(False, True), (False, True)]
    (held,) = (await app.answer("admin", "list_sms_suppressions")).suppressions
    assert (held.phone, held.list, held.reason) == (phone_of(1), "all", "stop_reply")
    lifted = await app.call("admin", "lift_sms_suppression", {"sms_suppression_id": held.id, "reason": "please"})
    assert lifted.error
    assert lifted.error["code"] == "SMS_SUPPRESSED_BY_RECIPIENT"
    app.clock.forward(hours=1)
    assert (await answered(app, 1, "START")).status_code == 200
    shown = (await app.answer("admin", "get_sms_contact", contact)).contact
    assert shown.permissions[0].allowed is True
    app.clock.forward(hours=24)
    await send(app, await make_campaign(app))
    assert len(gateway.taken) == 2


async def test_the_business_sends_no_message_to_a_number_that_replied_stop(app: App) -> None:
    await make_marketing_business(app)
    await answered(app, 1, "STOP")
    with pytest.raises(SmsRefused) as refusal:
        await send_sms(app.application, app.clients["demo"], phone_of(1), "Your parcel is here")
    assert refusal.value.code == "suppressed"


async def test_an_ambiguous_reply_holds_messages_until_a_user_reviews_it(app: App) -> None:
    gateway = await make_marketing_business(app)
    await make_contact(app, 1)
    await answered(app, 1, "please stop texting me on Sundays")
    first = await make_campaign(app)
    await send(app, first)
    assert await outcomes_of_messages(app, first) == {phone_of(1): "skipped:suppressed"}
    (reply,) = (await app.answer("admin", "list_sms_replies", {"needs_person": True})).replies
    assert (reply.meaning, reply.phone) == ("in_question", phone_of(1))
    await app.answer("admin", "resolve_sms_reply", {"sms_reply_id": reply.id, "outcome": "answered"})
    await send(app, await make_campaign(app))
    assert gateway.numbers() == [phone_of(1)]


async def test_a_repeated_reply_counts_once_and_replies_belong_to_one_business(app: App) -> None:
    await make_marketing_business(app)
    await answered(app, 1, "Thanks", ref="in-1")
    assert (await answered(app, 1, "Thanks", ref="in-1")).json() == {"result": True, "repeated": True}
    assert (await app.answer("admin", "list_sms_replies")).total == 1
    assert (await app.answer("rival", "list_sms_replies")).total == 0


async def test_deleting_a_contact_keeps_its_opt_out(app: App) -> None:
    gateway = await make_marketing_business(app)
    contact = await make_contact(app, 1)
    await answered(app, 1, "STOP")
    await app.answer("admin", "delete_sms_contact", {"sms_contact_id": contact.id})
    app.clock.forward(minutes=1)
    await make_contact(app, 1)
    campaign = await make_campaign(app)
    await send(app, campaign)
    assert gateway.taken == []
    assert await outcomes_of_messages(app, campaign) == {phone_of(1): "skipped:suppressed"}
