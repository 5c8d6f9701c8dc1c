"""Parsers for UPS responses, without I/O."""

import base64
from collections.abc import Sequence
from typing import TypeVar

import msgspec

from haulier.adapters.carriers.scans import carrier_events, listed_parts, read_document
from haulier.adapters.carriers.ups import wire_forms as wire
from haulier.contexts.otep.public import scan_forms
from haulier.contexts.shipping.ports import (
    AddressCheck,
    AddressVerdict,
    BoughtParcel,
    CarrierEvent,
    CarrierMessage,
    Charge,
    LabelFormat,
    Paper,
    Party,
    Pickup,
    Purchase,
    Rate,
    Rates,
    Severity,
    UnreadScan,
)
from haulier.contexts.shipping.public import make_own_message
from haulier.kernel.values.money import Money

T = TypeVar("T")
_GROUND_SAVER = frozenset({"92", "93", "94", "95"})
"""Services whose parcels UPS hands over to the post."""
_FORMATS = {"ZPL": LabelFormat.ZPL, "PNG": LabelFormat.PNG, "PDF": LabelFormat.PDF, "GIF": LabelFormat.PNG}
"""Formats of label images. A GIF is converted to the requested format."""


def read_rates(document: bytes, services: Sequence[str]) -> Rates:
    """Return all services, or the given ones.

    Adds a message for each given service that is not offered.
    """
    rated = _many(msgspec.json.decode(document, type=wire.UpsRateEnvelope).rate_response.rated_shipment)
    wanted = [one for one in rated if not services or one.service.code in services]
    messages = {
        (alert.code, alert.description): _message(alert) for one in wanted for alert in _many(one.rated_shipment_alert)
    }
    missing = [code for code in services if code not in {one.service.code for one in rated}]
    absent = (
        make_own_message("carrier.service_not_offered", "not_offered", Severity.INFO, carrier="UPS", service=code)
        for code in missing
    )
    return Rates(tuple(map(_rate, wanted)), (*messages.values(), *absent))


def _rate(rated: wire.UpsRated) -> Rate:
    price = _price(rated.total_charges_with_taxes or rated.total_charges, rated.negotiated_rate_charges)
    taxes = _many((rated.negotiated_rate_charges or rated).tax_charges)
    days = rated.guaranteed_delivery.business_days_in_transit if rated.guaranteed_delivery else ""
    charges = [
        Charge("base", "Transportation", rated.transportation_charges.money()),
        *(Charge(each.code, each.description or each.code, each.money()) for each in _many(rated.itemized_charges)),
        *(Charge("tax", tax.type, Money.parse(tax.monetary_value, price.currency)) for tax in taxes),
    ]
    # Discounts and charges that are not itemised are added as one charge, so that the charges add up to the price.
    rest = price
    for charge in charges:
        rest = rest - charge.amount
    if rest.minor:
        charges.append(Charge("negotiated" if rest.minor < 0 else "other", "Other", rest))
    return Rate(
        service=rated.service.code,
        name=rated.service.description or f"UPS {rated.service.code}",
        price=price,
        charges=tuple(charges),
        transit_days=int(days) if days.isdecimal() else None,
        guaranteed=days.isdecimal(),
        po_boxes=rated.service.code in _GROUND_SAVER,
    )


def _price(published: wire.UpsAmount, negotiated: wire.UpsNegotiated | None) -> Money:
    return ((negotiated.total_charges_with_taxes or negotiated.total_charge) if negotiated else published).money()


def read_purchase(document: bytes, service: str) -> Purchase:
    response = msgspec.json.decode(document, type=wire.UpsShipmentEnvelope).shipment_response
    results = response.shipment_results
    packages = _many(results.package_results)
    charges = results.shipment_charges
    price = None
    if charges:
        price = _price(charges.total_charges_with_taxes or charges.total_charges, results.negotiated_rate_charges)
    return Purchase(
        carrier_reference=results.shipment_identification_number,
        service=service,
        tracking_number=packages[0].tracking_number,
        parcels=tuple(_parcel(one.tracking_number, one.shipping_label) for one in packages),
        price=price,
        papers=_papers(results.form),
        messages=tuple(map(_message, _many(response.response.alert))),
    )


def read_recovery(document: bytes, service: str) -> Purchase | None:
    """Return a purchase that was found by its reference, without its price.

    Returns None if UPS only reports candidates.
    """
    found = msgspec.json.decode(document, type=wire.UpsRecoveryEnvelope).label_recovery_response
    results = _many(found.label_results)
    if not results:
        return None
    return Purchase(
        carrier_reference=found.shipment_identification_number or results[0].tracking_number,
        service=service,
        tracking_number=results[0].tracking_number,
        parcels=tuple(_parcel(one.tracking_number, one.label_image) for one in results),
    )


def _parcel(number: str, image: wire.UpsImage) -> BoughtParcel:
    said = image.image_format or image.label_image_format or wire.UpsCode("ZPL")
    return BoughtParcel(number, base64.b64decode(image.graphic_image, validate=True), _FORMATS[said.code.upper()])


def _papers(form: wire.UpsForm | None) -> tuple[Paper, ...]:
    if form is None or form.image is None:
        return ()
    content = base64.b64decode(form.image.graphic_image, validate=True)
    return (Paper("commercial_invoice", content, "application/pdf"),)


def read_events(document: bytes) -> list[CarrierEvent | UnreadScan]:
    """Return scans, the earliest first."""
    answer = read_document(document).get("trackResponse")
    shipments = listed_parts(answer, "shipment") if isinstance(answer, dict) else []
    packages = [package for shipment in shipments for package in listed_parts(shipment, "package")]
    return carrier_events(
        scan_forms.UPS_POLL, [scan for package in packages for scan in listed_parts(package, "activity")]
    )


def read_address(document: bytes, party: Party) -> AddressCheck:
    """Return the result of an address check.

    The first candidate is the suggestion if it differs from the address.
    """
    found = msgspec.json.decode(document, type=wire.UpsAddressEnvelope).response
    candidates = _many(found.candidate)
    if not candidates:
        return AddressCheck(AddressVerdict.UNKNOWN)
    suggestion = _suggestion(candidates[0], party)
    if found.valid_address_indicator is None:
        return AddressCheck(AddressVerdict.UNKNOWN, suggestion)
    same = _plain(suggestion) == _plain(party)
    return AddressCheck(AddressVerdict.VALID if same else AddressVerdict.CORRECTED, suggestion)


def _suggestion(candidate: wire.UpsCandidate, party: Party) -> Party:
    key = candidate.address_key_format
    lines = [key.address_line] if isinstance(key.address_line, str) else key.address_line
    kind = candidate.address_classification.code if candidate.address_classification else ""
    return msgspec.structs.replace(
        party,
        street=lines[0] if lines else party.street,
        street2=" ".join(lines[1:]),
        city=key.political_division2,
        region=key.political_division1,
        postal_code="-".join(filter(None, (key.postcode_primary_low, key.postcode_extended_low))),
        country=key.country_code or party.country,
        residential={"1": False, "2": True}.get(kind, party.residential),
    )


def _plain(party: Party) -> tuple[str, ...]:
    postal = party.postal_code.partition("-")[0]
    return tuple(text.upper().strip() for text in (party.street, party.street2, party.city, party.region, postal))


def read_pickup(document: bytes) -> Pickup:
    """Return a booked pickup, with its price if reported."""
    made = msgspec.json.decode(document, type=wire.UpsPickupEnvelope).pickup_creation_response
    cost = made.cost
    return Pickup(made.prn, Money.parse(cost.grand_total_of_all_charge, cost.currency_code) if cost else None)


def read_refusal(document: bytes) -> list[CarrierMessage]:
    """Return the reasons for a refusal."""
    faults = msgspec.json.decode(document, type=wire.UpsFaultEnvelope).response.errors
    return [CarrierMessage(fault.message, fault.code or None, Severity.ERROR) for fault in faults]


def _message(alert: wire.UpsCode) -> CarrierMessage:
    return CarrierMessage(alert.description, alert.code or None, Severity.WARNING)


def _many(value: list[T] | T) -> list[T]:
    return value if isinstance(value, list) else [value]
