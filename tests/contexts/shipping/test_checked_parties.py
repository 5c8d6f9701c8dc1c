"""Shipments are validated first: coordinates, P.O. boxes and weights of goods."""

from collections.abc import Sequence
from typing import Any

from tests.contexts.shipping.makers import ADA, SHIPMENT, make_parcelo_account, make_platform_account, rates_of
from tests.support.app import App

from haulier.adapters.carriers.parties import delivers_to_po_boxes
from haulier.contexts.shipping.ports import Rate, Rates, Shipment
from haulier.kernel.values.money import Money

BOXES_TOO = {
    "services": [{"code": "ground", "name": "Ground"}, {"code": "post", "name": "Post", "po_boxes": True}],
    "zones": [{"code": "all", "steps": [{"up_to_g": 5_000, "amount": 600}]}],
}
BOX = {**ADA, "address": "PO Box 12"}
MILITARY = {
    **{name: value for name, value in ADA.items() if name not in ("lat", "lng")},
    "address": "PSC 3 Box 12",
    "city": "APO",
    "region": "AE",
    "postal_code": "09021",
    "country": "US",
}
SWAPPED = {**ADA, "lat": -75.69, "lng": 45.42}


def told(messages: list[Any]) -> list[tuple[str, str, str]]:
    return [(each.code, each.severity, each.field) for each in messages]


async def test_unusual_coordinates_give_warnings_for_rates_labels_and_unified_orders(app: App) -> None:
    await make_platform_account(app)
    odd = [("COORDINATES_SWAPPED", "warning", "consignee")]
    rated = await rates_of(app, consignee=SWAPPED)
    assert told(rated.messages) == odd
    bought = await app.answer("admin", "create_shipping_label", {"rate_id": rated.rates[0].rate_id})
    assert (bought.shipment.state, told(bought.shipment.messages)) == ("purchased", odd)
    unified = await app.answer("admin", "uniorder_rate", {"consignee": SWAPPED, "quote_labels": True})
    assert odd[0] in told(unified.messages)


async def test_own_services_deliver_to_po_boxes_only_if_their_tariff_allows_it(app: App) -> None:
    account = await make_platform_account(app)
    refused = await rates_of(app, consignee=BOX)
    assert (refused.rates, told(refused.messages)) == ([], [("PO_BOX", "error", "consignee.address")])
    assert refused.messages[0].text.startswith("Our van has no service that delivers to P.O. boxes.")
    label = {"shipment": {**SHIPMENT, "consignee": BOX}, "account_id": account, "service": "ground"}
    for language, words in (("en", "P.O. boxes"), ("de", "Postfächer"), ("zh-Hans", "邮政信箱")):
        answer = await app.call("admin", "create_shipping_label", label, accept_language=language)
        assert answer.error
        assert (answer.status, answer.error["code"]) == (409, "SHIPPING_RATE_NOT_AVAILABLE")
        assert words in answer.error["message"]
    await app.answer("admin", "set_carrier_tariff", {"account_id": account, "tariff": BOXES_TOO})
    rated = await rates_of(app, consignee=BOX)
    assert [rate.service for rate in rated.rates] == ["post"]
    assert told(rated.messages) == [("PO_BOX", "info", "consignee.address")]


async def test_accounts_that_do_not_serve_military_addresses_are_reported(app: App) -> None:
    account = await make_platform_account(app)
    refused = await rates_of(app, consignee=MILITARY)
    assert (refused.rates, told(refused.messages)) == ([], [("MILITARY_ADDRESS", "error", "consignee.address")])
    assert refused.messages[0].text.startswith("Our van has no service that delivers to US military addresses")
    await app.answer("admin", "set_carrier_tariff", {"account_id": account, "tariff": BOXES_TOO})
    rated = await rates_of(app, consignee=MILITARY)
    assert [rate.service for rate in rated.rates] == ["post"]
    assert told(rated.messages) == [("MILITARY_ADDRESS", "info", "consignee.address")]


async def test_carrier_services_that_do_not_serve_the_address_are_omitted(app: App) -> None:
    carrier = await make_parcelo_account(app)

    async def rate(shipment: Shipment, services: Sequence[str] = ()) -> Rates:
        price = Money(900, "CAD")
        return Rates((Rate("next_day", "Next day", price), Rate("mail", "Mail", price, po_boxes=True)))

    carrier.rate = rate
    assert [each.service for each in (await rates_of(app, consignee=BOX)).rates] == ["mail"]
    assert len((await rates_of(app)).rates) == 2


def test_postal_operators_and_their_partner_services_deliver_to_po_boxes() -> None:
    reaching = [
        ("USPS", "Priority"),
        ("CanadaPost", "RegularParcel"),
        ("FedEx", "SMART_POST"),
        ("UPS", "UPSGroundsaver"),
    ]
    assert all(delivers_to_po_boxes(*each) for each in reaching)
    others = [("UPS", "Ground"), ("fedex", "fedex_ground"), ("DHLExpress", "ExpressWorldwide"), ("", "")]
    assert not any(delivers_to_po_boxes(*each) for each in others)


async def test_goods_heavier_than_their_parcels_are_refused_with_both_weights(app: App) -> None:
    await make_platform_account(app)
    goods = {"description": "Shoes", "origin_country": "CA", "quantity": 5, "unit_value": 900, "unit_weight_g": 1000}
    shipment = {**SHIPMENT, "packages": [{"weight_g": 2499, "quantity": 2}], "customs_items": [goods]}
    for operation, values in {
        "get_shipping_rate": shipment,
        "quote_and_ship": {"shipment": shipment},
        "create_shipping_label": {"shipment": shipment, "service": "ground"},
        "uniorder_rate": shipment,
    }.items():
        refused = await app.call("admin", operation, values, confirmed=True)
        assert refused.error, operation
        (fault,) = refused.error["errors"]
        assert (refused.status, fault["code"]) == (422, "GOODS_TOO_HEAVY")
        assert fault["field"].endswith("customs_items")
        assert fault["message"].startswith("The goods weigh 5000 g, more than their parcels (4998 g).")
    assert (await rates_of(app, **{**shipment, "packages": [{"weight_g": 5000}]})).rates
