"""Operations that hold or release many orders.

Orders that cannot change are returned with their error.
"""

from haulier.contexts.orders.delivery_orders.actions.transitions import hold_orders as hold_every_order
from haulier.contexts.orders.delivery_orders.actions.transitions import release_orders as release_every_order
from haulier.contexts.orders.delivery_orders.contract.orders import (
    OrderStepError,
    OrdersTransitionRequest,
    OrdersUpdateResult,
)
from haulier.contexts.orders.delivery_orders.operations.update import OrdersAction
from haulier.kernel.call import Call
from haulier.kernel.operations.declaration import GraphQL, Mcp, Rest, writes
from haulier.kernel.operations.enums import OFFICE, Risk, Scope


@writes(
    "hold_orders",
    reversed_by="release_orders",
    audience=OFFICE,
    scopes={Scope.ORDERS_WRITE},
    risk=Risk.HIGH,
    confirm=True,
    interfaces=(Rest("POST", "/v1/orders/hold"), GraphQL("holdOrders"), Mcp("hold_orders", title="Hold orders")),
)
async def hold_orders(call: Call, request: OrdersTransitionRequest) -> OrdersUpdateResult:
    """Hold up to 200 orders.

    Applies `hold_order` to each. Orders that cannot be held are unchanged and listed in the answer.
    """
    return await _apply_to_orders(call, hold_every_order, request)


@writes(
    "release_orders",
    audience=OFFICE,
    scopes={Scope.ORDERS_WRITE},
    risk=Risk.HIGH,
    confirm=True,
    interfaces=(
        Rest("POST", "/v1/orders/release"),
        GraphQL("releaseOrders"),
        Mcp("release_orders", title="Release orders"),
    ),
)
async def release_orders(call: Call, request: OrdersTransitionRequest) -> OrdersUpdateResult:
    """Release up to 200 held orders.

    Applies `release_order` to each. Orders that are not held are listed in the answer.
    """
    return await _apply_to_orders(call, release_every_order, request)


async def _apply_to_orders(call: Call, action: OrdersAction, request: OrdersTransitionRequest) -> OrdersUpdateResult:
    order_ids = list(dict.fromkeys(request.order_ids))
    errors = await action(call, order_ids, request.reason)
    changed = [id for id in order_ids if id not in errors]
    return OrdersUpdateResult(
        result=bool(changed),
        changed=len(changed),
        skipped=len(errors),
        order_ids=changed,
        errors=[
            OrderStepError(
                order_id=id,
                code=errors[id].error_type.code,
                message=call.translate(errors[id].error_type.id, **errors[id].params),
            )
            for id in order_ids
            if id in errors
        ],
    )
