"""A label is never bought twice and never lost, even after a lost response."""

import asyncio
from typing import Any

from tests.contexts.shipping.makers import Parcelo, buy, codes_of, make_parcelo_account, rates_of, shipment_now
from tests.support.app import App

from haulier.contexts.shipping.labels.actions.purchases import reconcile_purchase
from haulier.contexts.shipping.ports import (
    CarrierMessage,
    CarrierRefused,
    CarrierUnavailable,
    OutcomeUnknown,
    VoidState,
)


async def test_a_label_with_a_lost_response_is_found_at_the_carrier(app: App) -> None:
    carrier = await make_parcelo_account(app)
    carrier.after_buying = [OutcomeUnknown("cut off")]
    shipment = await buy(app)
    assert shipment.state == "purchase_unknown"
    app.clock.forward(minutes=1)
    await app.work_off()
    found = await shipment_now(app, shipment.id)
    assert (found.state, carrier.bought_times, carrier.asked) == ("purchased", 1, ["buy", "find"])
    assert await codes_of(app, found.tracking_number) == ["label_created"]


async def test_a_purchase_is_repeated_only_once_the_carrier_has_certainly_not_sold(app: App) -> None:
    carrier = await make_parcelo_account(app)
    carrier.before_buying = [OutcomeUnknown("cut off")]
    shipment = await buy(app)
    app.clock.forward(seconds=30)
    await app.work_off()
    assert (await shipment_now(app, shipment.id)).state == "purchase_unknown"
    assert carrier.bought_times == 0
    app.clock.forward(minutes=5)
    await app.work_off()
    assert (await shipment_now(app, shipment.id)).state == "purchased"
    assert (carrier.bought_times, carrier.asked) == (1, ["buy", "find", "find", "buy"])


async def test_an_unknown_response_is_not_treated_as_a_refusal(app: App) -> None:
    carrier = await make_parcelo_account(app)
    carrier.after_buying = [ValueError("malformed")]
    shipment = await buy(app)
    assert shipment.state == "purchase_unknown"
    app.clock.forward(minutes=1)
    await app.work_off()
    assert ((await shipment_now(app, shipment.id)).state, carrier.bought_times) == ("purchased", 1)


async def test_a_refused_label_can_be_bought_later(app: App) -> None:
    carrier = await make_parcelo_account(app)
    away = "Parcelo cannot be reached, or cannot answer now. Try again later."
    refused = CarrierRefused([CarrierMessage("No such street", "E1")])
    for refusal, said in ((refused, "No such street"), (CarrierUnavailable("closed"), away)):
        carrier.before_buying = [refusal]
        shipment = await buy(app)
        assert (shipment.state, shipment.can_be_bought) == ("failed", True)
        assert shipment.messages[0].text == said
        later = {"shipment_id": shipment.id}
        done = await app.answer("admin", "submit_shipping_information", later, confirmed=True)
        assert (done.shipment.state, done.shipment.messages) == ("purchased", [])
    assert carrier.bought_times == 2


async def test_concurrent_recovery_buys_once(app: App) -> None:
    carrier = await make_parcelo_account(app)
    rated = await rates_of(app)
    values = {"rate_id": rated.rates[0].rate_id, "order_ref": "A-1"}
    answers = await asyncio.gather(*(app.answer("admin", "create_shipping_label", values) for _ in range(8)))
    assert {answer.shipment.id for answer in answers} == {answers[0].shipment.id}
    assert {answer.shipment.state for answer in answers} == {"purchased"}
    again = (reconcile_purchase(app.application, app.clients["demo"], answers[0].shipment.id) for _ in range(4))
    await asyncio.gather(*again)
    assert carrier.bought_times == 1


async def test_an_abandoned_purchase_is_settled_by_the_job(app: App) -> None:
    carrier = await make_parcelo_account(app)
    rated = await rates_of(app)
    proposed = {"tool": "create_shipping_label", "arguments": {"rate_id": rated.rates[0].rate_id}}
    approval = (await app.answer("employee", "propose_write", proposed)).approval
    await app.answer("admin", "approve_pending_write", {"approval_id": approval.id}, confirmed=True)
    (shipment,) = (await app.answer("admin", "list_shipments")).shipments
    assert (shipment.state, carrier.bought_times) == ("purchase_unknown", 0)
    app.clock.forward(seconds=10)
    await app.work_off()
    assert ((await shipment_now(app, shipment.id)).state, carrier.bought_times) == ("purchased", 1)


async def test_a_void_is_requested_until_the_carrier_decides(app: App) -> None:
    carrier = await make_parcelo_account(app)
    carrier.void_states = [VoidState.PENDING, OutcomeUnknown("cut off"), VoidState.VOIDED]
    assert (await _void(app, carrier)).state == "voided"
    assert carrier.asked.count("void") == 3
    carrier.void_states = [VoidState.PENDING, VoidState.REFUSED]
    kept = await _void(app, carrier)
    assert (kept.state, kept.can_be_cancelled, kept.messages[0].code) == ("purchased", True, "VOID_REFUSED")


async def _void(app: App, carrier: Parcelo) -> Any:
    shipment = await buy(app)
    asked = await app.answer("admin", "cancel_shipping_label", {"shipment_id": shipment.id}, confirmed=True)
    assert asked.shipment.state == "void_pending"
    for _ in range(4):
        app.clock.forward(minutes=5)
        await app.work_off()
    return await shipment_now(app, shipment.id)


async def test_a_dry_run_requests_no_label_from_a_carrier(app: App) -> None:
    carrier = await make_parcelo_account(app)
    rated = await rates_of(app)
    values = {"rate_id": rated.rates[0].rate_id}
    rehearsed = await app.answer("admin", "create_shipping_label", values, dry_run=True)
    assert (rehearsed.shipment.state, carrier.asked) == ("purchase_unknown", [])
    assert (await app.answer("admin", "list_shipments")).total == 0
