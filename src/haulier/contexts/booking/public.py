"""What other contexts may use of booking: the windows for an order without a customer's account, and taking one."""

from haulier.contexts.booking.reservations.actions.order_reservations import book_order_window
from haulier.contexts.booking.reservations.queries import FreeWindow, list_free_windows
from haulier.contexts.booking.reservations.rules import (
    BOOKABLE_ORDER_STATUSES,
    ORDER_NOT_BOOKABLE,
    WINDOW_CLOSED,
    WINDOW_CUT_OFF,
    WINDOW_ELSEWHERE,
    WINDOW_FULL,
)

__all__ = [
    "BOOKABLE_ORDER_STATUSES",
    "ORDER_NOT_BOOKABLE",
    "WINDOW_CLOSED",
    "WINDOW_CUT_OFF",
    "WINDOW_ELSEWHERE",
    "WINDOW_FULL",
    "FreeWindow",
    "book_order_window",
    "list_free_windows",
]
