"""Drivers at a locker: the compartment opens, or the order is redirected."""

from datetime import datetime

from msgspec import Struct

from haulier.contexts.lockers.deliveries.actions.plans import fall_back, take_another_box
from haulier.contexts.lockers.deliveries.queries import require_delivery
from haulier.contexts.lockers.deliveries.rules import GIVEN_UP, NO_BOX, NO_DEVICE, LockerDeliveryStatus
from haulier.contexts.lockers.deliveries.store import LockerDeliveryRow
from haulier.contexts.lockers.devices.queries import DeviceCommandRow
from haulier.contexts.lockers.devices.rules import DEVICE_NOT_USABLE, DoorPurpose
from haulier.contexts.lockers.parcels.actions.doors import find_door_under_way, open_for_parcel
from haulier.contexts.lockers.parcels.actions.steps import give_code
from haulier.contexts.lockers.parcels.queries import LockerParcelRow, get_parcel
from haulier.contexts.lockers.parcels.rules import LOCKER_WITHOUT_DEVICE, LockerStatus, LockerStep
from haulier.kernel.call import Call
from haulier.kernel.operations.errors import OperationError


class DepositCode(Struct, frozen=True, kw_only=True):
    """A one-time deposit code and its expiry."""

    code: str
    made_at: datetime
    expires_at: datetime


async def open_box_of_order(
    call: Call, order_id: int, *, give_up: bool
) -> tuple[LockerDeliveryRow, DeviceCommandRow | None]:
    """Open the reserved compartment of an order, or any free one.

    Without one, the order is redirected. While a door is opening, the same command is returned. Raises `NOT_FOUND` for
    an order without a locker delivery.
    """
    row = await require_delivery(call, order_id, lock=True)
    if row.status != LockerDeliveryStatus.PLANNED:
        return row, None
    parcel = await _box_of(call, row)
    if give_up or parcel is None:
        return await fall_back(call, row, GIVEN_UP if give_up else NO_BOX), None
    if opening := await find_door_under_way(call, parcel.id):
        return await require_delivery(call, order_id), opening
    try:
        async with call.work.savepoint():
            command = await open_for_parcel(call, parcel, LockerStep.DEPOSIT, DoorPurpose.DEPOSIT)
    except OperationError as error:
        if error.error_type not in (LOCKER_WITHOUT_DEVICE, DEVICE_NOT_USABLE):
            raise
        return await fall_back(call, await require_delivery(call, order_id), NO_DEVICE), None
    return await require_delivery(call, order_id), command


async def make_deposit_code(call: Call, order_id: int) -> tuple[LockerDeliveryRow, DepositCode | None]:
    """Create a one-time deposit code for the courier of an order. It works offline.

    Returns None if there is nothing to deposit or no compartment is free. Earlier codes stop working. Raises
    `NOT_FOUND`.
    """
    row = await require_delivery(call, order_id, lock=True)
    parcel = await _box_of(call, row) if row.status == LockerDeliveryStatus.PLANNED else None
    if parcel is None:
        return row, None
    code = await give_code(call, parcel)
    return await require_delivery(call, order_id), DepositCode(code=code, made_at=call.now, expires_at=parcel.until)


async def _box_of(call: Call, row: LockerDeliveryRow) -> LockerParcelRow | None:
    """Return the parcel of a delivery. Its reservation may have lapsed."""
    parcel = await get_parcel(call, row.parcel_id, lock=True) if row.parcel_id else None
    if parcel is not None and parcel.status == LockerStatus.RESERVED:
        return parcel
    return await take_another_box(call, row)
