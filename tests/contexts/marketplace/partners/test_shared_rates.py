"""Partners that share their rates are compared with own delivery and carriers."""

from typing import Any

from tests.contexts.marketplace.partners.makers import make_partnership
from tests.contexts.orders.examples import RATE_CARD
from tests.contexts.shipping.makers import ADA
from tests.support.app import App
from tests.support.transport import status_and_code


async def compared(app: App, partnership_id: int, **order: Any) -> Any:
    """The rates of an order, after the rival shares its own."""
    shared = {"partnership_id": partnership_id, "shares_rates": True}
    await app.answer("rival", "share_partner_rates", shared)
    made = await app.answer("admin", "create_order", {"consignee": ADA, "packages": [{"weight_g": 900}], **order})
    return await app.answer("admin", "rate_order", {"order_id": made.order.id})


async def test_a_partner_with_shared_rates_is_compared(app: App) -> None:
    partnership_id = await make_partnership(app)
    day = app.clock().date().isoformat()
    rate = {"base_currency": "EUR", "quote_currency": "CAD", "rate": "1.5", "valid_on": day}
    await app.answer("admin", "set_exchange_rate", rate)
    answer = await compared(app, partnership_id)
    partners = [rate for rate in answer.rates if rate.method == "partner"]
    assert partners
    assert {(each.partner, each.partnership_id, each.rate_id) for each in partners} == {("rival", partnership_id, None)}
    assert all(each.currency == "EUR" and each.exchange_rate == "1.5" for each in partners)
    assert all(each.converted_price_minor == round(each.shipping_price * 1.5 + 0.1) for each in partners)
    prices = [rate.converted_price_minor for rate in answer.rates]
    assert prices == sorted(prices)


async def test_a_partner_without_shared_rates_is_listed(app: App) -> None:
    await make_partnership(app)
    made = await app.answer("admin", "create_order", {"consignee": ADA, "packages": [{"weight_g": 900}]})
    answer = await app.answer("admin", "rate_order", {"order_id": made.order.id})
    assert not [rate for rate in answer.rates if rate.method == "partner"]
    assert [(each.code, each.text) for each in answer.messages] == [
        ("PARTNER_RATES_NOT_SHARED", "rival shares no rates. Offer the order to get a price.")
    ]


async def test_only_the_receiving_side_shares_its_rates_and_ends_sharing(app: App) -> None:
    partnership = {"partnership_id": await make_partnership(app)}
    refused = await app.call("admin", "share_partner_rates", {**partnership, "shares_rates": True})
    assert status_and_code(refused) == (404, "NOT_FOUND")
    shared = await app.answer("rival", "share_partner_rates", {**partnership, "shares_rates": True})
    assert shared.partnership.shares_rates
    ended = await app.answer("rival", "share_partner_rates", {**partnership, "shares_rates": False})
    assert not ended.partnership.shares_rates


async def test_an_address_outside_a_partners_zones_has_no_rate_and_no_reason(app: App) -> None:
    partnership_id = await make_partnership(app)
    await app.answer("rival", "set_rate_card", {"rate_card": {**RATE_CARD, "origin_lat": 43.65, "origin_lng": -79.38}})
    far = {**ADA, "city": "Vancouver", "lat": 49.2827, "lng": -123.1207}
    answer = await compared(app, partnership_id, consignee=far)
    assert "partner" not in {rate.method for rate in answer.rates}
    assert ("PARTNER_RATE_MISSING", "rival has no rate for this order.") in [
        (each.code, each.text) for each in answer.messages
    ]
