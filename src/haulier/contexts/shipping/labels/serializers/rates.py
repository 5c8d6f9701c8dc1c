"""Rates, as answers show them."""

from collections.abc import Sequence
from datetime import datetime
from zoneinfo import ZoneInfo

from haulier.contexts.shipping.labels.contract.rates import ShippingRate
from haulier.contexts.shipping.labels.rules.rates import Offer
from haulier.contexts.shipping.labels.serializers.shipments import carrier_price, offer_charges


def shipping_rate(offer: Offer, rate_id: str, zone: ZoneInfo, *, office: bool) -> ShippingRate:
    """A service and its price."""
    return ShippingRate(
        rate_id=rate_id,
        account_id=offer.account_id,
        account=offer.account,
        carrier=offer.carrier,
        service=offer.rate.service,
        service_name=offer.rate.name,
        shipping_price=offer.price.minor,
        currency=offer.price.currency,
        price_details=offer_charges(offer, office=office),
        carrier_price=carrier_price(offer, office=office),
        transit_days=offer.rate.transit_days,
        deliver_by=offer.rate.deliver_by and offer.rate.deliver_by.astimezone(zone),
        guaranteed=offer.rate.guaranteed,
        expires_at=offer.expires_at.astimezone(zone),
    )


def latest_expiry(offers: Sequence[Offer], now: datetime) -> datetime:
    """Until when all offers hold; now, where there is none."""
    return min((offer.expires_at for offer in offers), default=now)
