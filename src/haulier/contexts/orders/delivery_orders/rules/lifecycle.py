"""The life cycle of an order: one table of steps, from which statuses they start, where they lead, and what tracking says."""

from collections.abc import Collection
from enum import IntEnum, StrEnum

from msgspec import Struct

from haulier.kernel.operations.errors import OperationError, declare_error
from haulier.kernel.values.inverses import Final, Inverse, RevertedBy
from haulier.kernel.values.state_machine import StateMachine

ORDER_STEP_REFUSED = declare_error("order_step_refused", 409)
ORDER_IS_OVER = declare_error("order_is_over", 409)


class OrderStatus(IntEnum):
    """The status of an order. The numbers are the interface's `order_status_id` and never change."""

    NEW_ORDER = 1
    HOLD = 2
    PLANNED = 3
    PICKED_UP = 4
    OUT_FOR_DELIVERY = 5
    DELIVERED = 6
    FAILED = 7
    RETURNED = 8
    REJECTED = 9
    CANCELLED = 10


class OrderStep(StrEnum):
    """A step of the life cycle."""

    HOLD = "hold"
    RELEASE = "release"
    PLAN = "plan"
    UNPLAN = "unplan"
    PICK_UP = "pick_up"
    START = "start"
    DELIVER = "deliver"
    FAIL = "fail"
    RETURN = "return"
    REJECT = "reject"
    CANCEL = "cancel"
    REMOVE = "remove"
    HAND_OVER = "hand_over"
    ABORT = "abort"
    CONFIRM_DELIVERY = "confirm_delivery"
    UNDO_DELIVERY = "undo_delivery"
    WITHDRAW_DELIVERY = "withdraw_delivery"
    REOPEN = "reopen"


UNDOING_STEPS = frozenset({OrderStep.UNDO_DELIVERY, OrderStep.WITHDRAW_DELIVERY})
"""The steps of an undone delivery: while its route is under way, and after it. Neither is an attempt."""

FOLLOW_CARRIER = "follow_carrier"
"""How a change is named that a carrier's report made: it leads wherever the timelines say, from any status.

It is no step of the table, since nobody takes it.
"""

S = OrderStatus
TERMINAL_STATUSES = frozenset({S.DELIVERED, S.RETURNED, S.REJECTED, S.CANCELLED})
"""Nothing more happens to these orders; only what was reported wrongly can be corrected."""
OPEN_STATUS_NAMES = frozenset(status.name for status in OrderStatus if status not in TERMINAL_STATUSES)
"""As orders say it, while something may still become of them."""
DISPATCHABLE_STATUSES = frozenset({S.NEW_ORDER, S.FAILED})
"""Statuses in which an order may be planned or given to a contractor: new, and after a failed attempt."""
ON_THE_WAY_STATUSES = frozenset({S.PICKED_UP, S.OUT_FOR_DELIVERY})
NOT_PICKED_UP_STATUSES = frozenset({S.NEW_ORDER, S.HOLD, S.PLANNED})


class OrderTransition(Struct, frozen=True):
    """One row of the table. `code` is the tracking status it writes; `pickup_code` the one where goods are collected.

    A step that corrects what was reported voids the events with the code `voids`; without a `code` it writes none itself.
    """

    start: frozenset[OrderStatus]
    end: OrderStatus
    code: str | None
    pickup_code: str | None = None
    voids: str | None = None


ORDER_TRANSITIONS: dict[OrderStep, OrderTransition] = {
    OrderStep.HOLD: OrderTransition(DISPATCHABLE_STATUSES | {S.PLANNED}, S.HOLD, "on_hold"),
    OrderStep.RELEASE: OrderTransition(frozenset({S.HOLD}), S.NEW_ORDER, "booking_confirmed"),
    OrderStep.PLAN: OrderTransition(DISPATCHABLE_STATUSES, S.PLANNED, "awaiting_pickup"),
    OrderStep.UNPLAN: OrderTransition(frozenset({S.PLANNED}), S.NEW_ORDER, "removed_from_route"),
    OrderStep.PICK_UP: OrderTransition(frozenset({S.PLANNED, S.OUT_FOR_DELIVERY}), S.PICKED_UP, "picked_up"),
    OrderStep.START: OrderTransition(
        frozenset({S.PLANNED, S.PICKED_UP}), S.OUT_FOR_DELIVERY, "out_for_delivery", "out_for_pickup"
    ),
    OrderStep.DELIVER: OrderTransition(ON_THE_WAY_STATUSES, S.DELIVERED, "delivered"),
    OrderStep.FAIL: OrderTransition(ON_THE_WAY_STATUSES, S.FAILED, "delivery_failed", "pickup_failed"),
    OrderStep.RETURN: OrderTransition(ON_THE_WAY_STATUSES | {S.FAILED, S.HOLD}, S.RETURNED, "returned"),
    OrderStep.REJECT: OrderTransition(ON_THE_WAY_STATUSES, S.REJECTED, "rejected"),
    OrderStep.CANCEL: OrderTransition(frozenset(OrderStatus) - TERMINAL_STATUSES, S.CANCELLED, "cancelled"),
    OrderStep.REMOVE: OrderTransition(frozenset({S.OUT_FOR_DELIVERY}), S.NEW_ORDER, "removed_from_route"),
    OrderStep.HAND_OVER: OrderTransition(
        frozenset({S.OUT_FOR_DELIVERY}), S.OUT_FOR_DELIVERY, "out_for_delivery", "out_for_pickup"
    ),
    OrderStep.ABORT: OrderTransition(frozenset({S.OUT_FOR_DELIVERY}), S.OUT_FOR_DELIVERY, "delayed"),
    OrderStep.CONFIRM_DELIVERY: OrderTransition(frozenset({S.CANCELLED}), S.DELIVERED, "delivered", voids="cancelled"),
    OrderStep.UNDO_DELIVERY: OrderTransition(frozenset({S.DELIVERED}), S.OUT_FOR_DELIVERY, None, voids="delivered"),
    OrderStep.WITHDRAW_DELIVERY: OrderTransition(frozenset({S.DELIVERED}), S.FAILED, "delayed", voids="delivered"),
    OrderStep.REOPEN: OrderTransition(
        frozenset({S.FAILED, S.NEW_ORDER, S.REJECTED}),
        S.OUT_FOR_DELIVERY,
        "out_for_delivery",
        "out_for_pickup",
        voids="rejected",
    ),
}
"""Beside the ordinary way of an order: removed from a route under way before it was loaded, or back at the depot; handed over
to another vehicle; delayed because its route was given up; and two corrections, of a cancellation that came after the
delivery, and of a delivery that never was. A failed stop is reopened while its route is under way; an order that was put on
hold since is released first, and is new then."""


def order_step_error(step: OrderStep, status: OrderStatus) -> OperationError:
    """Why a step cannot be taken."""
    return ORDER_STEP_REFUSED(step=step.value, status=status.name)


ORDER_LIFE = StateMachine(
    {step: dict.fromkeys(move.start, move.end) for step, move in ORDER_TRANSITIONS.items()},
    created={S.NEW_ORDER: "create"},
    error=order_step_error,
    label=lambda status: status.name,
)
mermaid = ORDER_LIFE.mermaid
CLOSED_STATUSES = TERMINAL_STATUSES | {S.FAILED}
ORDER_INVERSES: dict[OrderStep, Inverse] = {
    OrderStep.DELIVER: RevertedBy("undo_delivery", OrderStep.UNDO_DELIVERY),
    OrderStep.FAIL: RevertedBy("reopen_stop", OrderStep.REOPEN),
    OrderStep.REJECT: RevertedBy("reopen_stop", OrderStep.REOPEN),
    OrderStep.WITHDRAW_DELIVERY: Final("It reverts a delivery itself. The order is planned again."),
    OrderStep.CONFIRM_DELIVERY: Final(
        "It corrects a cancellation made after the delivery. Staff settle the disputed stop."
    ),
    OrderStep.RETURN: Final("The goods are back with their sender. A new order sends them again."),
    OrderStep.CANCEL: Final(
        "Recipients, contractors and partners act on it at once. A new order replaces the cancelled one."
    ),
}
"""The inverse of each step that closes an order. A failed order can still be planned."""


def next_order_status(step: OrderStep, status: OrderStatus) -> OrderStatus:
    """The status after a step. Raises `ORDER_STEP_REFUSED` when the step cannot start there."""
    return ORDER_LIFE.next_status_or_raise(step, status)


def tracking_status_code(
    step: OrderStep, order_type: str, status: OrderStatus, *, collected: bool = True
) -> str | None:
    """The tracking status that a step writes, for an order of a type, coming from a status; None for a mere correction.

    `collected`: whether the goods of an order from door to door were picked up.
    """
    move, at_pickup = ORDER_TRANSITIONS[step], _is_pickup(order_type, collected=collected)
    if step is OrderStep.PLAN and status is S.FAILED:
        return rescheduled_status_code(order_type, collected=collected)
    return move.pickup_code if at_pickup and move.pickup_code else move.code


def rescheduled_status_code(order_type: str, *, collected: bool) -> str:
    """The tracking status of an order that goes out again."""
    return "pickup_rescheduled" if _is_pickup(order_type, collected=collected) else "delivery_rescheduled"


def _is_pickup(order_type: str, *, collected: bool) -> bool:
    """Whether the next visit to an order is where its goods are: always for P, from door to door until they are collected."""
    return order_type == "P" or (order_type == "P2P" and not collected)


def possible_order_steps(status: OrderStatus) -> tuple[OrderStep, ...]:
    """The steps that can start from a status."""
    return ORDER_LIFE.actions(status)


def was_picked_up(order_type: str, steps: Collection[str]) -> bool:
    """Whether the goods ever left where they were, by the steps the order took; a failed attempt does not undo it.

    Goods of D leave the depot when the driver starts; those of P and P2P only when the driver has been at the shipper's.
    """
    leaving = {OrderStep.PICK_UP, OrderStep.START} if order_type == "D" else {OrderStep.PICK_UP}
    return not leaving.isdisjoint(steps)
