"""Conditions of shipping rules, and the settings of the first matching rules."""

from typing import Any

import pytest
from msgspec.structs import replace
from pydantic import ValidationError

from haulier.contexts.shipping.shipping_rules.contract import ShippingConditions, ShippingOutcome
from haulier.contexts.shipping.shipping_rules.rules import (
    Problem,
    RuleState,
    ShippingFacts,
    StoredRule,
    evaluate_rules,
    list_set_conditions,
    meets_conditions,
    texts_of,
)
from haulier.kernel.values.money import Money

ORDER = ShippingFacts(
    order_id=1,
    country="DE",
    postal_code="10 115",
    weight_g=5_000,
    goods_value=Money(12_000, "EUR"),
    package_count=2,
    order_type="D",
    service="express",
    customer_id=7,
    skus=("MUG", "CUP"),
    custom_fields={"fragile": True, "color": "Red", "zones": ["a", "b"], "size": 12.50},
)


def rule(id: int, outcome: dict[str, Any], **conditions: Any) -> StoredRule:
    named = ShippingConditions.model_validate(conditions)
    return StoredRule(
        id=id,
        position=id,
        name=f"Rule {id}",
        enabled=True,
        conditions=named,
        outcome=ShippingOutcome.model_validate(outcome),
        set_conditions=list_set_conditions(named),
    )


@pytest.mark.parametrize(
    ("conditions", "met"),
    [
        ({}, True),
        ({"countries": ["AT", "DE"]}, True),
        ({"countries": ["FR"]}, False),
        ({"postal_prefixes": ["10-1"]}, True),
        ({"postal_prefixes": ["20"]}, False),
        ({"weight_to_g": 5_000}, True),
        ({"weight_to_g": 4_999}, False),
        ({"weight_from_g": 5_000}, True),
        ({"weight_from_g": 5_001}, False),
        ({"value_from_minor": 12_000, "value_currency": "EUR"}, True),
        ({"value_to_minor": 11_999, "value_currency": "EUR"}, False),
        ({"value_from_minor": 1, "value_currency": "USD"}, False),
        ({"packages_from": 2, "packages_to": 2}, True),
        ({"packages_from": 3}, False),
        ({"order_types": ["D"]}, True),
        ({"order_types": ["P", "P2P"]}, False),
        ({"services": ["express"]}, True),
        ({"services": ["standard"]}, False),
        ({"customer_ids": [7]}, True),
        ({"customer_ids": [8]}, False),
        ({"skus": ["CUP", "PLATE"]}, True),
        ({"skus": ["PLATE"]}, False),
        ({"custom_fields": [{"name": "fragile", "values": ["true"]}]}, True),
        ({"custom_fields": [{"name": "color", "values": ["blue", "RED"]}]}, True),
        ({"custom_fields": [{"name": "zones", "values": ["b"]}]}, True),
        ({"custom_fields": [{"name": "size", "values": ["12.5"]}]}, True),
        ({"custom_fields": [{"name": "unknown", "values": ["x"]}]}, False),
        ({"countries": ["DE"], "weight_to_g": 1_000}, False),
    ],
)
def test_an_order_must_meet_every_condition_that_is_set(conditions: dict[str, Any], met: bool) -> None:
    assert meets_conditions(ShippingConditions.model_validate(conditions), ORDER) is met


@pytest.mark.parametrize(
    "conditions",
    [
        {"countries": ["DE"]},
        {"postal_prefixes": ["1"]},
        {"weight_to_g": 1},
        {"value_to_minor": 1, "value_currency": "EUR"},
        {"customer_ids": [1]},
        {"skus": ["A"]},
    ],
)
def test_an_unknown_fact_meets_no_condition(conditions: dict[str, Any]) -> None:
    assert not meets_conditions(ShippingConditions.model_validate(conditions), ShippingFacts())


def test_the_first_matching_rule_with_a_setting_decides_it() -> None:
    results = evaluate_rules(
        [
            rule(1, {"signature_required": True}, value_from_minor=10_000, value_currency="EUR"),
            rule(2, {"account_id": 1, "service": "ground"}, countries=["FR"]),
            rule(3, {"account_id": 2, "signature_required": False}),
            rule(4, {"account_id": 3}),
        ],
        ORDER,
    )
    assert [(each.state, each.decided) for each in results] == [
        (RuleState.MATCHED, ("signature_required",)),
        (RuleState.NOT_MATCHED, ()),
        (RuleState.MATCHED, ("account_id",)),
        (RuleState.MATCHED, ()),
    ]


def test_disabled_and_broken_rules_have_no_effect() -> None:
    off = replace(rule(1, {"account_id": 1}), enabled=False)
    broken = replace(rule(2, {"account_id": 2}), problem=Problem.ACCOUNT_CLOSED)
    states = [(each.state, each.decided) for each in evaluate_rules([off, broken], ORDER)]
    assert states == [(RuleState.DISABLED, ()), (RuleState.SKIPPED, ())]


@pytest.mark.parametrize(
    ("value", "insures"),
    [(Money(12_000, "EUR"), True), (Money(11_999, "EUR"), False), (Money(99_000, "USD"), False), (None, False)],
)
def test_an_insurance_threshold_not_reached_leaves_the_setting_to_later_rules(
    value: Money | None, insures: bool
) -> None:
    insured = {"insurance": "on", "insurance_from_minor": 12_000, "insurance_currency": "EUR"}
    (result,) = evaluate_rules([rule(1, insured)], ShippingFacts(goods_value=value))
    assert result.decided == (("insurance",) if insures else ())


@pytest.mark.parametrize(
    ("kind", "values", "error"),
    [
        (ShippingOutcome, {}, "outcome_is_empty"),
        (ShippingOutcome, {"service": "ground"}, "service_without_account"),
        (ShippingOutcome, {"insurance": "off", "insurance_from_minor": 1}, "insurance_is_off"),
        (ShippingConditions, {"weight_from_g": 2, "weight_to_g": 1}, "limits_inverted"),
        (ShippingConditions, {"packages_from": 2, "packages_to": 1}, "limits_inverted"),
    ],
)
def test_contradictory_conditions_are_refused(kind: Any, values: dict[str, Any], error: str) -> None:
    with pytest.raises(ValidationError) as refused:
        kind.model_validate(values)
    assert refused.value.errors()[0]["type"] == error


@pytest.mark.parametrize(
    ("value", "texts"),
    [
        (None, []),
        (False, ["false"]),
        (3, ["3"]),
        (3.0, ["3"]),
        (1e22, ["10000000000000000000000"]),
        (["x", 1], ["x", "1"]),
    ],
)
def test_custom_field_values_are_compared_as_text(value: Any, texts: list[str]) -> None:
    assert texts_of(value) == texts
