"""Redelivery: reschedule orders, and set how often they go out."""

from haulier.contexts.orders.delivery_orders.queries.order_names import FoundOrder, find_order_ids_by_names
from haulier.contexts.orders.redelivery.actions import Rescheduling, attempt_fields, reschedule
from haulier.contexts.orders.redelivery.contract import (
    RedeliveryPolicyAnswer,
    RescheduledOrder,
    RescheduleOrders,
    RescheduleResult,
    SetRedeliveryPolicy,
)
from haulier.contexts.orders.redelivery.queries import load_redelivery_policy
from haulier.contexts.orders.redelivery.rules import RedeliveryPolicy, find_promise_faults
from haulier.contexts.orders.redelivery.store import upsert_redelivery_policy
from haulier.kernel.call import Call
from haulier.kernel.operations.declaration import EmptyRequest, GraphQL, Rest, reads, writes
from haulier.kernel.operations.enums import OFFICE, Account, Risk, Scope
from haulier.kernel.operations.errors import INVALID_REQUEST, OperationError

POLICY_PATH = "/v1/orders/redelivery-policy"


@writes(
    "reschedule_orders",
    audience=OFFICE,
    scopes={Scope.ORDERS_WRITE},
    risk=Risk.MEDIUM,
    doors=(Rest("POST", "/v1/orders/reschedule"), GraphQL("rescheduleOrders")),
)
async def reschedule_orders(call: Call, request: RescheduleOrders) -> RescheduleResult:
    """Say when orders go out, by id, tracking number or reference: a day, a window of it, or any time.

    New, held, planned and failed orders are changed, each by itself; a planned one whose day changes leaves its route. A failed
    one goes out again while attempts are left. One that is on its way is refused.
    """
    day = request.scheduled_date or (call.local_time(request.window_start).date() if request.window_start else None)
    if faults := find_promise_faults(day, request.window, call.local_time(call.now)):
        raise INVALID_REQUEST.for_fields(*faults)
    names = await find_order_ids_by_names(call, request.order_ids, request.tracking_numbers, request.order_refs)
    done = await reschedule(call, sorted({found for found in names.values() if isinstance(found, int)}), request, day)
    policy = await load_redelivery_policy(call)
    outcomes = [_outcome(call, named, found, done, policy) for named, found in names.items()]
    changed = sum(outcome.changed for outcome in outcomes)
    return RescheduleResult(
        result=bool(changed),
        changed=changed,
        skipped=len(outcomes) - changed,
        scheduled_date=day,
        window_start=call.local_time(request.window_start),
        window_end=call.local_time(request.window_end),
        outcomes=outcomes,
    )


def _outcome(
    call: Call, named: str, found: FoundOrder, done: Rescheduling, policy: RedeliveryPolicy
) -> RescheduledOrder:
    error = found if isinstance(found, OperationError) else done.errors.get(found)
    order = None if isinstance(found, OperationError) else done.orders[found]
    return RescheduledOrder(
        named=named,
        order_id=order.id if order else None,
        changed=error is None,
        left_route=order is not None and order.id in done.left_route,
        code=error.error_type.code if error else None,
        message=call.translate(error.error_type.id, **error.params) if error else None,
        **(attempt_fields(order, policy) if order else {}),
    )


@reads(
    "get_redelivery_policy",
    audience=OFFICE,
    scopes={Scope.ORDERS_READ},
    doors=(Rest("GET", POLICY_PATH), GraphQL("redeliveryPolicy")),
)
async def get_redelivery_policy(call: Call, request: EmptyRequest) -> RedeliveryPolicyAnswer:
    """Show how often an order that could not be delivered goes out."""
    return RedeliveryPolicyAnswer(max_attempts=(await load_redelivery_policy(call)).max_attempts)


@writes(
    "set_redelivery_policy",
    audience={Account.CLIENT_ADMIN},
    scopes={Scope.ORDERS_WRITE},
    risk=Risk.MEDIUM,
    doors=(Rest("PUT", POLICY_PATH), GraphQL("setRedeliveryPolicy")),
)
async def set_redelivery_policy(call: Call, request: SetRedeliveryPolicy) -> RedeliveryPolicyAnswer:
    """Set how often an order that could not be delivered goes out. It counts from the next return to the depot."""
    await upsert_redelivery_policy(call.work, **request.model_dump(), changed_at=call.now)
    return RedeliveryPolicyAnswer(max_attempts=request.max_attempts)
