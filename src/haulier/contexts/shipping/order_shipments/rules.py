"""Rules of order shipments."""

from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import date, datetime, time, timedelta
from typing import TYPE_CHECKING, Any
from zoneinfo import ZoneInfo

from msgspec import Struct

from haulier.contexts.orders.delivery_orders.rules.lifecycle import (
    DISPATCHABLE_STATUSES,
    ORDER_FOR_PICKUP,
    ORDER_IS_OVER,
    ORDER_STEP_REFUSED,
    PICKUP_FULFILMENT,
    TERMINAL_STATUSES,
    OrderStatus,
)
from haulier.contexts.orders.fulfilments.rules import (
    ORDER_HAS_HOLDER,
    ORDER_HAS_ROUTE,
    FulfilmentStatus,
)
from haulier.contexts.shipping.accounts.contract import ShippingAddress
from haulier.contexts.shipping.labels.contract import CustomsLine, ShipmentPackage, ShipmentTerms
from haulier.contexts.shipping.labels.rules import Offer, ShipmentState, cheapest
from haulier.kernel.operations.errors import INVALID_REQUEST, FieldError, OperationError, declare_error
from haulier.kernel.values.money import Money

if TYPE_CHECKING:  # rules import no reads at run time
    from haulier.contexts.billing.public import Conversions
    from haulier.contexts.orders.public import ShippableOrder, WaitingOrder

ORDER_HELD_BY_RULE = declare_error("order_held_by_rule", 409)

STATUS_OF_SHIPMENT = {
    ShipmentState.DRAFT: FulfilmentStatus.WAITING,
    ShipmentState.PURCHASE_UNKNOWN: FulfilmentStatus.WAITING,
    ShipmentState.FAILED: FulfilmentStatus.REFUSED,
    ShipmentState.PURCHASED: FulfilmentStatus.BOOKED,
    # The carrier that has not decided may keep the label valid.
    ShipmentState.VOID_PENDING: FulfilmentStatus.BOOKED,
    ShipmentState.IN_TRANSIT: FulfilmentStatus.IN_TRANSIT,
    ShipmentState.DELIVERED: FulfilmentStatus.DELIVERED,
    ShipmentState.VOIDED: FulfilmentStatus.CANCELLED,
}
OWN_FULFILMENT = "self_delivery"
"""Fulfilment of an order that the business delivers."""
LIVE_STATES = frozenset(ShipmentState) - {ShipmentState.DRAFT, ShipmentState.FAILED, ShipmentState.VOIDED}
"""States of a shipment that carries its order, or may: a lost answer can be a sold label."""
_END_OF_DAY = time(23, 59, 59)


def end_of_day(day: date, zone: ZoneInfo) -> datetime:
    """Return the last second of a day."""
    return datetime.combine(day, _END_OF_DAY, zone)


def promised_by(offer: Offer, ship_on: date, zone: ZoneInfo) -> datetime | None:
    """Return the promised delivery time, or None.

    The carrier's time, else the end of the last transit day.
    """
    if offer.rate.deliver_by is not None:
        return offer.rate.deliver_by
    if offer.rate.transit_days is None:
        return None
    return end_of_day(ship_on + timedelta(days=offer.rate.transit_days), zone)


def latest_delivery(order: "ShippableOrder | WaitingOrder", zone: ZoneInfo) -> datetime | None:
    """Return the latest delivery time of an order, or None if it has none."""
    if order.window_end is not None or order.scheduled_date is None:
        return order.window_end
    return end_of_day(order.scheduled_date, zone)


def check_shippable(order: "ShippableOrder") -> OperationError | None:
    """Return the reason why no label can be bought for an order, or None.

    A shipment of the order is checked separately.
    """
    if order.status in TERMINAL_STATUSES:
        return ORDER_IS_OVER(status=order.status.name)
    if order.type == "P" or order.consignee is None:
        return INVALID_REQUEST.for_fields(FieldError("order_id", "field.order_has_no_end"))
    if order.fulfilment == PICKUP_FULFILMENT:
        return ORDER_FOR_PICKUP(order_id=order.id)
    if order.has_holder:
        return ORDER_HAS_HOLDER()
    if order.route_id is not None and order.status is not OrderStatus.FAILED:
        return ORDER_HAS_ROUTE(route_id=order.route_id)
    if order.status not in DISPATCHABLE_STATUSES:
        return ORDER_STEP_REFUSED(step="ship", status=order.status.name)
    return None


def make_terms(
    order: "ShippableOrder", sender_countries: Collection[str], *, ship_date: date | None, currency: str
) -> ShipmentTerms:
    """Return an order as the terms of a shipment.

    The items are declared to customs if a sender is in another country. Raises `INVALID_REQUEST` for an item without a
    price then.
    """
    consignee = _address(order.consignee or {})
    shipper = _address(order.shipper) if order.shipper and order.type == "P2P" else None
    origins = {shipper.country} if shipper else set(sender_countries)
    abroad = bool(origins - {consignee.country})
    return ShipmentTerms(
        consignee=consignee,
        shipper=shipper,
        packages=[
            ShipmentPackage(
                weight_g=max(piece.weight_g, 1),
                length_mm=piece.length_mm,
                width_mm=piece.width_mm,
                height_mm=piece.height_mm,
                description=piece.description,
            )
            for piece in order.pieces
        ],
        ship_date=ship_date,
        signature_required=order.signature_required,
        customs_items=_customs_lines(order, min(origins, default=consignee.country)) if abroad else [],
        currency=(order.goods_currency or currency) if abroad and order.goods else None,
    )


class Box(Struct, frozen=True):
    """Outer size of a package preset, and its empty weight."""

    length_mm: int
    width_mm: int
    height_mm: int
    empty_weight_g: int


def with_settings(terms: ShipmentTerms, *, signature: bool, box: Box | None, insured: Money | None) -> ShipmentTerms:
    """Return a shipment with the settings of shipping rules.

    Packages without a size get the box and its weight. The insured value is divided among the packages.
    """
    packages = [_in_box(package, box) if box else package for package in terms.packages]
    if insured is not None:
        values = share_evenly(insured.minor, len(packages))
        packages = [
            package.model_copy(update={"declared_value": value})
            for package, value in zip(packages, values, strict=True)
        ]
    changes: dict[str, Any] = {"packages": packages, "signature_required": terms.signature_required or signature}
    return terms.model_copy(update=changes | ({"currency": insured.currency} if insured else {}))


def _in_box(package: ShipmentPackage, box: Box) -> ShipmentPackage:
    if package.length_mm and package.width_mm and package.height_mm:
        return package
    size = {"length_mm": box.length_mm, "width_mm": box.width_mm, "height_mm": box.height_mm}
    return package.model_copy(update={**size, "weight_g": package.weight_g + box.empty_weight_g})


def share_evenly(minor: int, parts: int) -> list[int]:
    """Return an amount in equal parts; the first ones take the remainder."""
    least, rest = divmod(minor, parts)
    return [least + (number < rest) for number in range(parts)]


def _address(end: Mapping[str, Any]) -> ShippingAddress:
    return ShippingAddress.model_validate(
        {name: end.get(name) for name in ShippingAddress.model_fields if end.get(name)}
    )


def _customs_lines(order: "ShippableOrder", origin: str) -> list[CustomsLine]:
    missing = [number for number, line in enumerate(order.goods) if line.unit_price_minor is None]
    if missing:
        raise INVALID_REQUEST.for_fields(
            *(FieldError(f"items.{number}.unit_price_minor", "field.missing") for number in missing)
        )
    return [
        CustomsLine(
            description=line.description or line.sku or "-",
            quantity=line.quantity,
            unit_value=line.unit_price_minor or 0,
            unit_weight_g=line.weight_g or 0,
            origin_country=line.country_of_origin or origin,
            hs_code=line.hs_code,
        )
        for line in order.goods
    ]


def is_on_time(promised: datetime | None, deliver_by: datetime | None) -> bool | None:
    """Return True if a promise meets the latest delivery time, None if unknown."""
    return None if promised is None or deliver_by is None else promised <= deliver_by


def comparable_price(conversions: "Conversions", offer: Offer) -> Money:
    """Return the price of an offer in the business's currency.

    Without an exchange rate, its own price.
    """
    converted = conversions.convert(offer.price)
    return converted.money if converted else offer.price


def choose_offer(
    offers: Sequence[Offer],
    currency: str,
    price: Callable[[Offer], Money],
    *,
    deliver_by: datetime | None,
    ship_on: date,
    zone: ZoneInfo,
) -> tuple[Offer, str] | None:
    """Return the best offer and the name of the choice, or None.

    The cheapest by `price` that delivers on time. If none does, the one with the earliest promise. Without a delivery
    date or without promises, the cheapest.
    """
    promises = [(offer, promised_by(offer, ship_on, zone)) for offer in offers]
    on_time = [offer for offer, promise in promises if is_on_time(promise, deliver_by)]
    if on_time and (best := cheapest(on_time, currency, price)):
        return best, "cheapest_on_time"
    known = [(promise, number) for number, (_, promise) in enumerate(promises) if promise is not None]
    if deliver_by is not None and known:
        return offers[min(known)[1]], "fastest"
    least = cheapest(offers, currency, price)
    return (least, "cheapest") if least else None
