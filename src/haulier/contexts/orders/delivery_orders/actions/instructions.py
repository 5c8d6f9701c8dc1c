"""What the driver reads at the door."""

from haulier.contexts.orders.delivery_orders.rules.lifecycle import ORDER_IS_OVER, TERMINAL_STATUSES, OrderStatus
from haulier.contexts.orders.delivery_orders.store import orders as store
from haulier.contexts.orders.events import OrderChanged
from haulier.kernel.call import Call
from haulier.kernel.operations.errors import record_not_found


async def change_delivery_instruction(call: Call, order_id: int, instruction: str | None) -> None:
    """Replace the instruction of an order. The caller checks whose it is.

    Raises `NOT_FOUND`, or `ORDER_IS_OVER` for an order that nobody drives any more.
    """
    rows = await store.list_order_rows(call.work, [order_id], lock=True)
    if not rows:
        raise record_not_found(order_id=order_id)
    if (status := OrderStatus(rows[0].status)) in TERMINAL_STATUSES:
        raise ORDER_IS_OVER(status=status.name)
    await store.update_orders(call.work, [order_id], delivery_instruction=instruction, updated_at=call.now)
    call.add_audit_subjects("order", order_id)
    await call.publish(OrderChanged(order_id=order_id))
