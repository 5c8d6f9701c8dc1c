"""Messages to recipients: as configured, once, localised, and while relevant."""

from collections import Counter
from datetime import UTC, datetime
from typing import Any

from tests.contexts.booking.reservations.makers import make_window
from tests.contexts.customer_apps.customer_app import Phones
from tests.contexts.identity.mailbox import received_mails
from tests.contexts.recipients.makers import (
    MAILBOX,
    PHONE,
    WINDOW,
    mails_to,
    make_awaited_order,
    make_recipient,
    messages_about,
    tell_recipients,
    use_phones,
)
from tests.support.app import App
from tests.support.transport import make_contact, make_route, make_started_route, set_order

from haulier.contexts.recipients.messages.rules import MessageWording

SUBJECTS = {
    "accepted": "Demo will deliver a parcel to you",
    "scheduled": "Your delivery from Demo is scheduled",
    "out_for_delivery": "Your parcel is out for delivery",
    "stops_before": "The driver is near",
    "missed": "We missed you",
    "delivered": "Your parcel was delivered",
    "returned": "Your parcel is being returned",
    "cancelled": "Your delivery was cancelled",
}


def subjects(*messages: str) -> list[str]:
    return [SUBJECTS[message] for message in messages]


async def make_route_under_way(app: App, *orders: Any) -> Any:
    """Create a route whose start was already announced."""
    await app.work_off()
    route = await make_started_route(app, [order.id for order in orders])
    await app.work_off()
    return route


async def visit(app: App, operation: str, route: Any, stop: int = 0, **words: Any) -> None:
    """Report the end of a visit, and send the resulting messages."""
    body = {"route_id": route.id, "stop_id": route.stops[stop].id, **words}
    await app.answer("driver", operation, body)
    await app.work_off()


async def pin_of(app: App, order: Any) -> str:
    """The PIN, as the recipient reads it on the tracking page."""
    asked = {"tracking_number": order.tracking_number, "proof": MAILBOX}
    return (await app.answer(None, "show_delivery_pin", asked)).pin


async def test_notifications_are_off_by_default(app: App) -> None:
    order = await make_awaited_order(app)
    await make_route_under_way(app, order)
    assert await received_mails(app, MAILBOX) == []
    assert await messages_about(app, order.id) == []


async def test_a_delivery_is_reported_from_order_to_proof_with_each_message_once(app: App) -> None:
    await tell_recipients(app)
    order = await make_awaited_order(app)
    route = await make_route_under_way(app, order)
    await visit(app, "deliver_stop", route)
    await visit(app, "deliver_stop", route)
    assert await mails_to(app) == subjects("accepted", "out_for_delivery", "delivered")
    assert await messages_about(app, order.id) == [
        (message, "email", "sent") for message in ("accepted", "out_for_delivery", "delivered")
    ]
    link = f"http://test/track/{order.tracking_number}"
    assert all(link in mail.text for mail in await received_mails(app, MAILBOX))


async def test_a_failed_delivery_asks_for_a_new_time_and_a_refused_parcel_is_returned(app: App) -> None:
    await tell_recipients(app)
    missed, refused = await make_awaited_order(app, 1), await make_awaited_order(app, 2)
    route = await make_route_under_way(app, missed, refused)
    at = {stop.order_id: index for index, stop in enumerate(route.stops)}
    await visit(app, "fail_stop", route, at[missed.id], reason="recipient_absent", outcome="retry")
    await visit(app, "fail_stop", route, at[refused.id], reason="recipient_absent", outcome="return")
    assert (await mails_to(app, "ada1@home.example"))[-1] == SUBJECTS["missed"]
    assert (await mails_to(app, "ada2@home.example"))[-1] == SUBJECTS["returned"]


async def test_a_new_attempt_is_announced_once_to_recipients_told_of_the_failed_one(app: App) -> None:
    await tell_recipients(app)
    missed, refused, unsent = [await make_awaited_order(app, number) for number in (1, 2, 3)]
    route = await make_route_under_way(app, missed, refused, unsent)
    at = {stop.order_id: {"route_id": route.id, "stop_id": stop.id} for stop in route.stops}
    for order, outcome in ((missed, "retry"), (refused, "return"), (unsent, "retry")):
        if order is unsent:
            await app.work_off()
        failure = {"reason": "recipient_absent", "outcome": outcome}
        await app.answer("driver", "fail_stop", {**at[order.id], **failure})
    for order in (missed, refused, unsent) * 2:
        await app.answer("driver", "reopen_stop", at[order.id])
    await app.work_off()
    again = "The driver is trying again with your parcel"
    assert (await mails_to(app, "ada1@home.example"))[-2:] == [SUBJECTS["missed"], again]
    assert (await mails_to(app, "ada2@home.example"))[-2:] == [SUBJECTS["returned"], again]
    assert not {SUBJECTS["missed"], again} & set(await mails_to(app, "ada3@home.example"))
    assert [state for *_, state in await messages_about(app, unsent.id)][-2:] == ["dropped", "dropped"]


async def test_an_undone_delivery_is_corrected_once_for_recipients_told_of_it(app: App) -> None:
    await tell_recipients(app)
    wrong, unsent = await make_awaited_order(app, 1), await make_awaited_order(app, 2)
    route = await make_route_under_way(app, wrong, unsent)
    at = {stop.order_id: {"route_id": route.id, "stop_id": stop.id} for stop in route.stops}
    await app.answer("driver", "deliver_stop", at[wrong.id])
    await app.work_off()
    await app.answer("driver", "deliver_stop", at[unsent.id])
    for order in (wrong, unsent):
        undo = {"order_id": order.id, "reason": "Swapped parcels"}
        await app.answer("admin", "undo_delivery", undo, idempotency_key=f"undo-{order.id}")
        await app.answer("admin", "undo_delivery", undo, idempotency_key=f"undo-{order.id}")
    await app.work_off()
    correction = "Correction: your parcel was not delivered"
    assert (await mails_to(app, "ada1@home.example"))[-2:] == [SUBJECTS["delivered"], correction]
    assert not {SUBJECTS["delivered"], correction} & set(await mails_to(app, "ada2@home.example"))
    await visit(app, "deliver_stop", route, [stop.order_id for stop in route.stops].index(wrong.id))
    assert (await mails_to(app, "ada1@home.example"))[-1] == SUBJECTS["delivered"]


async def test_a_delivery_undone_in_the_evening_is_not_reported_as_missed(app: App) -> None:
    await tell_recipients(app)
    order = await make_awaited_order(app)
    route = await make_route_under_way(app, order)
    await visit(app, "deliver_stop", route)
    await app.answer("driver", "finish_route", {"route_id": route.id})
    await app.answer("admin", "undo_delivery", {"order_id": order.id, "reason": "Swapped parcels"})
    await app.work_off()
    assert (await mails_to(app))[-2:] == [SUBJECTS["delivered"], "Correction: your parcel was not delivered"]


async def test_a_failed_collection_is_not_a_missed_delivery(app: App) -> None:
    await tell_recipients(app)
    order = await make_awaited_order(app)
    route = await make_route_under_way(app, order)
    await visit(app, "deliver_stop", route)
    await app.answer("driver", "finish_route", {"route_id": route.id})
    place = {"address": "9 Bay St", "city": "Toronto", "country": "CA", "lat": 43.66, "lng": -79.39}
    undo = {"order_id": order.id, "reason": "Swapped parcels", "goods_at": {"place": place}}
    await app.answer("admin", "undo_delivery", undo)
    correction = "Correction: your parcel was not delivered"
    route_id = await make_route(app, order_ids=[order.id], driver_id=route.driver_id)
    started = (await app.answer("driver", "start_route", {"route_id": route_id})).route
    await app.work_off()
    before = await mails_to(app)
    assert (before.count(correction), before[-1]) == (1, correction)
    await visit(app, "fail_stop", started, reason="recipient_absent", outcome="retry")
    assert await mails_to(app) == before


async def test_recipients_are_asked_to_choose_a_time_only_if_one_is_available(app: App) -> None:
    phones = use_phones(app, Phones())
    await tell_recipients(app, "none", missed="both")
    route = await make_route_under_way(app, await make_awaited_order(app), await make_awaited_order(app))
    await visit(app, "fail_stop", route, 0, reason="recipient_absent", outcome="retry")
    await make_window(app)
    await visit(app, "fail_stop", route, 1, reason="recipient_absent", outcome="retry")
    assert await mails_to(app) == [SUBJECTS["missed"], "We missed you: choose a new time"]
    assert ["Choose a new time" in text for _, text in phones.sent] == [False, True]
    assert "Tell us where to leave it" in phones.sent[0][1]


async def test_the_pin_is_sent_when_out_for_delivery_and_only_to_the_recipient(app: App) -> None:
    phones = use_phones(app, Phones())
    await tell_recipients(app, "none", out_for_delivery="both")
    plain, order = await make_awaited_order(app, 1), await make_awaited_order(app, pin_required=True)
    route = await make_route_under_way(app, plain, order)
    pin = await pin_of(app, order)
    told = [text for _, text in phones.sent] + [mail.text for mail in await received_mails(app)]
    assert sorted(f"Your PIN is {pin}" in text for text in told) == [False, False, True, True]
    shown = [
        (await app.rest("driver", "GET", "/v1/rider/routes/today")).text,
        (await app.rest("driver", "GET", f"/v1/rider/routes/{route.id}")).text,
        (await app.rest("admin", "GET", f"/v1/orders/{order.id}/recipient-messages")).text,
    ]
    assert [text for text in shown if "PIN is" in text or f'"{pin}"' in text] == []


async def test_a_pin_renewed_in_transit_is_sent_and_an_earlier_one_when_the_driver_leaves(
    app: App,
) -> None:
    await tell_recipients(app, "none", out_for_delivery="email")
    order = await make_awaited_order(app, pin_required=True)
    await app.answer("admin", "renew_delivery_pin", {"order_id": order.id})
    route = await make_route_under_way(app, order)
    first = await pin_of(app, order)
    assert [mail.subject for mail in await received_mails(app, MAILBOX) if first in mail.text] == [
        SUBJECTS["out_for_delivery"]
    ]
    await app.answer("admin", "renew_delivery_pin", {"order_id": order.id})
    assert await mails_to(app) == [SUBJECTS["out_for_delivery"], "Your new delivery PIN"]
    assert await pin_of(app, order) in (await received_mails(app, MAILBOX))[-1].text
    await app.answer("admin", "deliver_stop", {"route_id": route.id, "stop_id": route.stops[0].id})
    await app.answer("admin", "renew_delivery_pin", {"order_id": order.id})
    assert len(await mails_to(app)) == 2


async def test_a_pin_for_another_business_is_not_sent(app: App) -> None:
    await tell_recipients(app, "none", out_for_delivery="email")
    order = await make_awaited_order(app, pin_required=True)
    await make_started_route(app, [order.id])
    await set_order(app, order.id, third_party_held=True)
    await app.answer("admin", "renew_delivery_pin", {"order_id": order.id})
    (mail,) = await received_mails(app, MAILBOX)
    assert (mail.subject, "PIN" in mail.text) == (SUBJECTS["out_for_delivery"], False)


async def test_a_cancellation_is_reported_and_a_reroute_is_not_a_cancellation(app: App) -> None:
    await tell_recipients(app)
    cancelled, rerouted = await make_awaited_order(app, 1), await make_awaited_order(app, 2)
    await app.answer("admin", "cancel_order", {"order_id": cancelled.id}, confirmed=True)
    new = {"order_id": rerouted.id, "address": make_recipient(2, address="1 King St E")}
    await app.answer("admin", "reroute_to_address", new, confirmed=True)
    assert await mails_to(app, "ada1@home.example") == subjects("cancelled")
    assert await mails_to(app, "ada2@home.example") == subjects("accepted")


async def test_a_promised_window_and_its_changes_are_reported(app: App) -> None:
    await tell_recipients(app)
    order = await make_awaited_order(app, order_ref="A-1", scheduled_date="2026-06-12", **WINDOW)
    (accepted,) = await received_mails(app, MAILBOX)
    assert "Friday, June 12, 2026, between 10:00\u202fAM and 12:00\u202fPM" in accepted.text
    later = {**WINDOW, "window_end": "2026-06-12T13:00:00-04:00"}
    for window in (WINDOW, later, later, WINDOW):
        await app.answer("admin", "update_time_window_by_refs", {"order_refs": ["A-1"], **window})
        await app.answer("admin", "update_order_note", {"order_id": order.id, "note": "x"})
        await app.work_off()
    assert await mails_to(app) == subjects("accepted", "scheduled", "scheduled")


async def test_the_driver_nearby_message_is_sent_once_at_the_configured_number_of_stops(app: App) -> None:
    await tell_recipients(app, stops=2)
    orders = [await make_awaited_order(app, number) for number in range(1, 6)]
    route = await make_route_under_way(app, *orders)
    number_of = {order.id: number for number, order in enumerate(orders, 1)}
    told = [f"ada{number_of[stop.order_id]}@home.example" for stop in route.stops]

    async def near() -> list[int]:
        return [index for index, to in enumerate(told) if SUBJECTS["stops_before"] in await mails_to(app, to)]

    assert await near() == []
    await visit(app, "deliver_stop", route, 0)
    assert await near() == [1, 2, 3]
    await visit(app, "fail_stop", route, 1, reason="recipient_absent", outcome="retry")
    assert await near() == [1, 2, 3, 4]
    assert [(await mails_to(app, to)).count(SUBJECTS["stops_before"]) for to in told] == [0, 1, 1, 1, 1]
    last = [mail for mail in await received_mails(app, told[4]) if mail.subject == SUBJECTS["stops_before"]]
    assert "Stops before yours: 2." in last[0].text


async def test_messages_use_the_chosen_channel_and_the_known_address(app: App) -> None:
    phones = use_phones(app, Phones())
    await tell_recipients(app, "none", accepted="both", cancelled="email_or_sms")
    reachable = await make_awaited_order(app)
    by_phone = await make_awaited_order(app, consignee=make_contact(phone="416 555 0123"))
    by_nothing = await make_awaited_order(app, consignee=make_contact(phone="ask the neighbour"))
    for order in (reachable, by_phone, by_nothing):
        await app.answer("admin", "cancel_order", {"order_id": order.id}, confirmed=True)
        await app.work_off()
    assert [transport for _, transport, _ in await messages_about(app, reachable.id)] == ["email", "sms", "email"]
    assert [transport for _, transport, _ in await messages_about(app, by_phone.id)] == ["sms", "sms"]
    assert await messages_about(app, by_nothing.id) == []
    assert {to for to, _ in phones.sent} == {PHONE}


async def test_a_customer_can_have_its_own_messages(app: App) -> None:
    await tell_recipients(app, "none", accepted="email", stops=4)
    own = {"customer_id": app.ids["customer"], "accepted": "none", "cancelled": "email"}
    answer = await app.answer("admin", "set_customer_recipient_messages", own)
    assert (answer.messages.accepted, answer.messages.cancelled, answer.messages.stops) == ("none", "email", 4)
    assert answer.own == ["accepted", "cancelled"]
    for number, who in ((1, "customer"), (2, "customer2")):
        order = await make_awaited_order(app, number, who=who)
        await app.work_off()
        await app.answer(who, "cancel_order", {"order_id": order.id}, confirmed=True)
    assert await mails_to(app, "ada1@home.example") == subjects("cancelled")
    assert await mails_to(app, "ada2@home.example") == subjects("accepted")


async def test_sms_wait_for_the_end_of_quiet_hours_and_outdated_ones_are_dropped(app: App) -> None:
    phones = use_phones(app, Phones())
    app.clock.now = datetime(2026, 6, 11, 2, 30, tzinfo=UTC)  # half past ten in the evening in Toronto
    await tell_recipients(app, "sms", quiet_from="21:00", quiet_until="08:00")
    kept, gone = await make_awaited_order(app), await make_awaited_order(app)
    await app.work_off()
    assert phones.sent == []
    await set_order(app, gone.id, status=6)
    app.clock.now = datetime(2026, 6, 11, 12, 0, tzinfo=UTC)
    await app.work_off()
    assert [text.split(":")[0] for _, text in phones.sent] == ["Demo"]
    assert await messages_about(app, kept.id) == [("accepted", "sms", "sent")]
    assert await messages_about(app, gone.id) == [("accepted", "sms", "dropped")]


async def test_an_address_has_a_daily_message_limit(app: App) -> None:
    phones = use_phones(app, Phones())
    await tell_recipients(app, "sms")
    orders = [await make_awaited_order(app) for _ in range(22)]
    await app.work_off()
    assert len(phones.sent) == 20
    listed = [await app.answer("admin", "list_order_messages", {"order_id": order.id}) for order in orders]
    ends = Counter((each.state, each.fault) for answer in listed for each in answer.messages)
    assert ends == {("sent", None): 20, ("dropped", "too_many"): 2}
    app.clock.forward(days=1, minutes=1)
    await make_awaited_order(app)
    await app.work_off()
    assert len(phones.sent) == 21


async def test_an_unavailable_provider_is_retried_for_unsent_messages(app: App) -> None:
    class Rough(Phones):
        broken = True

        async def send(self, to: str, text: str) -> None:
            if self.broken and to == PHONE:
                raise OSError("not now")
            await super().send(to, text)

    phones = use_phones(app, Rough())
    await tell_recipients(app, "sms")
    people = [make_contact(phone=phone) for phone in (PHONE, "+14165550124")]
    await app.answer(
        "admin", "bulk_create_orders", {"orders": [{"consignee": each} for each in people]}, confirmed=True
    )
    await app.work_off()
    assert [to for to, _ in phones.sent] == ["+14165550124"]
    phones.broken = False
    app.clock.forward(minutes=5)
    await app.work_off()
    assert [to for to, _ in phones.sent] == ["+14165550124", PHONE]


async def test_an_interrupted_message_is_not_sent_twice(app: App) -> None:
    class Torn(Phones):
        async def send(self, to: str, text: str) -> None:
            await super().send(to, text)
            raise RuntimeError("the process is gone")

    phones = use_phones(app, Torn())
    await tell_recipients(app, "sms")
    order = await make_awaited_order(app)
    for _ in range(3):
        await app.work_off()
        app.clock.forward(minutes=5)
    assert len(phones.sent) == 1
    (told,) = (await app.answer("admin", "list_order_messages", {"order_id": order.id})).messages
    assert (told.state, told.fault) == ("failed", "interrupted")


async def test_messages_use_the_language_of_the_order_or_the_business(app: App) -> None:
    await tell_recipients(app)
    await app.answer("admin", "update_client", {"language": "de"})
    await make_awaited_order(app, 1)
    await make_awaited_order(app, 2, language="fr")
    assert await mails_to(app, "ada1@home.example") == ["Demo bringt Ihnen eine Sendung"]
    assert await mails_to(app, "ada2@home.example") == ["Demo va vous livrer un colis"]
    previews = await app.answer("admin", "preview_recipient_messages", {"language": "es"})
    assert (previews.language, len(previews.previews)) == ("es", len(MessageWording))
    assert all(each.sms.startswith("Demo") for each in previews.previews)
    assert not any("{" in each.text for each in previews.previews)


async def test_a_dry_run_lists_the_messages_and_sends_none(app: App) -> None:
    await tell_recipients(app)
    order = await make_awaited_order(app)
    await app.work_off()
    result = await app.call("admin", "cancel_order", {"order_id": order.id}, dry_run=True)
    (letters,) = [entry.args["messages"] for entry in result.side_effects or () if entry.kind == "recipients.messages"]
    assert [(each["message"], each["transport"]) for each in letters] == [("cancelled", "email")]
    assert await mails_to(app) == subjects("accepted")


async def test_many_orders_use_a_constant_number_of_statements(app: App) -> None:
    await tell_recipients(app)
    costs = []
    for count in (1, 2, 40):  # what the first call reads is remembered for the others
        orders = [{"consignee": make_recipient(number)} for number in range(1, count + 1)]
        before = app.statements
        await app.answer("admin", "bulk_create_orders", {"orders": orders}, confirmed=True)
        costs.append(app.statements - before)
    assert costs[1] == costs[2]


async def test_quiet_hours_have_a_start_and_an_end(app: App) -> None:
    result = await app.call("admin", "set_recipient_messages", {"quiet_from": "21:00"})
    assert [each["field"] for each in result.error["errors"]] == ["quiet_until"]  # type: ignore[index]
