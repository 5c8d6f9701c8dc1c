"""Orders that will not be driven, for now or ever: held or cancelled, they leave their routes in the same transaction."""

from collections.abc import Collection

from haulier.contexts.orders.delivery_orders.actions.transitions import apply_order_transition
from haulier.contexts.orders.delivery_orders.queries.visible_orders import find_picked_up_order_ids, get_visible_order
from haulier.contexts.orders.delivery_orders.rules.lifecycle import OrderStatus, OrderStep, order_step_error
from haulier.contexts.orders.delivery_orders.rules.permissions import OrderState, may_customer_cancel
from haulier.contexts.orders.delivery_orders.store import orders as store
from haulier.contexts.orders.ports import OrderRoutes
from haulier.kernel.call import Call
from haulier.kernel.operations.enums import Account
from haulier.kernel.operations.errors import OperationError


async def hold_orders(call: Call, order_ids: Collection[int], note: str | None) -> dict[int, OperationError]:
    """Hold every order that can be held, and take it off its route. Returns the error of each other one."""
    return await _withdraw_orders(call, OrderStep.HOLD, order_ids, note)


async def cancel_orders(call: Call, order_ids: Collection[int], note: str | None) -> dict[int, OperationError]:
    """Cancel every order that can be cancelled; it leaves its route and its contractor. Returns the error of each other one."""
    errors = await _withdraw_orders(call, OrderStep.CANCEL, order_ids, note)
    await call.adapter(OrderRoutes).end_assignments(call, [id for id in order_ids if id not in errors])
    return errors


async def cancel_visible_order(call: Call, order_id: int, note: str | None) -> None:
    """Cancel an order that the caller sees; customers their own, while nobody picked it up.

    Raises `NOT_FOUND`, `ORDER_STEP_REFUSED`.
    """
    if call.principal.account is Account.CUSTOMER:
        await call.adapter(OrderRoutes).lock(call, [order_id])
        row = await get_visible_order(call, order_id, lock=True)
        collected = bool(await find_picked_up_order_ids(call, [row]))
        if not may_customer_cancel(OrderState(status=OrderStatus(row.status), collected=collected)):
            raise order_step_error(OrderStep.CANCEL, OrderStatus(row.status))
    await get_visible_order(call, order_id)
    if error := (await cancel_orders(call, [order_id], note)).get(order_id):
        raise error


async def release_orders(call: Call, order_ids: Collection[int], note: str | None) -> dict[int, OperationError]:
    """Release every held order. Returns the error of each other one."""
    return await apply_order_transition(call, OrderStep.RELEASE, order_ids, note=note)


async def leave_route(call: Call, order_id: int) -> None:
    """Take a planned order off its route, which has not started or on which it is not loaded. Any other stays as it is."""
    routes = call.adapter(OrderRoutes)
    await routes.lock(call, [order_id])
    rows = await store.list_order_rows(call.work, [order_id], lock=True)
    await routes.remove(call, [row.id for row in rows if row.status == OrderStatus.PLANNED])


async def _withdraw_orders(
    call: Call, step: OrderStep, order_ids: Collection[int], note: str | None
) -> dict[int, OperationError]:
    routes = call.adapter(OrderRoutes)
    # Why: routes are locked before their orders everywhere, so that two calls never wait for each other.
    await routes.lock(call, order_ids)
    errors = await apply_order_transition(call, step, order_ids, note=note)
    await routes.remove(call, [id for id in order_ids if id not in errors])
    return errors
