"""Labels of carrier ship-outs: bought automatically, retried, voided, tracked."""

from datetime import timedelta
from typing import Any

from tests.contexts.billing.ledger.makers import credit
from tests.contexts.billing.services.makers import make_service
from tests.contexts.shipping.makers import Parcelo, make_parcelo_account, shipment_now
from tests.contexts.storage.examples import HOME, PRICING
from tests.contexts.storage.makers import make_order, make_shelf, make_tariff, refusal, stored
from tests.support.app import App

from haulier.contexts.shipping.ports import CarrierEvent, CarrierMessage, CarrierRefused


async def confirmed(app: App, *, parcels: int = 2, **service: Any) -> Any:
    """Return a confirmed carrier ship-out after its jobs, as staff see it."""
    await make_tariff(app)
    await make_service(app, "send", "shipout", form=[], pricing=PRICING, **{"fulfilment": ["label"], **service})
    ids = await stored(app, (await make_order(app)).id, await make_shelf(app), parcels)
    sent = {"service_code": "send", "parcels": [{"package_ids": [id]} for id in ids], "consignee": HOME}
    made = (await app.answer("customer", "create_shipout", sent)).shipout
    return await again(app, made.id)


async def again(app: App, shipout_id: int, **said: Any) -> Any:
    """Confirm the ship-out, also repeatedly, and run its jobs."""
    await app.answer("admin", "confirm_shipout", {"shipout_id": shipout_id, **said})
    await app.work_off()
    return await now(app, shipout_id)


async def now(app: App, shipout_id: int, who: str = "admin") -> Any:
    operation = "get_shipout" if who == "customer" else "get_customer_shipout"
    return (await app.answer(who, operation, {"shipout_id": shipout_id})).shipout


async def scan(app: App, carrier: Parcelo, code: str) -> None:
    """Let the carrier say that something happened to its parcels."""
    at = app.clock.now + timedelta(minutes=5)
    carrier.scans.append(CarrierEvent(code, code.upper(), code, at, city="Ottawa", country="CA"))
    app.clock.forward(hours=13)
    await app.work_off()


async def test_a_confirmed_ship_out_buys_one_label_and_follows_it(app: App) -> None:
    carrier = await make_parcelo_account(app)
    made = await confirmed(app)
    assert (made.fulfilment, made.label_fault, len(carrier.asked)) == ("label", None, 1)
    label = await shipment_now(app, made.shipment_id)
    assert (made.tracking_number, label.customer_id) == (label.tracking_number, None)
    assert await credit(app) == (0, 0, 0)
    seen = await now(app, made.id, "customer")
    assert seen.tracking_number == label.tracking_number
    await app.answer("customer", "track_package", {"number": label.tracking_number})
    await scan(app, carrier, "picked_up")
    gone = await now(app, made.id)
    assert (gone.status, {each.state for each in gone.stored_packages}) == ("shipped", {"shipped"})
    await scan(app, carrier, "delivered")
    assert (await now(app, made.id)).status == "delivered"


async def test_an_unsold_label_is_kept_with_its_reason_and_bought_later(app: App) -> None:
    made = await confirmed(app)
    assert (made.status, made.shipment_id, made.tracking_number) == ("confirmed", None, None)
    assert made.label_fault
    carrier = await make_parcelo_account(app)
    carrier.before_buying = [CarrierRefused([CarrierMessage("Too heavy today")])]
    refused = await again(app, made.id)
    assert (refused.shipment_id, refused.label_fault) == (None, "Too heavy today")
    bought = await again(app, made.id)
    assert (bought.label_fault, bool(bought.shipment_id), bool(bought.tracking_number)) == (None, True, True)
    assert await refusal(app, "admin", "confirm_shipout", {"shipout_id": made.id}) == (409, "SHIPOUT_STEP_REFUSED")


async def test_the_office_can_add_its_own_label_when_none_could_be_bought(app: App) -> None:
    made = await confirmed(app)
    named = await again(app, made.id, fulfilment="label", tracking_number="1Z999")
    assert (named.tracking_number, named.label_fault, named.shipment_id) == ("1Z999", None, None)


async def test_a_cancelled_ship_out_voids_its_label_until_the_carrier_has_it(app: App) -> None:
    carrier = await make_parcelo_account(app)
    made = await confirmed(app)
    await app.answer("customer", "cancel_shipout", {"shipout_id": made.id}, confirmed=True)
    await app.work_off()
    assert (await shipment_now(app, made.shipment_id)).state in {"void_pending", "voided"}
    other = await confirmed_again(app)
    await scan(app, carrier, "picked_up")
    assert await refusal(app, "customer", "cancel_shipout", {"shipout_id": other.id}) == (409, "SHIPOUT_STEP_REFUSED")


async def confirmed_again(app: App) -> Any:
    """A further ship-out of what is free again."""
    listed = (await app.answer("admin", "list_customer_packages")).stored_packages
    sent = {"service_code": "send", "parcels": [{"package_ids": [listed[0].id]}], "consignee": HOME}
    made = (await app.answer("customer", "create_shipout", sent)).shipout
    return await again(app, made.id)


async def test_customers_cannot_see_the_reason_for_an_unsold_label(app: App) -> None:
    made = await confirmed(app)
    shown = (await app.rest("customer", "GET", f"/v1/customer/shipout-orders/{made.id}")).json()["shipout"]
    assert not {"label_fault", "shipment_id"} & shown.keys()
