"""Until when a recipient may begin a return, how it comes back, and how far it is."""

from datetime import datetime, timedelta
from enum import StrEnum

from haulier.contexts.orders.delivery_orders.rules.lifecycle import OrderStatus
from haulier.kernel.operations.errors import declare_error

RETURN_NOT_OFFERED = declare_error("return_not_offered", 409)
RETURN_BEGUN = declare_error("return_begun", 409)
RETURN_UNDER_WAY = declare_error("return_under_way", 409)
RETURN_REFUSED = declare_error("return_refused", 409)

TRIES_MAX = 5
"""So often a return of one parcel can be begun, given up and begun anew."""
RETURNABLE_TYPES = frozenset({"D", "P2P"})


class ReturnWay(StrEnum):
    """How a return comes back."""

    LOCKER = "locker"
    """Its recipient hands it in at a locker."""
    PICKUP = "pickup"
    """A driver fetches it where it was delivered."""


class ReturnStatus(StrEnum):
    """How far a return is."""

    DROP_OFF = "drop_off"
    """A box is kept for it."""
    PICKUP = "pickup"
    """A driver comes for it."""
    HANDED_IN = "handed_in"
    """It lies in a locker, and a courier takes it out."""
    ON_THE_WAY = "on_the_way"
    RECEIVED = "received"
    CANCELLED = "cancelled"
    LAPSED = "lapsed"
    """It was not handed in while its box was kept, or no box opened; it can be begun anew."""


class ReturnOutcome(StrEnum):
    """How a return ended that does not come back. Another one can be begun then."""

    CANCELLED = "cancelled"
    LAPSED = "lapsed"


_BEFORE = frozenset({OrderStatus.NEW_ORDER, OrderStatus.HOLD, OrderStatus.PLANNED, OrderStatus.FAILED})


def returnable_until(delivered_at: datetime, days: int) -> datetime:
    """Until when a return can be begun: so many days of 24 hours after the delivery."""
    return delivered_at + timedelta(days=days)


def return_status(way: str, outcome: str | None, order: OrderStatus, *, handed_in: bool) -> ReturnStatus:
    """How far a return is, by what is known of it and of the order that brings it back."""
    if outcome is not None:
        return ReturnStatus(outcome)
    if order is OrderStatus.CANCELLED:
        return ReturnStatus.CANCELLED
    if order in _BEFORE:
        waiting = ReturnStatus.DROP_OFF if way == ReturnWay.LOCKER else ReturnStatus.PICKUP
        return ReturnStatus.HANDED_IN if handed_in else waiting
    return ReturnStatus.RECEIVED if order is OrderStatus.DELIVERED else ReturnStatus.ON_THE_WAY
