"""Orders held by a contractor: list, assign, revoke, release."""

from datetime import date

from haulier.contexts.identity.public import get_user_of_account
from haulier.contexts.orders.public import count_contractor_orders
from haulier.contexts.routes.assignments import rules, store
from haulier.contexts.routes.assignments.actions import end_assignments, lock_assignment_candidates, open_assignments
from haulier.contexts.routes.assignments.contract import (
    AcceptAssignments,
    AssignmentAnswerResult,
    AssignmentList,
    AssignmentResult,
    AssignOrders,
    ContractorCapacity,
    DeclineAssignments,
    ListAssignments,
    ReleaseOrder,
    RevocationResult,
    RevokeOrders,
    SetContractorCapacity,
)
from haulier.contexts.routes.assignments.serializers import serialize_assignments, serialize_order_errors
from haulier.kernel.call import Call
from haulier.kernel.operations.answers import Done
from haulier.kernel.operations.declaration import GraphQL, Rest, reads, writes
from haulier.kernel.operations.enums import OFFICE, Account, Module, Risk, Scope
from haulier.kernel.operations.errors import INVALID_REQUEST, FieldError

PATH = "/v1/broker-order-assignments"


@reads(
    "list_broker_order_assignments",
    audience=OFFICE | {Account.CONTRACTOR},
    scopes={Scope.ORDERS_READ},
    module=Module.BROKER_ORDER_ASSIGNMENTS,
    interfaces=(Rest("GET", PATH), GraphQL("brokerOrderAssignments")),
)
async def list_broker_order_assignments(call: Call, request: ListAssignments) -> AssignmentList:
    """List contractor assignments of orders, newest first.

    With `order_id`, returns the history of one order. A contractor sees only their own assignments.
    """
    own = call.principal.account is Account.CONTRACTOR
    filters = {
        "contractor": call.actor if own else request.broker_id,
        "status": request.status,
        "order": request.order_id,
    }
    given_filters = {name: value for name, value in filters.items() if value is not None}
    rows, total = await store.list_assignment_rows(
        call.work, given_filters, limit=request.per_page, offset=request.offset
    )
    return AssignmentList(
        total=total, page=request.page, per_page=request.per_page, assignments=await serialize_assignments(call, rows)
    )


@writes(
    "assign_orders_to_broker",
    audience={Account.CLIENT_ADMIN},
    scopes={Scope.ORDERS_WRITE},
    risk=Risk.MEDIUM,
    module=Module.BROKER_ORDER_ASSIGNMENTS,
    interfaces=(Rest("POST", PATH), GraphQL("assignOrdersToBroker")),
)
async def assign_orders_to_broker(call: Call, request: AssignOrders) -> AssignmentResult:
    """Assign orders to a contractor.

    Removes them from every other planning pool. An order held by another contractor moves in one step. Orders that
    cannot move are listed in the answer; the others are assigned. With `respond_by`, the contractor must accept: orders
    not accepted by then are released.
    """
    if await get_user_of_account(call, request.broker_id, Account.CONTRACTOR) is None:
        raise INVALID_REQUEST.for_fields(FieldError("broker_id", "field.contractor_unknown"))
    if request.respond_by and request.respond_by <= call.now:
        raise INVALID_REQUEST.for_fields(FieldError("respond_by", "field.not_in_the_past"))
    # The capacity is locked before the orders, so that two calls do not both take the last place.
    most = await store.get_capacity(call.work, request.broker_id, lock=True)
    orders = await lock_assignment_candidates(call, request.order_ids)
    days = {order.day for order in orders.values() if order.day} if most is not None else set[date]()
    capacity = rules.DayCapacity(most, await count_contractor_orders(call, request.broker_id, days))
    decision = rules.decide_assignment(request.order_ids, orders, request.broker_id, capacity)
    if decision.granted:
        await open_assignments(call, decision.granted, request.broker_id, request.note, request.respond_by)
    return AssignmentResult(
        result=bool(decision.granted),
        assigned=len(decision.granted),
        skipped=len(decision.refused),
        errors=serialize_order_errors(call, decision.refused),
    )


@writes(
    "revoke_broker_order_assignments",
    audience={Account.CLIENT_ADMIN},
    scopes={Scope.ORDERS_WRITE},
    risk=Risk.MEDIUM,
    module=Module.BROKER_ORDER_ASSIGNMENTS,
    interfaces=(Rest("POST", f"{PATH}/revoke"), GraphQL("revokeBrokerOrderAssignments")),
)
async def revoke_broker_order_assignments(call: Call, request: RevokeOrders) -> RevocationResult:
    """Revoke assignments of orders to contractors.

    Ordinary contractor rules apply to the orders again. An order on a route is unchanged and listed in the answer:
    remove it from the route first.
    """
    decision = rules.decide_revocation(request.order_ids, await lock_assignment_candidates(call, request.order_ids))
    await end_assignments(call, decision.granted, rules.REVOKED, request.reason)
    return RevocationResult(
        result=bool(decision.granted),
        revoked=len(decision.granted),
        skipped=len(decision.refused),
        errors=serialize_order_errors(call, decision.refused),
    )


@writes(
    "accept_broker_order_assignments",
    audience={Account.CONTRACTOR},
    scopes={Scope.ORDERS_WRITE},
    risk=Risk.MEDIUM,
    module=Module.BROKER_ORDER_ASSIGNMENTS,
    interfaces=(Rest("POST", f"{PATH}/accept"), GraphQL("acceptBrokerOrderAssignments")),
)
async def accept_broker_order_assignments(call: Call, request: AcceptAssignments) -> AssignmentAnswerResult:
    """Accept orders offered to you.

    Repeating it changes nothing. Orders past their deadline are listed in the answer.
    """
    decision = await _decide_answer(call, request.order_ids, accepted=True)
    order_ids = [order.order_id for order in decision.granted]
    await store.accept_assignments(call.work, order_ids, call.now)
    call.add_audit_subjects("order", *order_ids)
    return _answer_result(call, decision)


@writes(
    "decline_broker_order_assignments",
    audience={Account.CONTRACTOR},
    scopes={Scope.ORDERS_WRITE},
    risk=Risk.MEDIUM,
    module=Module.BROKER_ORDER_ASSIGNMENTS,
    interfaces=(Rest("POST", f"{PATH}/decline"), GraphQL("declineBrokerOrderAssignments")),
)
async def decline_broker_order_assignments(call: Call, request: DeclineAssignments) -> AssignmentAnswerResult:
    """Decline orders offered to you.

    Each assignment ends as released, with `declined` and your reason.
    """
    decision = await _decide_answer(call, request.order_ids, accepted=False)
    await end_assignments(call, decision.granted, rules.RELEASED, rules.declined_reason(request.reason))
    return _answer_result(call, decision)


@writes(
    "set_contractor_capacity",
    audience={Account.CLIENT_ADMIN},
    scopes={Scope.ORDERS_WRITE},
    risk=Risk.MEDIUM,
    module=Module.BROKER_ORDER_ASSIGNMENTS,
    interfaces=(Rest("PUT", "/v1/contractors/{contractor_id}/capacity"), GraphQL("setContractorCapacity")),
)
async def set_contractor_capacity(call: Call, request: SetContractorCapacity) -> ContractorCapacity:
    """Set the daily capacity of a contractor.

    Limits the number of orders per day. Orders that the contractor already holds are not affected.
    """
    if await get_user_of_account(call, request.contractor_id, Account.CONTRACTOR) is None:
        raise INVALID_REQUEST.for_fields(FieldError("contractor_id", "field.contractor_unknown"))
    await store.set_capacity(call.work, request.contractor_id, request.orders_per_day)
    call.add_audit_subjects("user", request.contractor_id)
    return ContractorCapacity(contractor_id=request.contractor_id, orders_per_day=request.orders_per_day)


async def _decide_answer(call: Call, order_ids: list[int], *, accepted: bool) -> rules.AssignmentDecision:
    orders = await lock_assignment_candidates(call, order_ids)
    waiting = await store.list_pending_assignments(call.work, order_ids)
    deadlines = {id: row.respond_by for id, row in waiting.items() if row.respond_by}
    return rules.decide_answer(order_ids, orders, deadlines, call.actor, call.now, accepted=accepted)


def _answer_result(call: Call, decision: rules.AssignmentDecision) -> AssignmentAnswerResult:
    return AssignmentAnswerResult(
        result=bool(decision.granted),
        answered=len(decision.granted),
        skipped=len(decision.refused),
        errors=serialize_order_errors(call, decision.refused),
    )


@writes(
    "release_broker_order_assignment",
    audience={Account.CONTRACTOR},
    scopes={Scope.ORDERS_WRITE},
    risk=Risk.MEDIUM,
    module=Module.BROKER_ORDER_ASSIGNMENTS,
    errors=(rules.ORDER_ON_ROUTE, rules.NOT_ASSIGNED_TO_YOU),
    interfaces=(Rest("POST", f"{PATH}/release"), GraphQL("releaseBrokerOrderAssignment")),
)
async def release_broker_order_assignment(call: Call, request: ReleaseOrder) -> Done:
    """Release an order that you hold.

    Ordinary rules, including your own, apply to it again.
    """
    order = (await lock_assignment_candidates(call, [request.order_id])).get(request.order_id)
    if error := rules.check_release(order, call.actor):
        raise error
    await end_assignments(call, [order] if order else [], rules.RELEASED, request.reason)
    return Done(message=call.translate("order_released_by_contractor", order_id=request.order_id))
