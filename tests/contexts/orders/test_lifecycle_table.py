"""The life cycle driven as a machine, and the table and its drawing line by line."""

import re

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from haulier.contexts.orders.delivery_orders.rules.lifecycle import (
    CODE_AFTER_A_FAILED_ATTEMPT,
    DISPATCHABLE,
    ON_THE_WAY,
    TABLE,
    TERMINAL,
    OrderStatus,
    Step,
    after,
    allowed,
    mermaid,
    status_code,
)
from haulier.kernel.errors import Refusal

S = OrderStatus
EXPECTED = {
    S.NEW_ORDER: "hold plan cancel",
    S.HOLD: "release cancel",
    S.PLANNED: "unplan pick_up start cancel",
    S.PICKED_UP: "start deliver fail return reject cancel",
    S.OUT_FOR_DELIVERY: "pick_up deliver fail return reject cancel",
    S.FAILED: "hold plan return cancel",
}


class AnOrder(RuleBasedStateMachine):
    """An order that anybody tries to do anything with."""

    def __init__(self) -> None:
        super().__init__()
        self.status = S.NEW_ORDER
        self.past = [S.NEW_ORDER]

    @rule(step=st.sampled_from(Step))
    def take(self, step: Step) -> None:
        if step.value in EXPECTED.get(self.status, "").split():
            self.status = after(step, self.status)
            self.past.append(self.status)
        else:
            with pytest.raises(Refusal) as refused:
                after(step, self.status)
            assert refused.value.params == {"step": step.value, "status": self.status.name}

    @invariant()
    def what_is_over_is_last(self) -> None:
        assert not TERMINAL & set(self.past[:-1])

    @invariant()
    def nothing_is_delivered_that_was_not_on_its_way(self) -> None:
        assert S.DELIVERED not in self.past or ON_THE_WAY & set(self.past)


TestAnOrder = AnOrder.TestCase


@pytest.mark.parametrize("status", OrderStatus)
def test_the_steps_of_a_status_are_those_that_were_agreed(status: OrderStatus) -> None:
    assert {step.value for step in allowed(status)} == set(EXPECTED.get(status, "").split())
    assert bool(allowed(status)) is (status not in TERMINAL)


def test_the_numbers_of_the_statuses_never_change() -> None:
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


def test_only_a_new_or_failed_order_is_dispatched() -> None:
    assert TABLE[Step.PLAN].start == TABLE[Step.HOLD].start == DISPATCHABLE == {S.NEW_ORDER, S.FAILED}


def test_tracking_tells_a_pickup_from_a_delivery_and_a_second_attempt_from_a_first() -> None:
    assert status_code(Step.START, "P", S.PLANNED) == "out_for_pickup"
    assert status_code(Step.START, "P2P", S.PLANNED) == status_code(Step.START, "D", S.PLANNED) == "out_for_delivery"
    assert status_code(Step.FAIL, "P", S.OUT_FOR_DELIVERY) == "pickup_failed"
    assert status_code(Step.PLAN, "D", S.NEW_ORDER) == "awaiting_pickup"
    assert status_code(Step.PLAN, "D", S.FAILED) == CODE_AFTER_A_FAILED_ATTEMPT


def test_the_drawing_is_the_table() -> None:
    first, *lines = mermaid().splitlines()
    drawn = {re.fullmatch(r"    (\w+) --> (\w+): (\w+)", line).groups() for line in lines if "[*]" not in line}  # type: ignore[union-attr]
    agreed = {
        (status.name, after(Step(step), status).name, step)
        for status, steps in EXPECTED.items()
        for step in steps.split()
    }
    assert (first, drawn) == ("stateDiagram-v2", agreed)
    assert {line.split()[0] for line in lines if line.endswith("--> [*]")} == {status.name for status in TERMINAL}
    assert "    [*] --> NEW_ORDER: create" in lines
