"""Labels after purchase: scans, manifests, money and notifications."""

from datetime import timedelta
from typing import Any

from tests.contexts.integrations.webhooks.makers import make_endpoint, make_local_receiver
from tests.contexts.shipping.makers import (
    SHIPMENT,
    Parcelo,
    buy,
    codes_of,
    make_parcelo_account,
    make_platform_account,
    rates_of,
    shipment_now,
)
from tests.contexts.tracking.ingest.requests import make_event, make_key, make_timeline, push_document
from tests.support.app import App

from haulier.contexts.billing.public import balance_of, top_up
from haulier.contexts.shipping.ports import CarrierEvent, CarrierMessage, CarrierRefused
from haulier.kernel.call import call_as_system
from haulier.kernel.values.money import Money


async def test_scans_update_a_shipment_and_its_timeline(app: App) -> None:
    carrier = await make_parcelo_account(app)
    shipment = await buy(app)
    steps = (("picked_up", "in_transit"), ("out_for_delivery", "in_transit"), ("delivered", "delivered"))
    for number, (code, state) in enumerate(steps):
        at = app.clock.now + timedelta(minutes=5)
        carrier.scans.append(CarrierEvent(f"e{number}", code.upper(), code, at, city="Ottawa", country="CA"))
        app.clock.forward(hours=13)
        await app.work_off()
        assert (await shipment_now(app, shipment.id)).state == state
    assert await codes_of(app, shipment.tracking_number) == ["label_created", *(code for code, _ in steps)]
    app.clock.forward(days=2)
    assert await app.work_off() == 0
    refused = await app.call("admin", "cancel_shipping_label", {"shipment_id": shipment.id}, confirmed=True)
    assert refused.status == 409


async def test_a_shipment_is_delivered_from_newest_first_scans_with_minute_precision(
    app: App,
) -> None:
    carrier = await make_parcelo_account(app)
    shipment = await buy(app)
    at = app.clock.now + timedelta(minutes=5)
    told = ("delivered", "out_for_delivery", "picked_up")
    carrier.scans += [CarrierEvent(code, code.upper(), code, at, city="Ottawa", country="CA") for code in told]
    app.clock.forward(hours=13)
    await app.work_off()
    assert (await shipment_now(app, shipment.id)).state == "delivered"
    assert await codes_of(app, shipment.tracking_number) == ["label_created", *reversed(told)]


async def test_a_shipment_follows_pushes_and_scans_of_its_parcels(app: App) -> None:
    account = await make_platform_account(app)
    terms = {"shipment": {**SHIPMENT, "packages": [{"weight_g": 900, "quantity": 2}]}, "service": "ground"}
    bought = (await app.answer("admin", "create_shipping_label", {**terms, "account_id": account})).shipment
    other = (await app.answer("admin", "create_shipping_label", {**terms, "account_id": account})).shipment
    first, second = (parcel.tracking_number for parcel in bought.parcels)
    app.clock.forward(days=1)
    key = await make_key(app)
    before_the_label = 3
    steps = (
        (first, "picked_up", 30, "in_transit"),
        (first, "delivered", 31, "in_transit"),
        (second, "delivered", before_the_label, "delivered"),
    )
    for number, code, hours, state in steps:
        document = make_timeline(make_event(code, hours), number=number)
        for _ in range(2):
            assert (await push_document(app, key, document)).json()["counts"]["refused"] == 0
        await app.work_off()
        assert (await shipment_now(app, bought.id)).state == state, number
    assert (await shipment_now(app, other.id)).state == "purchased"


async def test_the_end_of_day_runs_once_and_reports_open_shipments(app: App) -> None:
    carrier = await make_parcelo_account(app)
    kept = [await buy(app, order_ref=f"A-{number}") for number in range(3)]
    carrier.not_closed = {f"ref-{kept[1].tracking_number}"}
    ended = await app.answer("admin", "end_of_day", {}, confirmed=True)
    assert (ended.closed, ended.open, [each.shipment_id for each in ended.not_closed]) == (2, 1, [kept[1].id])
    assert [manifest.carrier_manifest_id for manifest in ended.manifests] == ["M-1"]
    carrier.not_closed = set()
    again = await app.answer("admin", "end_of_day", {}, confirmed=True)
    assert (again.closed, again.open) == (1, 0)
    once_more = await app.answer("admin", "end_of_day", {}, confirmed=True)
    assert (once_more.closed, once_more.manifests) == (0, [])
    shown = await app.answer("admin", "get_shipping_manifest", {"manifest_id": ended.manifests[0].id})
    assert shown.shipment_ids == [kept[0].id, kept[2].id]


async def test_the_price_is_held_captured_and_refunded(app: App) -> None:
    carrier = await make_parcelo_account(app, markup_minor=200)
    refused = await _try(app)
    assert refused.error
    assert (refused.error["code"], carrier.asked) == ("CREDIT_INSUFFICIENT", [])
    await _credit(app, 1_200)
    carrier.before_buying = [CarrierRefused([CarrierMessage("No")])]
    failed = (await _try(app)).answer.shipment
    assert (failed.state, await _left(app)) == ("failed", 1_200)
    later = {"shipment_id": failed.id}
    bought = (await app.answer("customer", "submit_shipping_information", later, confirmed=True)).shipment
    assert (bought.state, await _left(app)) == ("purchased", 0)
    await app.answer("customer", "cancel_shipping_label", later, confirmed=True)
    assert await _left(app) == 1_200


async def _try(app: App) -> Any:
    rated = await rates_of(app, "customer")
    return await app.call("customer", "create_shipping_label", {"rate_id": rated.rates[0].rate_id})


async def _credit(app: App, minor: int) -> None:
    async with app.database.write(app.clients["demo"]) as work:
        call = await call_as_system(app.application, app.clients["demo"], work)
        await top_up(call, app.ids["customer"], Money(minor, "CAD"), key="t1")


async def _left(app: App) -> int:
    async with app.database.write(app.clients["demo"]) as work:
        call = await call_as_system(app.application, app.clients["demo"], work)
        credit = await balance_of(call, app.ids["customer"])
        return (credit.balance - credit.held).minor


async def test_webhooks_report_labels_and_manifests(app: App) -> None:
    with make_local_receiver(app) as receiver:
        await make_endpoint(app, receiver.url(), "shipment.label_bought", "shipment.label_voided", "manifest.closed")
        await make_platform_account(app)
        shipment = await buy(app, order_ref="A-1")
        await app.answer("admin", "end_of_day", {}, confirmed=True)
        await app.answer("admin", "cancel_shipping_label", {"shipment_id": shipment.id}, confirmed=True)
        await app.work_off()
        heard = {message.document["event"]: message.document["data"] for message in receiver.received}
    assert heard["shipment.label_bought"] == {
        "shipment_id": shipment.id,
        "carrier": "HOUSE",
        "tracking_number": shipment.tracking_number,
        "order_ref": "A-1",
    }
    assert heard.keys() == {"shipment.label_bought", "shipment.label_voided", "manifest.closed"}


async def test_an_account_with_pending_carrier_responses_cannot_be_closed(app: App) -> None:
    carrier: Parcelo = await make_parcelo_account(app)
    carrier.before_buying = [ValueError("malformed")]
    await buy(app)
    (account,) = (await app.answer("admin", "list_carrier_accounts")).accounts
    refused = await app.call("admin", "close_carrier_account", {"account_id": account.id})
    assert refused.status == 409
    app.clock.forward(hours=1)
    await app.work_off()
    await app.answer("admin", "close_carrier_account", {"account_id": account.id})
    assert (await app.answer("admin", "list_carrier_accounts")).accounts == []


async def test_customers_see_only_their_own_shipments(app: App) -> None:
    await make_platform_account(app)
    await buy(app, order_ref="office")
    hidden = {"customer_id": app.ids["customer"], "hidden": ["label_service"]}
    await app.answer("admin", "set_price_visibility", hidden)
    theirs = await buy(app, "customer", order_ref="own")
    listed = (await app.answer("customer", "list_shipments")).shipments
    assert [each.id for each in listed] == [theirs.id]
    named = {"order_ref": "office"}
    assert (await app.call("customer", "get_shipping_detail", named, confirmed=True)).status == 404
    for filters, count in (
        ({"state": "purchased"}, 2),
        ({"customer_id": app.ids["customer"]}, 1),
        ({"order_ref": "no"}, 0),
    ):
        assert (await app.answer("admin", "list_shipments", filters)).total == count
