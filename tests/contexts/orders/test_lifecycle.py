"""The life cycle of an order, as a table."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.every_case import for_every

from haulier.contexts.orders.delivery_orders.rules.lifecycle import (
    ORDER_TRANSITIONS,
    TERMINAL_STATUSES,
    OrderStatus,
    OrderStep,
    mermaid,
    next_order_status,
    possible_order_steps,
    tracking_status_code,
)
from haulier.contexts.otep.vocabulary.rules import resolve_status
from haulier.kernel.operations.errors import OperationError


@given(st.lists(st.sampled_from(OrderStep), max_size=40))
def test_no_sequence_of_steps_leaves_the_table_and_final_statuses_are_final(steps: list[OrderStep]) -> None:
    status = OrderStatus.NEW_ORDER
    for step in steps:
        before = status
        try:
            status = next_order_status(step, status)
        except OperationError:
            assert step not in possible_order_steps(before)
            continue
        assert step in possible_order_steps(before)
        assert before not in TERMINAL_STATUSES or ORDER_TRANSITIONS[step].voids
        assert status is ORDER_TRANSITIONS[step].end


def test_every_status_can_be_reached() -> None:
    reached, todo = set[OrderStatus](), {OrderStatus.NEW_ORDER}
    while todo:
        status = todo.pop()
        reached.add(status)
        todo |= {next_order_status(step, status) for step in possible_order_steps(status)} - reached
    assert reached == set(OrderStatus)


@for_every("step", OrderStep)
@for_every("kind", ["D", "P", "P2P"])
def test_every_step_records_a_code_of_the_vocabulary(step: OrderStep, kind: str) -> None:
    for status in ORDER_TRANSITIONS[step].start:
        code = tracking_status_code(step, kind, status)
        assert resolve_status(code) if code else ORDER_TRANSITIONS[step].voids


def test_hold_and_release_follow_the_interface_document() -> None:
    assert next_order_status(OrderStep.HOLD, OrderStatus.NEW_ORDER) is OrderStatus.HOLD
    assert next_order_status(OrderStep.RELEASE, OrderStatus.HOLD) is OrderStatus.NEW_ORDER


def test_a_delivered_order_cannot_be_cancelled() -> None:
    with pytest.raises(OperationError):
        next_order_status(OrderStep.CANCEL, OrderStatus.DELIVERED)


def test_the_diagram_shows_every_transition() -> None:
    arrows = sum(len(move.start - {move.end}) for move in ORDER_TRANSITIONS.values())
    corrected = {status for move in ORDER_TRANSITIONS.values() if move.voids for status in move.start}
    assert mermaid().count("-->") == 1 + len(TERMINAL_STATUSES - corrected) + arrows
