"""Rules of customer pickups: state, due date and errors."""

from datetime import date, datetime, timedelta
from enum import StrEnum

from haulier.contexts.orders.delivery_orders.rules.lifecycle import PICKUP_FULFILMENT, TERMINAL_STATUSES, OrderStatus
from haulier.kernel.operations.errors import OperationError, declare_error

ORDER_NOT_FOR_PICKUP = declare_error("order_not_for_pickup", 409)
PICKUP_NOT_READY = declare_error("pickup_not_ready", 409)
PICKUP_CODE_WRONG = declare_error("pickup_code_wrong", 422, fields=("pickup_code",))
PICKUP_CODE_BLOCKED = declare_error("pickup_code_blocked", 409)
HOLD_DAYS = 7
"""Number of days for which an order is held for pickup by default."""


class PickupState(StrEnum):
    """State of a customer pickup."""

    PREPARING = "preparing"
    READY = "ready"
    OVERDUE = "overdue"
    """It is ready, and its last day is over."""
    HANDED_OVER = "handed_over"
    CANCELLED = "cancelled"


OPEN_STATES = (PickupState.PREPARING, PickupState.READY, PickupState.OVERDUE)


def pickup_state(status: OrderStatus, ready_at: datetime | None, until: date | None, today: date) -> PickupState:
    """Return the state of a pickup."""
    if status in TERMINAL_STATUSES:
        return PickupState.HANDED_OVER if status is OrderStatus.DELIVERED else PickupState.CANCELLED
    if ready_at is None:
        return PickupState.PREPARING
    return PickupState.OVERDUE if until is not None and until < today else PickupState.READY


def last_day(wanted: date | None, today: date) -> date:
    """Return the last day on which an order is held for pickup."""
    return wanted or today + timedelta(days=HOLD_DAYS)


def check_for_pickup(order_id: int, fulfilment: str) -> OperationError | None:
    """Return the error of an order that the customer does not collect, or None."""
    return None if fulfilment == PICKUP_FULFILMENT else ORDER_NOT_FOR_PICKUP(order_id=order_id)
