"""An order is rated by every carrier and shipped with one of them."""

import asyncio
from datetime import timedelta

from tests.contexts.shipping.makers import (
    SHIPMENT,
    make_parcelo_account,
    make_platform_account,
    rates_of,
)
from tests.contexts.shipping.order_shipments.makers import (
    fulfilments_of,
    make_order_to_ship,
    order_of,
    refusal,
    ship,
    void,
)
from tests.support.app import App
from tests.support.transport import make_started_route

from haulier.contexts.shipping.ports import CarrierMessage, CarrierRefused, OutcomeUnknown
from haulier.kernel.values.money import Money


async def test_own_delivery_and_carriers_are_compared_by_price(app: App) -> None:
    carrier = await make_parcelo_account(app)
    order_id = await make_order_to_ship(app)
    answer = await app.rest("admin", "POST", f"/v1/orders/{order_id}/rates", {})
    rates = answer.json()["rates"]
    assert {rate["method"] for rate in rates} == {"own_fleet", "carrier"}
    prices = [rate["converted_price_minor"] for rate in rates]
    assert prices == sorted(prices)
    (parcelo,) = [rate for rate in rates if rate["carrier"] == "PARCELO"]
    assert (parcelo["shipping_price"], parcelo["comparable"], parcelo["transit_days"]) == (1000, True, 1)
    assert parcelo["promised_by"]
    carrier.price = Money(500, "EUR")
    foreign = (await app.answer("admin", "rate_order", {"order_id": order_id})).rates[-1]
    assert (foreign.carrier, foreign.comparable, foreign.converted_price_minor) == ("PARCELO", False, None)


async def test_a_foreign_price_is_compared_using_the_exchange_rate(app: App) -> None:
    carrier = await make_parcelo_account(app)
    await make_platform_account(app)
    order_id = await make_order_to_ship(app)
    carrier.price = Money(500, "EUR")
    today = app.clock().date()
    await app.answer(
        "admin",
        "set_exchange_rate",
        {"base_currency": "EUR", "quote_currency": "CAD", "rate": "1.47121", "valid_on": today.isoformat()},
    )
    rates = (await app.answer("admin", "rate_order", {"order_id": order_id})).rates
    (parcelo,) = [rate for rate in rates if rate.carrier == "PARCELO"]
    assert (parcelo.shipping_price, parcelo.currency, parcelo.converted_price_minor) == (500, "EUR", 736)
    assert (parcelo.comparable, parcelo.exchange_rate, parcelo.exchange_rate_date) == (True, "1.47121", today)
    assert all(rate.exchange_rate is None for rate in rates if rate is not parcelo)
    prices = [rate.converted_price_minor for rate in rates]
    assert prices == sorted(prices)
    carrier.price = Money(1, "EUR")
    shipped = await ship(app, order_id)
    assert (shipped.shipment.carrier, shipped.choice) == ("PARCELO", "cheapest")


async def test_a_failing_account_is_reported_with_its_reason(app: App) -> None:
    carrier = await make_parcelo_account(app)
    carrier.rating = CarrierRefused([CarrierMessage("No such street", "E1")])
    answer = await app.answer("admin", "rate_order", {"order_id": await make_order_to_ship(app)})
    assert [(said.carrier, said.code, said.text) for said in answer.messages] == [("PARCELO", "E1", "No such street")]


async def test_the_cheapest_service_on_time_is_bought_with_an_explanation(app: App) -> None:
    await make_parcelo_account(app)
    today = app.clock().date()
    for days, choice in ((0, "fastest"), (3, "cheapest_on_time")):
        order_id = await make_order_to_ship(app, scheduled_date=(today + timedelta(days=days)).isoformat())
        assert (await ship(app, order_id)).choice == choice
    shipped = await ship(app, await make_order_to_ship(app))
    assert (shipped.choice, shipped.shipment.state) == ("cheapest", "purchased")
    assert shipped.explanation == ["Next day with Parcelo is the cheapest service."]


async def test_a_shipped_order_has_the_carriers_label_as_fulfilment(app: App) -> None:
    await make_parcelo_account(app)
    order_id = await make_order_to_ship(app, order_ref="S-1")
    shipped = await ship(app, order_id)
    (carried,) = await fulfilments_of(app, order_id)
    assert (carried.id, carried.method, carried.status) == (shipped.fulfilment_id, "carrier", "booked")
    assert (carried.carried_by, carried.shipping_price, carried.carrier_price_minor) == ("PARCELO", 1000, 1000)
    assert carried.tracking_numbers == [shipped.shipment.tracking_number]
    assert (await order_of(app, order_id)).fulfilment == "carrier"


async def test_an_order_can_be_shipped_at_its_quoted_rate(app: App) -> None:
    carrier = await make_parcelo_account(app)
    order_id = await make_order_to_ship(app)
    rates = (await app.answer("admin", "rate_order", {"order_id": order_id})).rates
    rate_id = next(rate.rate_id for rate in rates if rate.carrier == "PARCELO")
    carrier.price = Money(2000, "CAD")
    other = (await rates_of(app, consignee={**SHIPMENT["consignee"], "name": "Bob"})).rates[0].rate_id
    assert await refusal(app, order_id, rate_id=other) == "QUOTE_MISMATCH"
    shipped = await ship(app, order_id, rate_id=rate_id)
    assert (shipped.choice, shipped.shipment.shipping_price) == ("rate", 1000)


async def test_an_order_can_be_shipped_with_a_named_service(app: App) -> None:
    account = await make_platform_account(app)
    order_id = await make_order_to_ship(app)
    shipped = await ship(app, order_id, account_id=account, service="ground")
    assert (shipped.choice, shipped.shipment.service) == ("service", "ground")
    assert await refusal(app, await make_order_to_ship(app), service="rocket") == "SHIPPING_RATE_NOT_AVAILABLE"


async def test_an_order_handled_by_another_carrier_is_refused(app: App) -> None:
    await make_parcelo_account(app)
    order_id = await make_order_to_ship(app)
    await ship(app, order_id)
    assert await refusal(app, order_id) == "ORDER_HAS_SHIPMENT"
    routed = await make_order_to_ship(app)
    await make_started_route(app, [routed])
    assert await refusal(app, routed) == "ORDER_HAS_ROUTE"
    cancelled = await make_order_to_ship(app)
    await app.answer("admin", "cancel_order", {"order_id": cancelled}, confirmed=True)
    assert await refusal(app, cancelled) == "ORDER_IS_OVER"
    held = await make_order_to_ship(app)
    await app.answer("admin", "hold_order", {"order_id": held}, confirmed=True)
    assert await refusal(app, held) == "ORDER_STEP_REFUSED"
    given = await make_order_to_ship(app)
    broker = app.ids["contractor"]
    await app.answer("admin", "assign_orders_to_broker", {"order_ids": [given], "broker_id": broker})
    assert await refusal(app, given) == "ORDER_HAS_HOLDER"


async def test_voiding_the_label_releases_the_order(app: App) -> None:
    await make_parcelo_account(app)
    order_id = await make_order_to_ship(app, order_ref="S-2")
    first = await ship(app, order_id)
    await void(app, first.shipment.id)
    assert (await order_of(app, order_id)).fulfilment == "self_delivery"
    own, voided = await fulfilments_of(app, order_id)
    assert (own.method, voided.status, voided.current) == ("own_fleet", "cancelled", False)
    second = await ship(app, order_id)
    assert second.shipment.id != first.shipment.id


async def test_a_refused_purchase_releases_the_order_and_can_be_retried(app: App) -> None:
    carrier = await make_parcelo_account(app)
    carrier.before_buying = [CarrierRefused([CarrierMessage("No such street", "E1")])]
    order_id = await make_order_to_ship(app)
    failed = await ship(app, order_id)
    assert (failed.shipment.state, (await order_of(app, order_id)).fulfilment) == ("failed", "self_delivery")
    again = await ship(app, order_id)
    assert (again.shipment.id, again.shipment.state) == (failed.shipment.id, "purchased")
    assert (await order_of(app, order_id)).fulfilment == "carrier"


async def test_parallel_calls_buy_one_label(app: App) -> None:
    carrier = await make_parcelo_account(app)
    order_id = await make_order_to_ship(app)
    calls = [app.call("admin", "ship_order", {"order_id": order_id}) for _ in range(6)]
    codes = sorted((each.error or {"code": ""})["code"] for each in await asyncio.gather(*calls))
    assert codes == ["", *["ORDER_HAS_SHIPMENT"] * 5]
    assert carrier.bought_times == 1


async def test_a_lost_response_is_recovered_and_the_order_keeps_its_label(app: App) -> None:
    carrier = await make_parcelo_account(app)
    carrier.after_buying = [OutcomeUnknown("cut off")]
    order_id = await make_order_to_ship(app)
    assert (await ship(app, order_id)).shipment.state == "purchase_unknown"
    assert await refusal(app, order_id) == "ORDER_HAS_SHIPMENT"
    app.clock.forward(minutes=1)
    await app.work_off()
    (carried,) = await fulfilments_of(app, order_id)
    assert (carried.status, carrier.bought_times) == ("booked", 1)


async def test_items_are_declared_for_customs_abroad(app: App) -> None:
    carrier = await make_parcelo_account(app)
    abroad = {"name": "Eve", "address": "1 Main St", "city": "Buffalo", "region": "NY", "postal_code": "14201"}
    item = {"description": "Mug", "quantity": 2, "weight_g": 350, "hs_code": "6912.00", "country_of_origin": "PT"}
    unpriced = await make_order_to_ship(app, consignee={**abroad, "country": "US"}, items=[item])
    result = await app.call("admin", "ship_order", {"order_id": unpriced})
    assert result.error
    assert result.error["errors"][0]["field"] == "items.0.unit_price_minor"
    priced = await make_order_to_ship(
        app, consignee={**abroad, "country": "US"}, items=[{**item, "unit_price_minor": 1250}]
    )
    await ship(app, priced)
    (declared,) = carrier.shipments[-1].customs
    assert (declared.description, declared.quantity, declared.unit_value) == ("Mug", 2, Money(1250, "CAD"))
    assert (declared.origin_country, declared.hs_code) == ("PT", "6912.00")


async def test_a_label_bought_with_the_orders_reference_is_attached(app: App) -> None:
    await make_parcelo_account(app)
    order_id = await make_order_to_ship(app, order_ref="S-3")
    rate = (await rates_of(app)).rates[0].rate_id
    bought = await app.answer("admin", "create_shipping_label", {"rate_id": rate, "order_ref": "S-3"})
    (carried,) = await fulfilments_of(app, order_id)
    assert carried.shipment_id == bought.shipment.id
    assert await refusal(app, order_id) == "ORDER_HAS_SHIPMENT"


async def test_foreign_orders_are_not_found(app: App) -> None:
    order_id = await make_order_to_ship(app)
    for path in ("rates", "ship"):
        assert (await app.rest("rival", "POST", f"/v1/orders/{order_id}/{path}", {})).status_code == 404
        assert (await app.rest("customer", "POST", f"/v1/orders/{order_id}/{path}", {})).status_code == 403
