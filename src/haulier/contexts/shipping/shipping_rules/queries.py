"""Shipping rules applied to orders."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from msgspec import Struct

from haulier.contexts.custom_fields.public import ResourceKind, get_field_set
from haulier.contexts.identity.public import get_users_by_id
from haulier.contexts.orders.public import OrderToShip, load_orders_to_ship
from haulier.contexts.shipping.accounts.queries import CarrierAccountRow, get_accounts_by_id, open_carrier
from haulier.contexts.shipping.package_presets.queries import PackagePresetRow, get_package_presets
from haulier.contexts.shipping.ports import CarrierUnavailable
from haulier.contexts.shipping.shipping_rules import store
from haulier.contexts.shipping.shipping_rules.contract import ShippingConditions, ShippingOutcome
from haulier.contexts.shipping.shipping_rules.rules import (
    Problem,
    RuleResult,
    RuleState,
    ShippingFacts,
    StoredRule,
    evaluate_rules,
    list_set_conditions,
)
from haulier.contexts.shipping.shipping_rules.serializers import RuleNames, RuleWords
from haulier.kernel.call import Call
from haulier.kernel.operations.enums import PriceFamily
from haulier.kernel.operations.errors import record_not_found
from haulier.kernel.values.money import Money


class RuleChoice(Struct, frozen=True, kw_only=True):
    """Settings that the rules made for an order. None: no rule made it.

    `explanation` has a line per setting, in the caller's language. Pass the choice to `record_rule_choice` once the
    order is shipped or held.
    """

    order_id: int | None = None
    account_id: int | None = None
    account: str | None = None
    carrier: str | None = None
    service: str | None = None
    """None with an account: its cheapest service."""
    service_name: str | None = None
    package_preset: PackagePresetRow | None = None
    insurance: bool | None = None
    signature: bool | None = None
    hold: str | None = None
    """Reason to hold the order for review."""
    label_format: str | None = None
    explanation: tuple[str, ...] = ()
    matched_rule_ids: tuple[int, ...] = ()
    results: tuple[RuleResult, ...] = ()


class RuleSet(Struct, frozen=True, kw_only=True):
    """The rules of a business with the records that they name."""

    rules: Sequence[StoredRule]
    accounts: Mapping[int, CarrierAccountRow]
    presets: Mapping[int, PackagePresetRow]
    words: RuleWords


async def choose_by_rules(call: Call, facts: ShippingFacts) -> RuleChoice:
    """Return the settings that the shipping rules make for an order."""
    return choose(await load_rule_set(call), facts)


async def shipping_facts_of(call: Call, order_id: int) -> ShippingFacts:
    """Return the facts of an order of this client. Raises `NOT_FOUND`."""
    facts = await load_shipping_facts(call, [order_id])
    if order_id not in facts:
        raise record_not_found(order_id=order_id)
    return facts[order_id]


async def load_shipping_facts(call: Call, order_ids: Collection[int]) -> dict[int, ShippingFacts]:
    """Return the facts of orders by ID; unknown IDs are absent. Two statements."""
    return {id: _facts(order) for id, order in (await load_orders_to_ship(call, order_ids)).items()}


def _facts(order: OrderToShip) -> ShippingFacts:
    minor, currency = order.goods_value_minor, order.goods_currency
    return ShippingFacts(
        order_id=order.id,
        country=order.country,
        postal_code=order.postal_code,
        weight_g=order.weight_g,
        goods_value=None if minor is None or currency is None else Money(minor, currency),
        package_count=order.package_count,
        order_type=order.type,
        service=order.service,
        customer_id=order.customer_id,
        skus=order.skus,
        custom_fields=order.custom_fields,
    )


async def load_rule_set(call: Call) -> RuleSet:
    """Return the rules in order, with the problem of each one that cannot be applied."""
    rows = await store.list_rule_rows(call.work)
    outcomes = {row.id: ShippingOutcome.model_validate(row.outcome) for row in rows}
    conditions = {row.id: ShippingConditions.model_validate(row.conditions) for row in rows}
    named = await load_named_records(call, list(conditions.values()), list(outcomes.values()))
    rules = [
        StoredRule(
            id=row.id,
            position=position,
            name=row.name,
            enabled=row.enabled,
            conditions=conditions[row.id],
            outcome=outcomes[row.id],
            problem=named.problem_of(conditions[row.id], outcomes[row.id]),
            set_conditions=list_set_conditions(conditions[row.id]),
        )
        for position, row in enumerate(rows, 1)
    ]
    return RuleSet(rules=rules, accounts=named.accounts, presets=named.presets, words=named.words)


class NamedRecords(Struct, frozen=True, kw_only=True):
    """Records that rules name. Services are by account; None: any service may exist."""

    accounts: Mapping[int, CarrierAccountRow]
    services: Mapping[int, Mapping[str, str] | None]
    unavailable: Collection[int]
    presets: Mapping[int, PackagePresetRow]
    fields: Collection[str]
    words: RuleWords

    def problem_of(self, conditions: ShippingConditions, outcome: ShippingOutcome) -> Problem | None:
        """Return the reason why a rule cannot be applied, or None."""
        if outcome.package_preset_id is not None and outcome.package_preset_id not in self.presets:
            return Problem.PRESET_DELETED
        if any(field.name not in self.fields for field in conditions.custom_fields):
            return Problem.FIELD_DELETED
        return None if outcome.account_id is None else self._account_problem(outcome.account_id, outcome.service)

    def _account_problem(self, account_id: int, service: str | None) -> Problem | None:
        account = self.accounts.get(account_id)
        if account is None or account.deleted_at:
            return Problem.ACCOUNT_CLOSED
        if not account.active:
            return Problem.ACCOUNT_INACTIVE
        if account_id in self.unavailable:
            return Problem.CARRIER_UNAVAILABLE
        known = self.services.get(account_id)
        if service is not None and (service in account.services_off or (known is not None and service not in known)):
            return Problem.SERVICE_UNAVAILABLE
        return None


async def load_named_records(
    call: Call, conditions: Collection[ShippingConditions], outcomes: Collection[ShippingOutcome]
) -> NamedRecords:
    """Return the records that conditions and outcomes name. At most four statements."""
    accounts = await get_accounts_by_id(call.work, {each.account_id for each in outcomes if each.account_id})
    has_presets = any(each.package_preset_id for each in outcomes)
    presets = await get_package_presets(call.work) if has_presets else {}
    customer_ids = {id for each in conditions for id in each.customer_ids}
    customers = await get_users_by_id(call, customer_ids) if customer_ids else {}
    fields = (await get_field_set(call, ResourceKind.ORDER)).active
    services: dict[int, Mapping[str, str] | None] = {}
    unavailable = set()
    for id, account in accounts.items():
        try:
            services[id] = _services_of(call, account)
        except CarrierUnavailable:
            unavailable.add(id)
    names = RuleNames(
        accounts={id: row.name for id, row in accounts.items()},
        services={(id, code): name for id, known in services.items() for code, name in (known or {}).items()},
        presets={id: row.name for id, row in presets.items()},
        customers={id: user.name for id, user in customers.items()},
    )
    account = call.principal.account
    words = RuleWords(
        catalogues=call.app.catalogues,
        language=call.language,
        names=names,
        hides_value=call.principal.hides(PriceFamily.LOCAL_DELIVERY),
        hidden_fields=frozenset(name for name, each in fields.items() if not each.is_visible_to(account)),
    )
    return NamedRecords(
        accounts=accounts, services=services, unavailable=unavailable, presets=presets, fields=fields, words=words
    )


def _services_of(call: Call, account: CarrierAccountRow) -> Mapping[str, str] | None:
    """Return names of services by code, or None if the carrier lists none.

    Raises `CarrierUnavailable`.
    """
    if account.deleted_at:
        return None
    services = open_carrier(call.app, account, call.business.currency).services
    return {service.code: service.name for service in services} or None


def choose(rule_set: RuleSet, facts: ShippingFacts) -> RuleChoice:
    """Return the settings that a set of rules makes for an order."""
    results = evaluate_rules(rule_set.rules, facts)
    made: dict[str, ShippingOutcome] = {name: each.rule.outcome for each in results for name in each.decided}
    settings: dict[str, Any] = {name: getattr(outcome, name) for name, outcome in made.items()}
    account = rule_set.accounts.get(settings.get("account_id", 0))
    service = made["account_id"].service if account else None
    names = rule_set.words.names
    return RuleChoice(
        order_id=facts.order_id,
        account_id=account and account.id,
        account=account and account.name,
        carrier=account and account.carrier,
        service=service,
        service_name=names.services.get((account.id, service), service) if account and service else None,
        package_preset=rule_set.presets.get(settings.get("package_preset_id", 0)),
        insurance=settings["insurance"] == "on" if "insurance" in settings else None,
        signature=settings.get("signature_required"),
        hold=settings.get("hold_reason"),
        label_format=settings.get("label_format"),
        explanation=tuple(line for each in results for line in rule_set.words.decision_lines(each, facts)),
        matched_rule_ids=tuple(each.rule.id for each in results if each.state is RuleState.MATCHED),
        results=tuple(results),
    )
