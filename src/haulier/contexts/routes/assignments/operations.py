"""Orders held by a contractor: list, assign, revoke, release."""

from haulier.contexts.identity.public import get_user_of_account
from haulier.contexts.routes.assignments import rules, store
from haulier.contexts.routes.assignments.actions import end_assignments, lock_assignment_candidates, open_assignments
from haulier.contexts.routes.assignments.contract import (
    AssignmentList,
    AssignmentResult,
    AssignOrders,
    ListAssignments,
    ReleaseOrder,
    RevocationResult,
    RevokeOrders,
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
    doors=(Rest("GET", PATH), GraphQL("brokerOrderAssignments")),
)
async def list_broker_order_assignments(call: Call, request: ListAssignments) -> AssignmentList:
    """List which orders were given to which contractors, newest first.

    With `order_id` it is the history of one order. A contractor sees only their own assignments.
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
    doors=(Rest("POST", PATH), GraphQL("assignOrdersToBroker")),
)
async def assign_orders_to_broker(call: Call, request: AssignOrders) -> AssignmentResult:
    """Give orders to a contractor, taking them out of every other pool.

    An order that another contractor holds moves in one step. An order that cannot move is named in the answer; the
    others still go.
    """
    if await get_user_of_account(call, request.broker_id, Account.CONTRACTOR) is None:
        raise INVALID_REQUEST.for_fields(FieldError("broker_id", "field.contractor_unknown"))
    decision = rules.decide_assignment(
        request.order_ids, await lock_assignment_candidates(call, request.order_ids), request.broker_id
    )
    if decision.granted:
        await open_assignments(call, decision.granted, request.broker_id, request.note)
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
    doors=(Rest("POST", f"{PATH}/revoke"), GraphQL("revokeBrokerOrderAssignments")),
)
async def revoke_broker_order_assignments(call: Call, request: RevokeOrders) -> RevocationResult:
    """Take orders back from the contractors who hold them; ordinary contractor rules apply to them again.

    An order on a route stays and is named in the answer: take it off the route first.
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
    "release_broker_order_assignment",
    audience={Account.CONTRACTOR},
    scopes={Scope.ORDERS_WRITE},
    risk=Risk.MEDIUM,
    module=Module.BROKER_ORDER_ASSIGNMENTS,
    errors=(rules.ORDER_ON_ROUTE, rules.NOT_ASSIGNED_TO_YOU),
    doors=(Rest("POST", f"{PATH}/release"), GraphQL("releaseBrokerOrderAssignment")),
)
async def release_broker_order_assignment(call: Call, request: ReleaseOrder) -> Done:
    """Hand back an order that you hold; ordinary rules apply to it again, your own among them."""
    order = (await lock_assignment_candidates(call, [request.order_id])).get(request.order_id)
    if error := rules.check_release(order, call.actor):
        raise error
    await end_assignments(call, [order] if order else [], rules.RELEASED, request.reason)
    return Done(message=call.translate("order_released_by_contractor", order_id=request.order_id))
