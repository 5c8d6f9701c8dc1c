"""Rules of order shipments."""

from datetime import date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from haulier.contexts.orders.fulfilments.rules import FulfilmentStatus
from haulier.contexts.shipping.labels.rules import Offer, ShipmentState

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
LIVE_STATES = frozenset(ShipmentState) - {ShipmentState.DRAFT, ShipmentState.FAILED, ShipmentState.VOIDED}
"""States of a shipment that carries its order, or may: a lost answer can be a sold label."""
_END_OF_DAY = time(23, 59, 59)


def promised_by(offer: Offer, ship_on: date, zone: ZoneInfo) -> datetime | None:
    """Return the promised delivery time, or None.

    The carrier's time, else the end of the last transit day.
    """
    if offer.rate.deliver_by is not None:
        return offer.rate.deliver_by
    if offer.rate.transit_days is None:
        return None
    return datetime.combine(ship_on + timedelta(days=offer.rate.transit_days), _END_OF_DAY, zone)
