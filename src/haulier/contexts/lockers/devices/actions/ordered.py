"""Devices sold by serial number, before they register and after they are returned."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from msgspec import Struct

from haulier.contexts.lockers.devices.rules import DEVICE_SERIAL_TAKEN, DeviceState
from haulier.contexts.lockers.devices.store import ordered as store
from haulier.kernel.call import Call

FREE = (DeviceState.NEW, DeviceState.REVOKED)


class SoldDevice(Struct, frozen=True):
    """A device that is sold."""

    serial: str
    name: str
    kind: str


async def know_sold_devices(call: Call, sold: Sequence[SoldDevice]) -> Mapping[str, int]:
    """Return the ids of devices by serial number, in three statements.

    Unknown devices are added without a code. Raises `DEVICE_SERIAL_TAKEN` for a device in use or decommissioned.
    """
    in_order = sorted(sold, key=lambda each: each.serial)  # Sort: concurrent calls then lock rows in the same order.
    await store.insert_new_devices(call.work, [_new_device(call, each) for each in in_order])
    found = await store.list_devices_by_serial(call.work, [each.serial for each in sold])
    for row in found:
        if row.status not in FREE:
            raise DEVICE_SERIAL_TAKEN(serial=row.serial)
    return {row.serial: row.id for row in found}


def _new_device(call: Call, sold: SoldDevice) -> dict[str, Any]:
    return {
        "name": sold.name,
        "kind": sold.kind,
        "serial": sold.serial,
        "status": DeviceState.NEW.value,
        "firmware_channel": "stable",
        "telemetry": {},
        "last_sequence": 0,
        "wrong_codes": 0,
        "created_at": call.now,
    }


async def take_devices_back(call: Call, device_ids: Collection[int], *, for_good: bool) -> None:
    """Revoke returned devices; with `for_good`, decommission them."""
    state = DeviceState.DECOMMISSIONED if for_good else DeviceState.REVOKED
    await store.cut_devices_off(call.work, device_ids, state.value, call.now)
