"""Partner orders: pull, accept or decline, report, and return."""

import asyncio

import msgspec
from tests.contexts.marketplace.partners.makers import (
    another_business,
    call_about_offer,
    make_partnership,
    offer_orders,
    report_as_partner,
)
from tests.support.app import App
from tests.support.processes import another_process
from tests.support.tables import rows
from tests.support.transport import make_order, order_row, some_orders, status_and_code

from haulier.contexts.orders.public import OrderStatus

OWN_NEWS = {
    *("report_steps_to_giver", "end_offers_of_cancelled_order"),
    *("cancel_reservation_of_order", "release_box_of_cancelled_order", "release_drop_off_of_cancelled_order"),
    *("on_return_order_cancelled", "void_labels_of_cancelled_order"),
}
OWN_RECORDS = {"delivery_order", "order_package", "order_change", "tracking_event", "tracking_subject"}
"""Records of a partner's own order."""
DOORS = {"tracking_number", "consignee", "shipper", "delivery_instruction"}


async def offered(app: App, count: int = 1, **words: object) -> list[int]:
    """Orders offered to the rival; the ids of the offers."""
    return await offer_orders(app, await make_partnership(app), await some_orders(app, count), **words)


async def test_names_and_addresses_are_hidden_until_the_order_is_accepted(app: App) -> None:
    (offer_id,) = await offered(app)
    shown = await app.rest("rival", "GET", f"/v1/partner-orders/{offer_id}")
    assert shown.json()["partner_order"]["goods"]["postal_code"] == "M5V 2T6"
    assert not DOORS & shown.json()["partner_order"].keys()
    assert "Lovelace" not in shown.text
    assert "Queen" not in shown.text
    taken = (await app.rest("rival", "POST", f"/v1/partner-orders/{offer_id}/accept", {})).json()["partner_order"]
    assert taken["consignee"]["name"] == "Ada Lovelace"


async def test_an_accepted_order_leaves_the_senders_pool(app: App) -> None:
    (offer_id,) = await offered(app)
    before = (await app.answer("admin", "planning_pool", {})).total
    await call_about_offer(app, "rival", "accept_partner_order", offer_id, reference="R-1", quote_minor=900)
    (made,) = (await app.answer("admin", "list_partner_offers", {})).offers
    row = await order_row(app, made.order_id)
    assert (row.status, bool(row.third_party_held), row.fulfilment) == (OrderStatus.PLANNED, True, "third_party")
    assert (made.status, made.reference, made.quote_minor, made.currency) == ("accepted", "R-1", 900, "CAD")
    assert (before, (await app.answer("admin", "planning_pool", {})).total) == (1, 0)


async def test_partner_reports_appear_on_the_senders_timeline_in_their_name(app: App) -> None:
    (offer_id,) = await offered(app)
    await call_about_offer(app, "rival", "accept_partner_order", offer_id, reference="R-1")
    done = await report_as_partner(
        app, offer_id, "picked_up", "in_transit", "out_for_delivery", "delivered", recipient="Ada"
    )
    assert (done.status, done.last_report) == ("delivered", "delivered")
    (made,) = (await app.answer("admin", "list_partner_offers", {})).offers
    row = await order_row(app, made.order_id)
    assert row.status == OrderStatus.DELIVERED
    (timeline,) = (await app.answer("admin", "otep_client_tracking", {"order_id": row.id})).trackings
    said = {each["status_code"]: each["source"] for each in msgspec.to_builtins(timeline.data)["events"]}
    theirs = {"awaiting_pickup", "picked_up", "in_transit", "out_for_delivery", "delivered"}
    assert {(said[each]["type"], said[each]["name"]) for each in theirs} == {("third_party", "rival")}
    assert "consignee" not in (await app.rest("rival", "GET", f"/v1/partner-orders/{offer_id}")).json()["partner_order"]


async def test_a_repeated_report_changes_nothing_and_one_out_of_sequence_is_refused(app: App) -> None:
    (offer_id,) = await offered(app)
    await call_about_offer(app, "rival", "accept_partner_order", offer_id)
    early = await call_about_offer(app, "rival", "report_partner_order", offer_id, report="delivered")
    assert status_and_code(early) == (409, "PARTNER_REPORT_OUT_OF_TURN")
    await report_as_partner(app, offer_id, "picked_up", "picked_up", "delivered", "delivered")
    late = await call_about_offer(app, "rival", "report_partner_order", offer_id, report="failed")
    assert status_and_code(late) == (409, "PARTNER_ORDER_NOT_HELD")


async def test_a_failed_attempt_can_be_repeated(app: App) -> None:
    (offer_id,) = await offered(app)
    await call_about_offer(app, "rival", "accept_partner_order", offer_id)
    await report_as_partner(app, offer_id, "out_for_delivery", "failed", incident="recipient_absent")
    assert (await report_as_partner(app, offer_id, "out_for_delivery", "delivered")).status == "delivered"


async def test_a_returned_order_is_pending_at_the_sender_and_can_be_offered_again(app: App) -> None:
    partnership_id, order_id = await make_partnership(app), await make_order(app)
    (offer_id,) = await offer_orders(app, partnership_id, [order_id])
    await call_about_offer(app, "rival", "accept_partner_order", offer_id)
    back = await call_about_offer(app, "rival", "return_partner_order", offer_id, reason="van broke down")
    assert back.answer.partner_order.status == "handed_back"
    row = await order_row(app, order_id)
    assert (row.status, bool(row.third_party_held), row.fulfilment) == (OrderStatus.NEW_ORDER, False, "self_delivery")
    (anew,) = await offer_orders(app, partnership_id, [order_id])
    assert status_and_code(await call_about_offer(app, "rival", "accept_partner_order", anew)) == (200, None)
    await report_as_partner(app, anew, "picked_up")
    again = await call_about_offer(app, "rival", "return_partner_order", anew, reason="too late")
    assert status_and_code(again) == (409, "PARTNER_ORDER_NOT_HELD"), "the goods are in their van"


async def test_a_decline_has_a_reason_that_the_sender_sees(app: App) -> None:
    (offer_id,) = await offered(app)
    await call_about_offer(app, "rival", "decline_partner_order", offer_id, reason="no van")
    (made,) = (await app.answer("admin", "list_partner_offers", {"status": "declined"})).offers
    assert made.reason == "no van"
    assert status_and_code(await call_about_offer(app, "rival", "accept_partner_order", offer_id)) == (
        409,
        "PARTNER_OFFER_CLOSED",
    )


async def test_an_offer_expires_at_its_deadline(app: App) -> None:
    partnership_id, order_id = await make_partnership(app, respond_within_min=30), await make_order(app)
    (offer_id,) = await offer_orders(app, partnership_id, [order_id])
    app.clock.forward(minutes=30)
    assert status_and_code(await call_about_offer(app, "rival", "accept_partner_order", offer_id)) == (
        409,
        "PARTNER_OFFER_CLOSED",
    )
    assert (await app.answer("rival", "pull_partner_orders", {})).partner_orders == []
    assert (await app.answer("rival", "list_partner_orders", {"status": "expired"})).total == 1
    assert len(await offer_orders(app, partnership_id, [order_id])) == 1


async def test_an_open_offer_can_be_withdrawn_and_an_accepted_one_stays(app: App) -> None:
    first, second = await offered(app, 2)
    await call_about_offer(app, "rival", "accept_partner_order", first)
    done = await app.answer("admin", "withdraw_partner_offers", {"offer_ids": [first, second]})
    assert done.withdrawn == [second]
    assert status_and_code(await call_about_offer(app, "rival", "accept_partner_order", second)) == (
        409,
        "PARTNER_OFFER_CLOSED",
    )


async def test_a_quote_above_the_offered_price_is_refused(app: App) -> None:
    (offer_id,) = await offered(app, fee_most_minor=1000)
    dear = await call_about_offer(app, "rival", "accept_partner_order", offer_id, quote_minor=1001)
    assert status_and_code(dear) == (409, "PARTNER_QUOTE_TOO_HIGH")
    assert status_and_code(
        await call_about_offer(app, "rival", "accept_partner_order", offer_id, quote_minor=1000)
    ) == (200, None)


async def test_an_order_cancelled_by_the_sender_is_closed_for_the_partner(app: App) -> None:
    partnership_id, order_id = await make_partnership(app), await make_order(app)
    (offer_id,) = await offer_orders(app, partnership_id, [order_id])
    await call_about_offer(app, "rival", "accept_partner_order", offer_id)
    await app.answer("admin", "cancel_order", {"order_id": order_id})
    await app.work_off()
    assert (await app.answer("rival", "get_partner_order", {"offer_id": offer_id})).partner_order.status == "cancelled"


async def test_a_third_business_and_the_sender_cannot_find_the_partners_order(app: App) -> None:
    third = await another_business(app, "third")
    (offer_id,) = await offered(app)
    words = {"accept_partner_order": {}, "get_partner_order": {}, "report_partner_order": {"report": "picked_up"}}
    words |= {"decline_partner_order": {"reason": "x"}, "return_partner_order": {"reason": "x"}}
    for who in (third, "admin"):
        for operation, more in words.items():
            assert status_and_code(await call_about_offer(app, who, operation, offer_id, **more)) == (404, "NOT_FOUND")
        assert (await app.answer(who, "list_partner_orders", {})).total == 0
        assert (await app.answer(who, "pull_partner_orders", {})).partner_orders == []
    for who in (third, "rival"):
        assert (await app.answer(who, "list_partner_offers", {})).total == 0
        withdrawn = await app.call(who, "withdraw_partner_offers", {"offer_ids": [offer_id]})
        assert status_and_code(withdrawn) == (404, "NOT_FOUND")


async def test_of_two_partners_who_accept_concurrently_one_gets_the_order(app: App, database_url: str) -> None:
    third = await another_business(app, "third")
    rivals = {"rival": await make_partnership(app), third: await make_partnership(app, third)}
    orders = [await make_order(app) for _ in range(6)]
    offers = {who: await offer_orders(app, partnership, orders) for who, partnership in rivals.items()}
    async with another_process(app, database_url) as other:
        doors = {"rival": app, third: other}
        asked = [
            (who, each) for pair in zip(*offers.values(), strict=True) for who, each in zip(rivals, pair, strict=True)
        ]
        outcomes = await asyncio.gather(
            *(call_about_offer(doors[who], who, "accept_partner_order", each) for who, each in asked)
        )
    for first, second in zip(outcomes[::2], outcomes[1::2], strict=True):
        assert sorted(map(status_and_code, (first, second))) == [(200, None), (409, "PARTNER_OFFER_CLOSED")]
    made = (await app.answer("admin", "list_partner_offers", {})).offers
    assert sorted(each.status for each in made) == ["accepted"] * 6 + ["lost"] * 6


async def test_offers_withdrawn_concurrently_are_withdrawn_once_each(app: App, database_url: str) -> None:
    offers = await offered(app, 20)
    async with another_process(app, database_url) as other:
        calls = [one.answer("rival", "pull_partner_orders", {"limit": 4}) for _ in range(3) for one in (app, other)]
        pulled = [each.offer_id for done in await asyncio.gather(*calls) for each in done.partner_orders]
    assert len(pulled) == len(set(pulled)) == 20
    assert sorted(pulled) == offers


async def test_a_partners_dry_run_changes_nothing_and_reveals_nothing_of_the_sender(app: App) -> None:
    (offer_id,) = await offered(app)
    for operation, words, status in (
        ("accept_partner_order", {}, "accepted"),
        ("report_partner_order", {"report": "picked_up"}, "accepted"),
        ("return_partner_order", {"reason": "no van"}, "handed_back"),
    ):
        asked, before = {"offer_id": offer_id, **words}, await rows(app)
        shown = await app.call("rival", operation, asked, dry_run=True)
        assert shown.answer.partner_order.status == status
        assert "partner_offer" in {change.record for change in shown.changes}
        assert "Lovelace" not in str([change for change in shown.changes if change.record == "partner_offer"])
        assert {change.record for change in shown.changes} - OWN_RECORDS == {"partner_offer"}
        assert {effect.kind.rsplit(".")[-1] for effect in shown.side_effects} <= OWN_NEWS
        assert await rows(app) == before
        if operation == "accept_partner_order":
            await app.answer("rival", operation, asked)


async def test_orders_that_cannot_be_offered_are_reported_and_the_rest_are_offered(app: App) -> None:
    partnership_id = await make_partnership(app)
    planned, carried, free = await make_order(app), await make_order(app, fulfilment="carrier"), await make_order(app)
    await app.answer("admin", "hold_order", {"order_id": planned})
    asked = {"partnership_id": partnership_id, "order_ids": [planned, carried, free, 999_999]}
    made = await app.answer("admin", "offer_orders_to_partner", asked)
    assert [each.order_id for each in made.offers] == [free]
    codes = {each.order_id: each.code for each in made.errors}
    assert codes == {planned: "PARTNER_ORDER_GONE", carried: "ORDER_FOR_CARRIER", 999_999: "ORDER_UNKNOWN"}
    again = await app.answer("admin", "offer_orders_to_partner", asked)
    assert "ORDER_OFFERED_ALREADY" in {each.code for each in again.errors}
