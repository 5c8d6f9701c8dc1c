"""A tracking number has one owner: orders and shipments override announcements."""

import asyncio
from typing import Any

import pytest
from tests.contexts.consolidation.makers import announced, parcel_now, pushed, queue, received
from tests.contexts.integrations.webhooks.makers import make_endpoint, make_local_receiver
from tests.contexts.orders.examples import ADDRESS
from tests.contexts.shipping.makers import buy, make_parcelo_account
from tests.support.app import App

from haulier.contexts.orders.delivery_orders.actions import create

NUMBER = "HLRACE000001"


async def announce(app: App, number: str, who: str = "customer2", **words: Any) -> Any:
    """The result of an announcement."""
    return await app.call(who, "create_pre_alert", {"tracking_number": number, **words})


async def sees(app: App, number: str, who: str) -> bool:
    """Return True if a customer sees the full timeline of a number."""
    answer = await app.rest(who, "GET", "/v1/otep/client/trackings", params={"tracking_number": number})
    return answer.status_code == 200


async def test_an_order_number_cannot_be_announced_in_any_spelling(app: App) -> None:
    order = (await app.answer("customer", "create_order", {"consignee": ADDRESS})).order
    office = (await app.answer("admin", "create_order", {"consignee": ADDRESS})).order
    await app.answer("customer", "create_pre_alert", {"tracking_number": "TAKEN"})
    expected = (await announce(app, "TAKEN")).error
    for number in (order.tracking_number, office.tracking_number, order.tracking_number.lower()):
        for who in ("customer2", "customer"):
            refused = await announce(app, number, who)
            assert refused.error
            assert (refused.status, refused.error["code"]) == (409, "PRE_ALERT_NUMBER_TAKEN")
            assert refused.error.keys() == expected.keys()
    assert (
        await sees(app, order.tracking_number, "customer"),
        await sees(app, order.tracking_number, "customer2"),
    ) == (
        True,
        False,
    )
    came = await received(app, order.tracking_number)
    assert (came.state, came.customer_id) == ("arrived", None)


async def test_a_label_number_cannot_be_announced(app: App) -> None:
    await make_parcelo_account(app)
    label = await buy(app)
    refused = await announce(app, label.tracking_number)
    assert refused.error
    assert refused.error["code"] == "PRE_ALERT_NUMBER_TAKEN"


async def test_an_order_takes_precedence_over_an_earlier_announcement_of_its_number(
    app: App, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(create, "make_tracking_number", lambda: NUMBER)
    early = await announced(app, NUMBER, "customer2", contents="Shoes")
    await app.answer("customer", "create_order", {"consignee": ADDRESS})
    assert (await sees(app, NUMBER, "customer"), await sees(app, NUMBER, "customer2")) == (True, False)
    here = await received(app, NUMBER)
    assert (here.id, here.state, here.customer_id, here.contents) == (early.id, "arrived", None, None)
    (claim,) = (await app.answer("admin", "list_inbound_claims", {"state": "pending"})).claims
    assert (claim.parcel_id, claim.customer_id, claim.contents) == (early.id, app.ids["customer2"], "Shoes")


async def test_a_claim_on_a_received_parcel_waits_for_the_office(app: App) -> None:
    here = await received(app, "N-1", label_text="Secret name", weight_g=900)
    with make_local_receiver(app) as receiver:
        await make_endpoint(app, receiver.url(), "inbound_parcel.claimed")
        answer = (await announce(app, "n-1", contents="Shoes")).answer
        again = (await announce(app, "N-1", contents="Hats")).answer
        await app.work_off()
        assert [one.document["data"]["claim_id"] for one in receiver.received] == [answer.claim.id]
    assert (answer.claim.state, answer.existing, again.existing, again.claim.id) == (
        "pending",
        False,
        True,
        answer.claim.id,
    )
    assert answer.message == "The parcel has already arrived. Staff will check your claim."
    shown = answer.parcel
    assert (shown.state, shown.contents, shown.label_text, shown.weight_g) == (
        "awaiting_confirmation",
        "Shoes",
        None,
        None,
    )
    assert (await app.call("customer2", "get_inbound_parcel", {"parcel_id": here.id})).status == 404
    assert await queue(app) == ["N-1"]
    rival = (await announce(app, "N-1", "customer")).answer.claim
    approved = (await app.answer("admin", "approve_inbound_claim", {"claim_id": answer.claim.id})).claim
    matched = await parcel_now(app, here.id, "customer2")
    assert (approved.state, matched.state, matched.contents, matched.weight_g) == ("approved", "matched", "Shoes", 900)
    (refused,) = (await app.answer("customer", "list_inbound_claims")).claims
    assert (refused.id, refused.state) == (rival.id, "refused")
    late = await app.call("admin", "refuse_inbound_claim", {"claim_id": answer.claim.id})
    assert late.error
    assert late.error["code"] == "INBOUND_CLAIM_DECIDED"


async def test_a_refused_claim_cannot_be_repeated(app: App) -> None:
    await received(app, "N-1")
    claim = (await announce(app, "N-1")).answer.claim
    assert (await app.answer("admin", "refuse_inbound_claim", {"claim_id": claim.id})).claim.state == "refused"
    again = await announce(app, "N-1")
    assert again.error
    assert again.error["code"] == "PRE_ALERT_NUMBER_TAKEN"
    assert await queue(app) == ["N-1"]


async def test_a_cancelled_announcement_releases_the_number(app: App) -> None:
    await pushed(app, "label_created", number="N-1")
    first = await announced(app, "N-1")
    assert await sees(app, "N-1", "customer")
    await app.answer("customer", "cancel_pre_alert", {"parcel_id": first.id})
    assert not await sees(app, "N-1", "customer")
    await announced(app, "N-1", "customer2")
    assert await sees(app, "N-1", "customer2")


async def test_two_concurrent_announcements_of_a_number_give_it_to_one_customer(app: App) -> None:
    results = await asyncio.gather(*(announce(app, "N-1", who) for who in ("customer", "customer2") * 3))
    owners = {result.answer.parcel.customer_id for result in results if not result.error}
    assert len(owners) == 1
    assert sum(1 for result in results if result.error) == 3
    assert (await app.answer("admin", "list_inbound_parcels")).total == 1


async def test_of_two_concurrent_decisions_one_counts(app: App) -> None:
    here = await received(app, "N-1")
    claims = [(await announce(app, "N-1", who)).answer.claim.id for who in ("customer", "customer2")]
    calls = [
        app.call("admin", step, {"claim_id": claim})
        for claim in claims
        for step in ("approve_inbound_claim", "refuse_inbound_claim")
    ]
    await asyncio.gather(*calls)
    states = {one.id: one.state for one in (await app.answer("admin", "list_inbound_claims")).claims}
    owner = (await parcel_now(app, here.id)).customer_id
    approved = [one for one in claims if states[one] == "approved"]
    assert len(approved) == (0 if owner is None else 1)
    assert "pending" not in states.values()


async def test_an_announcement_concurrent_with_an_order_does_not_get_its_timeline(
    app: App, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(create, "make_tracking_number", lambda: NUMBER)
    order = app.call("customer", "create_order", {"consignee": ADDRESS})
    taken, placed = await asyncio.gather(announce(app, NUMBER), order)
    assert placed.error is None
    assert taken.error is None or taken.error["code"] == "PRE_ALERT_NUMBER_TAKEN"
    assert await sees(app, NUMBER, "customer")
    assert not await sees(app, NUMBER, "customer2")
    here = await received(app, NUMBER)
    assert (here.state, here.customer_id) == ("arrived", None)
