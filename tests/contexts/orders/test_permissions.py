"""Steps available to a caller: never more than the life cycle allows."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.every_case import for_every

from haulier.contexts.orders.delivery_orders.rules.lifecycle import (
    OrderState,
    OrderStatus,
    OrderStep,
    permitted_order_steps,
    possible_order_steps,
    was_picked_up,
)
from haulier.kernel.operations.enums import SIGNED_IN, Account

ME, OTHER = 7, 8
standings = st.builds(
    OrderState,
    status=st.sampled_from(OrderStatus),
    self_delivery=st.booleans(),
    third_party_held=st.booleans(),
    contractor_id=st.sampled_from([None, ME, OTHER]),
    collected=st.booleans(),
)


def make_order(status: OrderStatus = OrderStatus.NEW_ORDER, **words: object) -> OrderState:
    return OrderState(status=status, **words)  # type: ignore[arg-type]


def steps(order: OrderState, account: Account) -> str:
    return " ".join(permitted_order_steps(order, account, ME))


@given(standings, st.sampled_from(sorted(SIGNED_IN)))
def test_no_role_can_do_what_the_life_cycle_forbids(order: OrderState, account: Account) -> None:
    assert set(permitted_order_steps(order, account, ME)) <= set(possible_order_steps(order.status))


@given(standings)
def test_customers_can_only_cancel_and_only_before_pickup(order: OrderState) -> None:
    may = permitted_order_steps(order, Account.CUSTOMER, ME)
    assert set(may) <= {OrderStep.CANCEL}
    assert not (may and order.collected)


def test_each_role_has_its_own_steps() -> None:
    assert steps(make_order(), Account.EMPLOYEE) == "hold plan cancel"
    assert steps(make_order(), Account.CUSTOMER) == "cancel"
    assert steps(make_order(contractor_id=ME), Account.CONTRACTOR) == "plan"
    assert steps(make_order(OrderStatus.PLANNED), Account.DRIVER) == "pick_up start"


def test_an_order_held_by_a_contractor_is_planned_only_by_them() -> None:
    held = make_order(contractor_id=OTHER)
    assert "plan" not in steps(held, Account.CLIENT_ADMIN)
    assert "plan" not in steps(held, Account.CONTRACTOR)


@pytest.mark.parametrize("order", [make_order(self_delivery=False), make_order(third_party_held=True)])
def test_orders_delivered_by_others_cannot_be_planned(order: OrderState) -> None:
    assert "plan" not in steps(order, Account.CLIENT_ADMIN)


@for_every(
    ("kind", "taken", "gone"),
    [
        ("D", {"create", "plan"}, False),
        ("D", {"create", "plan", "start", "fail"}, True),
        ("P", {"create", "plan", "start", "fail"}, False),
        ("P", {"create", "plan", "start", "pick_up"}, True),
        ("P2P", {"create", "plan", "start"}, False),
        ("P2P", {"create", "plan", "pick_up", "fail", "hold", "release"}, True),
    ],
)
def test_goods_that_have_left_stay_picked_up(kind: str, taken: set[str], gone: bool) -> None:
    assert was_picked_up(kind, taken) is gone
