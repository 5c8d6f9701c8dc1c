"""Locker deliveries for other contexts."""

from collections.abc import Collection

from haulier.contexts.lockers.deliveries import store
from haulier.contexts.lockers.deliveries.rules import PUT_IN, LockerDeliveryStatus
from haulier.contexts.lockers.deliveries.store import LockerDeliveryRow
from haulier.contexts.lockers.devices.queries import DeviceCommandRow, list_commands_of_parcels
from haulier.contexts.orders.public import LockerPlace
from haulier.kernel.call import Call
from haulier.kernel.operations.errors import record_not_found


async def get_locker_deliveries(call: Call, order_ids: Collection[int]) -> dict[int, LockerDeliveryRow]:
    """Return the locker deliveries of orders, in one statement."""
    return {row.order_id: row for row in await store.list_deliveries_of_orders(call.work, order_ids)}


async def was_put_in_locker(call: Call, order_id: int) -> bool:
    """Return True if the parcel of an order is in a locker, as its door proved."""
    row = (await get_locker_deliveries(call, [order_id])).get(order_id)
    return row is not None and row.status in PUT_IN


async def require_delivery(call: Call, order_id: int, *, lock: bool = False) -> LockerDeliveryRow:
    """Return the locker delivery of an order. Raises `NOT_FOUND`."""
    if lock:
        row = await store.lock_delivery_of_order(call.work, order_id)
    else:
        row = (await get_locker_deliveries(call, [order_id])).get(order_id)
    if row is None:
        raise record_not_found(order_id=order_id)
    return row


async def find_last_door(call: Call, order_id: int) -> tuple[LockerDeliveryRow, DeviceCommandRow | None]:
    """Return the locker delivery of an order and its latest opened door.

    Raises `NOT_FOUND`.
    """
    row = await require_delivery(call, order_id)
    if row.parcel_id is None:
        return row, None
    opened = (await list_commands_of_parcels(call, [row.parcel_id]))[row.parcel_id]
    return row, opened[-1] if opened else None


VALID_DELIVERIES = PUT_IN | {LockerDeliveryStatus.WAITING, LockerDeliveryStatus.PLANNED}
"""Statuses in which an order goes to a locker, is in it, or was collected from it."""


class LockersOfOrders:
    """Implements the port `OrderLockers` of orders."""

    async def get_places(self, call: Call, order_ids: Collection[int]) -> dict[int, LockerPlace]:
        """Return the lockers of orders, by order. One statement."""
        rows = await get_locker_deliveries(call, order_ids)
        return {
            order_id: LockerPlace(name=_name_of(row), parcel_id=row.parcel_id)
            for order_id, row in rows.items()
            if row.status in VALID_DELIVERIES
        }


def _name_of(row: LockerDeliveryRow) -> str:
    compartment = " ".join(str(part) for part in (row.cabinet, row.box) if part is not None)
    return ", ".join(part for part in (row.site_name, compartment) if part)
