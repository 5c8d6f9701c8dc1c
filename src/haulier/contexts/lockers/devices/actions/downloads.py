"""Downloads of firmware files by devices, in parts if needed."""

from base64 import b64encode

from haulier.contexts.documents.public import get_file_part
from haulier.contexts.lockers.devices.contract.firmware import FirmwarePart
from haulier.contexts.lockers.devices.queries import get_release
from haulier.contexts.lockers.devices.rules import (
    FIRMWARE_NOT_FOR_DEVICE,
    FIRMWARE_PAUSED,
    FIRMWARE_WITHDRAWN,
    FirmwareStatus,
    read_range,
)
from haulier.contexts.lockers.devices.store import firmware as store
from haulier.contexts.lockers.devices.store.firmware_tables import FirmwareReleaseRow
from haulier.kernel.call import Call

BINARY = "application/octet-stream"


async def read_firmware_part(
    call: Call, device_id: int, release_id: int, asked: str, if_range: str
) -> tuple[FirmwarePart, dict[str, str]]:
    """Return the requested part of a firmware file and its headers.

    Raises `NOT_FOUND`, `FIRMWARE_WITHDRAWN`, `FIRMWARE_NOT_FOR_DEVICE` if no open command names the release,
    `FIRMWARE_PAUSED` while its roll-out is paused, `RANGE_NOT_SATISFIABLE`, and the errors of `get_file_part`.
    """
    release = await get_release(call, release_id)
    await _require_told(call, device_id, release)
    etag, size = f'"{release.sha256}"', release.size_bytes
    part = None if if_range and if_range != etag else read_range(asked, size)
    first, end = part or (0, size)
    content = await get_file_part(call, release.file_id, first, end - first)
    headers = {"ETag": etag, "Accept-Ranges": "bytes", "Cache-Control": "private, no-store"}
    if part:
        headers["Content-Range"] = f"bytes {first}-{end - 1}/{size}"
    answer = FirmwarePart(
        firmware_release_id=release.id,
        version=release.version,
        size_bytes=size,
        sha256=release.sha256,
        first_byte=first,
        media_type=BINARY,
        content=b64encode(content).decode(),
    )
    return answer, headers


async def _require_told(call: Call, device_id: int, release: FirmwareReleaseRow) -> None:
    if release.status != FirmwareStatus.AVAILABLE:
        raise FIRMWARE_WITHDRAWN(version=release.version)
    told = await store.list_open_commands(call.work, device_id)
    named = [row for row in told if row.settings.get("release_id") == release.id]
    if not named:
        raise FIRMWARE_NOT_FOR_DEVICE(version=release.version)
    if all(row.held for row in named):
        raise FIRMWARE_PAUSED(version=release.version)
