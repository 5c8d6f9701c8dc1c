"""Serializers of screens and doors."""

from typing import Any

from haulier.contexts.lockers.devices.queries import DeviceCommandRow
from haulier.contexts.lockers.parcels.queries import LockerParcelRow
from haulier.contexts.lockers.screens.contract import CourierErrand, LockerScreen, ScreenDoor
from haulier.contexts.lockers.screens.rules import ERRANDS, errand_of
from haulier.contexts.lockers.screens.store import LockerScreenRow
from haulier.contexts.lockers.sites.queries import get_box, get_cabinet
from haulier.kernel.call import Call
from haulier.kernel.operations.records import record


def screen_record(call: Call, row: LockerScreenRow) -> LockerScreen:
    """A screen."""
    moments = ("last_seen_at", "created_at", "ended_at")
    times: dict[str, Any] = {name: call.local_time(getattr(row, name)) for name in moments}
    return record(LockerScreen, row, **times)


async def door_record(call: Call, row: DeviceCommandRow, site_id: int) -> ScreenDoor | None:
    """Serialize a door opened at a screen of a site, or None for another site."""
    if row.box_id is None:
        return None
    box = await get_box(call, row.box_id)
    if box.site_id != site_id:
        return None
    cabinet = await get_cabinet(call, box.cabinet_id)
    return ScreenDoor(
        command_id=row.id,
        cabinet=cabinet.code,
        box=box.number,
        low=box.low,
        purpose=row.purpose,
        status=row.status,
        door_open=box.door_open,
    )


def errand_record(row: LockerParcelRow) -> CourierErrand | None:
    """Serialize a courier task, or None."""
    step = errand_of(row.kind, row.status)
    if step is None:
        return None
    return record(CourierErrand, row, locker_parcel_id=row.id, act=ERRANDS[step].value)
