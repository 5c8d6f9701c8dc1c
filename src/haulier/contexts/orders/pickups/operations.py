"""Operations on customer pickups."""

from haulier.contexts.orders.delivery_orders.contract.orders import (
    OrderRef,
    OrderStepError,
    OrdersUpdateResult,
    OrderUpdateResult,
)
from haulier.contexts.orders.delivery_orders.queries.pickups import get_pickup_depots, list_pickup_orders
from haulier.contexts.orders.delivery_orders.queries.visible_orders import get_visible_order
from haulier.contexts.orders.delivery_orders.rules.lifecycle import ORDER_STEP_REFUSED, OrderStatus
from haulier.contexts.orders.delivery_orders.rules.pickups import (
    ORDER_NOT_FOR_PICKUP,
    PICKUP_CODE_BLOCKED,
    PICKUP_CODE_WRONG,
    PICKUP_NOT_READY,
    pickup_state,
)
from haulier.contexts.orders.delivery_orders.serializers import order_record
from haulier.contexts.orders.fulfilments.rules import (
    ORDER_HAS_HOLDER,
    ORDER_HAS_ROUTE,
    ORDER_HAS_SHIPMENT,
    ORDER_IN_LOCKER,
)
from haulier.contexts.orders.pickups import actions
from haulier.contexts.orders.pickups.contract import (
    CustomerPickup,
    HandOverPickup,
    ListPickups,
    MarkReadyForPickup,
    PickupList,
    SwitchToPickup,
)
from haulier.kernel.call import Call
from haulier.kernel.operations.declaration import GraphQL, Mcp, Rest, reads, writes
from haulier.kernel.operations.enums import OFFICE, Risk, Scope
from haulier.kernel.operations.errors import NOT_FOUND
from haulier.kernel.operations.records import record
from haulier.kernel.values.pagination import total_fields

PATH = "/v1/orders/{order_id}/pickup"


@writes(
    "switch_order_to_pickup",
    available_when={"allowed_actions": "switch_to_pickup"},
    audience=OFFICE,
    scopes={Scope.ORDERS_WRITE},
    risk=Risk.MEDIUM,
    interfaces=(
        Rest("PUT", PATH),
        GraphQL("switchOrderToPickup"),
        Mcp("switch_order_to_pickup", title="Switch an order to customer pickup"),
    ),
    errors=(
        *(NOT_FOUND, ORDER_STEP_REFUSED, ORDER_HAS_ROUTE, ORDER_HAS_HOLDER),
        *(ORDER_IN_LOCKER, ORDER_HAS_SHIPMENT),
    ),
)
async def switch_order_to_pickup(call: Call, request: SwitchToPickup) -> OrderUpdateResult:
    """Switch an order to customer pickup.

    The customer collects it at the depot. It can't be planned, offered or shipped until it is switched back. Another
    depot replaces the first one; the order is then prepared there.
    """
    await actions.switch_to_pickup(call, request)
    return await _result(call, request.order_id, "order_switched_to_pickup")


@writes(
    "switch_order_to_delivery",
    available_when={"allowed_actions": "switch_to_delivery"},
    audience=OFFICE,
    scopes={Scope.ORDERS_WRITE},
    risk=Risk.MEDIUM,
    interfaces=(
        Rest("DELETE", PATH),
        GraphQL("switchOrderToDelivery"),
        Mcp("switch_order_to_delivery", title="Switch an order to delivery"),
    ),
    errors=(NOT_FOUND, ORDER_NOT_FOR_PICKUP, ORDER_STEP_REFUSED),
)
async def switch_order_to_delivery(call: Call, request: OrderRef) -> OrderUpdateResult:
    """Switch an order from customer pickup to delivery.

    Its pickup code becomes invalid, and the order waits to be planned.
    """
    await actions.switch_to_delivery(call, request.order_id)
    return await _result(call, request.order_id, "order_switched_to_delivery")


@writes(
    "mark_ready_for_pickup",
    available_when={"allowed_actions": "ready_for_pickup"},
    audience=OFFICE,
    scopes={Scope.ORDERS_WRITE},
    risk=Risk.MEDIUM,
    interfaces=(
        Rest("POST", "/v1/orders/ready-for-pickup"),
        GraphQL("markReadyForPickup"),
        Mcp("mark_ready_for_pickup", title="Mark orders ready for pickup"),
    ),
)
async def mark_ready_for_pickup(call: Call, request: MarkReadyForPickup) -> OrdersUpdateResult:
    """Mark up to 200 orders ready for pickup.

    Each recipient gets a message with the depot, the pickup code and the last day, if the business sends this message.
    Repeat it to set another last day. Orders that can't be ready are listed in the answer.
    """
    errors = await actions.mark_ready(call, request)
    ids = list(dict.fromkeys(request.order_ids))
    changed = [id for id in ids if id not in errors]
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
            for id in ids
            if id in errors
        ],
    )


@writes(
    "hand_over_pickup",
    available_when={"allowed_actions": "collect"},
    audience=OFFICE,
    scopes={Scope.ORDERS_WRITE},
    risk=Risk.MEDIUM,
    interfaces=(
        Rest("POST", f"{PATH}/hand-over"),
        GraphQL("handOverPickup"),
        Mcp("hand_over_pickup", title="Hand over an order"),
    ),
    errors=(
        NOT_FOUND,
        ORDER_NOT_FOR_PICKUP,
        ORDER_STEP_REFUSED,
        PICKUP_NOT_READY,
        PICKUP_CODE_WRONG,
        PICKUP_CODE_BLOCKED,
    ),
    prepare=actions.count_wrong_code_first,
)
async def hand_over_pickup(call: Call, request: HandOverPickup) -> OrderUpdateResult:
    """Hand an order over to the customer.

    Requires the pickup code, or the name of a person whose identity document was checked. The order is delivered.
    After five wrong codes none is accepted until a new code is made.
    """
    await actions.hand_over(call, request)
    return await _result(call, request.order_id, "order_handed_over")


@reads(
    "list_pickups",
    audience=OFFICE,
    scopes={Scope.ORDERS_READ},
    interfaces=(Rest("GET", "/v1/pickups"), GraphQL("pickups")),
)
async def list_pickups(call: Call, request: ListPickups) -> PickupList:
    """List customer pickups, the earliest due first.

    Finds a ready order also by its pickup code.
    """
    rows, counted = await list_pickup_orders(
        call,
        state=request.state,
        depot_id=request.depot_id,
        search=request.search,
        limit=request.per_page,
        offset=request.offset,
    )
    names: dict[int | None, str] = {id: depot.name for id, depot in (await get_pickup_depots(call, rows)).items()}
    return PickupList(
        **total_fields(counted),
        page=request.page,
        per_page=request.per_page,
        pickups=[
            record(
                CustomerPickup,
                row,
                order_id=row.id,
                state=pickup_state(OrderStatus(row.status), row.pickup_ready_at, row.pickup_until, call.today),
                name=row.stop_name,
                depot_id=row.pickup_depot_id,
                depot=names.get(row.pickup_depot_id),
                ready_at=call.local_time(row.pickup_ready_at),
                held_until=row.pickup_until,
                created_at=call.local_time(row.created_at),
            )
            for row in rows
        ],
    )


async def _result(call: Call, order_id: int, message_id: str) -> OrderUpdateResult:
    order = await order_record(call, await get_visible_order(call, order_id))
    return OrderUpdateResult(message=call.translate(message_id), order=order)
