"""Devices and commands for other families."""

from collections.abc import Collection, Sequence
from datetime import datetime

from haulier.contexts.lockers.devices.rules import CREDENTIAL
from haulier.contexts.lockers.devices.store import devices as devices_store
from haulier.contexts.lockers.devices.store import firmware as firmware_store
from haulier.contexts.lockers.devices.store.devices import DeviceCommandRow, DeviceRow, WatchedDeviceRow
from haulier.contexts.lockers.devices.store.firmware_tables import FirmwareReleaseRow, FirmwareRolloutRow
from haulier.kernel.application import Application
from haulier.kernel.call import Call
from haulier.kernel.data.unit_of_work import UnitOfWork
from haulier.kernel.operations.errors import record_not_found
from haulier.kernel.values.ids import hash_token


async def get_device(call: Call, device_id: int, *, lock: bool = False) -> DeviceRow:
    """Return a device of this client. Raises `NOT_FOUND`."""
    row = await (DeviceRow.lock if lock else DeviceRow.get)(call.work, device_id)
    if row is None:
        raise record_not_found(device_id=device_id)
    return row


async def get_last_seen(call: Call, device_ids: Collection[int]) -> dict[int, datetime | None]:
    """Return the times of last contact of devices, in one statement."""
    return {row.id: row.last_seen_at for row in await devices_store.list_seen_rows(call.work, device_ids)}


async def has_active_devices(work: UnitOfWork) -> bool:
    """Return True if the client has an active device."""
    return await devices_store.has_active_devices(work)


async def get_watched_devices(call: Call, device_ids: Collection[int]) -> dict[int, WatchedDeviceRow]:
    """Return the health of devices, in one statement."""
    return {row.id: row for row in await devices_store.list_watched_rows(call.work, device_ids)}


async def list_devices_in_trouble(
    call: Call, *, quiet_before: datetime | None, kinds: Collection[str], battery_below: int, after: int, limit: int
) -> Sequence[WatchedDeviceRow]:
    """List active devices of `kinds` that are silent, and any low on battery."""
    return await devices_store.list_rows_in_trouble(
        call.work, quiet_before=quiet_before, kinds=kinds, battery_below=battery_below, after=after, limit=limit
    )


async def list_commands_of_parcels(call: Call, parcel_ids: Collection[int]) -> dict[int, list[DeviceCommandRow]]:
    """List all door openings for parcels, by parcel, oldest first."""
    found: dict[int, list[DeviceCommandRow]] = {id: [] for id in parcel_ids}
    for row in await devices_store.list_commands_of_parcels(call.work, parcel_ids):
        found[row.parcel_id or 0].append(row)
    return found


async def find_command(call: Call, command_id: int) -> DeviceCommandRow | None:
    """Return a command of this client, or None."""
    return await DeviceCommandRow.get(call.work, command_id)


async def find_command_of_frame(call: Call, device_id: int, sequence: int) -> DeviceCommandRow | None:
    """Return the command caused by a frame of a device, or None."""
    return await DeviceCommandRow.find_by(call.work, device_id=device_id, frame_sequence=sequence)


async def find_device_of_credential(app: Application, credential: str) -> tuple[int, int] | None:
    """Return the client and the device of a valid credential, or None."""
    async with app.database.read(None) as work:
        key = await devices_store.find_key(work, hash_token(credential))
    if key is None or key.purpose != CREDENTIAL or key.ended_at:
        return None
    return key.client_id, key.device_id


async def get_release(call: Call, release_id: int, *, lock: bool = False) -> FirmwareReleaseRow:
    """Return a firmware release of this client. Raises `NOT_FOUND`."""
    row = await (FirmwareReleaseRow.lock if lock else FirmwareReleaseRow.get)(call.work, release_id)
    if row is None:
        raise record_not_found(firmware_release_id=release_id)
    return row


async def get_rollout(call: Call, rollout_id: int) -> FirmwareRolloutRow:
    """Return a firmware roll-out of this client. Raises `NOT_FOUND`."""
    row = await firmware_store.get_rollout_row(call.work, rollout_id)
    if row is None:
        raise record_not_found(firmware_rollout_id=rollout_id)
    return row


async def get_credential_digest(call: Call, device_id: int) -> bytes | None:
    """Return the digest of a device's valid credential, or None."""
    credential = await devices_store.find_credential(call.work, device_id)
    return credential.key_sha256 if credential else None
