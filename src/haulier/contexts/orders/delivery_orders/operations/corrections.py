"""Operations that correct what was said wrongly of an order."""

from haulier.contexts.orders.delivery_orders.actions import corrections, create
from haulier.contexts.orders.delivery_orders.contract.corrections import (
    CorrectAddress,
    CorrectedOrder,
    CorrectOrder,
    UndoDelivery,
)
from haulier.contexts.orders.delivery_orders.contract.orders import OrderUpdateResult
from haulier.contexts.orders.delivery_orders.queries.visible_orders import get_visible_order
from haulier.contexts.orders.delivery_orders.rules.corrections import ADDRESS_ELSEWHERE
from haulier.contexts.orders.delivery_orders.rules.lifecycle import ORDER_STEP_REFUSED
from haulier.contexts.orders.delivery_orders.serializers.orders import order_record
from haulier.contexts.orders.delivery_orders.serializers.prices import price_change
from haulier.contexts.orders.delivery_orders.serializers.warnings import load_warning_facts, order_warnings
from haulier.contexts.orders.quotes.rules.prices import RATE_NOT_AVAILABLE
from haulier.contexts.orders.quotes.rules.served_places import ZONE_ERRORS
from haulier.kernel.call import Call
from haulier.kernel.operations.declaration import GraphQL, Rest, writes
from haulier.kernel.operations.enums import OFFICE, Account, Risk, Scope
from haulier.kernel.operations.errors import NOT_FOUND


@writes(
    "correct_order",
    allowed_where={"allowed_actions": "correct"},
    audience=OFFICE,
    scopes={Scope.ORDERS_WRITE},
    risk=Risk.MEDIUM,
    doors=(Rest("PATCH", "/v1/orders/{order_id}"), GraphQL("correctOrder")),
    errors=(NOT_FOUND, ORDER_STEP_REFUSED, create.SERVICE_UNKNOWN, RATE_NOT_AVAILABLE),
)
async def correct_order(call: Call, request: CorrectOrder) -> CorrectedOrder:
    """Correct an order before it leaves.

    Changes contacts, packages, cash on delivery, skills or service before the first or the next departure. If a price
    factor changes, the price is calculated again with the current rate card; the answer, including that of a dry run,
    shows the difference. Goods that were already picked up once cannot be changed.

    Use a reroute for another address and a reschedule for another day.
    """
    before, corrected = await corrections.correct_order(call, request)
    row = await get_visible_order(call, before.id)
    return CorrectedOrder(
        message=call.translate("order_corrected"),
        order=await order_record(call, row),
        price=price_change(before.price, row.price),
        warnings=order_warnings(call, corrected, await load_warning_facts(call, [corrected])),
    )


@writes(
    "correct_address",
    allowed_where={"allowed_actions": "correct_address"},
    audience=OFFICE | {Account.CUSTOMER},
    scopes={Scope.ORDERS_WRITE},
    risk=Risk.MEDIUM,
    doors=(Rest("PUT", "/v1/orders/{order_id}/address"), GraphQL("correctAddress")),
    errors=(NOT_FOUND, ORDER_STEP_REFUSED, ADDRESS_ELSEWHERE, *ZONE_ERRORS),
)
async def correct_address(call: Call, request: CorrectAddress) -> CorrectedOrder:
    """Correct the address of a failed order.

    The package keeps its number, label and price. Customers can correct the addresses of their own orders within the
    same town; staff can correct any. Orders without a delivery attempt are rerouted instead.
    """
    corrected = await corrections.correct_address(call, request)
    row = await get_visible_order(call, request.order_id)
    return CorrectedOrder(
        message=call.translate("order_address_corrected"),
        order=await order_record(call, row),
        price=price_change(row.price, row.price),
        warnings=order_warnings(call, corrected, await load_warning_facts(call, [corrected])),
    )


@writes(
    "undo_delivery",
    allowed_where={"allowed_actions": "undo_delivery"},
    audience=OFFICE,
    scopes={Scope.ORDERS_WRITE},
    risk=Risk.HIGH,
    doors=(Rest("POST", "/v1/orders/{order_id}/undo-delivery"), GraphQL("undoDelivery")),
    errors=(NOT_FOUND, ORDER_STEP_REFUSED),
)
async def undo_delivery(call: Call, request: UndoDelivery) -> OrderUpdateResult:
    """Revert a delivery that was reported by mistake.

    Nothing is deleted: the timeline shows the delivery as voided. While the route is under way, the order is out for
    delivery again and its stop is open. After that, the order is failed and waits to be planned. Only a delivery to a
    recipient can be reverted; a delivery reported after a cancellation, or goods handed in at the depot, cannot.
    """
    await corrections.undo_delivery(call, request.order_id, request.reason)
    order = await order_record(call, await get_visible_order(call, request.order_id))
    return OrderUpdateResult(message=call.translate("order_delivery_undone"), order=order)
