"""Delivery PINs as others read them."""

from haulier.contexts.orders.delivery_pins import store
from haulier.contexts.orders.delivery_pins.rules import check_pin
from haulier.kernel.call import Call
from haulier.kernel.operations.errors import OperationError


async def get_delivery_pin(call: Call, order_id: int) -> str | None:
    """The PIN of an order, for its recipient alone; None for an order without one."""
    row = await store.get_delivery_pin(call.work, order_id)
    return row.pin if row else None


async def check_delivery_pin(call: Call, order_id: int, said: str) -> OperationError | None:
    """Return the error for a wrong PIN, or None.

    Any PIN is valid for an order without one.
    """
    row = await store.get_delivery_pin(call.work, order_id)
    return check_pin(row.pin, row.wrong_tries, said) if row else None
