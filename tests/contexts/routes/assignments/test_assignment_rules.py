"""Rules for assigning and revoking orders."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.every_case import for_every

from haulier.contexts.routes.assignments import rules
from haulier.contexts.routes.assignments.rules import AssignmentCandidate

HERS, HIS = 7, 8


def make_order(order_id: int = 1, **words: Any) -> AssignmentCandidate:
    return AssignmentCandidate(**{"order_id": order_id, "status": "NEW_ORDER", **words})


def why(order: AssignmentCandidate) -> str | None:
    refusal = rules.check_assignment(order, HERS)
    return refusal and refusal.error_type.code


@pytest.mark.parametrize("status", ["NEW_ORDER", "FAILED"])
def test_a_pending_order_can_be_assigned(status: str) -> None:
    assert why(make_order(status=status)) is None


@for_every("status", ["HOLD", "PLANNED", "PICKED_UP", "OUT_FOR_DELIVERY", "DELIVERED", "CANCELLED"])
def test_an_order_in_any_other_status_cannot_be_assigned(status: str) -> None:
    assert why(make_order(status=status)) == "ORDER_NOT_ASSIGNABLE"


@for_every(
    ("words", "code"),
    [
        ({"route_id": 3, "status": "PLANNED"}, "ORDER_ON_ROUTE"),
        ({"third_party_held": True}, "ORDER_HELD_BY_THIRD_PARTY"),
        ({"self_delivery": False}, "ORDER_NOT_SELF_DELIVERY"),
        ({"self_delivery": False, "third_party_held": True}, "ORDER_HELD_BY_THIRD_PARTY"),
        ({"holder_id": HERS}, "ORDER_ALREADY_THEIRS"),
    ],
)
def test_the_most_specific_reason_is_reported(words: dict[str, Any], code: str) -> None:
    assert why(make_order(**words)) == code


def test_an_order_of_another_contractor_is_moved() -> None:
    assert why(make_order(holder_id=HIS)) is None


def test_an_order_on_a_route_cannot_be_revoked() -> None:
    decision = rules.decide_revocation(
        [1, 2, 3], {1: make_order(1, holder_id=HIS), 2: make_order(2, holder_id=HIS, route_id=5), 3: make_order(3)}
    )
    assert [order.order_id for order in decision.granted] == [1]
    assert {id: refusal.error_type.code for id, refusal in decision.refused.items()} == {
        2: "ORDER_ON_ROUTE",
        3: "ORDER_NOT_ASSIGNED",
    }


def test_a_non_holder_cannot_learn_that_an_order_is_on_a_route() -> None:
    refusals = [
        rules.check_release(None, HERS),
        rules.check_release(make_order(), HERS),
        rules.check_release(make_order(holder_id=HIS, route_id=5), HERS),
    ]
    assert [refusal and refusal.error_type.code for refusal in refusals] == ["NOT_ASSIGNED_TO_YOU"] * 3


candidates = st.builds(
    AssignmentCandidate,
    order_id=st.just(0),
    status=st.sampled_from(["NEW_ORDER", "FAILED", "HOLD", "DELIVERED"]),
    self_delivery=st.booleans(),
    third_party_held=st.booleans(),
    route_id=st.none() | st.just(1),
    holder_id=st.sampled_from([None, HERS, HIS]),
)


@given(asked=st.lists(st.integers(1, 6), min_size=1), there=st.dictionaries(st.integers(1, 6), candidates))
def test_every_requested_order_is_granted_or_refused_exactly_once(
    asked: list[int], there: dict[int, AssignmentCandidate]
) -> None:
    orders = {
        id: AssignmentCandidate(**{**{n: getattr(c, n) for n in c.__struct_fields__}, "order_id": id})
        for id, c in there.items()
    }
    for decision in (rules.decide_assignment(asked, orders, HERS), rules.decide_revocation(asked, orders)):
        granted = [order.order_id for order in decision.granted]
        assert sorted([*granted, *decision.refused]) == sorted(set(asked))
        assert all(orders[id].route_id is None for id in granted)
