"""What about an order needs somebody: kinds of exceptions. Which orders have them is in the store, as conditions."""

from enum import StrEnum

from haulier.contexts.orders.delivery_orders.rules.lifecycle import OrderStatus

S = OrderStatus
LOADED_STATUSES = frozenset({S.PLANNED, S.PICKED_UP, S.OUT_FOR_DELIVERY})
"""On a route or on the way: somebody is to be there in time."""
UNLOADED_STATUSES = frozenset({S.NEW_ORDER, S.HOLD, S.PLANNED, S.FAILED})
"""Not on the way: it is still to be planned, or may have to be planned again."""
ORDER_PROBLEM_STATUSES = LOADED_STATUSES | UNLOADED_STATUSES


class OrderProblemKind(StrEnum):
    """Why an order needs somebody. Orders that are over have no problem."""

    LATE = "late"
    """On a route or on the way although its window is over; without one, its day."""
    UNPLANNED = "unplanned"
    """On no route although its window is over; without one, its day."""
    FAILED = "failed"
    """Its last attempt failed, and nothing was decided since."""
    HELD = "held"
    """On hold: nobody plans it."""
    NO_COORDINATES = "no_coordinates"
    """Its stop has no coordinates: no route can be built with it."""
    CONTRACTOR_DISABLED = "contractor_disabled"
    """Held by a contractor whose account is disabled: nobody else may plan it."""


DATED_BY_WINDOW = frozenset({OrderProblemKind.LATE, OrderProblemKind.UNPLANNED})
DATED_BY_STEP = frozenset({OrderProblemKind.FAILED, OrderProblemKind.HELD})
