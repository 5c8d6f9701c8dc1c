"""Devices by serial number, for bulk sale and return."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import bindparam, select, update

from haulier.contexts.lockers.devices.store.devices import DeviceRow, devices, keys
from haulier.kernel.data.statements import in_param
from haulier.kernel.data.tables import UTCDateTime
from haulier.kernel.data.unit_of_work import UnitOfWork

_by_serials = select(devices).where(in_param(devices.c.serial, "serials"))
_end_keys_of = (
    update(keys)
    .where(in_param(keys.c.device_id, "devices"), keys.c.ended_at.is_(None))
    .values(ended_at=bindparam("at", type_=UTCDateTime))
)
_cut_off = update(devices).where(in_param(devices.c.id, "devices")).values(status=bindparam("state"))


async def insert_new_devices(work: UnitOfWork, rows: Sequence[Mapping[str, Any]]) -> None:
    """Insert devices in one statement, skipping taken serial numbers."""
    await work.insert_new(devices, rows, returning=("id",))


async def list_devices_by_serial(work: UnitOfWork, serials: Collection[str]) -> Sequence[DeviceRow]:
    """List the devices of this client with these serial numbers."""
    return await work.all(_by_serials, DeviceRow, serials=sorted(serials))


async def cut_devices_off(work: UnitOfWork, device_ids: Collection[int], state: str, at: datetime) -> None:
    """Revoke all codes and credentials of devices, in two statements."""
    await work.run(_end_keys_of, devices=sorted(device_ids), at=at)
    await work.run(_cut_off, devices=sorted(device_ids), state=state)
