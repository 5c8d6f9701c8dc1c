"""The life cycle as a state machine, with its table and diagram."""

import re

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule
from tests.support.every_case import for_every

from haulier.contexts.orders.delivery_orders.rules.lifecycle import (
    DISPATCHABLE_STATUSES,
    ON_THE_WAY_STATUSES,
    ORDER_TRANSITIONS,
    TERMINAL_STATUSES,
    OrderStatus,
    OrderStep,
    mermaid,
    next_order_status,
    possible_order_steps,
    tracking_status_code,
)
from haulier.kernel.operations.errors import OperationError

S = OrderStatus
EXPECTED = {
    S.NEW_ORDER: "hold plan cancel reopen ready_for_pickup collect",
    S.HOLD: "release return cancel",
    S.PLANNED: "hold unplan pick_up start cancel",
    S.PICKED_UP: "start deliver fail return reject cancel",
    S.OUT_FOR_DELIVERY: "pick_up deliver fail return reject cancel remove hand_over abort",
    S.FAILED: "hold plan return cancel reopen ready_for_pickup",
    S.DELIVERED: "undo_delivery withdraw_delivery",
    S.REJECTED: "reopen",
    S.CANCELLED: "confirm_delivery",
}
CORRECTIONS = {
    OrderStep.UNDO_DELIVERY,
    OrderStep.WITHDRAW_DELIVERY,
    OrderStep.CONFIRM_DELIVERY,
    OrderStep.REOPEN,
}


class AnOrder(RuleBasedStateMachine):
    """An order with random actions of all accounts.

    Finished orders stay finished, unless corrected.
    """

    def __init__(self) -> None:
        super().__init__()
        self.status = S.NEW_ORDER
        self.past = [S.NEW_ORDER]
        self.collected = False

    @rule(step=st.sampled_from(OrderStep))
    def take(self, step: OrderStep) -> None:
        if step.value in EXPECTED.get(self.status, "").split():
            assert step in CORRECTIONS or self.status not in TERMINAL_STATUSES
            self.status = next_order_status(step, self.status)
            self.collected = self.collected or step is OrderStep.COLLECT
            self.past.append(self.status)
        else:
            with pytest.raises(OperationError) as refused:
                next_order_status(step, self.status)
            assert refused.value.params == {"step": step.value, "status": self.status.name}

    @invariant()
    def deliveries_follow_a_departure_or_pickup(self) -> None:
        assert self.collected or S.DELIVERED not in self.past or {*ON_THE_WAY_STATUSES, S.CANCELLED} & set(self.past)


TestAnOrder = AnOrder.TestCase


@for_every("status", OrderStatus)
def test_the_steps_of_each_status_match_the_specification(status: OrderStatus) -> None:
    assert {step.value for step in possible_order_steps(status)} == set(EXPECTED.get(status, "").split())
    assert bool(set(possible_order_steps(status)) - CORRECTIONS) is (status not in TERMINAL_STATUSES)


def test_status_numbers_never_change() -> None:
    assert {status.name: status.value for status in OrderStatus} == {
        "NEW_ORDER": 1,
        "HOLD": 2,
        "PLANNED": 3,
        "PICKED_UP": 4,
        "OUT_FOR_DELIVERY": 5,
        "DELIVERED": 6,
        "FAILED": 7,
        "RETURNED": 8,
        "REJECTED": 9,
        "CANCELLED": 10,
    }


def test_only_new_or_failed_orders_are_dispatched_and_planned_ones_can_be_held() -> None:
    assert ORDER_TRANSITIONS[OrderStep.PLAN].start == DISPATCHABLE_STATUSES == {S.NEW_ORDER, S.FAILED}
    assert ORDER_TRANSITIONS[OrderStep.HOLD].start == DISPATCHABLE_STATUSES | {S.PLANNED}


def test_tracking_distinguishes_pickups_deliveries_and_second_attempts() -> None:
    assert tracking_status_code(OrderStep.START, "P", S.PLANNED) == "out_for_pickup"
    assert tracking_status_code(OrderStep.START, "D", S.PLANNED) == "out_for_delivery"
    steps = {OrderStep.START: S.PLANNED, OrderStep.FAIL: S.OUT_FOR_DELIVERY, OrderStep.PLAN: S.FAILED}
    told = {
        collected: [tracking_status_code(step, "P2P", status, collected=collected) for step, status in steps.items()]
        for collected in (False, True)
    }
    assert told[False] == ["out_for_pickup", "pickup_failed", "pickup_rescheduled"]
    assert told[True] == ["out_for_delivery", "delivery_failed", "delivery_rescheduled"]
    assert tracking_status_code(OrderStep.FAIL, "P", S.OUT_FOR_DELIVERY) == "pickup_failed"
    assert tracking_status_code(OrderStep.PLAN, "D", S.NEW_ORDER) == "awaiting_pickup"
    assert tracking_status_code(OrderStep.PLAN, "D", S.FAILED) == "delivery_rescheduled"


def test_the_diagram_matches_the_table() -> None:
    first, *lines = mermaid().splitlines()
    drawn = {re.fullmatch(r"    (\w+) --> (\w+): (\w+)", line).groups() for line in lines if "[*]" not in line}  # type: ignore[union-attr]
    agreed = {
        (status.name, next_order_status(OrderStep(step), status).name, step)
        for status, steps in EXPECTED.items()
        for step in steps.split()
        if next_order_status(OrderStep(step), status) is not status
    }
    assert (first, drawn) == ("stateDiagram-v2", agreed)
    assert {line.split()[0] for line in lines if line.endswith("--> [*]")} == {
        status.name for status in TERMINAL_STATUSES - {S.DELIVERED, S.REJECTED, S.CANCELLED}
    }
    assert "    [*] --> NEW_ORDER: create" in lines
