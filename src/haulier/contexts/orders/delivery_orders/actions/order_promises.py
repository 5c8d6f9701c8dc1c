"""Orders are promised for another time."""

from collections.abc import Collection, Mapping, Sequence
from datetime import date, datetime

from haulier.contexts.orders.delivery_orders.actions.history import write_order_step
from haulier.contexts.orders.delivery_orders.actions.order_sums import change_orders
from haulier.contexts.orders.delivery_orders.actions.transitions import find_collected_order_ids, load_tracked_packages
from haulier.contexts.orders.delivery_orders.rules.lifecycle import OrderStatus, rescheduled_status_code
from haulier.contexts.orders.delivery_orders.store import orders as store
from haulier.contexts.orders.events import OrderChanged
from haulier.contexts.tracking.public import NewEvent, record_events
from haulier.kernel.call import Call

RESCHEDULE = "reschedule"
"""The name of the step in an order's history. It leads to no other status."""


async def set_order_promise(
    call: Call,
    order_ids: Collection[int],
    window: tuple[datetime, datetime] | None,
    day: date | None,
    note: str | None,
    limits: Mapping[int, int],
) -> None:
    """Set day and window of orders, and the limits of attempts of some. Timelines of failed ones say that they go out again."""
    if not order_ids:
        return
    opens, closes = window or (None, None)
    promise = {"scheduled_date": day, "window_start": opens, "window_end": closes}
    await change_orders(call, order_ids, **promise, updated_at=call.now)
    for order_id, limit in limits.items():
        await store.update_orders(call.work, [order_id], attempt_limit=limit)
    rows = await store.list_order_rows(call.work, order_ids)
    await write_order_step(call, rows, RESCHEDULE, note)
    await _tell_timelines(call, [row for row in rows if row.status == OrderStatus.FAILED])
    call.add_audit_subjects("order", *order_ids)
    for row in rows:
        await call.publish(OrderChanged(order_id=row.id))


async def _tell_timelines(call: Call, rows: Sequence[store.OrderRow]) -> None:
    by_id, collected = {row.id: row for row in rows}, await find_collected_order_ids(call, rows)
    await record_events(
        call,
        [
            NewEvent(
                tracking_number=package.tracking_number,
                status_code=rescheduled_status_code(
                    by_id[package.order_id].type, collected=package.order_id in collected
                ),
                occurred_at=call.now,
                order_id=package.order_id,
                package_id=package.id,
                order_ref=by_id[package.order_id].order_ref,
            )
            for package in await load_tracked_packages(call, rows)
        ],
    )
