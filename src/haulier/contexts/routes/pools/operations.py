"""Operations on pools."""

from haulier.contexts.identity.public import get_user_of_account
from haulier.contexts.orders.public import OrderFacts
from haulier.contexts.routes.pools import store
from haulier.contexts.routes.pools.contract import (
    ContractorRuleAnswer,
    ContractorRuleList,
    ContractorRuleRef,
    CreateContractorRule,
    GetPlanningPool,
    ListContractorRules,
    PlanningPool,
    UpdateContractorRule,
)
from haulier.contexts.routes.pools.queries import get_pool_rules, list_waiting_orders, to_pool_order
from haulier.contexts.routes.pools.rules import is_in_pool
from haulier.contexts.routes.pools.serializers import serialize_contractor_rule, serialize_plannable_order
from haulier.contexts.routes.pools.store import ContractorRuleRow
from haulier.kernel.call import Call
from haulier.kernel.operations.answers import Done
from haulier.kernel.operations.declaration import GraphQL, Rest, reads, writes
from haulier.kernel.operations.enums import OFFICE, Account, Risk, Scope
from haulier.kernel.operations.errors import INVALID_REQUEST, NOT_FOUND, FieldError

PATH = "/v1/contractor-rules"


@reads(
    "list_contractor_rules",
    audience=OFFICE | {Account.CONTRACTOR},
    scopes={Scope.ORDERS_READ},
    interfaces=(Rest("GET", PATH), GraphQL("contractorRules")),
)
async def list_contractor_rules(call: Call, request: ListContractorRules) -> ContractorRuleList:
    """List contractor rules.

    Rules define the orders that a contractor can plan without an assignment. A contractor sees only their own.
    """
    is_contractor = call.principal.account is Account.CONTRACTOR
    contractor_id = call.actor if is_contractor else request.contractor_id
    rows, total = await store.list_contractor_rule_rows(
        call.work, contractor_id, limit=request.per_page, offset=request.offset
    )
    return ContractorRuleList(
        total=total,
        page=request.page,
        per_page=request.per_page,
        rules=[serialize_contractor_rule(row) for row in rows],
    )


@writes(
    "create_contractor_rule",
    audience={Account.CLIENT_ADMIN},
    scopes={Scope.ORDERS_WRITE},
    risk=Risk.MEDIUM,
    interfaces=(Rest("POST", PATH), GraphQL("createContractorRule")),
)
async def create_contractor_rule(call: Call, request: CreateContractorRule) -> ContractorRuleAnswer:
    """Create a contractor rule.

    The contractor can plan all matching orders that no other contractor holds.
    """
    if not await get_user_of_account(call, request.contractor_id, Account.CONTRACTOR):
        raise INVALID_REQUEST.for_fields(FieldError("contractor_id", "field.contractor_unknown"))
    rule_id = await ContractorRuleRow.insert(call.work, active=True, **request.model_dump(), created_at=call.now)
    call.add_audit_subjects("contractor_rule", rule_id)
    return await _load_contractor_rule(call, rule_id)


@writes(
    "update_contractor_rule",
    audience={Account.CLIENT_ADMIN},
    scopes={Scope.ORDERS_WRITE},
    risk=Risk.MEDIUM,
    errors=(NOT_FOUND,),
    interfaces=(Rest("PATCH", f"{PATH}/{{rule_id}}"), GraphQL("updateContractorRule")),
)
async def update_contractor_rule(call: Call, request: UpdateContractorRule) -> ContractorRuleAnswer:
    """Update a contractor rule.

    Omitted fields are unchanged. Orders already on a route remain there.
    """
    changes = request.model_dump(include=request.model_fields_set - {"rule_id"})
    changed = {name: value for name, value in changes.items() if value is not None or name == "max_weight_g"}
    await ContractorRuleRow.update(call.work, request.rule_id, changed)
    call.add_audit_subjects("contractor_rule", request.rule_id)
    return await _load_contractor_rule(call, request.rule_id)


@writes(
    "delete_contractor_rule",
    audience={Account.CLIENT_ADMIN},
    scopes={Scope.ORDERS_WRITE},
    risk=Risk.MEDIUM,
    errors=(NOT_FOUND,),
    interfaces=(Rest("DELETE", f"{PATH}/{{rule_id}}"), GraphQL("deleteContractorRule")),
)
async def delete_contractor_rule(call: Call, request: ContractorRuleRef) -> Done:
    """Delete a contractor rule.

    Orders already on a route remain there.
    """
    if not await ContractorRuleRow.delete(call.work, request.rule_id):
        raise NOT_FOUND()
    call.add_audit_subjects("contractor_rule", request.rule_id)
    return Done(message=call.translate("contractor_rule_deleted"))


async def _load_contractor_rule(call: Call, rule_id: int) -> ContractorRuleAnswer:
    row = await ContractorRuleRow.get(call.work, rule_id)
    if row is None:
        raise NOT_FOUND()
    return ContractorRuleAnswer(rule=serialize_contractor_rule(row))


MAX_ORDERS_SCANNED = 5000
"""Maximum number of waiting orders read, oldest first."""


@reads(
    "planning_pool",
    audience=OFFICE | {Account.CONTRACTOR},
    scopes={Scope.ORDERS_READ},
    interfaces=(Rest("GET", "/v1/planning-pool"), GraphQL("planningPool")),
)
async def planning_pool(call: Call, request: GetPlanningPool) -> PlanningPool:
    """List orders that can be planned.

    The pool of a contractor contains the orders that they hold and unassigned orders that match one of their rules. The
    pool of staff contains all unassigned orders. Orders on a route are excluded, including failed orders that are not
    back at the depot.
    """
    planner_id = await _get_pool_owner(call, request)
    rules = await get_pool_rules(call, planner_id)
    waiting, complete = await list_waiting_orders(call, limit=MAX_ORDERS_SCANNED)
    pool = [
        order
        for order in waiting
        if _is_in_requested_days(order, request) and is_in_pool(to_pool_order(order), planner_id, rules)
    ]
    page = pool[request.offset : request.offset + request.per_page]
    return PlanningPool(
        total=len(pool),
        page=request.page,
        per_page=request.per_page,
        contractor_id=planner_id,
        complete=complete,
        orders=[serialize_plannable_order(call, order) for order in page],
    )


async def _get_pool_owner(call: Call, request: GetPlanningPool) -> int | None:
    if call.principal.account is Account.CONTRACTOR:
        return call.actor
    contractor_id = request.contractor_id
    if contractor_id is not None and not await get_user_of_account(call, contractor_id, Account.CONTRACTOR):
        raise INVALID_REQUEST.for_fields(FieldError("contractor_id", "field.contractor_unknown"))
    return contractor_id


def _is_in_requested_days(order: OrderFacts, request: GetPlanningPool) -> bool:
    """An order without a day is in every range: it may be delivered on any day."""
    day = order.scheduled_date
    return day is None or (
        (request.date_from is None or day >= request.date_from) and (request.date_to is None or day <= request.date_to)
    )
