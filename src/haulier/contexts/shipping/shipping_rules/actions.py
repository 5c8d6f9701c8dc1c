"""Changes of shipping rules, and the log of their use."""

from collections.abc import Mapping, Sequence
from typing import Any

from haulier.contexts.identity.public import get_users_by_id
from haulier.contexts.shipping.shipping_rules import store
from haulier.contexts.shipping.shipping_rules.contract import MAX_RULES, ShippingConditions, ShippingOutcome
from haulier.contexts.shipping.shipping_rules.queries import RuleChoice, load_named_records
from haulier.contexts.shipping.shipping_rules.rules import SHIPPING_RULES_CHANGED, Problem
from haulier.contexts.shipping.shipping_rules.store import ShippingRuleRow
from haulier.kernel.call import Call
from haulier.kernel.i18n.languages import phrase
from haulier.kernel.operations.errors import INVALID_REQUEST, FieldError, record_not_found
from haulier.kernel.operations.records import columns

_FIELD_OF: Mapping[Problem, str] = {
    Problem.ACCOUNT_CLOSED: "outcome.account_id",
    Problem.ACCOUNT_INACTIVE: "outcome.account_id",
    Problem.CARRIER_UNAVAILABLE: "outcome.account_id",
    Problem.SERVICE_UNAVAILABLE: "outcome.service",
    Problem.PRESET_DELETED: "outcome.package_preset_id",
    Problem.FIELD_DELETED: "conditions.custom_fields",
}


async def record_rule_choice(call: Call, choice: RuleChoice) -> None:
    """Log the settings that rules made for a shipped or held order, and count them."""
    used = [result for result in choice.results if result.decided]
    if choice.order_id is None or not used:
        return
    await ShippingRuleRow.lock_many(call.work, [result.rule.id for result in used])
    await store.count_use(call.work, [result.rule.id for result in used], call.now)
    await store.write_log(
        call.work,
        [
            {
                "rule_id": result.rule.id,
                "rule_name": result.rule.name,
                "order_id": choice.order_id,
                "outcome": _made_settings(result.rule.outcome, result.decided),
                "created_at": call.now,
            }
            for result in used
        ],
    )


def _made_settings(outcome: ShippingOutcome, decided: Sequence[str]) -> dict[str, Any]:
    """Return the settings that a rule made, in the form of an outcome."""
    names = {*decided, *(("service",) if "account_id" in decided else ())}
    names |= {"insurance_from_minor", "insurance_currency"} if "insurance" in decided else set()
    return outcome.model_dump(mode="json", include=names, exclude_none=True)


async def add_rule(
    call: Call, *, name: str, enabled: bool, conditions: ShippingConditions, outcome: ShippingOutcome
) -> int:
    """Add a rule at the end of the list. Returns its ID."""
    await store.lock_list(call.work)
    if len(await store.list_rule_rows(call.work)) >= MAX_RULES:
        raise INVALID_REQUEST.for_fields(FieldError("name", "field.too_many_shipping_rules", {"most": MAX_RULES}))
    given = {"name": name, "enabled": enabled, **await _checked(call, conditions, outcome)}
    values = columns(
        store.rules,
        given,
        position=await store.last_position(call.work) + 1,
        times_matched=0,
        last_matched_at=None,
        created_at=call.now,
        updated_at=call.now,
    )
    rule_id = await ShippingRuleRow.insert(call.work, **values)
    await _publish_changed(call, rule_id)
    return rule_id


async def change_rule(
    call: Call,
    rule_id: int,
    *,
    name: str | None,
    enabled: bool | None,
    conditions: ShippingConditions | None,
    outcome: ShippingOutcome | None,
) -> None:
    """Change a rule. Raises `NOT_FOUND`."""
    await store.lock_list(call.work)
    row = await ShippingRuleRow.get(call.work, rule_id)
    if row is None:
        raise record_not_found(shipping_rule_id=rule_id)
    old = ShippingConditions.model_validate(row.conditions), ShippingOutcome.model_validate(row.outcome)
    values: dict[str, Any] = {"name": name, "enabled": enabled}
    if conditions is not None or outcome is not None:
        values |= await _checked(call, conditions or old[0], outcome or old[1])
    given = {name: value for name, value in values.items() if value is not None}
    await ShippingRuleRow.update(call.work, rule_id, given | {"updated_at": call.now})
    await _publish_changed(call, rule_id)


async def remove_rule(call: Call, rule_id: int) -> None:
    """Delete a rule. Raises `NOT_FOUND`."""
    await store.lock_list(call.work)
    if not await ShippingRuleRow.delete(call.work, rule_id):
        raise record_not_found(shipping_rule_id=rule_id)
    await _publish_changed(call, rule_id)


async def place_rules(call: Call, rule_ids: Sequence[int], expected_version: int | None) -> None:
    """Put all rules into a new order. Raises `SHIPPING_RULES_CHANGED`."""
    if len(set(rule_ids)) < len(rule_ids):
        raise INVALID_REQUEST.for_fields(FieldError("rule_ids", "field.shipping_rules_repeated"))
    version = await store.lock_list(call.work)
    stored = [row.id for row in await store.list_rule_rows(call.work)]
    if set(stored) != set(rule_ids) or expected_version not in (None, version):
        raise SHIPPING_RULES_CHANGED(version=version)
    if stored != list(rule_ids):
        await store.place_rules(call.work, rule_ids)
        await _publish_changed(call, *rule_ids)


async def _publish_changed(call: Call, *rule_ids: int) -> None:
    await store.increase_version(call.work)
    call.add_audit_subjects("shipping_rule", *rule_ids)


async def _checked(call: Call, conditions: ShippingConditions, outcome: ShippingOutcome) -> dict[str, Any]:
    """Return conditions and outcome as stored. Raises `INVALID_REQUEST`."""
    named = await load_named_records(call, [conditions], [outcome])
    if problem := named.problem_of(conditions, outcome):
        reason = {"problem": phrase(f"shipping_rule.problem.{problem}")}
        raise INVALID_REQUEST.for_fields(FieldError(_FIELD_OF[problem], "field.shipping_rule_problem", reason))
    known = await get_users_by_id(call, conditions.customer_ids) if conditions.customer_ids else {}
    if missing := sorted(set(conditions.customer_ids) - known.keys()):
        record = phrase("record.customer_id", value=missing[0])
        raise INVALID_REQUEST.for_fields(FieldError("conditions.customer_ids", "field.not_found", {"record": record}))
    return {
        "conditions": with_value_currency(conditions, call.business.currency).model_dump(mode="json"),
        "outcome": _with_insurance_currency(outcome, call.business.currency).model_dump(mode="json"),
    }


def with_value_currency(conditions: ShippingConditions, currency: str) -> ShippingConditions:
    """Return conditions whose value limits have a currency."""
    named = (conditions.value_currency or currency) if conditions.limits_value else None
    return conditions.model_copy(update={"value_currency": named})


def _with_insurance_currency(outcome: ShippingOutcome, currency: str) -> ShippingOutcome:
    named = (outcome.insurance_currency or currency) if outcome.insurance_from_minor is not None else None
    return outcome.model_copy(update={"insurance_currency": named})
