"""Creation, renewal and failure count of delivery PINs."""

from collections.abc import Collection

from haulier.contexts.orders.delivery_pins import store
from haulier.contexts.orders.delivery_pins.rules import make_pin
from haulier.contexts.orders.events import DeliveryPinRenewed
from haulier.kernel.call import Call


async def make_delivery_pins(call: Call, order_ids: Collection[int]) -> None:
    """Make a PIN for each of these new orders."""
    if order_ids:
        await store.insert_delivery_pins(call.work, {order_id: make_pin(order_id) for order_id in order_ids})


async def ensure_delivery_pins(call: Call, order_ids: Collection[int]) -> None:
    """Make a PIN for each of these locked orders that has none."""
    having = await store.list_orders_with_pin(call.work, order_ids) if order_ids else set[int]()
    await make_delivery_pins(call, [id for id in order_ids if id not in having])


async def delete_delivery_pin(call: Call, order_id: int) -> None:
    """Delete the PIN of an order, if it has one."""
    await store.delete_delivery_pin(call.work, order_id)


async def count_wrong_pin(call: Call, order_id: int) -> None:
    """Count a wrong PIN for an order."""
    await store.count_wrong_pin(call.work, order_id)


async def renew_delivery_pin(call: Call, order_id: int) -> bool:
    """Generate a new PIN and reset the count of wrong ones.

    Returns True if the order has a PIN at all.
    """
    renewed = bool(await store.update_delivery_pin(call.work, order_id, make_pin(order_id)))
    if renewed:
        await call.publish(DeliveryPinRenewed(order_id=order_id))
    return renewed
