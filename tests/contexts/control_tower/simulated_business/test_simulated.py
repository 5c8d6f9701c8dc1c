"""Simulated services of a test business, and its webhooks and metrics."""

import pytest
from tests.contexts.control_tower.simulated_business.steps import open_test_mode
from tests.contexts.integrations.webhooks.makers import make_endpoint, make_local_receiver
from tests.contexts.shipping.examples import SHIPMENT
from tests.contexts.shipping.makers import SENDER
from tests.support.app import App
from tests.support.transport import make_order

from haulier.adapters.vault import KEY_BYTES, EncryptedVault
from haulier.kernel.secrets import SecretVault

CREDENTIALS = {
    "UPS": {"client_id": "a", "client_secret": "b", "account_number": "A1B2C3"},
    "EASYPOST": {"api_key": "a"},
    "SHIPENGINE": {"api_key": "a"},
}


@pytest.mark.parametrize("carrier", ["UPS", "EASYPOST", "SHIPENGINE"])
async def test_a_label_of_any_carrier_is_bought_tracked_and_voided_without_a_network(app: App, carrier: str) -> None:
    app.application.adapters = {**app.application.adapters, SecretVault: EncryptedVault(b"k" * KEY_BYTES)}
    who = await open_test_mode(app)
    account = {"carrier": carrier, "name": "Tests", "sender": SENDER, "credentials": CREDENTIALS[carrier]}
    opened = (await app.answer(who, "open_carrier_account", account)).account
    assert (await app.answer(who, "test_carrier_account", {"account_id": opened.id})).accepted
    rated = await app.answer(who, "get_shipping_rate", SHIPMENT)
    bought = await app.answer(who, "create_shipping_label", {"rate_id": rated.rates[0].rate_id})
    shipment = {"shipment_id": bought.shipment.id}
    number = bought.shipment.parcels[0].tracking_number
    assert (await app.answer(who, "advance_test_record", {"tracking_number": number})).status == "picked_up"
    await app.answer(who, "advance_test_record", {"tracking_number": number, "to": "delivered"})
    await app.work_off()
    shown = (await app.answer(who, "get_shipping_detail", shipment, confirmed=True)).shipment
    assert shown.state == "delivered"
    another = await app.answer(who, "create_shipping_label", {"rate_id": rated.rates[-1].rate_id})
    voided = await app.answer(who, "cancel_shipping_label", {"shipment_id": another.shipment.id}, confirmed=True)
    assert voided.shipment.state == "voided"


async def test_webhooks_of_test_mode_are_marked_and_reach_only_their_own_endpoint(app: App) -> None:
    who = await open_test_mode(app)
    with make_local_receiver(app) as receiver:
        await make_endpoint(app, receiver.url("/live"), "*")
        await make_endpoint(app, receiver.url("/test"), "*", who=who)
        order = await make_order(app, who)
        await app.answer(who, "advance_test_record", {"order_id": order, "to": "delivered"})
        await make_order(app)
        while await app.work_off():
            pass
        seen = [(each.path, each.document) for each in receiver.received]
    tests = [message for path, message in seen if path == "/test"]
    assert {message["event"] for message in tests} >= {"order.created", "order.status_changed"}
    assert {message["test"] for message in tests} == {True}
    live = [message for path, message in seen if path == "/live"]
    assert {message["client"] for message in live} == {"demo"}
    assert not any("test" in message for message in live)


async def test_metrics_and_invoices_count_one_mode_only(app: App) -> None:
    who = await open_test_mode(app)
    order = await make_order(app, who)
    await app.answer(who, "advance_test_record", {"order_id": order, "to": "delivered"})
    await app.work_off()
    counted = {caller: await app.answer(caller, "get_orders_summary") for caller in ("admin", who)}
    assert [counted[caller].total.orders for caller in ("admin", who)] == [0, 1]
    assert (await app.answer("admin", "list_invoices")).total == 0
