"""An order is delivered or fetched at another place than was said, such as a locker, and back again; all else of it stays."""

from typing import Literal

from haulier.contexts.orders.delivery_orders.actions.create import order_row_values
from haulier.contexts.orders.delivery_orders.actions.history import write_order_step
from haulier.contexts.orders.delivery_orders.actions.order_sums import change_orders
from haulier.contexts.orders.delivery_orders.contract.corrections import CorrectedPlace
from haulier.contexts.orders.delivery_orders.queries.order_requests import order_as_request
from haulier.contexts.orders.delivery_orders.store import orders as store
from haulier.contexts.orders.events import OrderChanged
from haulier.kernel.call import Call
from haulier.kernel.operations.errors import record_not_found


async def deliver_order_at(call: Call, order_id: int, place: CorrectedPlace, step: str, note: str | None) -> None:
    """Let an order of this client be delivered at another place. Number, label, price and recipient stay.

    The caller has looked whether that may be, and locked the order's route. `step` is its name in the order's history. Raises
    `NOT_FOUND`.
    """
    await _move(call, order_id, place, step, note, "consignee")


async def fetch_order_at(call: Call, order_id: int, place: CorrectedPlace, step: str, note: str | None) -> None:
    """The same for the place at which an order's goods are fetched from its sender."""
    await _move(call, order_id, place, step, note, "shipper")


async def _move(
    call: Call,
    order_id: int,
    place: CorrectedPlace,
    step: str,
    note: str | None,
    end: Literal["consignee", "shipper"],
) -> None:
    rows = await store.list_order_rows(call.work, [order_id], lock=True)
    if not rows:
        raise record_not_found(order_id=order_id)
    (row,) = rows
    order = order_as_request(row, await store.list_order_package_rows(call.work, [row.id]))
    there = getattr(order, end)
    assert there is not None  # lockers refuse an order that is not delivered, or not fetched
    moved = order.model_copy(update={end: there.model_copy(update=place.model_dump())})
    await change_orders(call, [row.id], **order_row_values(moved), updated_at=call.now)
    await write_order_step(call, rows, step, note)
    call.add_audit_subjects("order", row.id)
    await call.publish(OrderChanged(order_id=row.id, moved=True))
