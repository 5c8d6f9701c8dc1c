"""Declared values reach carriers in their own currency, or are rejected."""

import msgspec
import pytest
from tests.adapters.carriers.simulated import ACCOUNTS, Account, Simulator
from tests.adapters.carriers.tour import recorded
from tests.support.every_case import for_every

from haulier.contexts.shipping.ports import CarrierRefused, LabelFormat, Shipment
from haulier.kernel.values.money import Money

BY_CODE = {account.code: account for account in ACCOUNTS}
ONE_CURRENCY = {"EASYPOST": "USD", "CANADA_POST": "CAD"}


def declaring(shipment: Shipment, value: Money | None) -> Shipment:
    """The shipment with a value of its parcel."""
    (parcel,) = shipment.parcels
    return msgspec.structs.replace(shipment, parcels=(msgspec.structs.replace(parcel, declared_value=value),))


@for_every("account", [account for account in ACCOUNTS if account.code in ONE_CURRENCY])
async def test_a_foreign_value_is_refused_if_the_protocol_has_no_currency(
    carriers: Simulator, account: Account
) -> None:
    carrier, shipment, currency = carriers.open(account), carriers.shipment(account), ONE_CURRENCY[account.code]
    yen = declaring(shipment, Money(5000, "JPY"))
    (rate,) = (await carrier.rate(shipment, [account.service])).rates
    for ask in (carrier.rate(yen, [account.service]), carrier.buy(yen, rate, LabelFormat.PDF)):
        with pytest.raises(CarrierRefused, match=r"carrier\.declared_value_currency") as refused:
            await ask
        (message,) = refused.value.messages
        assert (message.code, message.field) == ("declared_value_currency", "packages.declared_value")
        assert (message.params["currency"], message.params["given"]) == (currency, "JPY")
    assert carriers.labels(shipment.reference) == []
    for own in (Money(5000, currency), Money(0, "JPY"), None):
        assert (await carrier.rate(declaring(shipment, own), [account.service])).rates


async def test_ups_and_shipengine_get_the_currency() -> None:
    expected = {"UPS": ("JPY", "5000"), "SHIPENGINE": ("jpy", 5000.0)}
    for code, said in expected.items():
        with recorded() as (carriers, recorder):
            account = BY_CODE[code]
            await carriers.open(account).rate(declaring(carriers.shipment(account), Money(5000, "JPY")))
            bodies = [each.asked for each in recorder.of(account.mount)]
        assert said in [found for body in bodies for found in declared(body)], code


def declared(document: object) -> list[tuple[object, object]]:
    """Every declared value in a request, with its currency."""
    if isinstance(document, list):
        return [found for each in document for found in declared(each)]
    if not isinstance(document, dict):
        return []
    own = []
    if worth := document.get("DeclaredValue"):
        own.append((worth["CurrencyCode"], worth["MonetaryValue"]))
    if worth := document.get("insured_value"):
        own.append((worth["currency"], worth["amount"]))
    return own + [found for each in document.values() for found in declared(each)]
