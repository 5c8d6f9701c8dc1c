"""Failures of carriers: calls that certainly had no effect, and uncertain ones."""

import asyncio

import msgspec
import pytest
from tests.adapters.carriers.simulated import ACCOUNTS, Account, Simulator, run_simulator
from tests.support.every_case import for_every
from tests.support.live import free_port

from haulier.contexts.shipping.ports import (
    CarrierRefused,
    CarrierUnavailable,
    CredentialsRefused,
    LabelFormat,
    OutcomeUnknown,
    Rate,
)

EVERY = ACCOUNTS
UPS, SHIPENGINE, EASYPOST, CANADA_POST = ACCOUNTS
DONE = ("cut_after", "malformed")
NOT_DONE = ("cut_before", "error")


async def make_rate(carriers: Simulator, account: Account) -> Rate:
    """A price to buy at."""
    (rate,) = (await carriers.open(account).rate(carriers.shipment(account), [account.service])).rates
    return rate


@for_every("account", EVERY)
async def test_a_purchase_with_a_lost_response_is_unknown_and_found_by_reference(
    carriers: Simulator, account: Account
) -> None:
    carrier, rate = carriers.open(account), await make_rate(carriers, account)
    for kind in DONE:
        shipment = carriers.shipment(account)
        carriers.fail_purchase(account, kind)
        with pytest.raises(OutcomeUnknown):
            await carrier.buy(shipment, rate, LabelFormat.ZPL)
        (sold,) = carriers.labels(shipment.reference)
        found = await carrier.find_purchase(shipment)
        assert found
        assert [found.tracking_number] == sold["numbers"], kind


@for_every("account", EVERY)
async def test_a_purchase_that_failed_before_execution_is_unknown_and_not_found(
    carriers: Simulator, account: Account
) -> None:
    carrier, rate = carriers.open(account), await make_rate(carriers, account)
    for kind in NOT_DONE:
        shipment = carriers.shipment(account)
        carriers.fail_purchase(account, kind)
        with pytest.raises(OutcomeUnknown):
            await carrier.buy(shipment, rate, LabelFormat.ZPL)
        assert carriers.labels(shipment.reference) == []
        assert await carrier.find_purchase(shipment) is None, kind
        await carrier.buy(shipment, rate, LabelFormat.ZPL)
        assert len(carriers.labels(shipment.reference)) == 1


@for_every("account", EVERY)
async def test_a_rate_limited_purchase_had_no_effect(carriers: Simulator, account: Account) -> None:
    carrier, rate, shipment = carriers.open(account), await make_rate(carriers, account), carriers.shipment(account)
    carriers.fail_purchase(account, "too_many", seconds=17)
    with pytest.raises(CarrierUnavailable) as busy:
        await carrier.buy(shipment, rate, LabelFormat.ZPL)
    assert busy.value.retry_after_s == 17
    assert carriers.labels(shipment.reference) == []


@for_every("account", EVERY)
async def test_an_unreachable_carrier_had_no_effect(carriers: Simulator, account: Account) -> None:
    rate, shipment = await make_rate(carriers, account), carriers.shipment(account)
    away = Simulator(f"http://127.0.0.1:{free_port()}", carriers.http)
    with pytest.raises(CarrierUnavailable):
        await away.open(account).buy(shipment, rate, LabelFormat.ZPL)


@for_every("account", EVERY)
async def test_a_failed_read_can_be_repeated(carriers: Simulator, account: Account) -> None:
    carrier, shipment = carriers.open(account), carriers.shipment(account)
    await carrier.test_credentials()
    for kind in ("cut_before", "cut_after", "error", "malformed", "too_many"):
        carriers.fail(account, kind)
        with pytest.raises(CarrierUnavailable):
            await carrier.rate(shipment)
        assert (await carrier.rate(shipment)).rates, kind


@for_every("account", EVERY)
async def test_a_call_respects_its_deadline(carriers: Simulator, account: Account) -> None:
    rate, hasty = await make_rate(carriers, account), carriers.open(account, limit_s=0.2)
    carriers.fail(account, "slow", seconds=3)
    with pytest.raises(CarrierUnavailable):
        await hasty.rate(carriers.shipment(account))
    carriers.fail(account, "slow", seconds=3)
    with pytest.raises(OutcomeUnknown):
        await hasty.buy(carriers.shipment(account), rate, LabelFormat.ZPL)


async def test_a_revoked_token_is_renewed_without_buying_twice(carriers: Simulator) -> None:
    carrier, rate, shipment = carriers.open(UPS), await make_rate(carriers, UPS), carriers.shipment(UPS)
    carriers.fail_purchase(UPS, "token_expired")
    bought = await carrier.buy(shipment, rate, LabelFormat.ZPL)
    (sold,) = carriers.labels(shipment.reference)
    assert sold["numbers"] == [bought.tracking_number]


async def test_a_refused_key_is_not_requested_again(carriers: Simulator) -> None:
    for account in (SHIPENGINE, EASYPOST, CANADA_POST):
        carrier = carriers.open(account)
        carriers.fail(account, "token_expired")
        with pytest.raises(CredentialsRefused):
            await carrier.rate(carriers.shipment(account))


async def test_concurrent_calls_request_one_token_and_renew_it_on_expiry() -> None:
    with run_simulator(token_life_s=600) as carriers:
        carrier = carriers.open(UPS)
        await asyncio.gather(*(carrier.rate(carriers.shipment(UPS)) for _ in range(5)))
        tokens = [call for call in carriers.http.get("/simulator/calls").json() if call.endswith("/token")]
        assert len(tokens) == 1
    with run_simulator(token_life_s=0) as carriers:
        carrier = carriers.open(UPS)
        with pytest.raises(CredentialsRefused):
            await carrier.rate(carriers.shipment(UPS))


async def test_easypost_never_buys_above_the_quoted_price(carriers: Simulator) -> None:
    rate, shipment = await make_rate(carriers, EASYPOST), carriers.shipment(EASYPOST)
    cheaper = msgspec.structs.replace(rate, price=rate.price - type(rate.price)(1, rate.price.currency))
    with pytest.raises(CarrierRefused) as refused:
        await carriers.open(EASYPOST).buy(shipment, cheaper, LabelFormat.PDF)
    assert refused.value.messages[0].code == "rate_changed"
    assert carriers.labels(shipment.reference) == []


async def test_easypost_is_checked_for_earlier_purchases_before_buying(carriers: Simulator) -> None:
    carrier, rate, shipment = carriers.open(EASYPOST), await make_rate(carriers, EASYPOST), carriers.shipment(EASYPOST)
    first = await carrier.buy(shipment, rate, LabelFormat.PDF)
    assert (await carrier.buy(shipment, rate, LabelFormat.PDF)).tracking_number == first.tracking_number
    assert len(carriers.labels(shipment.reference)) == 1
