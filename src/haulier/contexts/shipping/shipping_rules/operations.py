"""Operations on shipping rules."""

import asyncio
from collections import Counter, defaultdict
from datetime import timedelta
from typing import Any

from msgspec.structs import replace

from haulier.contexts.orders.public import list_order_ids_of_period
from haulier.contexts.shipping.shipping_rules import store
from haulier.contexts.shipping.shipping_rules.actions import (
    add_rule,
    change_rule,
    place_rules,
    remove_rule,
    with_value_currency,
)
from haulier.contexts.shipping.shipping_rules.contract import (
    DECIDED,
    DRY_RUN_ORDERS_MAX,
    CreateShippingRule,
    DryRunShippingRules,
    EvaluateShippingRules,
    ListShippingRuleLog,
    ReorderShippingRules,
    ShippingChoice,
    ShippingConditions,
    ShippingOutcome,
    ShippingRule,
    ShippingRuleAnswer,
    ShippingRuleCount,
    ShippingRuleList,
    ShippingRuleLog,
    ShippingRuleLogEntry,
    ShippingRuleRef,
    ShippingRulesDryRun,
    ShippingRulesTest,
    UpdateShippingRule,
)
from haulier.contexts.shipping.shipping_rules.queries import (
    RuleChoice,
    RuleSet,
    choose,
    load_named_records,
    load_rule_set,
    load_shipping_facts,
    shipping_facts_of,
)
from haulier.contexts.shipping.shipping_rules.rules import (
    SHIPPING_RULES_CHANGED,
    RuleState,
    ShippingFacts,
    StoredRule,
    evaluate_rules,
    meets_conditions,
)
from haulier.contexts.shipping.shipping_rules.serializers import conditions_record, outcome_record, rule_result
from haulier.contexts.shipping.shipping_rules.store import ShippingRuleLogRow, ShippingRuleRow
from haulier.kernel.call import Call
from haulier.kernel.operations.answers import Done
from haulier.kernel.operations.declaration import EmptyRequest, GraphQL, Rest, reads, writes
from haulier.kernel.operations.enums import OFFICE, Risk, Scope
from haulier.kernel.operations.errors import NOT_FOUND, record_not_found
from haulier.kernel.operations.records import record
from haulier.kernel.values.money import Money

PATH = "/v1/shipping/rules"
ONE = f"{PATH}/{{shipping_rule_id}}"
READ, WRITE = {Scope.LABELS_READ}, {Scope.LABELS_WRITE}
SAMPLE_MAX = 5
"""Orders that a dry run names per rule."""
YIELD_AFTER = 50
"""Orders of a dry run that are evaluated between turns of the event loop."""


@reads(
    "list_shipping_rules",
    audience=OFFICE,
    scopes=READ,
    interfaces=(Rest("GET", PATH), GraphQL("shippingRules")),
)
async def list_shipping_rules(call: Call, request: EmptyRequest) -> ShippingRuleList:
    """List shipping rules.

    They are in the order in which they are checked. Each setting is made by the first matching rule that has it.
    """
    return await _list(call)


@reads(
    "get_shipping_rule",
    audience=OFFICE,
    scopes=READ,
    interfaces=(Rest("GET", ONE), GraphQL("shippingRule")),
    errors=(NOT_FOUND,),
)
async def get_shipping_rule(call: Call, request: ShippingRuleRef) -> ShippingRuleAnswer:
    """Get a shipping rule."""
    return await _answer(call, request.shipping_rule_id)


@writes(
    "create_shipping_rule",
    audience=OFFICE,
    scopes=WRITE,
    risk=Risk.MEDIUM,
    interfaces=(Rest("POST", PATH, status=201), GraphQL("createShippingRule")),
)
async def create_shipping_rule(call: Call, request: CreateShippingRule) -> ShippingRuleAnswer:
    """Create a shipping rule.

    It is added at the end of the list. A business can have up to 200.
    """
    rule_id = await add_rule(
        call, name=request.name, enabled=request.enabled, conditions=request.conditions, outcome=request.outcome
    )
    return await _answer(call, rule_id)


@writes(
    "update_shipping_rule",
    audience=OFFICE,
    scopes=WRITE,
    risk=Risk.MEDIUM,
    interfaces=(Rest("PATCH", ONE), GraphQL("updateShippingRule")),
    errors=(NOT_FOUND,),
)
async def update_shipping_rule(call: Call, request: UpdateShippingRule) -> ShippingRuleAnswer:
    """Update a shipping rule.

    Changes its name, conditions or settings, or enables or disables it.
    """
    await change_rule(
        call,
        request.shipping_rule_id,
        name=request.name,
        enabled=request.enabled,
        conditions=request.conditions,
        outcome=request.outcome,
    )
    return await _answer(call, request.shipping_rule_id)


@writes(
    "delete_shipping_rule",
    audience=OFFICE,
    scopes=WRITE,
    risk=Risk.MEDIUM,
    interfaces=(Rest("DELETE", ONE), GraphQL("deleteShippingRule")),
    errors=(NOT_FOUND,),
)
async def delete_shipping_rule(call: Call, request: ShippingRuleRef) -> Done:
    """Delete a shipping rule.

    Its log entries stay.
    """
    await remove_rule(call, request.shipping_rule_id)
    return Done(message=call.translate("shipping_rule_deleted"))


@writes(
    "reorder_shipping_rules",
    audience=OFFICE,
    scopes=WRITE,
    risk=Risk.MEDIUM,
    interfaces=(Rest("PUT", f"{PATH}/order"), GraphQL("reorderShippingRules")),
    errors=(SHIPPING_RULES_CHANGED,),
)
async def reorder_shipping_rules(call: Call, request: ReorderShippingRules) -> ShippingRuleList:
    """Reorder shipping rules.

    They are checked in the given order.
    """
    await place_rules(call, request.rule_ids, request.expected_version)
    return await _list(call)


@reads(
    "test_shipping_rules",
    audience=OFFICE,
    scopes=READ,
    interfaces=(Rest("POST", f"{PATH}/test"), GraphQL("testShippingRules")),
    errors=(NOT_FOUND,),
)
async def test_shipping_rules(call: Call, request: EvaluateShippingRules) -> ShippingRulesTest:
    """Test shipping rules.

    Evaluates an order or given facts. Returns the settings, the reason for each, and why each rule did or did not
    match. Nothing is shipped.
    """
    facts = await _facts(call, request)
    rule_set = await load_rule_set(call)
    choice = choose(rule_set, facts)
    return ShippingRulesTest(
        choice=_choice(choice),
        matched_rule_ids=list(choice.matched_rule_ids),
        explanation=list(choice.explanation),
        rules=[rule_result(rule_set.words, result, facts) for result in choice.results],
    )


@reads(
    "dry_run_shipping_rules",
    audience=OFFICE,
    scopes=READ,
    interfaces=(Rest("POST", f"{PATH}/dry-run"), GraphQL("dryRunShippingRules")),
)
async def dry_run_shipping_rules(call: Call, request: DryRunShippingRules) -> ShippingRulesDryRun:
    """Dry-run shipping rules.

    Counts the orders of the last days that the rules would have matched or, with `conditions`, those that meet them.
    Nothing is changed.
    """
    begins = call.now - timedelta(days=request.days)
    ids = await list_order_ids_of_period(call, begins, call.now, most=DRY_RUN_ORDERS_MAX + 1)
    truncated, ids = len(ids) > DRY_RUN_ORDERS_MAX, ids[:DRY_RUN_ORDERS_MAX]
    facts = await load_shipping_facts(call, ids)
    newest = [facts[id] for id in ids if id in facts]
    if request.conditions is not None:
        return await _count_conditions(call, request.conditions, newest, truncated=truncated)
    return await _count_rules(call, newest, truncated=truncated)


@reads(
    "list_shipping_rule_log",
    audience=OFFICE,
    scopes=READ,
    interfaces=(Rest("GET", f"{PATH}/log"), GraphQL("shippingRuleLog")),
)
async def list_shipping_rule_log(call: Call, request: ListShippingRuleLog) -> ShippingRuleLog:
    """List the log of shipping rules.

    Each entry holds the settings that a rule made for an order, newest first. The newest 2,000 entries are kept.
    """
    rows, total = await store.list_log(
        call.work,
        rule_id=request.shipping_rule_id,
        order_id=request.order_id,
        limit=request.per_page,
        offset=request.offset,
    )
    outcomes = [ShippingOutcome.model_validate(row.outcome) for row in rows]
    words = (await load_named_records(call, [], outcomes)).words

    def entry(row: ShippingRuleLogRow, outcome: ShippingOutcome) -> ShippingRuleLogEntry:
        decided = [name for name in row.outcome if name in DECIDED]
        text, at = words.outcome_text(outcome), call.local_time(row.created_at)
        return record(
            ShippingRuleLogEntry, row, shipping_rule_id=row.rule_id, decided=decided, outcome_text=text, created_at=at
        )

    entries = [entry(row, outcome) for row, outcome in zip(rows, outcomes, strict=True)]
    return ShippingRuleLog(total=total, page=request.page, per_page=request.per_page, entries=entries)


async def _list(call: Call) -> ShippingRuleList:
    rule_set = await load_rule_set(call)
    rows = {row.id: row for row in await store.list_rule_rows(call.work)}
    rules = [_rule(call, rule_set, rule, rows[rule.id]) for rule in rule_set.rules]
    return ShippingRuleList(rules=rules, version=await store.get_list_version(call.work))


async def _answer(call: Call, rule_id: int) -> ShippingRuleAnswer:
    rule_set = await load_rule_set(call)
    rule = next((rule for rule in rule_set.rules if rule.id == rule_id), None)
    row = await ShippingRuleRow.get(call.work, rule_id)
    if rule is None or row is None:
        raise record_not_found(shipping_rule_id=rule_id)
    return ShippingRuleAnswer(rule=_rule(call, rule_set, rule, row))


def _rule(call: Call, rule_set: RuleSet, rule: StoredRule, row: ShippingRuleRow) -> ShippingRule:
    words = rule_set.words
    return record(
        ShippingRule,
        row,
        position=rule.position,
        conditions=conditions_record(rule.conditions),
        outcome=outcome_record(rule.outcome),
        conditions_text=words.conditions_text(rule.conditions),
        outcome_text=words.outcome_text(rule.outcome),
        problem=words.problem(rule.problem) or None,
        last_matched_at=call.local_time(row.last_matched_at),
        created_at=call.local_time(row.created_at),
        updated_at=call.local_time(row.updated_at),
    )


async def _facts(call: Call, request: EvaluateShippingRules) -> ShippingFacts:
    """Return the facts of the order of a request, with the given ones in their place."""
    facts = ShippingFacts() if request.order_id is None else await shipping_facts_of(call, request.order_id)
    given: dict[str, Any] = {
        "country": request.country,
        "postal_code": request.postal_code,
        "weight_g": request.weight_g,
        "package_count": request.package_count,
        "order_type": request.type,
        "service": request.service,
        "customer_id": request.customer_id,
        "skus": None if request.skus is None else tuple(request.skus),
        "custom_fields": request.custom_fields,
    }
    if request.goods_value_minor is not None:
        given["goods_value"] = Money(request.goods_value_minor, request.goods_currency or call.business.currency)
    return replace(facts, **{name: value for name, value in given.items() if value is not None})


def _choice(choice: RuleChoice) -> ShippingChoice:
    return ShippingChoice(
        account_id=choice.account_id,
        account=choice.account,
        carrier=choice.carrier,
        service=choice.service,
        service_name=choice.service_name,
        package_preset_id=choice.package_preset and choice.package_preset.id,
        insurance=choice.insurance,
        signature_required=choice.signature,
        hold_reason=choice.hold,
        label_format=choice.label_format,
    )


async def _count_conditions(
    call: Call, conditions: ShippingConditions, orders: list[ShippingFacts], *, truncated: bool
) -> ShippingRulesDryRun:
    wanted = with_value_currency(conditions, call.business.currency)
    matched = sum(meets_conditions(wanted, facts) for facts in orders)
    return ShippingRulesDryRun(
        orders=len(orders),
        matched=matched,
        without_service=0,
        truncated=truncated,
        text=call.translate("shipping_rule.dry_run", matched=matched, n=len(orders)),
        rules=[],
    )


async def _count_rules(call: Call, orders: list[ShippingFacts], *, truncated: bool) -> ShippingRulesDryRun:
    rules = (await load_rule_set(call)).rules
    matched: Counter[int] = Counter()
    deciders: defaultdict[int, list[int]] = defaultdict(list)
    decided = without_service = 0
    for number, facts in enumerate(orders):
        if number % YIELD_AFTER == 0:
            await asyncio.sleep(0)
        results = [result for result in evaluate_rules(rules, facts) if result.state is RuleState.MATCHED]
        matched.update(result.rule.id for result in results)
        for result in results:
            if result.decided:
                deciders[result.rule.id].append(facts.order_id or 0)
        decided += any(result.decided for result in results)
        without_service += not any("account_id" in result.decided for result in results)
    return ShippingRulesDryRun(
        orders=len(orders),
        matched=decided,
        without_service=without_service,
        truncated=truncated,
        text=call.translate("shipping_rule.dry_run", matched=decided, n=len(orders)),
        rules=[
            ShippingRuleCount(
                shipping_rule_id=rule.id,
                position=rule.position,
                name=rule.name,
                matched=matched[rule.id],
                decided=len(deciders[rule.id]),
                order_ids=deciders[rule.id][:SAMPLE_MAX],
            )
            for rule in rules
        ],
    )
