"""Doors opened for a parcel or an inspection."""

from haulier.contexts.lockers.devices.actions.commands import Door, request_command
from haulier.contexts.lockers.devices.queries import DeviceCommandRow, list_commands_of_parcels
from haulier.contexts.lockers.devices.rules import WAITING, DeviceCommand, DoorPurpose
from haulier.contexts.lockers.parcels.rules import (
    LOCKER_LIFE,
    LOCKER_WITHOUT_DEVICE,
    LockerStatus,
    LockerStep,
    code_step,
)
from haulier.contexts.lockers.parcels.store import LockerParcelRow
from haulier.contexts.lockers.sites.queries import get_box, get_cabinet
from haulier.kernel.call import Call


async def open_for_parcel(
    call: Call, row: LockerParcelRow, step: LockerStep, purpose: DoorPurpose, *, frame_sequence: int | None = None
) -> DeviceCommandRow:
    """Open the door of a parcel and take the step once it opened.

    Raises `LOCKER_STEP_REFUSED`, `LOCKER_WITHOUT_DEVICE` and `DEVICE_NOT_USABLE`.
    """
    LOCKER_LIFE.next_status_or_raise(step, LockerStatus(row.status))
    if row.device_id is None:
        raise LOCKER_WITHOUT_DEVICE()
    door = Door(box_id=row.box_id, number=row.box, purpose=purpose, parcel_id=row.id)
    return await request_command(call, row.device_id, DeviceCommand.OPEN, door=door, frame_sequence=frame_sequence)


async def open_by_code(
    call: Call, row: LockerParcelRow, *, frame_sequence: int | None = None
) -> DeviceCommandRow | None:
    """Open the compartment of a parcel by its code, to deposit or collect.

    Returns None if the code opens nothing now. Raises `LOCKER_WITHOUT_DEVICE` and `DEVICE_NOT_USABLE`.
    """
    does = code_step(row.kind, row.status)
    return await open_for_parcel(call, row, *does, frame_sequence=frame_sequence) if does else None


async def find_door_under_way(call: Call, parcel_id: int) -> DeviceCommandRow | None:
    """Return the command that is opening the door of a parcel, or None."""
    opened = (await list_commands_of_parcels(call, [parcel_id]))[parcel_id]
    under_way = (each for each in reversed(opened) if each.status in WAITING and each.expires_at > call.now)
    return next(under_way, None)


async def open_to_look(call: Call, box_id: int, reason: str) -> DeviceCommandRow:
    """Open a door for an inspection.

    Raises `NOT_FOUND`, `LOCKER_WITHOUT_DEVICE` and `DEVICE_NOT_USABLE`.
    """
    box = await get_box(call, box_id)
    cabinet = await get_cabinet(call, box.cabinet_id)
    if cabinet.device_id is None:
        raise LOCKER_WITHOUT_DEVICE()
    door = Door(box_id=box.id, number=box.number, purpose=DoorPurpose.INSPECT)
    call.add_audit_subjects("locker_site", box.site_id)
    return await request_command(call, cabinet.device_id, DeviceCommand.OPEN, door=door, reason=reason)
