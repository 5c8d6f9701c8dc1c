"""Rules of accounts."""

from collections.abc import Iterator, Sequence
from datetime import datetime, time, timedelta

from msgspec import Struct

from haulier.contexts.shipping.accounts.contract import CarrierTariff, TariffService, TariffZone
from haulier.contexts.shipping.ports import (
    CarrierKind,
    CarrierMessage,
    Charge,
    Parcel,
    Party,
    Rate,
    Rates,
    Severity,
    Shipment,
)
from haulier.kernel.operations.errors import INVALID_REQUEST, FieldError, declare_error
from haulier.kernel.values.money import Money
from haulier.kernel.values.postal_codes import matches_postal_prefix
from haulier.kernel.values.rounding import share_of

CARRIER_ACCOUNT_IN_USE = declare_error("carrier_account_in_use", 409)
CARRIER_ACCOUNT_NAME_TAKEN = declare_error("carrier_account_name_taken", 409)
CARRIER_SECRETS_NOT_KEPT = declare_error("carrier_secrets_not_kept", 409)

HOUSE = "HOUSE"
"""Code of the client's own carrier, which needs no network."""
TAX = "tax"
"""Code of the tax in a price of the own carrier."""
TARIFF = "tariff"
"""Credential that holds the tariff of the own carrier."""
CURRENCY = "currency"
"""Credential that holds the client's currency for the own carrier."""
MAX_ACCOUNTS = 50


class MarkUp(Struct, frozen=True):
    """A client's markup on a carrier's price.

    A share in hundredths of a percent, and an amount in minor units.
    """

    basis_points: int = 0
    minor: int = 0

    def apply(self, cost: Money) -> Money:
        """Return the price for a cost; never below zero, halves rounded up."""
        return Money(max(0, cost.minor + share_of(cost.minor, self.basis_points) + self.minor), cost.currency)


def secret_label(client_id: int, carrier: str) -> str:
    """Return the label that binds credentials to a client and a carrier."""
    return f"carrier {carrier} of client {client_id}"


def require_credentials(kind: CarrierKind, given: dict[str, str]) -> None:
    """Require exactly the credentials of a carrier. Raises `INVALID_REQUEST`."""
    named = {field.name for field in kind.credentials}
    faults = [FieldError(f"credentials.{name}", "field.extra_forbidden") for name in given.keys() - named]
    faults += [
        FieldError(f"credentials.{field.name}", "field.missing")
        for field in kind.credentials
        if field.required and not given.get(field.name)
    ]
    if faults:
        raise INVALID_REQUEST.for_fields(*faults)


def make_own_message(
    message: str, code: str, severity: Severity = Severity.ERROR, field: str | None = None, **params: str
) -> CarrierMessage:
    """Return a remark of this product, shown in the language of each reader."""
    return CarrierMessage("", code, severity, field, message, params)


DELIVERED_BY = time(18)
_SATURDAY = 5


def rate_shipment(tariff: CarrierTariff, shipment: Shipment, currency: str, services: Sequence[str] = ()) -> Rates:
    """Return the rate of each service, or a remark if it cannot take the shipment."""
    zone = find_zone(tariff, shipment.recipient)
    if zone is None:
        return Rates((), (make_own_message("carrier.no_zone", "NO_ZONE"),))
    wanted = [service for service in tariff.services if not services or service.code in services]
    heaviest = max(parcel.weight_g for parcel in shipment.parcels)
    return Rates(
        tuple(_rate(tariff, zone, each, shipment, currency) for each in wanted if heaviest <= each.max_weight_g),
        tuple(_too_heavy(each) for each in wanted if heaviest > each.max_weight_g),
    )


def _too_heavy(service: TariffService) -> CarrierMessage:
    most = f"{service.max_weight_g / 1000:g} kg"
    return make_own_message("carrier.too_heavy", "TOO_HEAVY", Severity.WARNING, service=service.name, most=most)


def find_zone(tariff: CarrierTariff, recipient: Party) -> TariffZone | None:
    """Return the first zone that matches the recipient, or None."""
    return next((zone for zone in tariff.zones if _is_in(zone, recipient.country, recipient.postal_code)), None)


def _is_in(zone: TariffZone, country: str, postal_code: str) -> bool:
    in_country = not zone.countries or country in zone.countries
    return in_country and (not zone.postal_prefixes or matches_postal_prefix(postal_code, zone.postal_prefixes))


def _rate(tariff: CarrierTariff, zone: TariffZone, service: TariffService, shipment: Shipment, currency: str) -> Rate:
    charges = tuple(
        Charge(code, name, Money(amount, currency), tariff.tax_basis_points if code == TAX else 0)
        for code, name, amount in _charges(tariff, zone, service, shipment)
        if amount
    )
    days = service.transit_days + zone.extra_days
    return Rate(
        service=service.code,
        name=service.name,
        price=sum((charge.amount for charge in charges), Money(0, currency)),
        charges=charges,
        transit_days=days,
        deliver_by=_deliver_by(service, days, shipment),
        rate_id=zone.code,
        po_boxes=service.po_boxes,
    )


def _charges(
    tariff: CarrierTariff, zone: TariffZone, service: TariffService, shipment: Shipment
) -> Iterator[tuple[str, str, int]]:
    grams = [billed_weight_g(tariff, parcel) for parcel in shipment.parcels]
    base = share_of(sum(_parcel_price(zone, weight) for weight in grams), service.percent * 100)
    parts = [
        ("base", service.name, base),
        ("fuel", "Fuel", share_of(base, tariff.fuel_basis_points)),
        ("residential", "Residential", tariff.residential if shipment.recipient.residential else 0),
        ("signature", "Signature", tariff.signature if shipment.signature else 0),
        ("saturday", "Saturday", tariff.saturday if shipment.saturday else 0),
    ]
    yield from parts
    yield TAX, tariff.tax_name, share_of(sum(amount for _, _, amount in parts), tariff.tax_basis_points)


def billed_weight_g(tariff: CarrierTariff, parcel: Parcel) -> int:
    """Return the greater of weight and dimensional weight, in grams."""
    if not tariff.dimensional_divisor:
        return parcel.weight_g
    cubic_mm = parcel.length_mm * parcel.width_mm * parcel.height_mm
    return max(parcel.weight_g, -(-cubic_mm // tariff.dimensional_divisor))


def _parcel_price(zone: TariffZone, grams: int) -> int:
    for step in zone.steps:
        if grams <= step.up_to_g:
            return step.amount
    last = zone.steps[-1]
    return last.amount + zone.per_extra_kg * -(-(grams - last.up_to_g) // 1000)


def _deliver_by(service: TariffService, days: int, shipment: Shipment) -> datetime:
    """Return the evening of delivery, skipping days off."""
    working = 6 if shipment.saturday else _SATURDAY
    hour, minute = map(int, service.cut_off.split(":"))
    day = shipment.ship_at
    if day.time() > time(hour, minute):
        day += timedelta(days=1)
    while day.weekday() >= _SATURDAY:
        day += timedelta(days=1)
    for _ in range(days):
        day += timedelta(days=1)
        while day.weekday() >= working:
            day += timedelta(days=1)
    return datetime.combine(day.date(), DELIVERED_BY, shipment.ship_at.tzinfo)
