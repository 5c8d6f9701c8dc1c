"""One suite for every carrier, over real HTTP with the simulated ones."""

import io
from datetime import timedelta

import msgspec
import pytest
import zxingcpp
from PIL import Image
from tests.adapters.carriers.simulated import ACCOUNTS, SHIP_AT, Account, Simulator
from tests.support.every_case import for_every

from haulier.contexts.shipping.ports import (
    AddressVerdict,
    BoughtReference,
    Capability,
    Carrier,
    CarrierRefused,
    CredentialsRefused,
    LabelFormat,
    Party,
    PickupRequest,
    Purchase,
    Shipment,
    VoidState,
)

EVERY = ACCOUNTS
BEGINNINGS = {LabelFormat.ZPL: b"^XA", LabelFormat.PDF: b"%PDF-", LabelFormat.PNG: b"\x89PNG"}


async def buy(carrier: Carrier, account: Account, shipment: Shipment, form: LabelFormat = LabelFormat.ZPL) -> Purchase:
    """A purchase at the account's service."""
    (rate,) = (await carrier.rate(shipment, [account.service])).rates
    return await carrier.buy(shipment, rate, form)


def reference(purchase: Purchase) -> BoughtReference:
    """The purchase as the carrier knows it."""
    return BoughtReference(purchase.carrier_reference, tuple(each.tracking_number for each in purchase.parcels))


def pickup(account: Account, *bought: BoughtReference) -> PickupRequest:
    """A van in the afternoon."""
    return PickupRequest(
        "pick-1", account.shipment.sender, SHIP_AT, SHIP_AT + timedelta(hours=3), 1, 1250, "Back door", bought
    )


@for_every("account", EVERY)
async def test_all_services_are_rated_and_their_charges_add_up(carriers: Simulator, account: Account) -> None:
    rates = (await carriers.open(account).rate(carriers.shipment(account))).rates
    assert len({rate.service for rate in rates}) == len(rates) >= 2
    for rate in rates:
        assert sum(charge.amount.minor for charge in rate.charges) == rate.price.minor > 0
        assert {charge.amount.currency for charge in rate.charges} == {rate.price.currency}
        assert rate.transit_days


@for_every("account", EVERY)
async def test_only_requested_services_are_rated(carriers: Simulator, account: Account) -> None:
    rates = await carriers.open(account).rate(carriers.shipment(account), [account.service])
    assert [rate.service for rate in rates.rates] == [account.service]


@for_every("account", EVERY)
async def test_a_purchase_has_a_number_a_price_and_a_label(carriers: Simulator, account: Account) -> None:
    carrier, shipment = carriers.open(account), carriers.shipment(account)
    (rate,) = (await carrier.rate(shipment, [account.service])).rates
    for form in LabelFormat:
        shipment = carriers.shipment(account)
        bought = await carrier.buy(shipment, rate, form)
        (label,) = bought.parcels
        assert label.label.startswith(BEGINNINGS[label.label_format])
        assert label.tracking_number == bought.tracking_number
        assert (bought.price, bought.service) == (rate.price, account.service)
        (sold,) = carriers.labels(shipment.reference)
        assert (sold["numbers"], sold["cents"]) == ([bought.tracking_number], rate.price.minor)
        if form is LabelFormat.ZPL:
            assert label.label_format is LabelFormat.ZPL


@for_every("account", EVERY)
async def test_several_parcels_are_bought_together_or_refused_beforehand(carriers: Simulator, account: Account) -> None:
    carrier, shipment = carriers.open(account), carriers.shipment(account, parcels=3)
    if not account.several:
        with pytest.raises(CarrierRefused, match=r"carrier\.one_parcel"):
            await carrier.rate(shipment)
        return
    bought = await buy(carrier, account, shipment, LabelFormat.PDF)
    assert len({parcel.tracking_number for parcel in bought.parcels}) == 3
    assert all(parcel.label.startswith(BEGINNINGS[parcel.label_format]) for parcel in bought.parcels)
    found = await carrier.find_purchase(shipment)
    assert found
    assert [each.tracking_number for each in found.parcels] == [each.tracking_number for each in bought.parcels]


@for_every("account", EVERY)
async def test_a_purchase_is_found_by_our_reference_until_voided(carriers: Simulator, account: Account) -> None:
    carrier, shipment = carriers.open(account), carriers.shipment(account)
    assert await carrier.find_purchase(shipment) is None
    bought = await buy(carrier, account, shipment)
    found = await carrier.find_purchase(shipment)
    assert found
    assert (found.carrier_reference, found.parcels) == (bought.carrier_reference, bought.parcels)
    await carrier.void(reference(bought))
    assert await carrier.find_purchase(shipment) is None


@for_every("account", EVERY)
async def test_a_label_is_voided_once_and_a_repeat_is_harmless(carriers: Simulator, account: Account) -> None:
    carrier, shipment = carriers.open(account), carriers.shipment(account)
    bought = await buy(carrier, account, shipment)
    states = [(await carrier.void(reference(bought))).state for _ in range(3)]
    assert states in ([VoidState.VOIDED] * 3, [VoidState.PENDING] * 3)
    (sold,) = carriers.labels(shipment.reference)
    assert sold["voided"]


@for_every("account", EVERY)
async def test_a_used_label_cannot_be_voided(carriers: Simulator, account: Account) -> None:
    carrier, shipment = carriers.open(account), carriers.shipment(account)
    bought = await buy(carrier, account, shipment)
    if Capability.MANIFEST in carrier.capabilities:
        await carrier.close_day(SHIP_AT.date(), account.shipment.sender, [reference(bought)])
    carriers.advance(bought.tracking_number, 2)
    outcome = await carrier.void(reference(bought))
    assert outcome.state is VoidState.REFUSED
    assert not carriers.labels(shipment.reference)[0]["voided"]


@for_every("account", EVERY)
async def test_a_manifest_closes_the_named_shipments_and_a_repeat_is_harmless(
    carriers: Simulator, account: Account
) -> None:
    carrier = carriers.open(account)
    if Capability.MANIFEST not in carrier.capabilities:
        return
    place = account.shipment.sender
    kept, given_back, left = [await buy(carrier, account, carriers.shipment(account)) for _ in range(3)]
    await carrier.void(reference(given_back))
    asked = [reference(kept), reference(given_back)]
    manifest = await carrier.close_day(SHIP_AT.date(), place, asked)
    assert manifest.closed == (kept.carrier_reference,)
    assert set(manifest.messages) == {given_back.carrier_reference}
    assert manifest.manifest_id
    assert manifest.paper
    assert manifest.paper.content.startswith(b"%PDF-")
    again = await carrier.close_day(SHIP_AT.date(), place, asked)
    assert (again.closed, set(again.messages)) == (manifest.closed, set(manifest.messages))
    later = await carrier.close_day(SHIP_AT.date(), place, [reference(left)])
    assert later.closed == (left.carrier_reference,)
    assert later.manifest_id != manifest.manifest_id


@for_every("account", EVERY)
async def test_a_parcel_is_tracked_until_delivery(carriers: Simulator, account: Account) -> None:
    carrier = carriers.open(account)
    bought = await buy(carrier, account, carriers.shipment(account))
    first = await carrier.track(bought.tracking_number)
    carriers.advance(bought.tracking_number, 4)
    events = await carrier.track(bought.tracking_number)
    assert [event.event_id for event in events[: len(first)]] == [event.event_id for event in first]
    assert (len(first), len(events), len({event.event_id for event in events})) == (1, 5, 5)
    assert [event.occurred_at for event in events] == sorted(event.occurred_at for event in events)
    assert events[-1].otep_code == "delivered"
    assert all(event.occurred_at.tzinfo and event.text for event in events)


@for_every("account", EVERY)
async def test_an_unknown_number_has_no_events(carriers: Simulator, account: Account) -> None:
    assert await carriers.open(account).track("1Z 999/../x?y=1") == []


@for_every("account", EVERY)
async def test_a_pickup_is_booked_and_cancelled_and_a_repeat_is_harmless(carriers: Simulator, account: Account) -> None:
    carrier = carriers.open(account)
    bought = await buy(carrier, account, carriers.shipment(account))
    other = await buy(carrier, account, carriers.shipment(account))
    booked = await carrier.book_pickup(pickup(account, reference(bought), reference(other)))
    assert booked.confirmation
    await carrier.cancel_pickup(booked.confirmation)
    await carrier.cancel_pickup(booked.confirmation)


@for_every("account", EVERY)
async def test_a_pickup_that_ends_before_it_starts_is_refused(carriers: Simulator, account: Account) -> None:
    carrier = carriers.open(account)
    bought = await buy(carrier, account, carriers.shipment(account))
    wrong = msgspec.structs.replace(pickup(account, reference(bought)), closes_at=SHIP_AT - timedelta(hours=1))
    if account.code == "SHIPENGINE":
        wrong = msgspec.structs.replace(wrong, bought=())
    with pytest.raises(CarrierRefused):
        await carrier.book_pickup(wrong)


@for_every("account", EVERY)
async def test_an_address_is_valid_corrected_or_unknown(carriers: Simulator, account: Account) -> None:
    carrier = carriers.open(account)
    if Capability.CHECK_ADDRESS not in carrier.capabilities:
        with pytest.raises(NotImplementedError):
            await carrier.check_address(account.shipment.sender)
        return
    party: Party = account.shipment.recipient
    valid = await carrier.check_address(party)
    assert valid.verdict is AddressVerdict.VALID
    assert valid.suggestion
    assert valid.suggestion.name == party.name
    unknown = await carrier.check_address(msgspec.structs.replace(party, street="1 Nowhere Rd"))
    assert unknown.verdict is AddressVerdict.UNKNOWN


@for_every("account", EVERY)
async def test_credentials_are_tested_free_of_charge(carriers: Simulator, account: Account) -> None:
    await carriers.open(account).test_credentials()
    stranger = carriers.open(account, **account.wrong)
    with pytest.raises(CredentialsRefused) as refused:
        await stranger.test_credentials()
    assert refused.value.messages[0].text
    with pytest.raises(CredentialsRefused):
        await stranger.rate(carriers.shipment(account))


@for_every("account", EVERY)
async def test_an_unknown_service_is_refused_with_a_reason(carriers: Simulator, account: Account) -> None:
    carrier, shipment = carriers.open(account), carriers.shipment(account)
    (rate,) = (await carrier.rate(shipment, [account.service])).rates
    for service in ("99", "se-1:none", "USPS:None"):
        with pytest.raises(CarrierRefused) as refused:
            await carrier.buy(shipment, msgspec.structs.replace(rate, service=service), LabelFormat.PDF)
        said = refused.value.messages[0]
        assert said.text or said.message == "carrier.service_not_offered"
    assert carriers.labels(shipment.reference) == []


@for_every("account", EVERY)
async def test_an_incomplete_address_is_never_sent(carriers: Simulator, account: Account) -> None:
    carrier, shipment = carriers.open(account), carriers.shipment(account)
    long = msgspec.structs.replace(shipment.recipient, street="Rue de la Très Longue Adresse " * 8)
    (rate,) = (await carrier.rate(shipment, [account.service])).rates
    with pytest.raises(CarrierRefused) as refused:
        await carrier.buy(msgspec.structs.replace(shipment, recipient=long), rate, LabelFormat.PDF)
    assert refused.value.messages[0].field == "recipient.street"


async def test_a_scanner_reads_the_number_on_simulated_labels(carriers: Simulator) -> None:
    for account in ACCOUNTS:
        bought = await buy(carriers.open(account), account, carriers.shipment(account), LabelFormat.PNG)
        (label,) = bought.parcels
        if label.label_format is LabelFormat.PNG:
            picture = Image.open(io.BytesIO(label.label))
            assert label.tracking_number in {code.text for code in zxingcpp.read_barcodes(picture)}, account
        elif label.label_format is LabelFormat.ZPL:
            assert label.tracking_number.encode() in label.label
            assert (b"^DN" in label.label) == (account.code == "UPS")
