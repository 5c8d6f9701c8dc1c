"""Shipping rules and their results in words and as records."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Any

import msgspec
from babel import Locale
from babel.lists import format_list
from babel.units import format_unit
from msgspec import Struct

from haulier.contexts.shipping.shipping_rules.contract import (
    ShippingConditionResult,
    ShippingConditions,
    ShippingConditionsRecord,
    ShippingOutcome,
    ShippingOutcomeRecord,
    ShippingRuleResult,
)
from haulier.contexts.shipping.shipping_rules.rules import (
    Check,
    Problem,
    RuleCondition,
    RuleResult,
    RuleState,
    ShippingFacts,
    check_conditions,
    texts_of,
)
from haulier.kernel.i18n.languages import Catalogues
from haulier.kernel.values.money import Money

SHOWN_MOST = 6
"""Values of a condition that a sentence names; the others are counted."""


class RuleNames(Struct, frozen=True, kw_only=True):
    """Names of records that rules refer to, by ID; services by account and code."""

    accounts: Mapping[int, str] = {}
    services: Mapping[tuple[int, str], str] = {}
    presets: Mapping[int, str] = {}
    customers: Mapping[int, str] = {}


class RuleWords(Struct, frozen=True, kw_only=True):
    """Words for rules in the caller's language.

    Goods values and custom fields that the caller cannot see are not named.
    """

    catalogues: Catalogues
    language: str
    names: RuleNames
    hides_value: bool = False
    hidden_fields: frozenset[str] = frozenset()

    def say(self, message: str, **params: Any) -> str:
        """Return a message of the catalogue of shipping rules."""
        return self.catalogues.translate(self.language, f"shipping_rule.{message}", **params)

    def conditions_text(self, conditions: ShippingConditions) -> str:
        """Return the conditions in words: `When the country is Germany`."""
        clauses = [self.clause(check, conditions) for check in check_conditions(conditions, ShippingFacts())]
        return self.say("when", clauses=self.all_of(clauses)) if clauses else self.say("always")

    def outcome_text(self, outcome: ShippingOutcome) -> str:
        """Return the settings in words: `DHL Paket, with signature`."""
        parts = filter(None, (self.setting(name, outcome) for name in ShippingOutcome.model_fields))
        joined = self.say("comma").join(parts)
        return joined if outcome.account_id else joined[:1].upper() + joined[1:]

    def setting(self, name: str, outcome: ShippingOutcome) -> str | None:
        """Return a setting in words, or None if the rule does not make it."""
        value = getattr(outcome, name)
        if value is None:
            return None
        match name:
            case "account_id":
                return self.carrier(value, outcome.service)
            case "package_preset_id":
                return self.say("sets.package", name=self.names.presets.get(value, f"{value}"))
            case "insurance" if outcome.insurance_from_minor is not None and outcome.insurance_currency:
                if self.hides_value:
                    return self.say("sets.insurance_on")
                least = self.money(outcome.insurance_from_minor, outcome.insurance_currency)
                return self.say("sets.insurance_from", least=least)
            case "insurance":
                return self.say(f"sets.insurance_{value}")
            case "signature_required":
                return self.say("sets.signature" if value else "sets.no_signature")
            case "hold_reason":
                return self.say("sets.hold", reason=value)
            case "label_format":
                return self.say("sets.label_format", format=value.upper())
            case _:
                return None

    def carrier(self, account_id: int, service: str | None) -> str:
        """Return the name of an account with that of its service."""
        account = self.names.accounts.get(account_id, f"{account_id}")
        if service is None:
            return account
        name = self.names.services.get((account_id, service), service)
        return name if name.casefold().startswith(account.casefold()) else f"{account} {name}"

    def decision_lines(self, result: RuleResult, facts: ShippingFacts) -> Iterator[str]:
        """Yield why a rule made each of its settings."""
        outcome, because = result.rule.outcome, self.because(result, facts)
        for name in result.decided:
            value = getattr(outcome, name)
            params: dict[str, Any] = {"number": result.rule.position, "because": because}
            match name:
                case "account_id":
                    yield self.say("chose.carrier", carrier=self.carrier(value, outcome.service), **params)
                case "package_preset_id":
                    yield self.say("chose.package", name=self.names.presets.get(value, f"{value}"), **params)
                case "insurance":
                    yield self.say(f"chose.insurance_{value}", **params)
                case "signature_required":
                    yield self.say("chose.signature" if value else "chose.no_signature", **params)
                case "hold_reason":
                    yield self.say("chose.hold", reason=value, **params)
                case _:
                    yield self.say("chose.label_format", format=value.upper(), **params)

    def because(self, result: RuleResult, facts: ShippingFacts) -> str:
        """Return the facts that met the conditions of a rule."""
        texts = [self.fact(check, facts) for check in result.checks]
        return self.all_of(texts) if texts else self.say("fact.always")

    def explain(self, result: RuleResult, facts: ShippingFacts) -> str:
        """Return why a rule did or did not decide about an order."""
        number, rule = result.rule.position, result.rule
        match result.state:
            case RuleState.DISABLED:
                return self.say("disabled", number=number)
            case RuleState.SKIPPED:
                return self.say("skipped", number=number, problem=self.problem(rule.problem))
            case RuleState.NOT_MATCHED:
                missed = next(check for check in result.checks if not check.met)
                fact, clause = self.fact(missed, facts), self.clause(missed, rule.conditions)
                return self.say("not_matched", number=number, fact=fact, clause=clause)
            case RuleState.MATCHED if result.decided:
                return " ".join(self.decision_lines(result, facts))
            case _:
                return self.say("decided_before", number=number)

    def problem(self, problem: Problem | None) -> str:
        """Return why a rule cannot be applied."""
        return self.say(f"problem.{problem}") if problem else ""

    def clause(self, check: Check, conditions: ShippingConditions) -> str:
        """Return a condition as a clause: `the weight is up to 5 kg`."""
        return _CLAUSES[check.condition](self, conditions, check)

    def fact(self, check: Check, facts: ShippingFacts) -> str:
        """Return the fact that a condition was checked against: `the order weighs 12 kg`."""
        return _FACTS[check.condition](self, facts, check)

    def range_clause(self, kind: str, least: str | None, most: str | None) -> str:
        """Return a condition with a lower or upper limit, or both."""
        if least is not None and most is not None:
            return self.say(f"if.{kind}_between", least=least, most=most)
        return self.say(f"if.{kind}_from", least=least) if most is None else self.say(f"if.{kind}_to", most=most)

    def value_clause(self, conditions: ShippingConditions) -> str:
        """Return the condition of the goods value."""
        currency = conditions.value_currency
        if self.hides_value or currency is None:
            return self.say("if.value_hidden")
        limits = (conditions.value_from_minor, conditions.value_to_minor)
        least, most = (None if limit is None else self.money(limit, currency) for limit in limits)
        return self.range_clause("value", least, most)

    def value_fact(self, facts: ShippingFacts, check: Check) -> str:
        """Return the goods value, unless the caller cannot see it."""
        if self.hides_value:
            return self.say("fact.value_fits" if check.met else "fact.value_differs")
        value = facts.goods_value
        return self.say("fact.value", value=value.format(self.language)) if value else self.say("fact.no_value")

    def field_clause(self, check: Check) -> str:
        """Return the condition of a custom field."""
        return (
            self.say("if.field", name=check.field.name, values=self.any_of(check.field.values)) if check.field else ""
        )

    def field_fact(self, facts: ShippingFacts, check: Check) -> str:
        """Return the value of a custom field, unless the caller cannot see it."""
        name = check.field.name if check.field else ""
        if name in self.hidden_fields:
            return self.say("fact.field_fits" if check.met else "fact.field_differs", name=name)
        texts = texts_of(facts.custom_fields.get(name))
        return (
            self.say("fact.field", name=name, value=self.all_of(texts))
            if texts
            else self.say("fact.no_field", name=name)
        )

    def customer_fact(self, facts: ShippingFacts) -> str:
        """Return the customer of an order."""
        id = facts.customer_id
        return self.say("fact.customer", name=self.customer(id)) if id is not None else self.say("fact.no_customer")

    def optional_fact(self, kind: str, value: str | None) -> str:
        """Return a fact, or that it is unknown."""
        return self.say(f"fact.{kind}", value=value) if value else self.say(f"fact.no_{kind}")

    def customer(self, id: int) -> str:
        """Return the name of a customer."""
        return self.names.customers.get(id, f"{id}")

    def country(self, code: str) -> str:
        """Return the name of a country."""
        return self.locale.territories.get(code, code)

    def order_type(self, code: str) -> str:
        """Return the name of an order type."""
        return self.catalogues.translate(self.language, f"label_type_{code}")

    def weight(self, grams: int | None) -> str | None:
        """Return a weight in kilograms."""
        if grams is None:
            return None
        return format_unit(Decimal(grams) / 1000, "mass-kilogram", "short", format="#,##0.###", locale=self.locale)

    def money(self, minor: int, currency: str) -> str:
        """Return an amount in the caller's language."""
        return Money(minor, currency).format(self.language)

    @property
    def locale(self) -> Locale:
        """Return the locale of the caller's language."""
        return Locale.parse(self.language, sep="-")

    def all_of(self, texts: Sequence[str]) -> str:
        """Return `a, b and c`."""
        return format_list(texts, "standard", self.locale)

    def any_of(self, texts: Sequence[str]) -> str:
        """Return `a, b or c`; of many, the first ones and the number of the others."""
        shown = [*texts] if len(texts) <= SHOWN_MOST else [*texts[: SHOWN_MOST - 1]]
        if hidden := len(texts) - len(shown):
            shown.append(self.say("more", n=hidden))
        return format_list(shown, "or", self.locale)


def _numbers(conditions: ShippingConditions) -> tuple[str | None, str | None]:
    limits = (conditions.packages_from, conditions.packages_to)
    least, most = (None if limit is None else f"{limit}" for limit in limits)
    return least, most


_CLAUSES: Mapping[RuleCondition, Callable[[RuleWords, ShippingConditions, Check], str]] = {
    RuleCondition.COUNTRY: lambda words, rule, _: words.say(
        "if.country", countries=words.any_of([words.country(code) for code in rule.countries])
    ),
    RuleCondition.POSTAL_CODE: lambda words, rule, _: words.say(
        "if.postal_code", prefixes=words.any_of(rule.postal_prefixes)
    ),
    RuleCondition.WEIGHT: lambda words, rule, _: words.range_clause(
        "weight", words.weight(rule.weight_from_g), words.weight(rule.weight_to_g)
    ),
    RuleCondition.VALUE: lambda words, rule, _: words.value_clause(rule),
    RuleCondition.PACKAGES: lambda words, rule, _: words.range_clause("packages", *_numbers(rule)),
    RuleCondition.ORDER_TYPE: lambda words, rule, _: words.say(
        "if.order_type", types=words.any_of([words.order_type(code) for code in rule.order_types])
    ),
    RuleCondition.SERVICE: lambda words, rule, _: words.say("if.service", services=words.any_of(rule.services)),
    RuleCondition.CUSTOMER: lambda words, rule, _: words.say(
        "if.customer", customers=words.any_of([words.customer(id) for id in rule.customer_ids])
    ),
    RuleCondition.SKU: lambda words, rule, _: words.say("if.sku", skus=words.any_of(rule.skus)),
    RuleCondition.CUSTOM_FIELD: lambda words, _, check: words.field_clause(check),
}
_FACTS: Mapping[RuleCondition, Callable[[RuleWords, ShippingFacts, Check], str]] = {
    RuleCondition.COUNTRY: lambda words, order, _: words.optional_fact(
        "country", order.country and words.country(order.country)
    ),
    RuleCondition.POSTAL_CODE: lambda words, order, _: words.optional_fact("postal_code", order.postal_code),
    RuleCondition.WEIGHT: lambda words, order, _: words.optional_fact("weight", words.weight(order.weight_g)),
    RuleCondition.VALUE: lambda words, order, check: words.value_fact(order, check),
    RuleCondition.PACKAGES: lambda words, order, _: words.say("fact.packages", n=order.package_count),
    RuleCondition.ORDER_TYPE: lambda words, order, _: words.say(
        "fact.order_type", value=words.order_type(order.order_type)
    ),
    RuleCondition.SERVICE: lambda words, order, _: words.say("fact.service", value=order.service),
    RuleCondition.CUSTOMER: lambda words, order, _: words.customer_fact(order),
    RuleCondition.SKU: lambda words, order, _: words.optional_fact("skus", words.all_of(order.skus[:SHOWN_MOST])),
    RuleCondition.CUSTOM_FIELD: lambda words, order, check: words.field_fact(order, check),
}


def conditions_record(conditions: ShippingConditions) -> ShippingConditionsRecord:
    """Return conditions in the form in which they are set."""
    return msgspec.convert(conditions.model_dump(mode="json"), ShippingConditionsRecord)


def outcome_record(outcome: ShippingOutcome) -> ShippingOutcomeRecord:
    """Return an outcome in the form in which it is set."""
    return msgspec.convert(outcome.model_dump(mode="json"), ShippingOutcomeRecord)


def rule_result(words: RuleWords, result: RuleResult, facts: ShippingFacts) -> ShippingRuleResult:
    """Return a checked rule with its explanation."""
    return ShippingRuleResult(
        shipping_rule_id=result.rule.id,
        position=result.rule.position,
        name=result.rule.name,
        result=result.state.value,
        decided=list(result.decided),
        explanation=words.explain(result, facts),
        conditions=[
            ShippingConditionResult(condition=check.condition.value, met=check.met, text=words.fact(check, facts))
            for check in result.checks
        ],
    )
