"""Deadlines, methods and statuses of recipients' returns."""

from datetime import datetime, timedelta
from enum import StrEnum

from haulier.contexts.orders.delivery_orders.rules.lifecycle import OrderStatus
from haulier.kernel.operations.errors import declare_error

RETURN_NOT_OFFERED = declare_error("return_not_offered", 409)
RETURN_BEGUN = declare_error("return_begun", 409)
RETURN_UNDER_WAY = declare_error("return_under_way", 409)
RETURN_REFUSED = declare_error("return_refused", 409)

TRIES_MAX = 5
"""Maximum number of started returns per parcel."""
RETURNABLE_TYPES = frozenset({"D", "P2P"})


class ReturnWay(StrEnum):
    """Return method."""

    LOCKER = "locker"
    """Drop-off by the recipient at a locker."""
    PICKUP = "pickup"
    """Pickup by a driver at the delivery address."""


class ReturnStatus(StrEnum):
    """Status of a return."""

    DROP_OFF = "drop_off"
    """A compartment is reserved for it."""
    PICKUP = "pickup"
    """A driver will pick it up."""
    HANDED_IN = "handed_in"
    """It is in a locker and awaits a courier."""
    ON_THE_WAY = "on_the_way"
    RECEIVED = "received"
    CANCELLED = "cancelled"
    LAPSED = "lapsed"
    """It was not dropped off in time, or no compartment opened. It can be started again."""


class ReturnOutcome(StrEnum):
    """Outcome of a return that is not coming back. A new one can be started."""

    CANCELLED = "cancelled"
    LAPSED = "lapsed"


_BEFORE = frozenset({OrderStatus.NEW_ORDER, OrderStatus.HOLD, OrderStatus.PLANNED, OrderStatus.FAILED})


def returnable_until(delivered_at: datetime, days: int) -> datetime:
    """Return the deadline for starting a return, in days after the delivery."""
    return delivered_at + timedelta(days=days)


def return_status(way: str, outcome: str | None, order: OrderStatus, *, handed_in: bool) -> ReturnStatus:
    """Return the status of a return, from its own data and its order."""
    if outcome is not None:
        return ReturnStatus(outcome)
    if order is OrderStatus.CANCELLED:
        return ReturnStatus.CANCELLED
    if order in _BEFORE:
        waiting = ReturnStatus.DROP_OFF if way == ReturnWay.LOCKER else ReturnStatus.PICKUP
        return ReturnStatus.HANDED_IN if handed_in else waiting
    return ReturnStatus.RECEIVED if order is OrderStatus.DELIVERED else ReturnStatus.ON_THE_WAY
