"""Rates in several currencies are never compared by number."""

import json
from collections.abc import Sequence

from tests.contexts.shipping.examples import SHIPMENT
from tests.contexts.shipping.makers import Parcelo, make_parcelo_account, rates_of
from tests.support.app import App

from haulier.adapters.carriers.easypost.answers import rates_of as rates_of_easypost
from haulier.adapters.carriers.easypost.answers import read_shipment
from haulier.contexts.shipping.labels.contract import ShipmentTerms
from haulier.contexts.shipping.ports import Rate, Rates, Shipment
from haulier.contexts.shipping.public import LabelRequest, Submit, buy_label_for
from haulier.kernel.call import Call, call_as_system
from haulier.kernel.principal import Business
from haulier.kernel.values.money import Money


async def quoting(app: App, *prices: Money) -> Parcelo:
    """An account whose carrier quotes one service for each price."""
    carrier = await make_parcelo_account(app)
    quote_now(carrier, *prices)
    return carrier


def quote_now(carrier: Parcelo, *prices: Money) -> None:
    """Let the carrier quote these prices from now on."""

    async def rate(shipment: Shipment, services: Sequence[str] = ()) -> Rates:
        return Rates(tuple(Rate("next_day", f"Service {n}", price, rate_id="r") for n, price in enumerate(prices)))

    carrier.rate = rate


async def test_rates_are_sorted_by_currency_with_the_business_currency_first(app: App) -> None:
    await quoting(app, Money(100, "USD"), Money(9000, "CAD"), Money(300, "EUR"), Money(50, "USD"), Money(8000, "CAD"))
    shown = [(rate.currency, rate.shipping_price) for rate in (await rates_of(app)).rates]
    assert shown == [("CAD", 8000), ("CAD", 9000), ("EUR", 300), ("USD", 50), ("USD", 100)]


async def test_the_cheapest_rate_is_chosen_among_comparable_ones(app: App) -> None:
    await quoting(app, Money(100, "USD"), Money(1404, "CAD"), Money(1500, "CAD"))
    bought = await app.answer("admin", "quote_and_ship", {"shipment": SHIPMENT})
    assert (bought.shipment.currency, bought.shipment.shipping_price, bought.not_compared) == ("CAD", 1404, 1)


async def test_one_foreign_currency_can_be_compared(app: App) -> None:
    await quoting(app, Money(700, "USD"), Money(600, "USD"))
    bought = await app.answer("admin", "quote_and_ship", {"shipment": SHIPMENT})
    assert bought.shipment.shipping_price == 600


async def test_two_foreign_currencies_cannot_be_compared(app: App) -> None:
    await quoting(app, Money(700, "USD"), Money(600, "EUR"))
    refused = await app.call("admin", "quote_and_ship", {"shipment": SHIPMENT})
    assert refused.error
    assert refused.error["code"] == "SHIPPING_RATE_NOT_AVAILABLE"
    assert "several currencies and can’t be compared (EUR, USD)" in refused.error["message"]


async def test_comparing_carriers_finds_the_cheapest_rate_of_one_currency(app: App) -> None:
    carrier = await quoting(app)
    for prices, expected in (
        ((Money(100, "USD"), Money(9000, "CAD"), Money(8000, "CAD")), ("CAD", 8000)),
        ((Money(300, "EUR"), Money(200, "EUR")), ("EUR", 200)),
        ((Money(300, "EUR"), Money(200, "USD")), None),
    ):
        quote_now(carrier, *prices)
        compared = await app.answer("admin", "compare_all_carriers", SHIPMENT)
        cheapest = [
            each.cheapest and (each.cheapest.currency, each.cheapest.shipping_price) for each in compared.carriers
        ]
        assert cheapest[-1] == expected


async def test_an_order_label_is_the_cheapest_of_one_currency_or_none(app: App) -> None:
    carrier = await quoting(app, Money(100, "USD"), Money(1404, "CAD"), Money(1500, "CAD"))
    wanted = LabelRequest(await business(app), ShipmentTerms.model_validate(SHIPMENT), None, None)
    assert await buy_label_for(app.application, app.clients["demo"], wanted, "S-1", claimed) is None
    bought = await app.answer("admin", "get_shipping_detail", {"order_ref": "S-1"}, confirmed=True)
    assert (bought.shipment.currency, bought.shipment.shipping_price) == ("CAD", 1404)
    quote_now(carrier, Money(100, "USD"), Money(90, "EUR"))
    fault = await buy_label_for(app.application, app.clients["demo"], wanted, "S-2", claimed)
    assert fault
    assert "(EUR, USD)" in fault


async def claimed(call: Call, submit: Submit) -> int | None:
    return await submit(call)


async def business(app: App) -> Business:
    async with app.application.database.read(app.clients["demo"]) as work:
        return (await call_as_system(app.application, app.clients["demo"], work)).business


def test_rates_of_one_easypost_service_are_compared_in_one_currency() -> None:
    rates = [
        {"id": f"r{n}", "carrier": "USPS", "service": "Priority", "rate": rate, "currency": currency}
        for n, (rate, currency) in enumerate([("9.00", "USD"), ("7.00", "CAD"), ("8.00", "USD")])
    ]
    said = read_shipment(json.dumps({"id": "shp_1", "rates": rates}).encode())
    assert [rate.price for rate in rates_of_easypost(said, []).rates] == [Money(800, "USD")]
