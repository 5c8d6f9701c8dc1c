"""Planning pool of an order."""

from datetime import date, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.every_case import for_every

from haulier.contexts.routes.pools.rules import (
    ContractorRule,
    PoolOrder,
    check_plannable,
    is_in_pool,
    rule_matches_order,
)

HERS, HIS = 7, 8
WEDNESDAY = date(2026, 6, 10)
EVERYTHING = ContractorRule()


def make_order(**words: Any) -> PoolOrder:
    facts = {
        "order_id": 1,
        "status": "NEW_ORDER",
        "postal_code": "M5V 2T6",
        "weight_g": 5000,
        "scheduled_date": WEDNESDAY,
    }
    return PoolOrder(**{**facts, **words})


def make_rule(**words: Any) -> ContractorRule:
    return ContractorRule(**{name: frozenset(v) if isinstance(v, list) else v for name, v in words.items()})


@for_every(
    ("rule", "matching", "other"),
    [
        ({"postal_prefixes": ["M5V"]}, {}, {"postal_code": "M6K 1A1"}),
        ({"postal_prefixes": ["M5V2T"]}, {}, {"postal_code": None}),
        ({"order_types": ["D", "P"]}, {"type": "P"}, {"type": "P2P"}),
        ({"max_weight_g": 5000}, {}, {"weight_g": 5001}),
        ({"max_weight_g": 5000}, {"weight_g": None}, {"weight_g": 10_000}),
        ({"weekdays": [3]}, {}, {"scheduled_date": WEDNESDAY + timedelta(days=1)}),
        ({"weekdays": [3]}, {"scheduled_date": None}, {"scheduled_date": WEDNESDAY - timedelta(days=1)}),
        ({"skills": ["cold", "lift"]}, {"skills": frozenset({"cold"})}, {"skills": frozenset({"cold", "adr"})}),
        ({}, {}, {"skills": frozenset({"adr"})}),
    ],
)
def test_a_rule_matches_its_orders_only(rule: dict[str, Any], matching: dict[str, Any], other: dict[str, Any]) -> None:
    assert rule_matches_order(make_rule(**rule), make_order(**matching))
    assert not rule_matches_order(make_rule(**rule), make_order(**other))


def test_a_held_order_is_only_in_its_holders_pool() -> None:
    order = make_order(holder_id=HERS)
    assert is_in_pool(order, HERS, [])
    assert not is_in_pool(order, HIS, [EVERYTHING])
    assert not is_in_pool(order, None, [])


def test_an_unheld_order_is_in_the_pools_of_the_office_and_matching_contractors() -> None:
    assert is_in_pool(make_order(), None, [])
    assert is_in_pool(make_order(), HERS, [make_rule(order_types=["P"]), EVERYTHING])
    assert not is_in_pool(make_order(), HERS, [])


@pytest.mark.parametrize("options", [{"status": "HOLD"}, {"self_delivery": False}, {"third_party_held": True}])
def test_only_pending_orders_are_in_a_pool(options: dict[str, Any]) -> None:
    assert not is_in_pool(make_order(**options), None, [])
    assert not is_in_pool(make_order(holder_id=HERS, **options), HERS, [EVERYTHING])


def test_a_contractor_learns_nothing_about_orders_outside_their_pool() -> None:
    refusals = [
        check_plannable(make_order(holder_id=HIS), HERS, [EVERYTHING], 4),
        check_plannable(make_order(status="DELIVERED"), HERS, [], None),
    ]
    assert [refusal and refusal.error_type.code for refusal in refusals] == ["ORDER_UNKNOWN", "ORDER_UNKNOWN"]


def test_the_office_sees_the_holder_that_blocks_an_order() -> None:
    said = [
        check_plannable(make_order(holder_id=HERS), None, [], None),
        check_plannable(make_order(status="PLANNED"), None, [], 4),
        check_plannable(make_order(status="HOLD"), None, [], None),
        check_plannable(make_order(), None, [], None),
    ]
    codes = [refusal and refusal.error_type.code for refusal in said]
    assert codes == ["ORDER_HELD_BY_CONTRACTOR", "ORDER_ON_ROUTE", "ORDER_NOT_PLANNABLE", None]


@given(
    holder=st.sampled_from([None, HERS, HIS]),
    status=st.sampled_from(["NEW_ORDER", "FAILED", "HOLD", "PLANNED"]),
    takes=st.booleans(),
)
def test_no_held_order_is_in_two_pools(holder: int | None, status: str, takes: bool) -> None:
    order = make_order(holder_id=holder, status=status)
    rules = [EVERYTHING] if takes else []
    pools = [planner for planner in (None, HERS, HIS) if is_in_pool(order, planner, rules)]
    assert pools in ([], [holder]) if holder else None in pools or pools == []
    for planner in (None, HERS, HIS):
        assert (check_plannable(order, planner, rules, None) is None) == (planner in pools)
