"""Answers about order shipments."""

from datetime import datetime
from typing import Any

import msgspec
from msgspec import UNSET

from haulier.contexts.billing.public import Conversions
from haulier.contexts.orders.public import OrderShelf, PartnerRate, WaitingOrder
from haulier.contexts.orders.quotes.contract import DeliveryRate
from haulier.contexts.shipping.labels.actions.carrier_rates import KeptQuote
from haulier.contexts.shipping.labels.queries import ShipmentRow, ShipmentWithNumbers
from haulier.contexts.shipping.labels.rules import Offer, Remark, ship_moment
from haulier.contexts.shipping.labels.serializers import carrier_price_minor, is_office, remark_text
from haulier.contexts.shipping.order_shipments.actions import RatedOrder
from haulier.contexts.shipping.order_shipments.contract import OrderRate, QueuedOrder
from haulier.contexts.shipping.order_shipments.rules import is_on_time, latest_delivery, promised_by
from haulier.kernel.call import Call
from haulier.kernel.operations.enums import PriceFamily
from haulier.kernel.operations.records import record
from haulier.kernel.values.money import Money


def carrier_rate(call: Call, found: RatedOrder, quote: KeptQuote, offer: Offer, conversions: Conversions) -> OrderRate:
    """Return a carrier's rate of an order."""
    promise = promised_by(offer, ship_moment(found.terms, call.now, call.time_zone).date(), call.time_zone)
    return OrderRate(
        method="carrier",
        rate_id=quote.rate_id(offer),
        account_id=offer.account_id,
        account=offer.account,
        carrier=offer.carrier,
        service=offer.rate.service,
        service_name=offer.rate.name,
        price_family=PriceFamily.LABEL_SERVICE,
        shipping_price=offer.price.minor,
        currency=offer.price.currency,
        carrier_price_minor=carrier_price_minor(offer, office=is_office(call.principal)),
        **_comparison(conversions, offer.price),
        transit_days=offer.rate.transit_days,
        promised_by=call.local_time(promise),
        on_time=is_on_time(promise, latest_delivery(found.order, call.time_zone)),
        guaranteed=offer.rate.guaranteed,
        expires_at=call.local_time(offer.expires_at),
    )


def _comparison(conversions: Conversions, price: Money) -> dict[str, Any]:
    """Return a price in the business's currency, with its exchange rate."""
    converted = conversions.convert(price)
    used = converted if converted and converted.source else None
    return {
        "converted_price_minor": converted and converted.money.minor,
        "exchange_rate": used and used.rate,
        "exchange_rate_date": used and used.valid_on,
        "comparable": converted is not None,
    }


def partner_rate(rate: PartnerRate, conversions: Conversions) -> OrderRate:
    """Return a service of a partner's rate card."""
    return OrderRate(
        method="partner",
        rate_id=None,
        account_id=None,
        account=None,
        carrier=None,
        partner=rate.partner,
        partnership_id=rate.partnership_id,
        service=rate.service,
        service_name=rate.service_name,
        price_family=PriceFamily.LOCAL_DELIVERY,
        shipping_price=rate.price.minor,
        currency=rate.price.currency,
        carrier_price_minor=UNSET,
        **_comparison(conversions, rate.price),
        transit_days=None,
        promised_by=None,
        on_time=None,
        guaranteed=False,
        expires_at=rate.expires_at,
    )


def own_rate(call: Call, found: RatedOrder, rate: DeliveryRate, expires_at: datetime) -> OrderRate:
    """Return a service of the rate card, promised by the order's date."""
    promise = latest_delivery(found.order, call.time_zone)
    return OrderRate(
        method="own_fleet",
        rate_id=None,
        account_id=None,
        account=None,
        carrier=None,
        service=rate.service,
        service_name=rate.service_name,
        price_family=PriceFamily.LOCAL_DELIVERY,
        shipping_price=rate.shipping_price,
        currency=rate.currency,
        carrier_price_minor=UNSET,
        converted_price_minor=rate.shipping_price,
        comparable=True,
        transit_days=None,
        promised_by=call.local_time(promise),
        on_time=is_on_time(promise, promise),
        guaranteed=False,
        expires_at=expires_at,
    )


def queued_order(
    call: Call, order: WaitingOrder, shelf: OrderShelf | None, failed: ShipmentWithNumbers | None
) -> QueuedOrder:
    """Return an order of the ship queue."""
    end = order.consignee or {}
    return record(
        QueuedOrder,
        order,
        order_id=order.id,
        name=end.get("name"),
        city=end.get("city"),
        postal_code=end.get("postal_code"),
        country=end.get("country"),
        deliver_by=call.local_time(latest_delivery(order, call.time_zone)),
        shelf=shelf and shelf.code,
        shipment_id=failed and failed.row.id,
        problem=failed and shipment_problem(call, failed.row),
    )


def shipment_problem(call: Call, row: ShipmentRow) -> str | None:
    """Return the reason why a label was not bought, in the carrier's words, or None."""
    said = [remark_text(call, msgspec.convert(each, Remark)) for each in row.messages]
    return next(iter(said), None)
