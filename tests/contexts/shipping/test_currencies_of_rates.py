"""Rates in several currencies are never compared by number."""

from collections.abc import Sequence

from tests.contexts.shipping.examples import SHIPMENT
from tests.contexts.shipping.makers import a_parcelo_account, rates_of
from tests.support.app import App

from haulier.contexts.shipping.ports import Rate, Rates, Shipment
from haulier.kernel.values.money import Money


async def quoting(app: App, *prices: Money) -> None:
    """An account whose carrier quotes one service for each price."""
    carrier = await a_parcelo_account(app)

    async def rate(shipment: Shipment, services: Sequence[str] = ()) -> Rates:
        return Rates(tuple(Rate("next_day", f"Service {n}", price, rate_id="r") for n, price in enumerate(prices)))

    carrier.rate = rate


async def test_rates_are_ordered_within_their_currency_the_businesss_first(app: App) -> None:
    await quoting(app, Money(100, "USD"), Money(9000, "CAD"), Money(300, "EUR"), Money(50, "USD"), Money(8000, "CAD"))
    shown = [(rate.currency, rate.shipping_price) for rate in (await rates_of(app)).rates]
    assert shown == [("CAD", 8000), ("CAD", 9000), ("EUR", 300), ("USD", 50), ("USD", 100)]


async def test_the_cheapest_is_chosen_among_rates_that_can_be_compared(app: App) -> None:
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
