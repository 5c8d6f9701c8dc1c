"""Rules of labels."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime, time, timedelta
from enum import StrEnum
from typing import Any
from zoneinfo import ZoneInfo

import msgspec
from msgspec import Struct

from haulier.contexts.orders.delivery_orders.rules.warnings import party_to_check
from haulier.contexts.places.party_checks.rules import NOT_PRINTABLE, PartyFinding, check_party
from haulier.contexts.shipping.accounts.contract import ShippingAddress
from haulier.contexts.shipping.accounts.rules import HOUSE, TAX, MarkUp, make_own_message
from haulier.contexts.shipping.labels.contract import ShipmentPackage, ShipmentTerms
from haulier.contexts.shipping.ports import (
    CarrierMessage,
    CustomsItem,
    Parcel,
    Party,
    Rate,
    Severity,
    Shipment,
)
from haulier.kernel.operations.errors import OperationError, declare_error
from haulier.kernel.values.money import Money, find_cheapest
from haulier.kernel.values.rounding import BASIS_POINTS, divide_half_up
from haulier.kernel.values.state_machine import StateMachine
from haulier.kernel.values.taxes import Tax, scale_taxes

SHIPMENT_STEP_REFUSED = declare_error("shipment_step_refused", 409)
SHIPMENT_REF_TAKEN = declare_error("shipment_ref_taken", 409)
SHIPPING_RATE_EXPIRED = declare_error("shipping_rate_expired", 409)
SHIPPING_RATE_NOT_AVAILABLE = declare_error("shipping_rate_not_available", 409)
LABEL_NOT_BOUGHT = declare_error("label_not_bought", 409)

LEASE = timedelta(seconds=90)
"""Lease for calling a carrier: longer than any carrier may take to answer."""
SETTLE_AFTER = timedelta(seconds=5)
"""Delay before a job settles a purchase or void that the call did not."""
BUY_AGAIN_AFTER = timedelta(minutes=2)
"""Time after which a purchase unknown to the carrier counts as not made."""
MAX_PURCHASE_ATTEMPTS = 4
_LONGEST_PAUSE = timedelta(hours=1)
_FIRST_PAUSE = timedelta(seconds=15)


class ShipmentState(StrEnum):
    """The state of a shipment."""

    DRAFT = "draft"
    PURCHASE_UNKNOWN = "purchase_unknown"
    """The carrier was called, and the outcome is unknown."""
    PURCHASED = "purchased"
    IN_TRANSIT = "in_transit"
    DELIVERED = "delivered"
    VOID_PENDING = "void_pending"
    VOIDED = "voided"
    FAILED = "failed"


class ShipmentStep(StrEnum):
    """Steps of a shipment."""

    BUY = "buy"
    BOUGHT = "bought"
    REFUSED = "refused"
    CHANGE = "change"
    VOID = "void"
    VOIDED = "voided"
    KEPT = "kept"
    MOVED = "moved"
    DELIVERED = "delivered"


_S = ShipmentState


def _refused(step: ShipmentStep, state: ShipmentState) -> OperationError:
    return SHIPMENT_STEP_REFUSED(step=step.value, state=state.value)


SHIPMENT_LIFE = StateMachine(
    {
        ShipmentStep.CHANGE: {_S.DRAFT: _S.DRAFT, _S.FAILED: _S.FAILED},
        ShipmentStep.BUY: {_S.DRAFT: _S.PURCHASE_UNKNOWN, _S.FAILED: _S.PURCHASE_UNKNOWN},
        # From failed, too: a carrier may have sold what it denied at first.
        ShipmentStep.BOUGHT: {_S.PURCHASE_UNKNOWN: _S.PURCHASED, _S.FAILED: _S.PURCHASED},
        ShipmentStep.REFUSED: {_S.PURCHASE_UNKNOWN: _S.FAILED},
        ShipmentStep.VOID: {_S.PURCHASED: _S.VOID_PENDING, _S.DRAFT: _S.VOIDED, _S.FAILED: _S.VOIDED},
        ShipmentStep.VOIDED: {_S.VOID_PENDING: _S.VOIDED},
        ShipmentStep.KEPT: {_S.VOID_PENDING: _S.PURCHASED},
        ShipmentStep.MOVED: {_S.PURCHASED: _S.IN_TRANSIT, _S.VOID_PENDING: _S.IN_TRANSIT, _S.IN_TRANSIT: _S.IN_TRANSIT},
        ShipmentStep.DELIVERED: {
            _S.PURCHASED: _S.DELIVERED,
            _S.IN_TRANSIT: _S.DELIVERED,
            _S.VOID_PENDING: _S.DELIVERED,
        },
    },
    created={_S.DRAFT: "kept", _S.PURCHASE_UNKNOWN: "bought at once"},
    error=_refused,
)
BOUGHT_STATES = frozenset({_S.PURCHASED, _S.IN_TRANSIT, _S.DELIVERED, _S.VOID_PENDING})
"""The states of a shipment whose label can be printed."""
_PHASES_OF_STATE = {
    _S.IN_TRANSIT: frozenset({"pickup", "inbound", "transit", "out_for_delivery"}),
    _S.DELIVERED: frozenset({"delivered"}),
}


def mermaid() -> str:
    """Return the state diagram of a shipment."""
    return SHIPMENT_LIFE.mermaid()


def state_of_phase(phase: str) -> ShipmentState | None:
    """Return the state of a shipment after an event of this phase, or None."""
    return next((state for state, phases in _PHASES_OF_STATE.items() if phase in phases), None)


def retry_delay(round_number: int) -> timedelta:
    """Return the pause before the next retry; it grows with each round."""
    return min(_LONGEST_PAUSE, _FIRST_PAUSE * 2 ** min(round_number, 10))


def track_pause(idle: timedelta) -> timedelta:
    """Return the pause before the next scan request.

    A quarter of the time since the last scan, from 15 minutes to 12 hours.
    """
    return max(timedelta(minutes=15), min(timedelta(hours=12), idle / 4))


TRACKED_FOR = timedelta(days=60)
"""Silence after which a parcel is no longer tracked."""


def is_leased(leased_until: datetime | None, now: datetime) -> bool:
    """Return True if another process holds the lease."""
    return leased_until is not None and leased_until > now


QUOTE_LIFE = timedelta(hours=1)
"""Lifetime of a rate if its carrier does not state one."""
LONGEST_LIFE = timedelta(hours=24)
RATE_DEADLINE_S = 8.0
"""Seconds that carriers have for rating; slower ones have no rate."""
NOON = time(12)
MAX_TEXT = 500
MANY_DAYS = 999


class Offer(Struct, frozen=True, kw_only=True):
    """A carrier's rate under an account, with the client's price."""

    account_id: int
    account: str
    carrier: str
    rate: Rate
    price: Money
    expires_at: datetime


class Remark(Struct, frozen=True, kw_only=True):
    """A remark of a carrier, or about it."""

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
    """Return the client's offer for a rate, with its expiry."""
    until = min(rate.expires_at or now + QUOTE_LIFE, now + LONGEST_LIFE)
    price = mark_up.apply(rate.price)
    return Offer(account_id=account_id, account=account, carrier=carrier, rate=rate, price=price, expires_at=until)


def taxes_of_offer(offer: Offer) -> tuple[Tax, ...] | None:
    """Return the taxes in the price of a label. None for the default of the business.

    Taxes that other carriers charge are part of the cost.
    """
    if offer.carrier != HOUSE:
        return None
    cost = offer.rate.price.minor
    taxes = [
        Tax(
            name=charge.name,
            rate_bp=charge.rate_bp or divide_half_up(charge.amount.minor * BASIS_POINTS, cost - charge.amount.minor),
            amount_minor=charge.amount.minor,
        )
        for charge in offer.rate.charges
        if charge.code == TAX
    ]
    return scale_taxes(taxes, offer.price.minor, cost)


def remark(message: CarrierMessage, account_id: int | None, carrier: str | None) -> Remark:
    """Return a carrier's remark, cut to a length."""
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
    """Return findings about both ends of a shipment, each with its field."""
    ends = {"consignee": terms.consignee, "shipper": sender}
    return [
        (field, found)
        for field, end in ends.items()
        if end
        for found in check_party(party_to_check(end))
        if found.code != NOT_PRINTABLE
    ]


def find_postal_only_reason(terms: ShipmentTerms) -> str | None:
    """Return the reason why only posts deliver to the recipient."""
    return party_to_check(terms.consignee).postal_only


def fault(code: str, message: str, account_id: int | None = None, carrier: str | None = None, **params: str) -> Remark:
    """Return a remark of this product that something did not work."""
    return remark(make_own_message(message, code, Severity.ERROR, None, **params), account_id, carrier)


def price_of(offer: Offer) -> Money:
    """Return the price of an offer in its own currency."""
    return offer.price


def cheapest_first(offers: Iterable[Offer], currency: str, price: Callable[[Offer], Money] = price_of) -> list[Offer]:
    """Return offers by price; foreign currencies, which cannot be compared, come last."""

    def key(offer: Offer) -> tuple[bool, str, int, tuple[str, str, int]]:
        paid = price(offer)
        return paid.currency != currency, paid.currency, paid.minor, _name(offer)

    return sorted(offers, key=key)


def cheapest(offers: Sequence[Offer], currency: str, price: Callable[[Offer], Money] = price_of) -> Offer | None:
    """Return the cheapest comparable offer, or None."""
    return find_cheapest(cheapest_first(offers, currency, price), price, currency)


def currencies_of(offers: Iterable[Offer]) -> str:
    """Return the currencies of offers as a text."""
    return ", ".join(sorted({offer.price.currency for offer in offers}))


def by_name(offers: Iterable[Offer]) -> list[Offer]:
    """Return offers in an order that reveals no prices."""
    return sorted(offers, key=_name)


def fastest(offers: Sequence[Offer], currency: str) -> Offer | None:
    """Return the offer that arrives first; the cheapest among equals."""
    ordered = cheapest_first(offers, currency)
    known = [offer for offer in ordered if offer.rate.deliver_by or offer.rate.transit_days is not None]
    return min(known, key=_arrival, default=None)


def _arrival(offer: Offer) -> tuple[int, datetime]:
    days, by = offer.rate.transit_days, offer.rate.deliver_by
    return MANY_DAYS if days is None else days, by or datetime.max.replace(tzinfo=UTC)


def _name(offer: Offer) -> tuple[str, str, int]:
    return offer.carrier, offer.rate.name.casefold(), offer.account_id


def offers_to_document(offers: Sequence[Offer]) -> list[dict[str, Any]]:
    """Return offers as they are stored."""
    return msgspec.to_builtins(offers)


def offer_from_document(document: Any) -> Offer:
    """Return a stored offer."""
    return msgspec.convert(document, Offer)


def ship_moment(terms: ShipmentTerms, now: datetime, zone: ZoneInfo) -> datetime:
    """Return the handover time: now, or noon of another day."""
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
    """Return a shipment as carriers receive it."""
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
    """Return differing fields of two documents, with the paths of address fields."""
    found = list[str]()
    for name in dict.fromkeys((*before, *now)):
        old, new = before.get(name), now.get(name)
        if isinstance(old, dict) and isinstance(new, dict):
            found += [f"{name}.{part}" for part in list_differences(old, new)]
        elif old != new:
            found.append(name)
    return found


def party(address: ShippingAddress) -> Party:
    """Return a sender or recipient for carriers."""
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


SETTLE_PURCHASE_JOB = "shipping.settle_purchase"
SETTLE_VOID_JOB = "shipping.settle_void"
SETTLE_MANIFEST_JOB = "shipping.settle_manifest"
TRACK_JOB = "shipping.track"


class SettleShipment(Struct, frozen=True):
    """Job arguments: a purchase or void to settle.

    `round` counts unsuccessful attempts.
    """

    shipment_id: int
    round: int = 0


class SettleManifest(Struct, frozen=True):
    """Job arguments: a manifest to settle."""

    manifest_id: int
    round: int = 0


class TrackShipment(Struct, frozen=True):
    """Job arguments: a shipment to track."""

    shipment_id: int
