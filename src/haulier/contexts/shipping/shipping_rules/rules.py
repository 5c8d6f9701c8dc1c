"""Rules of shipping rules: matching of conditions, and settings."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from decimal import Decimal
from enum import StrEnum
from typing import Any

from msgspec import Struct

from haulier.contexts.shipping.shipping_rules.contract import (
    DECIDED,
    CustomFieldCondition,
    ShippingConditions,
    ShippingOutcome,
)
from haulier.kernel.operations.errors import declare_error
from haulier.kernel.values.money import Money
from haulier.kernel.values.postal_codes import matches_postal_prefix

SHIPPING_RULES_CHANGED = declare_error("shipping_rules_changed", 409)


class ShippingFacts(Struct, frozen=True, kw_only=True):
    """Facts of an order that shipping rules compare. None: unknown."""

    order_id: int | None = None
    country: str | None = None
    postal_code: str | None = None
    weight_g: int | None = None
    goods_value: Money | None = None
    package_count: int = 1
    order_type: str = "D"
    service: str = "standard"
    customer_id: int | None = None
    skus: tuple[str, ...] = ()
    custom_fields: Mapping[str, Any] = {}


class RuleCondition(StrEnum):
    """Conditions of a rule, in the order in which they are checked and shown."""

    COUNTRY = "country"
    POSTAL_CODE = "postal_code"
    WEIGHT = "weight"
    VALUE = "value"
    PACKAGES = "packages"
    ORDER_TYPE = "order_type"
    SERVICE = "service"
    CUSTOMER = "customer"
    SKU = "sku"
    CUSTOM_FIELD = "custom_field"


class Check(Struct, frozen=True):
    """A condition, checked. `field` is the condition of a custom field."""

    condition: RuleCondition
    met: bool
    field: CustomFieldCondition | None = None


class RuleState(StrEnum):
    """Result of checking a rule."""

    MATCHED = "matched"
    NOT_MATCHED = "not_matched"
    DISABLED = "disabled"
    SKIPPED = "skipped"


class Problem(StrEnum):
    """Reason why a rule is skipped."""

    ACCOUNT_CLOSED = "account_closed"
    ACCOUNT_INACTIVE = "account_inactive"
    CARRIER_UNAVAILABLE = "carrier_unavailable"
    SERVICE_UNAVAILABLE = "service_unavailable"
    PRESET_DELETED = "preset_deleted"
    FIELD_DELETED = "field_deleted"


class StoredRule(Struct, frozen=True, kw_only=True):
    """A rule of the list. `position` is its number, from 1."""

    id: int
    position: int
    name: str
    enabled: bool
    conditions: ShippingConditions
    outcome: ShippingOutcome
    problem: Problem | None = None
    set_conditions: tuple[RuleCondition, ...] = ()
    """Conditions that are set, without those of custom fields."""


class RuleResult(Struct, frozen=True, kw_only=True):
    """A rule, checked, and the settings that it made."""

    rule: StoredRule
    state: RuleState
    checks: tuple[Check, ...] = ()
    decided: tuple[str, ...] = ()


def list_set_conditions(conditions: ShippingConditions) -> tuple[RuleCondition, ...]:
    """Return the conditions that are set, without those of custom fields."""
    return tuple(
        condition
        for condition, names in FIELDS_OF.items()
        if any(getattr(conditions, name) not in (None, []) for name in names)
    )


def check_conditions(
    conditions: ShippingConditions, facts: ShippingFacts, set_conditions: tuple[RuleCondition, ...] | None = None
) -> tuple[Check, ...]:
    """Return each condition that is set, checked against an order."""
    named = list_set_conditions(conditions) if set_conditions is None else set_conditions
    checks = [Check(condition, _CHECKS[condition](conditions, facts)) for condition in named]
    return (*checks, *(_check_field(field, facts) for field in conditions.custom_fields))


def meets_conditions(conditions: ShippingConditions, facts: ShippingFacts) -> bool:
    """Return True if an order meets all conditions."""
    return all(check.met for check in check_conditions(conditions, facts))


def evaluate_rules(rules: Sequence[StoredRule], facts: ShippingFacts) -> list[RuleResult]:
    """Check all rules in order.

    Each setting is made by the first matching rule that has it.
    """
    decided: set[str] = set()
    results = []
    for rule in rules:
        result = _check_rule(rule, facts, decided)
        decided.update(result.decided)
        results.append(result)
    return results


def _check_rule(rule: StoredRule, facts: ShippingFacts, earlier: Collection[str]) -> RuleResult:
    if not rule.enabled:
        return RuleResult(rule=rule, state=RuleState.DISABLED)
    if rule.problem:
        return RuleResult(rule=rule, state=RuleState.SKIPPED)
    checks = check_conditions(rule.conditions, facts, rule.set_conditions)
    if not all(check.met for check in checks):
        return RuleResult(rule=rule, state=RuleState.NOT_MATCHED, checks=checks)
    made = tuple(name for name in _settings(rule.outcome, facts) if name not in earlier)
    return RuleResult(rule=rule, state=RuleState.MATCHED, checks=checks, decided=made)


def _settings(outcome: ShippingOutcome, facts: ShippingFacts) -> Iterator[str]:
    """Yield the settings of a rule for an order."""
    for name in DECIDED:
        if getattr(outcome, name) is not None and (name != "insurance" or _insures_or_declines(outcome, facts)):
            yield name


def _insures_or_declines(outcome: ShippingOutcome, facts: ShippingFacts) -> bool:
    """Return False if goods are worth less than the rule insures, or of unknown value."""
    least = outcome.insurance_from_minor
    if least is None:
        return True
    value = facts.goods_value
    return value is not None and value.currency == outcome.insurance_currency and value.minor >= least


def _is_within(amount: int | None, least: int | None, most: int | None) -> bool:
    return amount is not None and (least is None or amount >= least) and (most is None or amount <= most)


def _has_value(conditions: ShippingConditions, facts: ShippingFacts) -> bool:
    value = facts.goods_value
    if value is None or value.currency != conditions.value_currency:
        return False
    return _is_within(value.minor, conditions.value_from_minor, conditions.value_to_minor)


def _check_field(field: CustomFieldCondition, facts: ShippingFacts) -> Check:
    value = facts.custom_fields.get(field.name)
    given = {text.casefold() for text in texts_of(value)}
    return Check(RuleCondition.CUSTOM_FIELD, not given.isdisjoint(text.casefold() for text in field.values), field)


def texts_of(value: Any) -> list[str]:
    """Return a custom field's value as texts, one per element of a list."""
    if value is None:
        return []
    if isinstance(value, bool):
        return [str(value).lower()]
    if isinstance(value, float):
        return [f"{Decimal(str(value)).normalize():f}"]
    if isinstance(value, list):
        return [text for each in value for text in texts_of(each)]
    return [str(value)]


FIELDS_OF: Mapping[RuleCondition, tuple[str, ...]] = {
    RuleCondition.COUNTRY: ("countries",),
    RuleCondition.POSTAL_CODE: ("postal_prefixes",),
    RuleCondition.WEIGHT: ("weight_from_g", "weight_to_g"),
    RuleCondition.VALUE: ("value_from_minor", "value_to_minor"),
    RuleCondition.PACKAGES: ("packages_from", "packages_to"),
    RuleCondition.ORDER_TYPE: ("order_types",),
    RuleCondition.SERVICE: ("services",),
    RuleCondition.CUSTOMER: ("customer_ids",),
    RuleCondition.SKU: ("skus",),
}
"""Request fields of each condition."""

_CHECKS: Mapping[RuleCondition, Callable[[ShippingConditions, ShippingFacts], bool]] = {
    RuleCondition.COUNTRY: lambda rule, order: order.country in rule.countries,
    RuleCondition.POSTAL_CODE: lambda rule, order: matches_postal_prefix(order.postal_code, rule.postal_prefixes),
    RuleCondition.WEIGHT: lambda rule, order: _is_within(order.weight_g, rule.weight_from_g, rule.weight_to_g),
    RuleCondition.VALUE: _has_value,
    RuleCondition.PACKAGES: lambda rule, order: _is_within(order.package_count, rule.packages_from, rule.packages_to),
    RuleCondition.ORDER_TYPE: lambda rule, order: order.order_type in rule.order_types,
    RuleCondition.SERVICE: lambda rule, order: order.service in rule.services,
    RuleCondition.CUSTOMER: lambda rule, order: order.customer_id in rule.customer_ids,
    RuleCondition.SKU: lambda rule, order: not set(order.skus).isdisjoint(rule.skus),
}
