"""The state machine of a stop: one table of actions and statuses."""

from enum import StrEnum

from haulier.kernel.operations.errors import OperationError, declare_error
from haulier.kernel.values.geography import great_circle_m
from haulier.kernel.values.inverses import Final, Inverse, RevertedBy
from haulier.kernel.values.state_machine import StateMachine

STOP_CANNOT = declare_error("stop_cannot", 409)
PIECES_MISSING = declare_error("pieces_missing", 409)
PROOF_INCOMPLETE = declare_error("proof_incomplete", 422)


class StopKind(StrEnum):
    """Purpose of a stop."""

    PICKUP = "pickup"
    DELIVERY = "delivery"


class StopStatus(StrEnum):
    """Status of a stop.

    `brought_back`: undelivered goods are at the depot again. `handed_in`: collected goods are at the depot.
    `cancelled`: no visit is needed, because the order was cancelled or the route aborted.
    """

    PLANNED = "planned"
    ARRIVED = "arrived"
    COMPLETED = "completed"
    FAILED = "failed"
    BROUGHT_BACK = "brought_back"
    HANDED_IN = "handed_in"
    CANCELLED = "cancelled"


class StopAction(StrEnum):
    """An action on a stop of a route under way."""

    ARRIVE = "arrive"
    PICK_UP = "pick_up"
    DELIVER = "deliver"
    FAIL = "fail"
    BRING_BACK = "bring_back"
    HAND_IN = "hand_in"
    CANCEL = "cancel"
    HAND_OVER = "hand_over"
    REOPEN = "reopen"


class FailedStopOutcome(StrEnum):
    """Next step of an order after a failed stop: another attempt, or a return."""

    RETRY = "retry"
    RETURN = "return"


class StopCancelReason(StrEnum):
    """Reason for the cancellation of a stop."""

    ORDER_CANCELLED = "order_cancelled"
    ROUTE_ABORTED = "route_aborted"


class StopDispute(StrEnum):
    """Contradiction between a device's report of a stop and a decision of staff.

    Staff must resolve it.
    """

    DELIVERED_BEFORE_CANCEL = "delivered_before_cancel"
    """The delivery was true and counts; the cancellation, which came later, was void."""
    DELIVERED_AFTER_CANCEL = "delivered_after_cancel"
    """The delivery was refused; its proof is kept at the stop."""
    DELIVERED_AFTER_HAND_OVER = "delivered_after_hand_over"
    """The same, by a driver from whom the stop had been taken over."""


REFUSED_REASON = "refused"
"""The reason code for a recipient who does not want the parcel."""


def is_refused(reason: str | None, outcome: str | None) -> bool:
    """Return True if the recipient refused for good.

    The order is rejected, and its parcel returns to the sender.
    """
    return reason == REFUSED_REASON and outcome == FailedStopOutcome.RETURN


STOP_TRANSITIONS: dict[StopAction, dict[StopStatus, StopStatus]] = {
    StopAction.ARRIVE: {StopStatus.PLANNED: StopStatus.ARRIVED},
    StopAction.PICK_UP: {StopStatus.PLANNED: StopStatus.COMPLETED, StopStatus.ARRIVED: StopStatus.COMPLETED},
    StopAction.DELIVER: {StopStatus.PLANNED: StopStatus.COMPLETED, StopStatus.ARRIVED: StopStatus.COMPLETED},
    StopAction.FAIL: {StopStatus.PLANNED: StopStatus.FAILED, StopStatus.ARRIVED: StopStatus.FAILED},
    StopAction.BRING_BACK: {StopStatus.FAILED: StopStatus.BROUGHT_BACK},
    StopAction.HAND_IN: {StopStatus.COMPLETED: StopStatus.HANDED_IN},
    StopAction.CANCEL: {StopStatus.PLANNED: StopStatus.CANCELLED, StopStatus.ARRIVED: StopStatus.CANCELLED},
    StopAction.HAND_OVER: {
        StopStatus.PLANNED: StopStatus.PLANNED,
        StopStatus.ARRIVED: StopStatus.PLANNED,
        StopStatus.CANCELLED: StopStatus.PLANNED,
        StopStatus.FAILED: StopStatus.FAILED,
    },
    StopAction.REOPEN: {StopStatus.COMPLETED: StopStatus.PLANNED, StopStatus.FAILED: StopStatus.PLANNED},
}
"""An arrival may be missing: a driver out of reach still ends the stop.

A stop is handed over with what is aboard for it: what could not be delivered, or was left over when its route was given up.
"""


def stop_error(action: StopAction, status: StopStatus) -> OperationError:
    """The error for an action that is not possible at a stop in this status."""
    return STOP_CANNOT(act=action.value, status=status.value)


STOP_LIFE = StateMachine(STOP_TRANSITIONS, created={StopStatus.PLANNED: ""}, error=stop_error)

OPEN = frozenset({StopStatus.PLANNED, StopStatus.ARRIVED})
"""Stops that are still to be visited or left."""

STOP_INVERSES: dict[StopAction, Inverse] = {
    StopAction.DELIVER: RevertedBy("undo_delivery", StopAction.REOPEN),
    StopAction.FAIL: RevertedBy("reopen_stop", StopAction.REOPEN),
    StopAction.PICK_UP: Final(
        "The goods are aboard. They are handed in at the depot, delivered, or returned to their sender."
    ),
    StopAction.BRING_BACK: Final("The goods are at the depot. Their order is planned on another route."),
    StopAction.HAND_IN: Final("The goods are at the depot. Their order is over."),
    StopAction.CANCEL: Final(
        "The order was cancelled or the route given up. Handing over such a route opens its stops."
    ),
}
"""The inverse of each action that ends a stop."""

UNSUCCESSFUL = frozenset({StopStatus.FAILED, StopStatus.BROUGHT_BACK})
"""Stops at which nothing changed hands."""

SUCCESSFUL = frozenset({StopStatus.COMPLETED, StopStatus.HANDED_IN})
"""Stops at which something changed hands."""

COMPLETING_ACTION = {StopKind.PICKUP: StopAction.PICK_UP, StopKind.DELIVERY: StopAction.DELIVER}
"""The act that completes each kind of stop."""


def next_stop_status(action: StopAction, status: StopStatus) -> StopStatus | None:
    """The status that an action leads to, or None where it is not possible."""
    return STOP_LIFE.next_status(action, status)


def possible_stop_actions(kind: StopKind, status: StopStatus) -> tuple[StopAction, ...]:
    """Return the actions of a driver under way at a stop.

    Goods for the depot are handled for the whole vehicle, not by stop.
    """
    if status is StopStatus.FAILED:
        return (StopAction.REOPEN,)
    possible = (StopAction.ARRIVE, COMPLETING_ACTION[kind], StopAction.FAIL)
    return tuple(action for action in possible if next_stop_status(action, status) is not None)


def stop_kinds_of_order(order_type: str, *, collected: bool) -> tuple[StopKind, ...]:
    """The stops that an order needs, in order of visit.

    D is delivered from the depot, P is picked up and brought there, P2P goes from one person to another; what was collected
    on an earlier route only waits to be delivered.
    """
    if order_type == "P":
        return (StopKind.PICKUP,)
    return (StopKind.DELIVERY,) if order_type == "D" or collected else (StopKind.PICKUP, StopKind.DELIVERY)


CONFIRMED_WITHIN_M = 250.0
"""A driver who hands over this near to where the order was sent confirms that place."""


def confirmed_place(
    ordered: tuple[float | None, float | None], ended: tuple[float | None, float | None]
) -> tuple[float, float] | None:
    """Where a delivery shows an address to be; None where it shows nothing.

    An order's own coordinates are confirmed by a hand-over near them. An order without any was delivered where the driver
    was. A hand-over elsewhere says nothing: the driver may have met the recipient on the way, or pressed the button late.
    """
    at_order = _point(ordered)
    at_end = _point(ended)
    if at_order is None or at_end is None:
        return at_end
    return at_order if great_circle_m(at_order, at_end) <= CONFIRMED_WITHIN_M else None


def _point(pair: tuple[float | None, float | None]) -> tuple[float, float] | None:
    lat, lng = pair
    return None if lat is None or lng is None else (lat, lng)
