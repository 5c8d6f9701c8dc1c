"""Rules of assignments: orders that can be assigned, and revoked."""

from collections.abc import Callable, Iterable, Mapping
from datetime import date, datetime

from msgspec import Struct

from haulier.contexts.orders.delivery_orders.rules.lifecycle import ORDER_FOR_PICKUP
from haulier.kernel.operations.errors import OperationError, declare_error
from haulier.kernel.operations.fields import REASON_MAX

ORDER_UNKNOWN = declare_error("order_unknown", 404)
ORDER_ON_ROUTE = declare_error("order_on_route", 400)
ORDER_HELD_BY_THIRD_PARTY = declare_error("order_held_by_third_party", 400)
ORDER_NOT_SELF_DELIVERY = declare_error("order_not_self_delivery", 400)
ORDER_NOT_ASSIGNABLE = declare_error("order_not_assignable", 400)
ORDER_ALREADY_THEIRS = declare_error("order_already_theirs", 400)
ORDER_NOT_ASSIGNED = declare_error("order_not_assigned", 400)
NOT_ASSIGNED_TO_YOU = declare_error("not_assigned_to_you", 400)
ASSIGNMENT_TOO_LATE = declare_error("assignment_too_late", 400)
ORDER_OVER_CAPACITY = declare_error("order_over_capacity", 400)

ACTIVE, REVOKED, RELEASED = "active", "revoked", "released"
REASSIGNED = "reassigned"
"""The end reason of an assignment whose order moved to another contractor."""

DECLINED, EXPIRED = "declined", "expired"
"""The end reasons of assignments to which the contractor said no, or nothing until the deadline. They end as released."""

ASSIGNABLE = frozenset({"NEW_ORDER", "FAILED"})
"""Orders that wait to be planned: new ones, and failed ones that wait for another attempt. Orders on hold are excluded
until they are released. Planned and moving orders are on a route; the others are finished."""


class AssignmentCandidate(Struct, frozen=True, kw_only=True):
    """Facts of an order for the rules.

    `holder_id` is the contractor of its active assignment.
    """

    order_id: int
    status: str
    self_delivery: bool = True
    third_party_held: bool = False
    for_pickup: bool = False
    route_id: int | None = None
    holder_id: int | None = None
    day: date | None = None


AssignmentCheck = Callable[[AssignmentCandidate], OperationError | None]


class AssignmentDecision(Struct, frozen=True):
    """Orders that change hands, and the error of every other order of the request."""

    granted: tuple[AssignmentCandidate, ...]
    refused: Mapping[int, OperationError]


class DayCapacity:
    """Remaining capacity of a contractor by day.

    Each granted order uses one place, except orders without a day.
    """

    def __init__(self, orders_per_day: int | None, taken: Mapping[date, int]) -> None:
        self.orders_per_day, self.taken = orders_per_day, dict(taken)

    def take(self, order: AssignmentCandidate) -> OperationError | None:
        """Take a place for an order. Returns why there is none, or None."""
        if self.orders_per_day is None or order.day is None:
            return None
        if (taken := self.taken.get(order.day, 0)) >= self.orders_per_day:
            return ORDER_OVER_CAPACITY(order_id=order.order_id, day=order.day.isoformat(), most=self.orders_per_day)
        self.taken[order.day] = taken + 1
        return None


def decide_assignment(
    order_ids: Iterable[int],
    orders: Mapping[int, AssignmentCandidate],
    contractor_id: int,
    capacity: DayCapacity | None = None,
) -> AssignmentDecision:
    """Decide which orders go to a contractor.

    Repeated ids count once; unknown ones are refused.
    """
    places = capacity or DayCapacity(None, {})
    return _decide_each_order(
        order_ids, orders, lambda order: check_assignment(order, contractor_id) or places.take(order)
    )


def decide_revocation(order_ids: Iterable[int], orders: Mapping[int, AssignmentCandidate]) -> AssignmentDecision:
    """Decide which orders are revoked from their holders."""
    return _decide_each_order(order_ids, orders, check_revocation)


def check_assignment(order: AssignmentCandidate, contractor_id: int) -> OperationError | None:
    """Why an order cannot go to a contractor, or None."""
    if order.route_id is not None:
        return ORDER_ON_ROUTE(order_id=order.order_id)
    if order.third_party_held:
        return ORDER_HELD_BY_THIRD_PARTY(order_id=order.order_id)
    if order.for_pickup:
        return ORDER_FOR_PICKUP(order_id=order.order_id)
    if not order.self_delivery:
        return ORDER_NOT_SELF_DELIVERY(order_id=order.order_id)
    if order.status not in ASSIGNABLE:
        return ORDER_NOT_ASSIGNABLE(order_id=order.order_id, status=order.status)
    if order.holder_id == contractor_id:
        return ORDER_ALREADY_THEIRS(order_id=order.order_id)
    return None


def check_revocation(order: AssignmentCandidate) -> OperationError | None:
    """Why an order cannot be taken back, or None."""
    if order.holder_id is None:
        return ORDER_NOT_ASSIGNED(order_id=order.order_id)
    if order.route_id is not None:
        return ORDER_ON_ROUTE(order_id=order.order_id)
    return None


def decide_answer(
    order_ids: Iterable[int],
    orders: Mapping[int, AssignmentCandidate],
    deadlines: Mapping[int, datetime],
    contractor_id: int | None,
    now: datetime,
    *,
    accepted: bool,
) -> AssignmentDecision:
    """Decide which orders a contractor may accept or decline.

    `deadlines` are those without an answer.
    """

    def check(order: AssignmentCandidate) -> OperationError | None:
        if order.holder_id is None or order.holder_id != contractor_id:
            return NOT_ASSIGNED_TO_YOU()
        if accepted and (deadline := deadlines.get(order.order_id)) and now >= deadline:
            return ASSIGNMENT_TOO_LATE(order_id=order.order_id)
        return None if accepted else check_release(order, contractor_id)

    return _decide_each_order(order_ids, orders, check)


def declined_reason(reason: str | None) -> str:
    """The end reason of an assignment that its contractor declined, with their words."""
    return f"{DECLINED}: {reason}"[:REASON_MAX] if reason else DECLINED


def check_release(order: AssignmentCandidate | None, contractor_id: int | None) -> OperationError | None:
    """Return the error that prevents a contractor from releasing an order, or None.

    Another contractor's order gives the same error as an unknown one.
    """
    if order is None or order.holder_id is None or order.holder_id != contractor_id:
        return NOT_ASSIGNED_TO_YOU()
    if order.route_id is not None:
        return ORDER_ON_ROUTE(order_id=order.order_id)
    return None


def _decide_each_order(
    order_ids: Iterable[int], orders: Mapping[int, AssignmentCandidate], check: AssignmentCheck
) -> AssignmentDecision:
    granted: list[AssignmentCandidate] = []
    refused: dict[int, OperationError] = {}
    for order_id in dict.fromkeys(order_ids):
        order = orders.get(order_id)
        error = check(order) if order else ORDER_UNKNOWN(order_id=order_id)
        if error:
            refused[order_id] = error
        elif order:
            granted.append(order)
    return AssignmentDecision(tuple(granted), refused)
