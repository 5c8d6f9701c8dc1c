"""Every call of a carrier account, to validate the exchanges."""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import timedelta

import msgspec
from tests.adapters.carriers.exchanges import Exchange, Recorder
from tests.adapters.carriers.simulated import ACCOUNTS, BOSTON, SHIP_AT, TORONTO, Account, Simulator, run_simulator

from haulier.contexts.shipping.ports import (
    BoughtReference,
    Capability,
    Carrier,
    CarrierRefused,
    CustomsItem,
    LabelFormat,
    PickupRequest,
    Purchase,
    Shipment,
)
from haulier.kernel.values.money import Money

UNKNOWN_SERVICES = {"UPS": "99", "SHIPENGINE": "se-1:none_such", "EASYPOST": "USPS:None", "CANADA_POST": "DOM.XX"}


async def call_every_operation(carriers: Simulator, account: Account) -> None:
    """Call rates, labels of all kinds, follow-up calls, and rejected calls."""
    carrier, shipment = carriers.open(account), carriers.shipment(account)
    await carrier.test_credentials()
    await carrier.rate(shipment)
    with suppress(CarrierRefused):
        await carriers.open(account, **account.wrong).rate(shipment)
    await carrier.find_purchase(shipment)
    bought = [await _buy(carrier, account, carriers.shipment(account), form) for form in LabelFormat]
    for other in (*_several(carriers, account), _abroad(carriers, account)):
        rates = (await carrier.rate(other)).rates
        await carrier.buy(other, rates[0], LabelFormat.PDF)
        await carrier.find_purchase(other)
    await _follow_up(carriers, carrier, account, bought)
    await _refused(carriers, carrier, account)


async def _buy(carrier: Carrier, account: Account, shipment: Shipment, form: LabelFormat) -> Purchase:
    (rate,) = (await carrier.rate(shipment, [account.service])).rates
    return await carrier.buy(shipment, rate, form)


def _several(carriers: Simulator, account: Account) -> list[Shipment]:
    return [carriers.shipment(account, parcels=2)] if account.several else []


def _abroad(carriers: Simulator, account: Account) -> Shipment:
    home = account.shipment.sender.country
    goods = CustomsItem("Shoes", 2, Money(2500, "CAD" if home == "CA" else "USD"), 400, "PT", hs_code="640399")
    return msgspec.structs.replace(
        carriers.shipment(account),
        recipient=TORONTO if home == "US" else BOSTON,
        customs=(goods,),
        customs_reason="sale",
        ship_at=SHIP_AT + timedelta(days=1),
    )


async def _follow_up(carriers: Simulator, carrier: Carrier, account: Account, bought: list[Purchase]) -> None:
    voided, kept, other = (BoughtReference(each.carrier_reference, (each.tracking_number,)) for each in bought)
    for _ in range(2):
        await carrier.void(voided)
    carriers.advance(kept.tracking_numbers[0], 4)
    await carrier.track(kept.tracking_numbers[0])
    await carrier.track("nobody")
    closes = SHIP_AT + timedelta(hours=3)
    asked = PickupRequest("pick-1", account.shipment.sender, SHIP_AT, closes, 1, 1250, "Back door", (kept, other))
    pickup = await carrier.book_pickup(asked)
    for _ in range(2):
        await carrier.cancel_pickup(pickup.confirmation)
    if Capability.MANIFEST in carrier.capabilities:
        for _ in range(2):
            await carrier.close_day(SHIP_AT.date(), account.shipment.sender, [other, voided])
    if Capability.CHECK_ADDRESS in carrier.capabilities:
        for street in (account.shipment.recipient.street, "1 Nowhere Rd"):
            await carrier.check_address(msgspec.structs.replace(account.shipment.recipient, street=street))


async def _refused(carriers: Simulator, carrier: Carrier, account: Account) -> None:
    shipment = carriers.shipment(account)
    (rate,) = (await carrier.rate(shipment, [account.service])).rates
    with suppress(CarrierRefused):
        unknown = msgspec.structs.replace(rate, service=UNKNOWN_SERVICES[account.code])
        await carrier.buy(shipment, unknown, LabelFormat.PDF)


@contextmanager
def recorded() -> Iterator[tuple[Simulator, Recorder]]:
    """The simulated carriers, with a recorder before them."""
    recorders: list[Recorder] = []

    def before(app):
        recorders.append(Recorder(app))
        return recorders[0]

    with run_simulator(before=before) as carriers:
        yield carriers, recorders[0]


async def exchanges_with(mount: str) -> list[Exchange]:
    """All exchanges of everything that an account can be asked for."""
    (account,) = (each for each in ACCOUNTS if each.mount == mount)
    with recorded() as (carriers, recorder):
        await call_every_operation(carriers, account)
    return list(recorder.of(mount))
