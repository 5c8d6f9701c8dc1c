"""Orders are changed: words and windows, and the steps that the office takes by hand."""

from haulier.contexts.orders.delivery_orders import store
from haulier.contexts.orders.delivery_orders.contract import (
    Because,
    ChangedOrder,
    RefOutcome,
    UpdateInstruction,
    UpdateNote,
    UpdateWindows,
    WindowsChanged,
)
from haulier.contexts.orders.delivery_orders.rules.lifecycle import (
    ORDER_STEP_REFUSED,
    TERMINAL,
    OrderStatus,
    Step,
    refusal,
)
from haulier.contexts.orders.delivery_orders.rules.rights import may_withdraw
from haulier.contexts.orders.delivery_orders.showing import collected, one, record, standing
from haulier.contexts.orders.delivery_orders.steps import take
from haulier.contexts.orders.events import OrderChanged
from haulier.kernel.call import Call
from haulier.kernel.declarations import OFFICE, Account, Risk, Scope
from haulier.kernel.errors import NOT_FOUND, problem
from haulier.kernel.operation import GraphQL, Mcp, Rest, writes

ORDER_IS_OVER = problem("order_is_over", 409)
WRITE = {Scope.ORDERS_WRITE}
OWNERS = OFFICE | {Account.CUSTOMER}


async def _change(call: Call, order_id: int, said: str, **values: object) -> ChangedOrder:
    row = await one(call, order_id, lock=True)
    if OrderStatus(row.status) in TERMINAL:
        raise ORDER_IS_OVER(status=OrderStatus(row.status).name)
    await store.change(call.work, [row.id], **values, updated_at=call.now)
    call.concerns("order", row.id)
    await call.announce(OrderChanged(order_id=row.id))
    return ChangedOrder(message=call.say(said), order=await record(call, await one(call, row.id)))


@writes(
    "update_order_note",
    audience=OFFICE,
    scopes=WRITE,
    risk=Risk.MEDIUM,
    doors=(
        Rest("PUT", "/v1/orders/{order_id}/note"),
        GraphQL("updateOrderNote"),
        Mcp("update_order_note", title="Change an order's note"),
    ),
    errors=(NOT_FOUND, ORDER_IS_OVER),
)
async def update_order_note(call: Call, request: UpdateNote) -> ChangedOrder:
    """Replace the note that dispatchers read."""
    return await _change(call, request.order_id, "order_note_changed", note=request.note)


@writes(
    "update_delivery_instruction",
    audience=OWNERS,
    scopes=WRITE,
    risk=Risk.MEDIUM,
    doors=(
        Rest("PUT", "/v1/orders/{order_id}/delivery-instruction"),
        GraphQL("updateDeliveryInstruction"),
        Mcp("update_delivery_instruction", title="Change a delivery instruction"),
    ),
    errors=(NOT_FOUND, ORDER_IS_OVER),
)
async def update_delivery_instruction(call: Call, request: UpdateInstruction) -> ChangedOrder:
    """Replace the instruction that the driver reads at the door."""
    said, words = "order_instruction_changed", request.delivery_instruction
    return await _change(call, request.order_id, said, delivery_instruction=words)


@writes(
    "update_time_window_by_refs",
    audience=OFFICE,
    scopes=WRITE,
    risk=Risk.MEDIUM,
    doors=(
        Rest("POST", "/v1/orders/time-window-by-refs"),
        GraphQL("updateTimeWindowByRefs"),
        Mcp("update_time_window_by_refs", title="Move time windows"),
    ),
)
async def update_time_window_by_refs(call: Call, request: UpdateWindows) -> WindowsChanged:
    """Give one time window to orders named by their references; what became of each is in the answer."""
    there = await store.by_refs(call.work, request.order_refs)
    outcomes: list[RefOutcome] = []
    changing: list[int] = []
    for ref in dict.fromkeys(request.order_refs):
        row = there.get(ref)
        if row is None:
            outcomes.append(RefOutcome(order_ref=ref, changed=False, message=call.say(NOT_FOUND.id)))
        elif (status := OrderStatus(row.status)) in TERMINAL:
            words = call.say(ORDER_IS_OVER.id, status=status.name)
            outcomes.append(RefOutcome(order_ref=ref, changed=False, message=words))
        else:
            outcomes.append(RefOutcome(order_ref=ref, changed=True))
            changing.append(row.id)
    if changing:
        window = {"window_start": request.window_start, "window_end": request.window_end}
        await store.change(call.work, changing, **window, updated_at=call.now)
        call.concerns("order", *changing)
        for id in changing:
            await call.announce(OrderChanged(order_id=id))
    skipped = len(outcomes) - len(changing)
    return WindowsChanged(result=bool(changing), changed=len(changing), skipped=skipped, outcomes=outcomes)


async def _step(call: Call, step: Step, request: Because, said: str) -> ChangedOrder:
    row = await one(call, request.order_id)
    refused = await take(call, step, [row.id], note=request.reason)
    if refused:
        raise refused[row.id]
    return ChangedOrder(message=call.say(said), order=await record(call, await one(call, row.id)))


@writes(
    "cancel_order",
    audience=OWNERS,
    scopes=WRITE,
    risk=Risk.HIGH,
    confirm=True,
    doors=(
        Rest("POST", "/v1/orders/{order_id}/cancel"),
        GraphQL("cancelOrder"),
        Mcp("cancel_order", title="Cancel an order"),
    ),
    errors=(NOT_FOUND, ORDER_STEP_REFUSED),
)
async def cancel_order(call: Call, request: Because) -> ChangedOrder:
    """Cancel an order that is not delivered yet. Customers may cancel their own while nobody picked it up."""
    if call.principal.account is Account.CUSTOMER:
        row = await one(call, request.order_id, lock=True)
        if not may_withdraw(standing(row, collected=bool(await collected(call, [row])))):
            raise refusal(Step.CANCEL, OrderStatus(row.status))
    return await _step(call, Step.CANCEL, request, "order_cancelled")


@writes(
    "hold_order",
    audience=OFFICE,
    scopes=WRITE,
    risk=Risk.HIGH,
    confirm=True,
    doors=(
        Rest("POST", "/v1/orders/{order_id}/hold"),
        GraphQL("holdOrder"),
        Mcp("hold_order", title="Hold an order"),
    ),
    errors=(NOT_FOUND, ORDER_STEP_REFUSED),
)
async def hold_order(call: Call, request: Because) -> ChangedOrder:
    """Hold a dispatchable order: nobody dispatches it until it is released."""
    return await _step(call, Step.HOLD, request, "order_held")


@writes(
    "release_order",
    audience=OFFICE,
    scopes=WRITE,
    risk=Risk.HIGH,
    confirm=True,
    doors=(
        Rest("POST", "/v1/orders/{order_id}/release"),
        GraphQL("releaseOrder"),
        Mcp("release_order", title="Release a held order"),
    ),
    errors=(NOT_FOUND, ORDER_STEP_REFUSED),
)
async def release_order(call: Call, request: Because) -> ChangedOrder:
    """Release a held order: it is a new order again."""
    return await _step(call, Step.RELEASE, request, "order_released")
