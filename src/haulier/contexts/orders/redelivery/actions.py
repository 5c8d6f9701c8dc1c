"""Orders go out on another day, or wait for a decision after their last attempt."""

from collections.abc import Collection, Mapping, Sequence
from datetime import date, datetime
from typing import Any

from msgspec import Struct

from haulier.contexts.orders.delivery_orders.actions.corrections import RESCHEDULE, set_order_promise, write_order_step
from haulier.contexts.orders.delivery_orders.actions.transitions import apply_order_transition
from haulier.contexts.orders.delivery_orders.queries.order_facts import OrderFacts, get_last_steps, get_order_facts
from haulier.contexts.orders.delivery_orders.queries.visible_orders import find_picked_up_order_ids, get_visible_order
from haulier.contexts.orders.delivery_orders.rules.lifecycle import (
    DISPATCHABLE_STATUSES,
    ORDER_IS_OVER,
    ORDER_STEP_REFUSED,
    REDELIVER,
    TERMINAL_STATUSES,
    OrderStatus,
    OrderStep,
    may_return,
    order_step_error,
)
from haulier.contexts.orders.delivery_orders.serializers import order_state
from haulier.contexts.orders.events import OrderChanged
from haulier.contexts.orders.ports import OrderRoutes
from haulier.contexts.orders.redelivery.contract import RequestRedelivery, RescheduleOrders, ReturnOrder
from haulier.contexts.orders.redelivery.queries import load_redelivery_policy
from haulier.contexts.orders.redelivery.rules import (
    ALREADY_SCHEDULED,
    REDELIVERY_USED_UP,
    STILL_OUT_TODAY,
    USED_UP_NOTE,
    Attempts,
    RedeliveryPolicy,
    check_attempts,
)
from haulier.kernel.call import Call
from haulier.kernel.operations.errors import OperationError, record_not_found

RETURN_ASKED = "return_asked"
"""The name of the step in an order's history whose goods go back once their vehicle is at the depot."""
CHANGEABLE = DISPATCHABLE_STATUSES | {OrderStatus.HOLD, OrderStatus.PLANNED}


class Rescheduling(Struct, frozen=True):
    """Outcome of rescheduling: orders off their route, and errors of unchanged ones."""

    orders: Mapping[int, OrderFacts]
    left_route: Collection[int]
    errors: Mapping[int, OperationError]


async def reschedule(
    call: Call, order_ids: Collection[int], request: RescheduleOrders, day: date | None
) -> Rescheduling:
    """Reschedule orders. A planned order whose day changes leaves its route."""
    routes = call.adapter(OrderRoutes)
    await routes.lock(call, order_ids)
    orders = await get_order_facts(call, order_ids, lock=True)
    policy = await load_redelivery_policy(call)
    errors = {
        order_id: error
        for order_id in order_ids
        if (error := _refusal(orders.get(order_id), order_id, policy, beyond_limit=request.beyond_limit))
    }
    errors |= await _reject_orders_out_today(call, [order for order in orders.values() if order.id not in errors], day)
    possible = [order for order in orders.values() if order.id not in errors]
    changing = await _list_changing(call, possible, request.window, day, policy)
    errors |= dict.fromkeys({order.id for order in possible} - {order.id for order in changing}, ALREADY_SCHEDULED())
    leaving = [order.id for order in changing if order.status is OrderStatus.PLANNED and order.scheduled_date != day]
    await routes.remove(call, leaving)
    used_up = [order for order in changing if check_attempts(_attempts(order), policy)]
    limits = {order.id: order.attempts + 1 for order in used_up}
    await set_order_promise(call, [order.id for order in changing], request.window, day, request.reason, limits)
    held = [order.id for order in used_up if order.status is OrderStatus.HOLD]
    await apply_order_transition(call, OrderStep.RELEASE, held, note=request.reason)
    return Rescheduling(await get_order_facts(call, order_ids), leaving, errors)


async def redeliver(call: Call, request: RequestRedelivery) -> int:
    """Let an order of the caller's go out again; returns how often it may.

    Raises `NOT_FOUND`, `REDELIVERY_USED_UP`, `STILL_OUT_TODAY`, or `ORDER_STEP_REFUSED` for an order that did not fail.
    """
    await call.adapter(OrderRoutes).lock(call, [request.order_id])
    row = await get_visible_order(call, request.order_id, lock=True)
    attempts, policy = Attempts(row.attempts, row.attempt_limit), await load_redelivery_policy(call)
    if row.status in {OrderStatus.FAILED, OrderStatus.HOLD} and check_attempts(attempts, policy):
        raise REDELIVERY_USED_UP(attempts=row.attempts)
    if row.status != OrderStatus.FAILED:
        raise ORDER_STEP_REFUSED(step=REDELIVER, status=OrderStatus(row.status).name)
    facts = await get_order_facts(call, [row.id])
    for error in (await _reject_orders_out_today(call, [*facts.values()], request.scheduled_date)).values():
        raise error
    await set_order_promise(call, [row.id], None, request.scheduled_date, request.reason, {})
    return attempts.left(policy)


async def return_order(call: Call, request: ReturnOrder) -> bool:
    """Return the goods of an order to their sender.

    Immediately if they are at the depot, else when their vehicle is back. Returns True if a vehicle still has them.
    Raises `NOT_FOUND` or `ORDER_STEP_REFUSED`.
    """
    routes = call.adapter(OrderRoutes)
    await routes.lock(call, [request.order_id])
    row = await get_visible_order(call, request.order_id, lock=True)
    if not may_return(order_state(row, collected=bool(await find_picked_up_order_ids(call, [row])))):
        raise order_step_error(OrderStep.RETURN, OrderStatus(row.status))
    if await routes.send_back(call, row.id):
        await write_order_step(call, [row], RETURN_ASKED, request.reason)
        await call.publish(OrderChanged(order_id=row.id))
        call.add_audit_subjects("order", row.id)
        return True
    await apply_order_transition(call, OrderStep.RETURN, [row.id], note=request.reason)
    return False


async def reopen_order(call: Call, order_id: int, *, at: datetime, note: str | None) -> None:
    """Start a new attempt for an order with a reopened stop.

    The caller has locked its route. Raises `ORDER_STEP_REFUSED`, also if a return of the goods was requested after the
    failed attempt.
    """
    order = (await get_order_facts(call, [order_id], lock=True))[order_id]
    if (await get_last_steps(call, [order_id])).get(order_id) == RETURN_ASKED:
        raise order_step_error(OrderStep.REOPEN, order.status)
    for error in (await apply_order_transition(call, OrderStep.REOPEN, [order_id], at=at, note=note)).values():
        raise error


async def hold_used_up_orders(call: Call, order_ids: Collection[int]) -> None:
    """Put orders that are back from their last attempt on hold, pending a decision."""
    if not order_ids:
        return
    policy = await load_redelivery_policy(call)
    orders = (await get_order_facts(call, order_ids)).values()
    used_up = [
        order.id for order in orders if order.status is OrderStatus.FAILED and check_attempts(_attempts(order), policy)
    ]
    await apply_order_transition(call, OrderStep.HOLD, used_up, note=USED_UP_NOTE)


def _refusal(
    order: OrderFacts | None, order_id: int, policy: RedeliveryPolicy, *, beyond_limit: bool
) -> OperationError | None:
    if order is None:
        return record_not_found(order_id=order_id)
    if order.status in TERMINAL_STATUSES:
        return ORDER_IS_OVER(status=order.status.name)
    if order.status not in CHANGEABLE:
        return ORDER_STEP_REFUSED(step="reschedule", status=order.status.name)
    return None if beyond_limit else check_attempts(_attempts(order), policy)


async def _reject_orders_out_today(
    call: Call, orders: Sequence[OrderFacts], day: date | None
) -> dict[int, OperationError]:
    """Return the errors of orders rescheduled to today while still in a vehicle."""
    failed = [order.id for order in orders if order.status is OrderStatus.FAILED]
    if day != call.today or not failed:
        return {}
    return {id: STILL_OUT_TODAY() for id in await call.adapter(OrderRoutes).find_reopenable(call, failed)}


async def _list_changing(
    call: Call,
    orders: Sequence[OrderFacts],
    window: tuple[datetime, datetime] | None,
    day: date | None,
    policy: RedeliveryPolicy,
) -> list[OrderFacts]:
    """Return the orders that rescheduling changes.

    Their time, their attempt limit, or the consequence of a failed attempt.
    """
    failed = [order.id for order in orders if order.status is OrderStatus.FAILED]
    undecided = {id for id, step in (await get_last_steps(call, failed)).items() if step != RESCHEDULE}
    return [
        order
        for order in orders
        if (order.scheduled_date, order.window_start, order.window_end) != (day, *(window or (None, None)))
        or order.id in undecided
        or check_attempts(_attempts(order), policy)
    ]


def _attempts(order: OrderFacts) -> Attempts:
    return Attempts(order.attempts, order.attempt_limit)


def attempt_fields(order: OrderFacts, policy: RedeliveryPolicy) -> dict[str, Any]:
    """Return the answer fields about the attempts of an order."""
    return {"attempts": order.attempts, "attempts_left": _attempts(order).left(policy)}
