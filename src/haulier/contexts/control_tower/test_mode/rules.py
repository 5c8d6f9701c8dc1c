"""Rules of test mode: which steps lead a record to a status."""

from collections import deque
from collections.abc import Mapping, Sequence

from haulier.contexts.control_tower.test_mode.contract import AdvanceTestRecord, TestStatus
from haulier.contexts.orders.delivery_orders.rules.lifecycle import ORDER_TRANSITIONS, OrderStatus, OrderStep
from haulier.kernel.operations.errors import INVALID_REQUEST, FieldError, declare_error

TEST_MODE_ONLY = declare_error("test_mode_only", 403)
TEST_STEP_REFUSED = declare_error("test_step_refused", 409)
TEST_ORDER_ON_ROUTE = declare_error("test_order_on_route", 409)

RECORDS = ("order_id", "tracking_number", "payment_id")
ORDER_STATUS: Mapping[TestStatus, OrderStatus] = {
    TestStatus.PICKED_UP: OrderStatus.PICKED_UP,
    TestStatus.OUT_FOR_DELIVERY: OrderStatus.OUT_FOR_DELIVERY,
    TestStatus.DELIVERED: OrderStatus.DELIVERED,
    TestStatus.FAILED: OrderStatus.FAILED,
    TestStatus.RETURNED: OrderStatus.RETURNED,
    TestStatus.REJECTED: OrderStatus.REJECTED,
}
FORWARD_STEPS = (
    OrderStep.RELEASE,
    OrderStep.PLAN,
    OrderStep.PICK_UP,
    OrderStep.START,
    OrderStep.DELIVER,
    OrderStep.FAIL,
    OrderStep.RETURN,
    OrderStep.REJECT,
)
"""Steps of an ordinary delivery, the shortest way first."""
PARCEL_CODES: Mapping[TestStatus, str] = {
    TestStatus.PICKED_UP: "picked_up",
    TestStatus.IN_TRANSIT: "in_transit",
    TestStatus.OUT_FOR_DELIVERY: "out_for_delivery",
    TestStatus.DELIVERED: "delivered",
    TestStatus.FAILED: "delivery_failed",
    TestStatus.RETURNED: "returned",
}
PARCEL_WAY = ("picked_up", "in_transit", "out_for_delivery", "delivered")
"""Tracking statuses of a parcel that is delivered, in order."""


def require_one_record(request: AdvanceTestRecord) -> None:
    """Require that exactly one record is named. Raises `INVALID_REQUEST`."""
    named = [name for name in RECORDS if getattr(request, name) is not None]
    if len(named) != 1:
        raise INVALID_REQUEST.for_fields(FieldError(named[1] if named else RECORDS[0], "field.exactly_one_test_record"))


def order_steps(status: OrderStatus, to: TestStatus | None) -> Sequence[OrderStep]:
    """Return the fewest steps from a status to another one.

    Without one: to out for delivery, then to delivered. Raises `TEST_STEP_REFUSED`.
    """
    usual = OrderStatus.DELIVERED if status is OrderStatus.OUT_FOR_DELIVERY else OrderStatus.OUT_FOR_DELIVERY
    goal = ORDER_STATUS.get(to) if to else usual
    waiting: deque[tuple[OrderStatus, tuple[OrderStep, ...]]] = deque([(status, ())])
    seen = {status}
    while waiting:
        reached, steps = waiting.popleft()
        for step in FORWARD_STEPS:
            move = ORDER_TRANSITIONS[step]
            if reached not in move.start or move.end in seen:
                continue
            if move.end is goal:
                return (*steps, step)
            seen.add(move.end)
            waiting.append((move.end, (*steps, step)))
    raise TEST_STEP_REFUSED(status=status.name, to=to or usual.name.lower())


def parcel_codes(current: str | None, to: TestStatus | None, *, terminal: bool) -> Sequence[str]:
    """Return the tracking statuses to record, in order. Raises `TEST_STEP_REFUSED`."""
    passed = PARCEL_WAY.index(current) + 1 if current in PARCEL_WAY else 0
    ahead = PARCEL_WAY[passed:]
    if current == PARCEL_CODES[TestStatus.FAILED]:
        ahead = PARCEL_WAY[-2:]
    code = PARCEL_CODES.get(to) if to else next(iter(ahead), None)
    if terminal or code is None or code == current or (code in PARCEL_WAY and code not in ahead):
        raise TEST_STEP_REFUSED(status=current or "", to=to or "")
    return ahead[: ahead.index(code) + 1] if code in ahead else (*ahead[:-1], code)
