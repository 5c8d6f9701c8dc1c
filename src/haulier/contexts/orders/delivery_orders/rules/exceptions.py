"""Kinds of order exceptions. The conditions of each kind are in the store."""

from collections.abc import Mapping
from enum import StrEnum

from haulier.contexts.orders.delivery_orders.rules.lifecycle import OrderStatus
from haulier.contexts.orders.delivery_orders.rules.pieces import PieceOutcome

S = OrderStatus
LOADED_STATUSES = frozenset({S.PLANNED, S.PICKED_UP, S.OUT_FOR_DELIVERY})
"""On a route or on the way: somebody is to be there in time."""
UNLOADED_STATUSES = frozenset({S.NEW_ORDER, S.HOLD, S.PLANNED, S.FAILED})
"""Not on the way: it is still to be planned, or may have to be planned again."""
ORDER_PROBLEM_STATUSES = LOADED_STATUSES | UNLOADED_STATUSES


class OrderProblemKind(StrEnum):
    """Why an order needs attention. Of orders that are over, only pieces that were not delivered do."""

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
    PIECE_MISSING = "piece_missing"
    """Delivered without a piece that was missing; open until it is resolved."""
    PIECE_DAMAGED = "piece_damaged"
    """Delivered without a damaged piece; open until it is resolved."""


class PieceProblemKind(StrEnum):
    """The kinds of problems that are about one piece and have an owner and a resolution."""

    PIECE_MISSING = OrderProblemKind.PIECE_MISSING.value
    PIECE_DAMAGED = OrderProblemKind.PIECE_DAMAGED.value


class PieceResolution(StrEnum):
    """How the exception of a piece ended."""

    FOUND = "found"
    REPLACED = "replaced"
    REFUNDED = "refunded"
    OTHER = "other"


DELIVERY_UNDONE = "delivery_undone"
"""The resolution of exceptions that close because their delivery was undone."""
PROBLEM_OF_OUTCOME: Mapping[PieceOutcome, PieceProblemKind] = {
    PieceOutcome.MISSING: PieceProblemKind.PIECE_MISSING,
    PieceOutcome.DAMAGED: PieceProblemKind.PIECE_DAMAGED,
}
PIECE_PROBLEMS = frozenset(OrderProblemKind(kind.value) for kind in PieceProblemKind)


DATED_BY_WINDOW = frozenset({OrderProblemKind.LATE, OrderProblemKind.UNPLANNED})
DATED_BY_STEP = frozenset({OrderProblemKind.FAILED, OrderProblemKind.HELD})
