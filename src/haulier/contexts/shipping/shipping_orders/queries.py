"""Shipping orders that a caller may see."""

from datetime import date, datetime, time, timedelta

from sqlalchemy import ColumnElement

from haulier.contexts.shipping.shipping_orders import store
from haulier.contexts.shipping.shipping_orders.contract import ListShippingOrders
from haulier.contexts.shipping.shipping_orders.store import orders
from haulier.kernel.call import Call
from haulier.kernel.operations.enums import Account
from haulier.kernel.operations.errors import record_not_found


async def get_visible_shipping_order(call: Call, id: int, *, lock: bool = False) -> store.ShippingOrderRow:
    """Return a visible order. Raises `NOT_FOUND`, also for other customers' orders."""
    row = await store.get_shipping_order_row(call.work, id, lock=lock)
    if row is None or (call.principal.account is Account.CUSTOMER and row.customer_id != call.actor):
        raise record_not_found(shipping_order_id=id)
    return row


def list_conditions(
    call: Call, request: ListShippingOrders, *, customer_id: int | None, paid: bool | None = None
) -> list[ColumnElement[bool]]:
    """Return the conditions of a list, optionally for one customer."""
    equal = {**request.model_dump(include={"state", "kind", "service_code", "order_ref"}), "customer_id": customer_id}
    found = [orders.c[name] == value for name, value in equal.items() if value is not None]
    if request.created_from:
        found.append(orders.c.created_at >= _midnight(call, request.created_from))
    if request.created_to:
        found.append(orders.c.created_at < _midnight(call, request.created_to + timedelta(days=1)))
    if paid is not None:
        settled = orders.c.paid_minor == orders.c.total_minor
        found.append(settled if paid else ~settled)
    return found


def _midnight(call: Call, day: date) -> datetime:
    return datetime.combine(day, time.min, tzinfo=call.time_zone)
