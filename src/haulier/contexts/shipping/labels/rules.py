"""Offers: what a client asks for a carrier's service, how they are ordered, and what is kept of them."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime, time, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import msgspec
from msgspec import Struct

from haulier.contexts.orders.delivery_orders.rules.warnings import party_to_check
from haulier.contexts.places.party_checks.rules import NOT_PRINTABLE, PartyFinding, check_party, is_po_box
from haulier.contexts.shipping.accounts.contract.accounts import ShippingAddress
from haulier.contexts.shipping.accounts.rules.accounts import MarkUp
from haulier.contexts.shipping.accounts.rules.remarks import make_own_message
from haulier.contexts.shipping.labels.contract.shipments import ShipmentPackage, ShipmentTerms
from haulier.contexts.shipping.ports import (
    CarrierMessage,
    CustomsItem,
    Parcel,
    Party,
    Rate,
    Severity,
    Shipment,
)
from haulier.kernel.values.money import Money, find_cheapest

QUOTE_LIFE = timedelta(hours=1)
"""For how long a rate holds where its carrier does not say."""
LONGEST_LIFE = timedelta(hours=24)
RATE_DEADLINE_S = 8.0
"""How long carriers have to say their rates; a slower one has none."""
NOON = time(12)
MAX_TEXT = 500
MANY_DAYS = 999


class Offer(Struct, frozen=True, kw_only=True):
    """A carrier's rate under an account, and what the client asks for it."""

    account_id: int
    account: str
    carrier: str
    rate: Rate
    price: Money
    expires_at: datetime


class Remark(Struct, frozen=True, kw_only=True):
    """What a carrier said, or what is said of it."""

    account_id: int | None = None
    carrier: str | None = None
    severity: str = "info"
    code: str | None = None
    text: str
    """The carrier's own words; empty where `message` is set."""
    field: str | None = None
    message: str = ""
    """The message that gives the text in the reader's language; empty for a carrier's own words."""
    params: dict[str, str] = {}


def make_offer(account_id: int, account: str, carrier: str, mark_up: MarkUp, rate: Rate, now: datetime) -> Offer:
    """What a client asks for a rate, and until when."""
    until = min(rate.expires_at or now + QUOTE_LIFE, now + LONGEST_LIFE)
    price = mark_up.apply(rate.price)
    return Offer(account_id=account_id, account=account, carrier=carrier, rate=rate, price=price, expires_at=until)


def remark(message: CarrierMessage, account_id: int | None, carrier: str | None) -> Remark:
    """A carrier's remark, cut to a length."""
    return Remark(
        account_id=account_id,
        carrier=carrier,
        severity=message.severity.value,
        code=message.code,
        text=message.text[:MAX_TEXT],
        field=message.field,
        message=message.message,
        params=message.params,
    )


def list_party_findings(terms: ShipmentTerms, sender: ShippingAddress | None) -> list[tuple[str, PartyFinding]]:
    """Return what is odd about the ends of a shipment, each with its field."""
    ends = {"consignee": terms.consignee, "shipper": sender}
    return [
        (field, found)
        for field, end in ends.items()
        if end
        for found in check_party(party_to_check(end))
        if found.code != NOT_PRINTABLE
    ]


def is_for_po_box(terms: ShipmentTerms) -> bool:
    """Return True if the recipient has a box at a post office."""
    checked = party_to_check(terms.consignee)
    return is_po_box(checked.street, checked.country)


def fault(code: str, message: str, account_id: int | None = None, carrier: str | None = None, **params: str) -> Remark:
    """Return a remark of this product that something did not work."""
    return remark(make_own_message(message, code, Severity.ERROR, None, **params), account_id, carrier)


def cheapest_first(offers: Iterable[Offer], currency: str) -> list[Offer]:
    """Offers by price; those in a foreign currency, which cannot be compared, at the end."""
    return sorted(
        offers,
        key=lambda offer: (offer.price.currency != currency, offer.price.currency, offer.price.minor, _name(offer)),
    )


def cheapest(offers: Sequence[Offer], currency: str) -> Offer | None:
    """Return the cheapest offer among those whose prices can be compared; None where none can."""
    return find_cheapest(cheapest_first(offers, currency), lambda offer: offer.price, currency)


def currencies_of(offers: Iterable[Offer]) -> str:
    """Return the currencies of offers as a text."""
    return ", ".join(sorted({offer.price.currency for offer in offers}))


def by_name(offers: Iterable[Offer]) -> list[Offer]:
    """Offers in an order that tells nothing of prices."""
    return sorted(offers, key=_name)


def fastest(offers: Sequence[Offer], currency: str) -> Offer | None:
    """The offer that arrives first; the cheapest among equals."""
    ordered = cheapest_first(offers, currency)
    known = [offer for offer in ordered if offer.rate.deliver_by or offer.rate.transit_days is not None]
    return min(known, key=_arrival, default=None)


def _arrival(offer: Offer) -> tuple[int, datetime]:
    days, by = offer.rate.transit_days, offer.rate.deliver_by
    return MANY_DAYS if days is None else days, by or datetime.max.replace(tzinfo=UTC)


def _name(offer: Offer) -> tuple[str, str, int]:
    return offer.carrier, offer.rate.name.casefold(), offer.account_id


def offers_to_document(offers: Sequence[Offer]) -> list[dict[str, Any]]:
    """Offers as they are kept."""
    return msgspec.to_builtins(offers)


def offer_from_document(document: Any) -> Offer:
    """An offer that was kept."""
    return msgspec.convert(document, Offer)


def ship_moment(terms: ShipmentTerms, now: datetime, zone: ZoneInfo) -> datetime:
    """When the carrier gets a shipment: now, or noon of another day."""
    local = now.astimezone(zone)
    if terms.ship_date is None or terms.ship_date <= local.date():
        return local
    return datetime.combine(terms.ship_date, NOON, zone)


def carrier_shipment(
    terms: ShipmentTerms,
    *,
    reference: str,
    sender: ShippingAddress,
    ship_at: datetime,
    currency: str,
    order_ref: str | None = None,
) -> Shipment:
    """A shipment as carriers are asked about it."""
    values = terms.currency or currency
    return Shipment(
        reference=reference,
        sender=party(sender),
        recipient=party(terms.consignee),
        parcels=tuple(_parcel(package, values) for package in terms.parcels),
        ship_at=ship_at,
        customs=tuple(
            CustomsItem(
                description=line.description,
                quantity=line.quantity,
                unit_value=Money(line.unit_value, values),
                unit_weight_g=line.unit_weight_g,
                origin_country=line.origin_country,
                hs_code=line.hs_code or "",
            )
            for line in terms.customs_items
        ),
        customs_reason=terms.customs_reason,
        signature=terms.signature_required,
        saturday=terms.saturday_delivery,
        customer_references=(order_ref,) if order_ref else (),
    )


def list_differences(before: Mapping[str, Any], now: Mapping[str, Any]) -> list[str]:
    """Return the fields in which two documents differ, those of addresses by their paths."""
    found = list[str]()
    for name in dict.fromkeys((*before, *now)):
        old, new = before.get(name), now.get(name)
        if isinstance(old, dict) and isinstance(new, dict):
            found += [f"{name}.{part}" for part in list_differences(old, new)]
        elif old != new:
            found.append(name)
    return found


def party(address: ShippingAddress) -> Party:
    """Who sends or receives, as carriers are told."""
    return Party(
        name=address.name,
        street=address.address,
        city=address.city,
        country=address.country,
        postal_code=address.postal_code or "",
        region=address.region or "",
        street2=address.unit or "",
        company=address.company or "",
        phone=address.phone or "",
        email=address.email or "",
        residential=address.residential,
    )


def _parcel(package: ShipmentPackage, currency: str) -> Parcel:
    value = package.declared_value
    return Parcel(
        weight_g=package.weight_g,
        length_mm=package.length_mm or 0,
        width_mm=package.width_mm or 0,
        height_mm=package.height_mm or 0,
        declared_value=None if value is None else Money(value, currency),
        reference=package.reference or "",
        description=package.description or "",
    )
