"""Operations on delivery orders: update."""

from collections.abc import Awaitable, Callable, Collection, Sequence

from haulier.contexts.orders.delivery_orders.actions import corrections, create
from haulier.contexts.orders.delivery_orders.actions import custom_fields as actions
from haulier.contexts.orders.delivery_orders.actions.order_sums import change_orders
from haulier.contexts.orders.delivery_orders.actions.transitions import (
    cancel_visible_order,
    hold_orders,
    release_orders,
)
from haulier.contexts.orders.delivery_orders.contract.corrections import (
    CorrectAddress,
    CorrectedOrder,
    CorrectOrder,
    OrderWindowError,
    OrderWindowOutcome,
    OrderWindowsResult,
    UndoDelivery,
    UpdateGoodsAt,
    UpdateOrderCustomFields,
    UpdateOrderWindows,
)
from haulier.contexts.orders.delivery_orders.contract.orders import (
    OrderAnswer,
    OrderTransitionRequest,
    OrderUpdateResult,
    UpdateDeliveryInstruction,
    UpdateOrderNote,
)
from haulier.contexts.orders.delivery_orders.queries.order_facts import ORDER_REF_AMBIGUOUS
from haulier.contexts.orders.delivery_orders.queries.visible_orders import get_visible_order, get_visible_order_detail
from haulier.contexts.orders.delivery_orders.rules.corrections import ADDRESS_ELSEWHERE
from haulier.contexts.orders.delivery_orders.rules.lifecycle import (
    OPEN_STATUS_NAMES,
    ORDER_IS_OVER,
    ORDER_STEP_REFUSED,
    TERMINAL_STATUSES,
    OrderStatus,
)
from haulier.contexts.orders.delivery_orders.rules.whereabouts import GOODS_ON_ROUTE
from haulier.contexts.orders.delivery_orders.serializers import (
    load_warning_facts,
    order_detail,
    order_record,
    order_warnings,
    price_change,
)
from haulier.contexts.orders.delivery_orders.store import orders as orders_store
from haulier.contexts.orders.events import OrderChanged
from haulier.contexts.orders.quotes.rules import RATE_NOT_AVAILABLE, ZONE_ERRORS
from haulier.kernel.call import Call
from haulier.kernel.operations.declaration import GraphQL, Mcp, Rest, writes
from haulier.kernel.operations.enums import OFFICE, SIGNED_IN, Account, Risk, Scope
from haulier.kernel.operations.errors import NOT_FOUND, OperationError, record_not_found


@writes(
    "correct_order",
    available_when={"allowed_actions": "correct"},
    audience=OFFICE,
    scopes={Scope.ORDERS_WRITE},
    risk=Risk.MEDIUM,
    interfaces=(Rest("PATCH", "/v1/orders/{order_id}"), GraphQL("correctOrder")),
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
    available_when={"allowed_actions": "correct_address"},
    audience=OFFICE | {Account.CUSTOMER},
    scopes={Scope.ORDERS_WRITE},
    risk=Risk.MEDIUM,
    interfaces=(Rest("PUT", "/v1/orders/{order_id}/address"), GraphQL("correctAddress")),
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
    available_when={"allowed_actions": "undo_delivery"},
    audience=OFFICE,
    scopes={Scope.ORDERS_WRITE},
    risk=Risk.HIGH,
    interfaces=(Rest("POST", "/v1/orders/{order_id}/undo-delivery"), GraphQL("undoDelivery")),
    errors=(NOT_FOUND, ORDER_STEP_REFUSED, GOODS_ON_ROUTE),
)
async def undo_delivery(call: Call, request: UndoDelivery) -> OrderUpdateResult:
    """Revert a delivery that was reported by mistake.

    Nothing is deleted: the timeline shows the delivery as voided. While the route is under way, the order is out for
    delivery again and its stop is open. After that, the order is failed and waits to be planned; with `goods_at`, the
    next route first collects the goods at that place. Only a delivery to a recipient can be reverted; a delivery
    reported after a cancellation, or goods handed in at the depot, cannot.
    """
    await corrections.undo_delivery(call, request.order_id, request.reason, request.goods_at)
    order = await order_record(call, await get_visible_order(call, request.order_id))
    return OrderUpdateResult(message=call.translate("order_delivery_undone"), order=order)


@writes(
    "update_goods_at",
    available_when={"allowed_actions": "update_goods_at"},
    audience=OFFICE,
    scopes={Scope.ORDERS_WRITE},
    risk=Risk.MEDIUM,
    interfaces=(Rest("PUT", "/v1/orders/{order_id}/goods-at"), GraphQL("updateGoodsAt")),
    errors=(NOT_FOUND, ORDER_STEP_REFUSED),
)
async def update_goods_at(call: Call, request: UpdateGoodsAt) -> OrderUpdateResult:
    """Set the location of misdelivered goods.

    The next route collects the goods there and then delivers them; `null` records that they are back at the depot.
    Refused while the order is on a route, and for orders whose goods never left.
    """
    await corrections.update_goods_at(call, request)
    order = await order_record(call, await get_visible_order(call, request.order_id))
    return OrderUpdateResult(message=call.translate("order_goods_located"), order=order)


@writes(
    "update_order_custom_fields",
    audience=SIGNED_IN,
    scopes={Scope.ORDERS_WRITE},
    risk=Risk.MEDIUM,
    interfaces=(
        Rest("PATCH", "/v1/orders/{order_id}/custom-fields"),
        GraphQL("updateOrderCustomFields"),
        Mcp("update_order_custom_fields", title="Update custom fields of an order"),
    ),
    errors=(NOT_FOUND,),
)
async def update_order_custom_fields(call: Call, request: UpdateOrderCustomFields) -> OrderAnswer:
    """Update custom fields of an order.

    Sets values of the order and its packages in any order status. Every user who can see the order can write the fields
    that are open to their account type.
    """
    order_id = await actions.update_order_custom_fields(call, request)
    return OrderAnswer(order=await order_detail(call, await get_visible_order_detail(call, order_id)))


ORDER_WRITE_SCOPES = {Scope.ORDERS_WRITE}
ORDER_OWNERS = OFFICE | {Account.CUSTOMER}


async def _update_order(call: Call, order_id: int, message_id: str, **values: object) -> OrderUpdateResult:
    row = await get_visible_order(call, order_id, lock=True)
    if OrderStatus(row.status) in TERMINAL_STATUSES:
        raise ORDER_IS_OVER(status=OrderStatus(row.status).name)
    await orders_store.update_orders(call.work, [row.id], **values, updated_at=call.now)
    call.add_audit_subjects("order", row.id)
    await call.publish(OrderChanged(order_id=row.id))
    return OrderUpdateResult(
        message=call.translate(message_id), order=await order_record(call, await get_visible_order(call, row.id))
    )


@writes(
    "update_order_note",
    available_when={"status": OPEN_STATUS_NAMES},
    audience=OFFICE,
    scopes=ORDER_WRITE_SCOPES,
    risk=Risk.MEDIUM,
    interfaces=(
        Rest("PUT", "/v1/orders/{order_id}/note"),
        GraphQL("updateOrderNote"),
        Mcp("update_order_note", title="Update an order note"),
    ),
    errors=(NOT_FOUND, ORDER_IS_OVER),
)
async def update_order_note(call: Call, request: UpdateOrderNote) -> OrderUpdateResult:
    """Replace the dispatcher note of an order."""
    return await _update_order(call, request.order_id, "order_note_changed", note=request.note)


@writes(
    "update_delivery_instruction",
    available_when={"status": OPEN_STATUS_NAMES},
    audience=ORDER_OWNERS,
    scopes=ORDER_WRITE_SCOPES,
    risk=Risk.MEDIUM,
    interfaces=(
        Rest("PUT", "/v1/orders/{order_id}/delivery-instruction"),
        GraphQL("updateDeliveryInstruction"),
        Mcp("update_delivery_instruction", title="Update a delivery instruction"),
    ),
    errors=(NOT_FOUND, ORDER_IS_OVER),
)
async def update_delivery_instruction(call: Call, request: UpdateDeliveryInstruction) -> OrderUpdateResult:
    """Replace the delivery instruction for the driver."""
    return await _update_order(
        call, request.order_id, "order_instruction_changed", delivery_instruction=request.delivery_instruction
    )


@writes(
    "update_time_window_by_refs",
    audience=OFFICE,
    scopes=ORDER_WRITE_SCOPES,
    risk=Risk.MEDIUM,
    interfaces=(
        Rest("POST", "/v1/orders/time-window-by-refs"),
        GraphQL("updateTimeWindowByRefs"),
        Mcp("update_time_window_by_refs", title="Update delivery windows"),
    ),
)
async def update_time_window_by_refs(call: Call, request: UpdateOrderWindows) -> OrderWindowsResult:
    """Set the delivery window of several orders.

    Orders are identified by their references. Returns an outcome for each.
    """
    rows = await _list_orders_by_ref(call, request)
    refs = list(dict.fromkeys(request.order_refs))
    errors = [error for ref in refs if (error := _window_error(call, ref, rows.get(ref, [])))]
    refused = {error.order_ref: error for error in errors}
    changing = [rows[ref][0].id for ref in refs if ref not in refused]
    if changing:
        window = {"window_start": request.window_start, "window_end": request.window_end}
        await change_orders(call, changing, **window, updated_at=call.now)
        call.add_audit_subjects("order", *changing)
        for id in changing:
            await call.publish(OrderChanged(order_id=id))
    return OrderWindowsResult(
        result=bool(changing),
        changed=len(changing),
        skipped=len(errors),
        outcomes=[_window_outcome(ref, refused.get(ref)) for ref in refs],
        errors=errors,
    )


async def _list_orders_by_ref(call: Call, request: UpdateOrderWindows) -> dict[str, list[orders_store.OrderRow]]:
    rows: dict[str, list[orders_store.OrderRow]] = {}
    for row in await orders_store.list_order_rows_by_refs(call.work, request.order_refs):
        if row.order_ref and request.customer_id in {None, row.customer_id}:
            rows.setdefault(row.order_ref, []).append(row)
    return rows


def _window_error(call: Call, order_ref: str, rows: Sequence[orders_store.OrderRow]) -> OrderWindowError | None:
    """Return the error that prevents moving the window of a reference, or None.

    None if the reference identifies one order that can change.
    """
    error = _why_not_one_open_order(order_ref, rows)
    return error and OrderWindowError(
        order_id=rows[0].id if len(rows) == 1 else None,
        order_ref=order_ref,
        code=error.error_type.code,
        message=call.translate(error.error_type.id, **error.params),
    )


def _why_not_one_open_order(order_ref: str, rows: Sequence[orders_store.OrderRow]) -> OperationError | None:
    if not rows:
        return record_not_found(order_ref=order_ref)
    if len(rows) > 1:
        return ORDER_REF_AMBIGUOUS(order_ref=order_ref, count=len(rows))
    status = OrderStatus(rows[0].status)
    return ORDER_IS_OVER(status=status.name) if status in TERMINAL_STATUSES else None


def _window_outcome(order_ref: str, error: OrderWindowError | None) -> OrderWindowOutcome:
    if error is None:
        return OrderWindowOutcome(order_ref=order_ref, changed=True)
    return OrderWindowOutcome(order_ref=order_ref, changed=False, code=error.code, message=error.message)


OrdersAction = Callable[[Call, Collection[int], str | None], Awaitable[dict[int, OperationError]]]


async def _apply_to_order(
    call: Call, action: OrdersAction, request: OrderTransitionRequest, message_id: str
) -> OrderUpdateResult:
    row = await get_visible_order(call, request.order_id)
    errors = await action(call, [row.id], request.reason)
    if errors:
        raise errors[row.id]
    return OrderUpdateResult(
        message=call.translate(message_id), order=await order_record(call, await get_visible_order(call, row.id))
    )


@writes(
    "cancel_order",
    available_when={"allowed_actions": "cancel"},
    audience=ORDER_OWNERS,
    scopes=ORDER_WRITE_SCOPES,
    risk=Risk.HIGH,
    confirm=True,
    interfaces=(
        Rest("POST", "/v1/orders/{order_id}/cancel"),
        GraphQL("cancelOrder"),
        Mcp("cancel_order", title="Cancel an order"),
    ),
    errors=(NOT_FOUND, ORDER_STEP_REFUSED),
)
async def cancel_order(call: Call, request: OrderTransitionRequest) -> OrderUpdateResult:
    """Cancel an order.

    The order must not be delivered yet. Customers can cancel their own orders until pickup.
    """
    await cancel_visible_order(call, request.order_id, request.reason)
    row = await get_visible_order(call, request.order_id)
    return OrderUpdateResult(message=call.translate("order_cancelled"), order=await order_record(call, row))


@writes(
    "hold_order",
    available_when={"allowed_actions": "hold"},
    reversed_by="release_order",
    audience=OFFICE,
    scopes=ORDER_WRITE_SCOPES,
    risk=Risk.HIGH,
    confirm=True,
    interfaces=(
        Rest("POST", "/v1/orders/{order_id}/hold"),
        GraphQL("holdOrder"),
        Mcp("hold_order", title="Hold an order"),
    ),
    errors=(NOT_FOUND, ORDER_STEP_REFUSED),
)
async def hold_order(call: Call, request: OrderTransitionRequest) -> OrderUpdateResult:
    """Put an order on hold.

    The order must not be out with a driver. It leaves its route and is not dispatched until it is released.
    """
    return await _apply_to_order(call, hold_orders, request, "order_held")


@writes(
    "release_order",
    available_when={"allowed_actions": "release"},
    audience=OFFICE,
    scopes=ORDER_WRITE_SCOPES,
    risk=Risk.HIGH,
    confirm=True,
    interfaces=(
        Rest("POST", "/v1/orders/{order_id}/release"),
        GraphQL("releaseOrder"),
        Mcp("release_order", title="Release a held order"),
    ),
    errors=(NOT_FOUND, ORDER_STEP_REFUSED),
)
async def release_order(call: Call, request: OrderTransitionRequest) -> OrderUpdateResult:
    """Release a held order.

    The order becomes a new order again.
    """
    return await _apply_to_order(call, release_orders, request, "order_released")
