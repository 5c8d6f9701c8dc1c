"""Redelivery: reschedule, retry or return orders, and set the attempt limit."""

from haulier.contexts.orders.delivery_orders.contract.orders import OrderUpdateResult
from haulier.contexts.orders.delivery_orders.queries.order_facts import FoundOrder, find_order_ids_by_names
from haulier.contexts.orders.delivery_orders.queries.visible_orders import get_visible_order
from haulier.contexts.orders.delivery_orders.rules.lifecycle import ORDER_STEP_REFUSED
from haulier.contexts.orders.delivery_orders.rules.warnings import derive_order_day
from haulier.contexts.orders.delivery_orders.serializers import order_record
from haulier.contexts.orders.redelivery import actions
from haulier.contexts.orders.redelivery.actions import Rescheduling, attempt_fields, reschedule
from haulier.contexts.orders.redelivery.contract import (
    RedeliveryPolicyAnswer,
    RequestedRedelivery,
    RequestRedelivery,
    RescheduledOrder,
    RescheduleOrders,
    RescheduleResult,
    ReturnOrder,
    SetRedeliveryPolicy,
)
from haulier.contexts.orders.redelivery.queries import load_redelivery_policy
from haulier.contexts.orders.redelivery.rules import (
    REDELIVERY_USED_UP,
    STILL_OUT_TODAY,
    RedeliveryPolicy,
    find_promise_faults,
)
from haulier.contexts.orders.redelivery.store import upsert_redelivery_policy
from haulier.kernel.call import Call
from haulier.kernel.operations.declaration import EmptyRequest, GraphQL, Rest, reads, writes
from haulier.kernel.operations.enums import OFFICE, Account, Risk, Scope
from haulier.kernel.operations.errors import INVALID_REQUEST, NOT_FOUND, OperationError

POLICY_PATH = "/v1/orders/redelivery-policy"


@writes(
    "reschedule_orders",
    audience=OFFICE,
    scopes={Scope.ORDERS_WRITE},
    risk=Risk.MEDIUM,
    interfaces=(Rest("POST", "/v1/orders/reschedule"), GraphQL("rescheduleOrders")),
)
async def reschedule_orders(call: Call, request: RescheduleOrders) -> RescheduleResult:
    """Reschedule orders.

    Orders are identified by id, tracking number or reference, and move to a day, to a window of a day, or to any time.

    New, held, planned and failed orders are changed independently of each other. A planned order leaves its route if
    its day changes. A failed order goes out again while attempts are left. An order in transit is refused. A failed
    order is refused for today while its vehicle is still out: use `reopen_stop` for a new attempt. An order that
    already has the requested schedule is unchanged.
    """
    day = derive_order_day(request.scheduled_date, request.window_start, request.window_end, call.time_zone)
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


@writes(
    "request_redelivery",
    available_when={"allowed_actions": "redeliver"},
    audience={Account.CUSTOMER},
    scopes={Scope.ORDERS_WRITE},
    risk=Risk.MEDIUM,
    interfaces=(Rest("POST", "/v1/orders/{order_id}/redelivery"), GraphQL("requestRedelivery")),
    errors=(NOT_FOUND, ORDER_STEP_REFUSED, REDELIVERY_USED_UP, STILL_OUT_TODAY),
)
async def request_redelivery(call: Call, request: RequestRedelivery) -> RequestedRedelivery:
    """Request a redelivery of your failed order.

    The business limits the number of attempts. The previous delivery window is released; book another as a reservation.
    """
    if faults := find_promise_faults(request.scheduled_date, None, call.local_time(call.now)):
        raise INVALID_REQUEST.for_fields(*faults)
    left = await actions.redeliver(call, request)
    order = await order_record(call, await get_visible_order(call, request.order_id))
    return RequestedRedelivery(message=call.translate("order_redelivered"), order=order, attempts_left=left)


@writes(
    "return_order",
    available_when={"allowed_actions": "return"},
    audience=OFFICE | {Account.CUSTOMER},
    scopes={Scope.ORDERS_WRITE},
    risk=Risk.MEDIUM,
    interfaces=(Rest("POST", "/v1/orders/{order_id}/return"), GraphQL("returnOrder")),
    errors=(NOT_FOUND, ORDER_STEP_REFUSED),
)
async def return_order(call: Call, request: ReturnOrder) -> OrderUpdateResult:
    """Return a failed order to its sender.

    Ends the order. Goods at the depot are returned at once; goods in a vehicle, when they are back. Customers can
    return their own orders. Cancel new orders and orders in transit instead.
    """
    on_the_way = await actions.return_order(call, request)
    order = await order_record(call, await get_visible_order(call, request.order_id))
    message = "order_return_asked" if on_the_way else "order_returned"
    return OrderUpdateResult(message=call.translate(message), order=order)


@reads(
    "get_redelivery_policy",
    audience=OFFICE,
    scopes={Scope.ORDERS_READ},
    interfaces=(Rest("GET", POLICY_PATH), GraphQL("redeliveryPolicy")),
)
async def get_redelivery_policy(call: Call, request: EmptyRequest) -> RedeliveryPolicyAnswer:
    """Get the redelivery policy.

    It limits the number of delivery attempts for an order.
    """
    return RedeliveryPolicyAnswer(max_attempts=(await load_redelivery_policy(call)).max_attempts)


@writes(
    "set_redelivery_policy",
    audience={Account.CLIENT_ADMIN},
    scopes={Scope.ORDERS_WRITE},
    risk=Risk.MEDIUM,
    interfaces=(Rest("PUT", POLICY_PATH), GraphQL("setRedeliveryPolicy")),
)
async def set_redelivery_policy(call: Call, request: SetRedeliveryPolicy) -> RedeliveryPolicyAnswer:
    """Set the redelivery policy.

    It limits the number of delivery attempts for an order, and applies from the next return to the depot.
    """
    await upsert_redelivery_policy(call.work, **request.model_dump(), changed_at=call.now)
    return RedeliveryPolicyAnswer(max_attempts=request.max_attempts)
