"""Rules of fulfilments: method and status of each."""

from enum import StrEnum

from haulier.contexts.orders.delivery_orders.rules.lifecycle import PICKUP_FULFILMENT, OrderStatus
from haulier.kernel.operations.errors import declare_error

ORDER_HAS_SHIPMENT = declare_error("order_has_shipment", 409)
ORDER_HAS_ROUTE = declare_error("order_has_route", 409)
ORDER_HAS_HOLDER = declare_error("order_has_holder", 409)
ORDER_IN_LOCKER = declare_error("order_in_locker", 409)


class FulfilmentMethod(StrEnum):
    """Way in which an order is carried out."""

    OWN_FLEET = "own_fleet"
    CONTRACTOR = "contractor"
    PARTNER = "partner"
    LOCKER = "locker"
    CARRIER = "carrier"
    FREIGHT = "freight"
    """A freight shipment of handling units."""
    DROP_OFF = "drop_off"
    """Returned goods that the customer brings."""
    CUSTOMER_PICKUP = "customer_pickup"
    """The customer collects the order at a depot."""


class Direction(StrEnum):
    """Direction of a fulfilment."""

    OUTBOUND = "outbound"
    RETURN = "return"


class FulfilmentStatus(StrEnum):
    """Status of a fulfilment."""

    WAITING = "waiting"
    READY_FOR_PICKUP = "ready_for_pickup"
    BOOKED = "booked"
    IN_TRANSIT = "in_transit"
    OUT_FOR_DELIVERY = "out_for_delivery"
    DELIVERED = "delivered"
    FAILED = "failed"
    RETURNED = "returned"
    REFUSED = "refused"
    """The carrier sold no label."""
    CANCELLED = "cancelled"


_F = FulfilmentStatus
CARRIER_FULFILMENT = "carrier"
"""Value of an order's `fulfilment` while a parcel carrier delivers it."""
STATUS_OF_ORDER = {
    OrderStatus.NEW_ORDER: _F.WAITING,
    OrderStatus.HOLD: _F.WAITING,
    OrderStatus.PLANNED: _F.BOOKED,
    OrderStatus.PICKED_UP: _F.IN_TRANSIT,
    OrderStatus.OUT_FOR_DELIVERY: _F.OUT_FOR_DELIVERY,
    OrderStatus.DELIVERED: _F.DELIVERED,
    OrderStatus.FAILED: _F.FAILED,
    OrderStatus.RETURNED: _F.RETURNED,
    OrderStatus.REJECTED: _F.RETURNED,
    OrderStatus.CANCELLED: _F.CANCELLED,
}
_MOVED = frozenset({_F.IN_TRANSIT, _F.DELIVERED})


def find_method(
    fulfilment: str, *, third_party_held: bool, contractor_id: int | None, in_locker: bool
) -> FulfilmentMethod:
    """Return the method of an order that no attached shipment carries out."""
    if third_party_held or fulfilment == "third_party":
        return FulfilmentMethod.PARTNER
    if fulfilment == CARRIER_FULFILMENT:
        return FulfilmentMethod.CARRIER
    if fulfilment == PICKUP_FULFILMENT:
        return FulfilmentMethod.CUSTOMER_PICKUP
    if in_locker:
        return FulfilmentMethod.LOCKER
    return FulfilmentMethod.CONTRACTOR if contractor_id is not None else FulfilmentMethod.OWN_FLEET


def own_status(order: OrderStatus, *, held: bool, ready: bool = False) -> FulfilmentStatus:
    """Return the status of a fulfilment.

    `held` is true if a partner has it, `ready` if the customer can collect it.
    """
    status = STATUS_OF_ORDER[order]
    if ready and order is OrderStatus.NEW_ORDER:
        return FulfilmentStatus.READY_FOR_PICKUP
    return FulfilmentStatus.BOOKED if held and status is FulfilmentStatus.WAITING else status


def shipment_status(shipment: FulfilmentStatus, order: OrderStatus, *, live: bool) -> FulfilmentStatus:
    """Return the status of a shipment of an order.

    The order follows its live shipment, and also has failed attempts and returns.
    """
    return (
        STATUS_OF_ORDER[order] if live and shipment in _MOVED and STATUS_OF_ORDER[order] is not _F.WAITING else shipment
    )
