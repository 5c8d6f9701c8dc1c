"""The life cycle of an order, as a table."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from haulier.contexts.orders.delivery_orders.rules.lifecycle import (
    TABLE,
    TERMINAL,
    OrderStatus,
    Step,
    after,
    allowed,
    mermaid,
    status_code,
)
from haulier.contexts.tracking.otep.vocabulary import resolve
from haulier.kernel.errors import Refusal


@given(st.lists(st.sampled_from(Step), max_size=40))
def test_no_sequence_of_steps_leaves_the_table_and_what_is_over_stays_over(steps: list[Step]) -> None:
    status = OrderStatus.NEW_ORDER
    for step in steps:
        before = status
        try:
            status = after(step, status)
        except Refusal:
            assert step not in allowed(before)
            continue
        assert step in allowed(before)
        assert before not in TERMINAL
        assert status is TABLE[step].end


def test_every_status_can_be_reached() -> None:
    reached, todo = set[OrderStatus](), {OrderStatus.NEW_ORDER}
    while todo:
        status = todo.pop()
        reached.add(status)
        todo |= {after(step, status) for step in allowed(status)} - reached
    assert reached == set(OrderStatus)


@pytest.mark.parametrize("step", Step)
@pytest.mark.parametrize("kind", ["D", "P", "P2P"])
def test_every_step_writes_a_code_of_the_vocabulary(step: Step, kind: str) -> None:
    for status in TABLE[step].start:
        assert resolve(status_code(step, kind, status))


def test_hold_and_release_are_as_the_interface_says() -> None:
    assert after(Step.HOLD, OrderStatus.NEW_ORDER) is OrderStatus.HOLD
    assert after(Step.RELEASE, OrderStatus.HOLD) is OrderStatus.NEW_ORDER


def test_a_delivered_order_cannot_be_cancelled() -> None:
    with pytest.raises(Refusal):
        after(Step.CANCEL, OrderStatus.DELIVERED)


def test_the_drawing_shows_every_arrow() -> None:
    assert mermaid().count("-->") == 1 + len(TERMINAL) + sum(len(move.start) for move in TABLE.values())
