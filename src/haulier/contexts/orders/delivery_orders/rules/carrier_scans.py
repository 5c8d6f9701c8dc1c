"""Rules of delivery orders: statuses that follow from a carrier's scans."""

from collections.abc import Sequence

from haulier.contexts.orders.delivery_orders.rules.lifecycle import OrderStatus
from haulier.contexts.otep.public import Phase, TrackingEvent

_STATUS_OF_CODE = {
    "delivered": OrderStatus.DELIVERED,
    "returned": OrderStatus.RETURNED,
    "rejected": OrderStatus.REJECTED,
    "delivery_failed": OrderStatus.FAILED,
}
_STATUS_OF_PHASE = {
    Phase.OUT_FOR_DELIVERY.value: OrderStatus.OUT_FOR_DELIVERY,
    Phase.DELIVERED.value: OrderStatus.DELIVERED,
    Phase.PICKUP.value: OrderStatus.PICKED_UP,
    Phase.INBOUND.value: OrderStatus.PICKED_UP,
    Phase.TRANSIT.value: OrderStatus.PICKED_UP,
}
_RANK = (
    *(None, OrderStatus.PICKED_UP, OrderStatus.OUT_FOR_DELIVERY, OrderStatus.FAILED),
    *(OrderStatus.REJECTED, OrderStatus.RETURNED, OrderStatus.DELIVERED),
)
"""Statuses from the least to the most advanced."""


def status_of_event(code: str, phase: str) -> OrderStatus | None:
    """Return the status of an order after a carrier's event, or None."""
    return _STATUS_OF_CODE.get(code) or _STATUS_OF_PHASE.get(phase)


def slowest(parcels: Sequence[Sequence[TrackingEvent]]) -> Sequence[TrackingEvent]:
    """Return the events of the least advanced parcel; none without parcels."""
    return min(parcels, key=_rank, default=())


def _rank(events: Sequence[TrackingEvent]) -> int:
    told = [status_of_event(event.status_code, event.phase) for event in events]
    return _RANK.index(next((status for status in reversed(told) if status), None))
