"""Rules of delivery orders: lifecycle."""

from collections.abc import Collection, Mapping, Sequence
from datetime import date, datetime, timedelta
from enum import IntEnum, StrEnum
from functools import lru_cache
from zoneinfo import ZoneInfo

from msgspec import Struct

from haulier.contexts.orders.delivery_orders.rules.packages import PieceOutcome
from haulier.kernel.operations.enums import OFFICE, Account
from haulier.kernel.operations.errors import OperationError, declare_error
from haulier.kernel.values.inverses import Final, Inverse, RevertedBy
from haulier.kernel.values.state_machine import StateMachine

ORDER_STEP_REFUSED = declare_error("order_step_refused", 409)
ORDER_IS_OVER = declare_error("order_is_over", 409)


class OrderStatus(IntEnum):
    """Status of an order.

    The numbers are `order_status_id` in the API and never change.
    """

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
    READY_FOR_PICKUP = "ready_for_pickup"
    COLLECT = "collect"


UNDOING_STEPS = frozenset({OrderStep.UNDO_DELIVERY, OrderStep.WITHDRAW_DELIVERY})
"""The steps of an undone delivery: while its route is under way, and after it. Neither is an attempt."""

FOLLOW_CARRIER = "follow_carrier"
"""Name of a change that a carrier's report made. It follows the timelines from any status. It is not in the table of
steps, because no user takes it."""

S = OrderStatus
TERMINAL_STATUSES = frozenset({S.DELIVERED, S.RETURNED, S.REJECTED, S.CANCELLED})
"""Nothing more happens to these orders; only what was reported wrongly can be corrected."""
OPEN_STATUS_NAMES = frozenset(status.name for status in OrderStatus if status not in TERMINAL_STATUSES)
"""As orders say it, while something may still become of them."""
DISPATCHABLE_STATUSES = frozenset({S.NEW_ORDER, S.FAILED})
"""Statuses in which an order may be planned or given to a contractor: new, and after a failed attempt."""
MOVED_STATUSES = TERMINAL_STATUSES | {S.PICKED_UP}
"""In these statuses, misdelivered goods were collected or are no longer needed."""
ON_THE_WAY_STATUSES = frozenset({S.PICKED_UP, S.OUT_FOR_DELIVERY})
NOT_PICKED_UP_STATUSES = frozenset({S.NEW_ORDER, S.HOLD, S.PLANNED})


class OrderTransition(Struct, frozen=True):
    """One row of the table of steps.

    `code` is the tracking status that the step writes; `pickup_code` the one for a pickup. A correction voids the
    events with the code `voids`. Without a `code` it writes no event.
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
    OrderStep.READY_FOR_PICKUP: OrderTransition(DISPATCHABLE_STATUSES, S.NEW_ORDER, "ready_for_collection"),
    OrderStep.COLLECT: OrderTransition(frozenset({S.NEW_ORDER}), S.DELIVERED, "delivered"),
}
"""Beside the ordinary way of an order: removed from a route under way before it was loaded, or back at the depot; handed over
to another vehicle; delayed because its route was given up; and two corrections, of a cancellation that came after the
delivery, and of a delivery that never was. A failed stop is reopened while its route is under way; an order that was put on
hold since is released first, and is new then. Orders for pickup are made ready at a depot, where the customer collects them."""


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
    OrderStep.COLLECT: Final("The customer has the goods. A return brings them back."),
    OrderStep.RETURN: Final("The goods are back with their sender. A new order sends them again."),
    OrderStep.CANCEL: Final(
        "Recipients, contractors and partners act on it at once. A new order replaces the cancelled one."
    ),
}
"""The inverse of each step that closes an order. A failed order can still be planned."""


def next_order_status(step: OrderStep, status: OrderStatus) -> OrderStatus:
    """Return the status after a step.

    Raises `ORDER_STEP_REFUSED` if the step cannot start there.
    """
    return ORDER_LIFE.next_status_or_raise(step, status)


def tracking_status_code(
    step: OrderStep, order_type: str, status: OrderStatus, *, collected: bool = True
) -> str | None:
    """Return the tracking status that a step writes, or None for a mere correction.

    `collected` is true if the goods of a point-to-point order were picked up.
    """
    move, at_pickup = ORDER_TRANSITIONS[step], _is_pickup(order_type, collected=collected)
    if step is OrderStep.PLAN and status is S.FAILED:
        return rescheduled_status_code(order_type, collected=collected)
    return move.pickup_code if at_pickup and move.pickup_code else move.code


def rescheduled_status_code(order_type: str, *, collected: bool) -> str:
    """The tracking status of an order that goes out again."""
    return "pickup_rescheduled" if _is_pickup(order_type, collected=collected) else "delivery_rescheduled"


def _is_pickup(order_type: str, *, collected: bool) -> bool:
    """Return True if the next visit is a pickup.

    Always for P, and for P2P until the goods are collected.
    """
    return order_type == "P" or (order_type == "P2P" and not collected)


def possible_order_steps(status: OrderStatus) -> tuple[OrderStep, ...]:
    """The steps that can start from a status."""
    return ORDER_LIFE.actions(status)


def was_picked_up(order_type: str, steps: Collection[str]) -> bool:
    """Return True if the goods ever left their origin, by the order's steps.

    A failed attempt does not undo it. Goods of D leave the depot when the driver starts. Goods of P and P2P leave when
    the driver has been at the shipper's.
    """
    leaving = {OrderStep.PICK_UP, OrderStep.START} if order_type == "D" else {OrderStep.PICK_UP}
    return not leaving.isdisjoint(steps)


STATUS_BY_END: Mapping[str, OrderStatus] = {
    "delivered": OrderStatus.DELIVERED,
    "returned": OrderStatus.RETURNED,
    "rejected": OrderStatus.REJECTED,
    "cancelled": OrderStatus.CANCELLED,
}
"""The status of an order by how its parcels ended. Of several ends the first of these counts."""


def followed_status(
    status: OrderStatus, ends: Sequence[str | None], steps: Sequence[tuple[str, int]]
) -> OrderStatus | None:
    """Return the status that follows from an order's timelines, or None if unchanged.

    `ends` has the terminal code of each parcel's journey, None for an open one. `steps` are the order's steps with the
    statuses they led to, oldest first. An order is finished when the journeys of all its parcels are. The timelines
    take precedence over another end in the meantime. The order is open again if a carrier withdraws the end that it
    reported.
    """
    if ends and None not in ends:
        reached = [reached for end, reached in STATUS_BY_END.items() if end in ends]
        return None if status in reached else reached[0]
    is_carriers_end = status in TERMINAL_STATUSES and bool(steps) and steps[-1][0] == FOLLOW_CARRIER
    return _reopened_status(steps) if is_carriers_end else None


def _reopened_status(steps: Sequence[tuple[str, int]]) -> OrderStatus:
    """Return the last status before the end.

    A planned order has left its route and is new.
    """
    open_statuses = (OrderStatus(status) for _, status in reversed(steps) if status not in TERMINAL_STATUSES)
    before = next(open_statuses, OrderStatus.NEW_ORDER)
    return OrderStatus.NEW_ORDER if before is OrderStatus.PLANNED else before


CORRECTABLE_STATUSES = NOT_PICKED_UP_STATUSES | {OrderStatus.FAILED}
"""An order can be corrected before it leaves, also before it leaves again."""


def may_undo_delivery(fulfilment: str, statuses: Sequence[OrderStatus]) -> bool:
    """Return True if the order's last step was the client's own delivery.

    Only that delivery can be undone.
    """
    return fulfilment == "self_delivery" and list(statuses[-2:]) == [
        OrderStatus.OUT_FOR_DELIVERY,
        OrderStatus.DELIVERED,
    ]


EXCEPTION_STATES = OrderStatus
LOADED_STATUSES = frozenset({EXCEPTION_STATES.PLANNED, EXCEPTION_STATES.PICKED_UP, EXCEPTION_STATES.OUT_FOR_DELIVERY})
"""On a route or in transit: a driver is due at the stop."""
UNLOADED_STATUSES = frozenset(
    {EXCEPTION_STATES.NEW_ORDER, EXCEPTION_STATES.HOLD, EXCEPTION_STATES.PLANNED, EXCEPTION_STATES.FAILED}
)
"""Not on the way: it is still to be planned, or may have to be planned again."""
ORDER_PROBLEM_STATUSES = LOADED_STATUSES | UNLOADED_STATUSES


class OrderProblemKind(StrEnum):
    """Reason why an order needs attention.

    For finished orders, only packages that were not delivered count.
    """

    LATE = "late"
    """On a route or on the way although its window is over; without one, its day."""
    UNPLANNED = "unplanned"
    """On no route although its window is over; without one, its day."""
    FAILED = "failed"
    """Its last attempt failed, and nothing was decided since."""
    HELD = "held"
    """On hold, excluded from planning."""
    NO_COORDINATES = "no_coordinates"
    """Its stop has no coordinates: no route can be built with it."""
    CONTRACTOR_DISABLED = "contractor_disabled"
    """Held by a contractor whose account is disabled. No other user can plan it."""
    STOCK_SHORT = "stock_short"
    """Stock is missing for its items; see the stock shortages."""
    PIECE_MISSING = "piece_missing"
    """Delivered without a piece that was missing; open until it is resolved."""
    PIECE_DAMAGED = "piece_damaged"
    """Delivered without a damaged piece; open until it is resolved."""


class PieceProblemKind(StrEnum):
    """Problems of a single package, with an owner and a resolution."""

    PIECE_MISSING = OrderProblemKind.PIECE_MISSING.value
    PIECE_DAMAGED = OrderProblemKind.PIECE_DAMAGED.value


class PieceResolution(StrEnum):
    """Resolution of a package exception."""

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


ENDED_STATUSES = TERMINAL_STATUSES | {OrderStatus.FAILED}
"""An order in these counts on the day when it came to it."""
NO_REASON = "other"


def local_day(moment: datetime, zone: ZoneInfo) -> date:
    """The day of a moment where the business is."""
    return moment.astimezone(zone).date()


def local_hour(moment: datetime, zone: ZoneInfo) -> int:
    """The hour of a moment where the business is, from 0 to 23."""
    return moment.astimezone(zone).hour


def open_day(scheduled_date: date | None, created_at: datetime, zone: ZoneInfo) -> date:
    """Return the day on which an open order counts.

    Its planned day, else its creation day.
    """
    return scheduled_date or local_day(created_at, zone)


def was_on_time(at: datetime, window_end: datetime | None, scheduled_date: date | None, zone: ZoneInfo) -> bool | None:
    """Return True if an order was delivered within its window or on its day.

    None if it had neither.
    """
    if window_end is not None:
        return at <= window_end
    return None if scheduled_date is None else local_day(at, zone) <= scheduled_date


PLANNING_STEPS = frozenset({OrderStep.PLAN, OrderStep.UNPLAN})
DRIVING_STEPS = frozenset(
    {OrderStep.PICK_UP, OrderStep.START, OrderStep.DELIVER, OrderStep.FAIL, OrderStep.RETURN, OrderStep.REJECT}
)
"""REOPEN is offered by the stop alone: whether it can be taken depends on its route. WITHDRAW_DELIVERY is how UNDO_DELIVERY
ends once the route is over."""


class OrderState(Struct, frozen=True, kw_only=True):
    """Facts that decide a caller's rights.

    `collected` is true once the goods were picked up. `on_route` is true while the order is on a route, also after a
    failed stop. `attempts` is the number of failed attempts. `of_partner` is true for an order of another business.
    `for_pickup` is true if the customer collects the order, `is_ready` once they can.
    """

    status: OrderStatus
    type: str = "D"
    self_delivery: bool = True
    third_party_held: bool = False
    contractor_id: int | None = None
    collected: bool = False
    on_route: bool = False
    attempts: int = 0
    of_partner: bool = False
    for_pickup: bool = False
    is_ready: bool = False


NOT_DELIVERED_STATUSES = frozenset({OrderStatus.FAILED, OrderStatus.HOLD})
TRIED_STATUSES = NOT_DELIVERED_STATUSES | {OrderStatus.NEW_ORDER}
PEOPLE_SHOWN_TO_DRIVERS = timedelta(hours=24)
"""Time after the end of an order in which its driver can still read its contacts, to answer questions."""


def may_see_people(status: OrderStatus, changed_at: datetime, account: Account, now: datetime) -> bool:
    """Return True if a caller may read the contacts of an order that they may see."""
    over = status in TERMINAL_STATUSES and now - changed_at >= PEOPLE_SHOWN_TO_DRIVERS
    return not (over and account is Account.DRIVER)


REROUTE, CORRECT, RESCHEDULE = "reroute", "correct", "reschedule"
REDELIVER, CORRECT_ADDRESS = "redeliver", "correct_address"
UPDATE_GOODS_AT = "update_goods_at"
TO_PICKUP, TO_DELIVERY = "switch_to_pickup", "switch_to_delivery"
PICKUP_FULFILMENT = "customer_pickup"
"""Value of an order's `fulfilment` while the customer collects it."""
ORDER_FOR_PICKUP = declare_error("order_for_pickup", 409)
PICKUP_STEPS = frozenset({OrderStep.READY_FOR_PICKUP, OrderStep.COLLECT})
OFFERED_ACTIONS = {
    OrderStep.HOLD.value: "hold_order",
    OrderStep.RELEASE.value: "release_order",
    OrderStep.PLAN.value: "add_orders_to_route",
    OrderStep.UNPLAN.value: "remove_orders_from_route",
    OrderStep.CANCEL.value: "cancel_order",
    REROUTE: "reroute_to_address",
    CORRECT: "correct_order",
    RESCHEDULE: "reschedule_orders",
    REDELIVER: "request_redelivery",
    CORRECT_ADDRESS: "correct_address",
    OrderStep.RETURN.value: "return_order",
    OrderStep.UNDO_DELIVERY.value: "undo_delivery",
    UPDATE_GOODS_AT: UPDATE_GOODS_AT,
    TO_PICKUP: "switch_order_to_pickup",
    TO_DELIVERY: "switch_order_to_delivery",
    OrderStep.READY_FOR_PICKUP.value: "mark_ready_for_pickup",
    OrderStep.COLLECT.value: "hand_over_pickup",
}
"""The actions that an order offers, each with its operation. What is done at a stop is offered by the stop."""


@lru_cache(maxsize=4096)
def offered_order_actions(order: "OrderState", account: Account, user_id: int | None) -> tuple[str, ...]:
    """Return the actions that the order would accept from the caller now."""
    steps = [
        step.value
        for step in permitted_order_steps(order, account, user_id)
        if step.value in OFFERED_ACTIONS
        and step is not OrderStep.RETURN
        and not (step is OrderStep.PLAN and order.on_route)
    ]
    if account in OFFICE:
        may_reroute = order.status in NOT_PICKED_UP_STATUSES and not order.collected
        steps += [REROUTE] if may_reroute else []
        steps += [CORRECT, RESCHEDULE] if order.status in CORRECTABLE_STATUSES else []
        steps += [UPDATE_GOODS_AT] if may_update_goods_at(order) else []
        steps += [TO_PICKUP] if may_switch_to_pickup(order) else []
        steps += [TO_DELIVERY] if order.for_pickup and order.status in LOCATED_STATUSES else []
    elif account is Account.CUSTOMER:
        steps += [REDELIVER] if order.status is OrderStatus.FAILED else []
    if account in OFFICE | {Account.CUSTOMER}:
        steps += [OrderStep.RETURN.value] if may_return(order) else []
        steps += [CORRECT_ADDRESS] if may_correct_address(order) else []
    return tuple(steps)


def permitted_order_steps(order: OrderState, account: Account, user_id: int | None) -> tuple[OrderStep, ...]:
    """The steps that a caller may take now; empty when there are none."""
    return tuple(step for step in possible_order_steps(order.status) if _may_take_step(step, order, account, user_id))


def _may_take_step(step: OrderStep, order: OrderState, account: Account, user_id: int | None) -> bool:
    if account is Account.CUSTOMER:
        return step is OrderStep.CANCEL and may_customer_cancel(order)
    if account is Account.DRIVER:
        return step in DRIVING_STEPS
    if step in {OrderStep.REOPEN, OrderStep.WITHDRAW_DELIVERY}:
        return False
    if step in PICKUP_STEPS:
        return account in OFFICE and order.for_pickup and (order.is_ready or step is OrderStep.READY_FOR_PICKUP)
    if step is OrderStep.UNDO_DELIVERY:
        return account in OFFICE and order.type != "P" and order.collected
    if step is OrderStep.PLAN:
        return order.self_delivery and not order.third_party_held and _is_planner_of(order, account, user_id)
    return account in OFFICE or (account is Account.CONTRACTOR and step in PLANNING_STEPS | DRIVING_STEPS)


def _is_planner_of(order: OrderState, account: Account, user_id: int | None) -> bool:
    """Return True if the account plans this order.

    A held order is planned by its contractor alone, any other by staff.
    """
    return order.contractor_id is None if account in OFFICE else order.contractor_id == user_id


def may_return(order: OrderState) -> bool:
    """Return True if the goods can be returned.

    They have left once, and no driver has them.
    """
    return order.collected and order.status in NOT_DELIVERED_STATUSES


def may_correct_address(order: OrderState) -> bool:
    """Return True if the address can be corrected, which requires a failed attempt.

    Before that, the order is rerouted. An order of another business is corrected there.
    """
    return order.attempts > 0 and order.status in TRIED_STATUSES and not order.of_partner


def may_customer_cancel(order: OrderState) -> bool:
    """Return True if the customer may cancel, which is possible until pickup."""
    return order.status in NOT_PICKED_UP_STATUSES and not order.collected


LOCATED_STATUSES = frozenset({OrderStatus.NEW_ORDER, OrderStatus.HOLD, OrderStatus.FAILED})
"""Statuses in which an order waits, so that staff can correct the location of its goods."""


def may_update_goods_at(order: OrderState) -> bool:
    """Return True if staff can set the location of the goods.

    The goods left once, and the order waits on no route.
    """
    return (
        order.type != "P"
        and order.self_delivery
        and order.collected
        and not order.on_route
        and order.status in LOCATED_STATUSES
    )


def may_switch_to_pickup(order: OrderState) -> bool:
    """Return True if the customer could collect the order at a depot instead.

    Labels, freight and lockers are checked when it is switched.
    """
    return (
        order.type == "D"
        and order.self_delivery
        and not order.third_party_held
        and order.contractor_id is None
        and not order.on_route
        and order.status in LOCATED_STATUSES
    )
