"""Deliveries into lockers as others read them."""

from collections.abc import Collection

from haulier.contexts.lockers.deliveries import store
from haulier.contexts.lockers.deliveries.rules import LockerDeliveryStatus
from haulier.contexts.lockers.deliveries.store import LockerDeliveryRow
from haulier.kernel.call import Call
from haulier.kernel.operations.errors import record_not_found


async def get_locker_deliveries(call: Call, order_ids: Collection[int]) -> dict[int, LockerDeliveryRow]:
    """Which of some orders go into lockers, in one statement."""
    return {row.order_id: row for row in await store.list_deliveries_of_orders(call.work, order_ids)}


async def lies_in_locker(call: Call, order_id: int) -> bool:
    """Whether the parcel of an order lies in a locker: nobody is there to sign, and the door proved that it was put in."""
    row = (await get_locker_deliveries(call, [order_id])).get(order_id)
    return row is not None and row.status == LockerDeliveryStatus.DEPOSITED


async def require_delivery(call: Call, order_id: int, *, lock: bool = False) -> LockerDeliveryRow:
    """The delivery of an order into a locker. Raises `NOT_FOUND`."""
    if lock:
        row = await store.lock_delivery_of_order(call.work, order_id)
    else:
        row = (await get_locker_deliveries(call, [order_id])).get(order_id)
    if row is None:
        raise record_not_found(order_id=order_id)
    return row
