"""What is written into the history of orders when somebody asks for something that changes no status."""

from collections.abc import Sequence

from haulier.contexts.orders.delivery_orders.store import orders as store
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
