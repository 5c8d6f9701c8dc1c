"""Contractor rules: list, create, change, delete."""

from typing import Any

from haulier.contexts.access.public import user_of_kind
from haulier.contexts.dispatch.pools import store
from haulier.contexts.dispatch.pools.contract import (
    CreateRule,
    ListRules,
    OrderType,
    Rule,
    RuleAnswer,
    Rules,
    TheRule,
    UpdateRule,
)
from haulier.kernel.answers import Done
from haulier.kernel.call import Call
from haulier.kernel.declarations import OFFICE, Account, Risk, Scope
from haulier.kernel.errors import INVALID_REQUEST, NOT_FOUND, Fault
from haulier.kernel.operation import GraphQL, Rest, reads, writes

TAG = "Dispatch"
PATH = "/v1/contractor-rules"


@reads(
    "list_contractor_rules",
    audience=OFFICE | {Account.CONTRACTOR},
    scopes={Scope.ORDERS_READ},
    doors=(Rest("GET", PATH, tag=TAG), GraphQL("contractorRules")),
)
async def list_contractor_rules(call: Call, request: ListRules) -> Rules:
    """List the rules that say which orders a contractor may plan without being given them one by one.

    A contractor sees only their own.
    """
    contractor = call.principal.account is Account.CONTRACTOR
    wanted = call.actor if contractor else request.contractor_id
    rows, total = await store.page(call.work, wanted, limit=request.per_page, offset=request.offset)
    return Rules(total=total, page=request.page, per_page=request.per_page, rules=[_record(row) for row in rows])


@writes(
    "create_contractor_rule",
    audience={Account.CLIENT_ADMIN},
    scopes={Scope.ORDERS_WRITE},
    risk=Risk.MEDIUM,
    doors=(Rest("POST", PATH, tag=TAG), GraphQL("createContractorRule")),
)
async def create_contractor_rule(call: Call, request: CreateRule) -> RuleAnswer:
    """Let a contractor plan the orders that a rule matches, as long as no other contractor holds them."""
    if not await user_of_kind(call, request.contractor_id, Account.CONTRACTOR):
        raise INVALID_REQUEST.at(Fault("contractor_id", "field.contractor_unknown"))
    rule_id = await store.add(call.work, **request.model_dump(), created_at=call.now)
    call.concerns("contractor_rule", rule_id)
    return await _shown(call, rule_id)


@writes(
    "update_contractor_rule",
    audience={Account.CLIENT_ADMIN},
    scopes={Scope.ORDERS_WRITE},
    risk=Risk.MEDIUM,
    errors=(NOT_FOUND,),
    doors=(Rest("PATCH", f"{PATH}/{{rule_id}}", tag=TAG), GraphQL("updateContractorRule")),
)
async def update_contractor_rule(call: Call, request: UpdateRule) -> RuleAnswer:
    """Change what is named of a rule; the rest stays. Orders already on a route stay there."""
    named = request.model_dump(include=request.model_fields_set - {"rule_id"})
    changed = {name: value for name, value in named.items() if value is not None or name == "max_weight_g"}
    await store.change(call.work, request.rule_id, changed)
    call.concerns("contractor_rule", request.rule_id)
    return await _shown(call, request.rule_id)


@writes(
    "delete_contractor_rule",
    audience={Account.CLIENT_ADMIN},
    scopes={Scope.ORDERS_WRITE},
    risk=Risk.MEDIUM,
    errors=(NOT_FOUND,),
    doors=(Rest("DELETE", f"{PATH}/{{rule_id}}", tag=TAG), GraphQL("deleteContractorRule")),
)
async def delete_contractor_rule(call: Call, request: TheRule) -> Done:
    """Delete a rule. Orders already on a route stay there."""
    if not await store.remove(call.work, request.rule_id):
        raise NOT_FOUND()
    call.concerns("contractor_rule", request.rule_id)
    return Done(message=call.say("contractor_rule_deleted"))


async def _shown(call: Call, rule_id: int) -> RuleAnswer:
    row = await store.one(call.work, rule_id)
    if row is None:
        raise NOT_FOUND()
    return RuleAnswer(rule=_record(row))


def _record(row: Any) -> Rule:
    return Rule(
        id=row.id,
        contractor_id=row.contractor_id,
        name=row.name,
        postal_prefixes=row.postal_prefixes,
        order_types=[OrderType(name) for name in row.order_types],
        skills=row.skills,
        max_weight_g=row.max_weight_g,
        weekdays=row.weekdays,
        active=bool(row.active),
    )
