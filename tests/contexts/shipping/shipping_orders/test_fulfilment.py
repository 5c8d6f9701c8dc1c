"""Fulfilment of shipping orders by deliveries and labels, and their withdrawal."""

import asyncio
from datetime import timedelta
from typing import Any

from tests.contexts.billing.ledger.makers import credit, some_credit
from tests.contexts.billing.services.makers import make_service
from tests.contexts.shipping.makers import Parcelo, codes_of, make_parcelo_account, shipment_now
from tests.contexts.shipping.shipping_orders.makers import HOME, PRICE, make_order, shown
from tests.support.app import App
from tests.support.transport import make_driver, make_route

from haulier.contexts.shipping.ports import CarrierEvent, CarrierMessage, CarrierRefused


async def confirmed(app: App, **said: Any) -> Any:
    """Return a confirmed order after its jobs, as its customer sees it."""
    order = await make_order(app, **said)
    await app.answer("admin", "confirm_shipping_order", {"shipping_order_id": order.id})
    await app.work_off()
    return await shown(app, order)


async def scan(app: App, carrier: Parcelo, code: str) -> None:
    """Let the carrier say that something happened to its parcels."""
    at = app.clock.now + timedelta(minutes=5)
    carrier.scans.append(CarrierEvent(code, code.upper(), code, at, city="Ottawa", country="CA"))
    app.clock.forward(hours=13)
    await app.work_off()


async def test_an_order_follows_its_delivery(app: App) -> None:
    await make_service(app, fulfilment=["local_delivery"])
    order = await confirmed(app)
    route_id = await make_route(app, order_ids=[order.order_id], driver_id=await make_driver(app))
    route = (await app.answer("admin", "start_route", {"route_id": route_id})).route
    await app.work_off()
    assert (await shown(app, order)).state == "in_progress"
    done = {"route_id": route.id, "stop_id": route.stops[0].id}
    await app.answer("admin", "deliver_stop", done)
    await app.work_off()
    assert (await shown(app, order)).state == "completed"


async def test_an_order_follows_its_label_and_the_customer_pays_only_for_the_service(app: App) -> None:
    carrier = await make_parcelo_account(app, markup_minor=200)
    await make_service(app, fulfilment=["label"])
    order = await confirmed(app)
    assert (len(carrier.asked), await credit(app)) == (1, (0, 0, 0))
    office = await shown(app, order, "admin")
    label = await shipment_now(app, office.shipment_id)
    assert (order.tracking_number, label.customer_id) == (label.tracking_number, None)
    await scan(app, carrier, "picked_up")
    assert (await shown(app, order)).state == "in_progress"
    await scan(app, carrier, "delivered")
    assert (await shown(app, order)).state == "completed"


async def test_a_local_pickup_continued_by_a_carrier_has_one_timeline(app: App) -> None:
    carrier = await make_parcelo_account(app)
    await make_service(app, fulfilment=["local_delivery", "label"])
    missing = {"service_code": "same-day", "consignee": HOME, "values": {"lift": True}}
    refused = await app.call("customer", "create_shipping_order", missing)
    assert refused.error["errors"][0]["field"] == "shipper"
    order = await confirmed(app, shipper={**HOME, "name": "Grace Hopper"})
    delivery = (await app.rest("customer", "GET", f"/v1/orders/{order.order_id}")).json()["order"]
    assert (delivery["type"], delivery["tracking_number"]) == ("P", order.tracking_number)
    await scan(app, carrier, "picked_up")
    await scan(app, carrier, "delivered")
    codes = await codes_of(app, order.tracking_number)
    assert (set(codes[:2]), codes[2:]) == ({"information_submitted", "label_created"}, ["in_transit", "delivered"])
    assert (await shown(app, order)).state == "completed"


async def test_cancelling_an_order_voids_its_label(app: App) -> None:
    await make_parcelo_account(app)
    await make_service(app, fulfilment=["label"])
    await some_credit(app, PRICE)
    order = await confirmed(app)
    await app.answer("customer", "pay_shipping_order", {"shipping_order_id": order.id})
    shipment_id = (await shown(app, order, "admin")).shipment_id
    await app.answer("admin", "cancel_customers_shipping_order", {"shipping_order_id": order.id, "reason": "Full."})
    app.clock.forward(minutes=1)
    await app.work_off()
    assert (await shipment_now(app, shipment_id)).state == "voided"
    after = await shown(app, order)
    assert (after.state, after.cancel_reason, await credit(app)) == ("cancelled", "Full.", (PRICE, 0, PRICE))


async def test_orders_with_a_carrier_or_driver_cannot_be_cancelled(app: App) -> None:
    carrier = await make_parcelo_account(app)
    await make_service(app, fulfilment=["label"])
    await make_service(app, "local", fulfilment=["local_delivery"])
    orders = [await confirmed(app), await confirmed(app, service_code="local")]
    route_id = await make_route(app, order_ids=[orders[1].order_id], driver_id=await make_driver(app))
    await app.answer("admin", "start_route", {"route_id": route_id})
    await scan(app, carrier, "picked_up")
    for order in orders:
        outcome = await app.call("customer", "cancel_shipping_order", {"shipping_order_id": order.id})
        assert outcome.error["code"] == "SHIPPING_ORDER_STEP_REFUSED"


async def test_an_unsold_label_is_flagged_and_retried(app: App) -> None:
    await make_service(app, fulfilment=["label"])
    order = await confirmed(app)
    assert (await shown(app, order, "admin")).label_fault
    carrier = await make_parcelo_account(app)
    carrier.before_buying = [CarrierRefused([CarrierMessage("Too heavy today")])]
    again = {"shipping_order_id": order.id}
    await app.answer("admin", "confirm_shipping_order", again)
    await app.work_off()
    office = await shown(app, order, "admin")
    assert (office.shipment_id, office.label_fault) == (None, "Too heavy today")
    await app.answer("admin", "confirm_shipping_order", again)
    await app.work_off()
    assert (await shown(app, order)).tracking_number


async def test_concurrent_payments_charge_once(app: App) -> None:
    await some_credit(app, 10 * PRICE)
    order = await make_order(app)
    pay = {"shipping_order_id": order.id}
    outcomes = await asyncio.gather(*(app.call("customer", "pay_shipping_order", pay) for _ in range(8)))
    assert sorted(outcome.status for outcome in outcomes) == [200] + [409] * 7
    assert {outcome.error["code"] for outcome in outcomes if outcome.error} == {"SHIPPING_ORDER_PAID"}
    assert await credit(app) == (9 * PRICE, 0, 9 * PRICE)


async def test_concurrent_payment_and_cancellation_lose_no_money(app: App) -> None:
    await some_credit(app, 4 * PRICE)
    for _ in range(4):
        about = {"shipping_order_id": (await make_order(app)).id}
        names = ("pay_shipping_order", "cancel_shipping_order")
        paid, cancelled = await asyncio.gather(*(app.call("customer", name, about) for name in names))
        assert cancelled.status == 200
        assert paid.status in (200, 409)
        assert await credit(app) == (4 * PRICE, 0, 4 * PRICE)


async def test_concurrent_requests_with_one_reference_or_quote_create_one_order(app: App) -> None:
    await make_service(app)
    asked = {"service_code": "same-day", "values": {"lift": True}, "consignee": HOME}
    quote = await app.answer("customer", "estimate_shipping_order", asked)
    for named, statuses in (({"order_ref": "A-1"}, [200] * 6), ({"quote_id": quote.quote_id}, [200] + [409] * 5)):
        made = await asyncio.gather(
            *(app.call("customer", "create_shipping_order", {**asked, **named}) for _ in range(6))
        )
        assert sorted(outcome.status for outcome in made) == statuses
        assert len({outcome.answer.shipping_order.id for outcome in made if not outcome.error}) == 1
