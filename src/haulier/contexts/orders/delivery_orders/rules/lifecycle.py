"""The life cycle of an order: one table of steps, from which statuses they start, where they lead, and what tracking says."""

from collections.abc import Collection, Iterator
from enum import IntEnum, StrEnum

from msgspec import Struct

from haulier.kernel.errors import Refusal, problem

ORDER_STEP_REFUSED = problem("order_step_refused", 409)


class OrderStatus(IntEnum):
    """Where an order is. The numbers are the interface's `order_status_id` and never change."""

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


class Step(StrEnum):
    """What can be done with an order."""

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


S = OrderStatus
TERMINAL = frozenset({S.DELIVERED, S.RETURNED, S.REJECTED, S.CANCELLED})
DISPATCHABLE = frozenset({S.NEW_ORDER, S.FAILED})
"""What may be planned, held or given to a contractor: a new order, and one whose attempt failed."""
ON_THE_WAY = frozenset({S.PICKED_UP, S.OUT_FOR_DELIVERY})
NOT_PICKED_UP = frozenset({S.NEW_ORDER, S.HOLD, S.PLANNED})


class Move(Struct, frozen=True):
    """One row of the table. `code` is the tracking status it writes; `pickup_code` the one for a pickup order (P)."""

    start: frozenset[OrderStatus]
    end: OrderStatus
    code: str
    pickup_code: str | None = None


TABLE: dict[Step, Move] = {
    Step.HOLD: Move(DISPATCHABLE, S.HOLD, "on_hold"),
    Step.RELEASE: Move(frozenset({S.HOLD}), S.NEW_ORDER, "booking_confirmed"),
    Step.PLAN: Move(DISPATCHABLE, S.PLANNED, "awaiting_pickup"),
    Step.UNPLAN: Move(frozenset({S.PLANNED}), S.NEW_ORDER, "removed_from_route"),
    Step.PICK_UP: Move(frozenset({S.PLANNED, S.OUT_FOR_DELIVERY}), S.PICKED_UP, "picked_up"),
    Step.START: Move(frozenset({S.PLANNED, S.PICKED_UP}), S.OUT_FOR_DELIVERY, "out_for_delivery", "out_for_pickup"),
    Step.DELIVER: Move(ON_THE_WAY, S.DELIVERED, "delivered"),
    Step.FAIL: Move(ON_THE_WAY, S.FAILED, "delivery_failed", "pickup_failed"),
    Step.RETURN: Move(ON_THE_WAY | {S.FAILED}, S.RETURNED, "returned"),
    Step.REJECT: Move(ON_THE_WAY, S.REJECTED, "rejected"),
    Step.CANCEL: Move(frozenset(OrderStatus) - TERMINAL, S.CANCELLED, "cancelled"),
}

CODE_AFTER_A_FAILED_ATTEMPT = "delivery_rescheduled"


def after(step: Step, status: OrderStatus) -> OrderStatus:
    """The status after a step. Raises `ORDER_STEP_REFUSED` when the step cannot start there."""
    move = TABLE[step]
    if status not in move.start:
        raise refusal(step, status)
    return move.end


def refusal(step: Step, status: OrderStatus) -> Refusal:
    """Why a step cannot be taken."""
    return ORDER_STEP_REFUSED(step=step.value, status=status.name)


def status_code(step: Step, order_type: str, status: OrderStatus) -> str:
    """The tracking status that a step writes, for an order of a type, coming from a status."""
    move = TABLE[step]
    if step is Step.PLAN and status is S.FAILED:
        return CODE_AFTER_A_FAILED_ATTEMPT
    return move.pickup_code if order_type == "P" and move.pickup_code else move.code


def allowed(status: OrderStatus) -> tuple[Step, ...]:
    """The steps that can start from a status."""
    return tuple(step for step, move in TABLE.items() if status in move.start)


def was_picked_up(order_type: str, steps: Collection[str]) -> bool:
    """Whether the goods ever left where they were, by the steps the order took; a failed attempt does not undo it.

    Goods of D leave the depot when the driver starts; those of P and P2P only when the driver has been at the shipper's.
    """
    leaving = {Step.PICK_UP, Step.START} if order_type == "D" else {Step.PICK_UP}
    return not leaving.isdisjoint(steps)


def _arrows() -> Iterator[str]:
    for step, move in TABLE.items():
        for start in sorted(move.start):
            yield f"    {start.name} --> {move.end.name}: {step.value}"


def mermaid() -> str:
    """The table as a state diagram, for the documentation."""
    ends = [f"    {status.name} --> [*]" for status in sorted(TERMINAL)]
    return "\n".join(["stateDiagram-v2", "    [*] --> NEW_ORDER: create", *_arrows(), *ends]) + "\n"
