"""What is written into the history of orders when somebody asks for something that changes no status."""

from collections.abc import Sequence

from haulier.contexts.orders.delivery_orders.store import orders as store
from haulier.contexts.orders.events import OrderChanged
from haulier.kernel.call import Call


async def write_order_step(call: Call, rows: Sequence[store.OrderRow], step: str, note: str | None) -> None:
    """Write that the caller took a step with orders, whose status stays as it is."""
    changes = [
        {
            "order_id": row.id,
            "step": step,
            "status": row.status,
            "at": call.now,
            "recorded_at": call.now,
            "by_user_id": call.actor,
            "reason": note,
        }
        for row in rows
    ]
    await store.insert_order_changes(call.work, changes)


async def note_order_step(call: Call, order_id: int, step: str, note: str | None) -> None:
    """Write into the history of an order of this client what happened to it elsewhere, such as a return of its goods."""
    rows = await store.list_order_rows(call.work, [order_id])
    await write_order_step(call, rows, step, note)
    for row in rows:
        await call.publish(OrderChanged(order_id=row.id))
