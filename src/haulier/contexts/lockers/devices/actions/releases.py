"""Firmware releases, with files in the platform's file storage."""

import hashlib
from typing import Any

from haulier.contexts.documents.public import save_binary
from haulier.contexts.lockers.devices.contract.firmware import CreateFirmwareRelease
from haulier.contexts.lockers.devices.rules import (
    FIRMWARE_HASH_REFUSED,
    FIRMWARE_VERSION_TAKEN,
    FirmwareStatus,
    should_install,
    version_key,
)
from haulier.contexts.lockers.devices.store import firmware as store
from haulier.contexts.lockers.devices.store.devices import DeviceRow
from haulier.contexts.lockers.devices.store.firmware_tables import FirmwareReleaseRow
from haulier.kernel.call import Call
from haulier.kernel.data.unit_of_work import UniqueConflict

FILES_ABOUT = "firmware_release"
DOWNLOAD_PATH = "/api/v1/device/firmware/{release_id}"


async def create_release(call: Call, request: CreateFirmwareRelease) -> int:
    """Store a release and its file.

    Raises `FIRMWARE_HASH_REFUSED`, or `FIRMWARE_VERSION_TAKEN` for an existing version.
    """
    content = request.decoded
    digest = hashlib.sha256(content).hexdigest()
    if request.sha256 is not None and request.sha256.lower() != digest:
        raise FIRMWARE_HASH_REFUSED(digest=digest)
    values = {
        **request.model_dump(include={"version", "kind", "channel", "name", "notes"}),
        "status": FirmwareStatus.AVAILABLE.value,
        "file_id": 0,
        "size_bytes": len(content),
        "sha256": digest,
        "created_by": call.actor,
        "created_at": call.now,
        "reason": "",
    }
    try:
        async with call.work.savepoint():
            id = await FirmwareReleaseRow.insert(call.work, **values)
    except UniqueConflict:
        raise FIRMWARE_VERSION_TAKEN(version=request.version) from None
    name = request.name or f"{request.kind}-{request.version}.bin"
    file_id = await save_binary(call, content=content, name=name, about=f"{FILES_ABOUT}:{id}")
    await FirmwareReleaseRow.update(call.work, id, {"file_id": file_id})
    call.add_audit_subjects("firmware_release", id)
    return id


def describe_release(release: FirmwareReleaseRow) -> dict[str, Any]:
    """Return the description of a release that is sent to a device."""
    return {
        "channel": release.channel,
        "release_id": release.id,
        "version": release.version,
        "path": DOWNLOAD_PATH.format(release_id=release.id),
        "size_bytes": release.size_bytes,
        "sha256": release.sha256,
    }


async def describe_newest(call: Call, device: DeviceRow) -> dict[str, Any]:
    """Describe the latest installable release that is newer than a device's own."""
    running = device.telemetry.get("firmware")
    rows = await store.list_available_rows(call.work, device.kind, device.firmware_channel)
    later = [row for row in rows if should_install(running, row.version, allow_downgrade=False)]
    if not later:
        return {"channel": device.firmware_channel}
    return describe_release(max(later, key=lambda row: version_key(row.version) or ((), False, "")))
