"""Writes of devices for other families: firmware.

A job sends update commands to the devices.
"""

import hashlib
from base64 import b64encode
from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct

from haulier.contexts.documents.public import get_file_part, save_binary
from haulier.contexts.lockers.devices.actions.commands import complete_if_through, request_command
from haulier.contexts.lockers.devices.actions.credentials import notify_device
from haulier.contexts.lockers.devices.contract import CreateFirmwareRelease, FirmwarePart
from haulier.contexts.lockers.devices.queries import get_release, get_rollout
from haulier.contexts.lockers.devices.rules import (
    FIRMWARE_HASH_REFUSED,
    FIRMWARE_NOT_FOR_DEVICE,
    FIRMWARE_PAUSED,
    FIRMWARE_VERSION_TAKEN,
    FIRMWARE_WITHDRAWN,
    ROLLOUT_LIFE,
    TOLD_AGAIN,
    DeviceCommand,
    FirmwareStatus,
    RolloutStatus,
    RolloutStep,
    UpdateStatus,
    in_share,
    read_range,
    should_install,
    version_key,
)
from haulier.contexts.lockers.devices.store import firmware as store
from haulier.contexts.lockers.devices.store.devices import DeviceRow
from haulier.contexts.lockers.devices.store.firmware_tables import (
    FirmwareReleaseRow,
    FirmwareRolloutRow,
    FirmwareUpdateRow,
)
from haulier.contexts.lockers.events import FirmwareRolloutChanged
from haulier.kernel.call import Call
from haulier.kernel.data.unit_of_work import TransactionRetry, UniqueConflict

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


TELL_JOB = "lockers.tell_firmware"
WAKE_JOB = "lockers.wake_for_firmware"
DEVICES_AT_ONCE = 50
WITHDRAWN = "withdrawn"


class TellDevices(Struct, frozen=True, kw_only=True):
    """Job that notifies devices of a roll-out; with `again`, failed ones too."""

    rollout_id: int
    round: int
    after: int = 0
    again: bool = False


class WakeDevices(Struct, frozen=True):
    """Job that wakes the devices of a resumed roll-out."""

    rollout_id: int


async def apply_rollout_step(call: Call, row: FirmwareRolloutRow, step: RolloutStep, reason: str = "") -> None:
    """Start, pause, resume, retry or cancel.

    Raises `FIRMWARE_ROLLOUT_STEP_REFUSED`, `FIRMWARE_WITHDRAWN`.
    """
    reached = ROLLOUT_LIFE.next_status_or_raise(step, RolloutStatus(row.status))
    values: dict[str, Any] = {"status": reached.value, "reason": reason}
    if reached is RolloutStatus.RUNNING:
        await _require_available(call, row.release_id)
        values |= {"installed": 0, "failed": 0, "paused_at": None, "ended_at": None}
        values["started_at"] = row.started_at or call.now
        values |= await _process_devices(call, row, again=step is RolloutStep.RETRY)
        await call.enqueue(WAKE_JOB, WakeDevices(row.id))
    elif reached is RolloutStatus.PAUSED:
        values["paused_at"] = call.now
    else:
        values["ended_at"] = call.now
        await store.cancel_updates(
            call.work, row.id, call.now
        )  # locked before the roll-out, in the same order as everywhere
    # An outcome or another call may have changed it since it was read.
    if not await store.update_rollout(call.work, row.id, values, known=row.status):
        raise TransactionRetry
    call.add_audit_subjects("firmware_rollout", row.id)
    await call.publish(
        FirmwareRolloutChanged(
            firmware_rollout_id=row.id, firmware_release_id=row.release_id, status=reached.value, reason=reason
        )
    )


async def change_rollout(call: Call, row: FirmwareRolloutRow, values: Mapping[str, Any]) -> None:
    """Update the share or the limits of an active roll-out.

    Raises `FIRMWARE_ROLLOUT_STEP_REFUSED`.
    """
    ROLLOUT_LIFE.next_status_or_raise(RolloutStep.CHANGE, RolloutStatus(row.status))
    more = row.status == RolloutStatus.RUNNING and values.get("share_pct", 0) > row.share_pct
    begun = await _process_devices(call, row, again=False) if more else {}
    if (values or begun) and not await store.update_rollout(call.work, row.id, {**values, **begun}, known=row.status):
        raise TransactionRetry
    call.add_audit_subjects("firmware_rollout", row.id)


async def notify_next_devices(call: Call, args: TellDevices) -> None:
    """Notify the next devices of a roll-out and enqueue the rest.

    A job of an earlier round does nothing.
    """
    row = await store.get_rollout_row(call.work, args.rollout_id)
    if row is None or row.round != args.round:
        return
    page = await store.list_devices_to_notify(call.work, row, args.after, DEVICES_AT_ONCE)
    wanted = [device for device in page if in_share(row.release_id, device.id, row.share_pct)]
    before = await store.lock_updates_of_devices(call.work, row.id, [device.id for device in wanted])
    locked = await store.get_rollout_row(
        call.work, row.id, lock=True
    )  # locked after the devices, in the same order as everywhere
    if locked is None or locked.round != args.round:
        return
    if locked.status != RolloutStatus.RUNNING:
        await store.update_rollout(call.work, row.id, {"telling": False})
        return
    await _notify_batch(call, locked, wanted, before, again=args.again)
    if len(page) == DEVICES_AT_ONCE:
        following = TellDevices(rollout_id=row.id, round=row.round, after=page[-1].id, again=args.again)
        await call.enqueue(TELL_JOB, following)
        return
    await store.update_rollout(call.work, row.id, {"telling": False})
    through = await get_rollout(call, row.id)
    await complete_if_through(call, through)


async def notify_devices(call: Call, rollout_id: int) -> None:
    """Wake the devices of a resumed roll-out."""
    for device_id in await store.list_devices_of_rollout(call.work, rollout_id):
        await notify_device(call, device_id)


async def withdraw_release(call: Call, row: FirmwareReleaseRow, reason: str) -> None:
    """Withdraw a release: cancel its roll-outs and block its downloads."""
    for status in (RolloutStatus.DRAFT, RolloutStatus.RUNNING, RolloutStatus.PAUSED):
        wanted = {"release_id": row.id, "status": status.value}
        rows, _ = await store.list_rollout_rows(call.work, wanted, limit=1000, offset=0)
        for rollout in rows:
            await apply_rollout_step(call, rollout, RolloutStep.CANCEL, reason=WITHDRAWN)
    ended = {"status": FirmwareStatus.WITHDRAWN.value, "withdrawn_at": call.now, "reason": reason}
    await FirmwareReleaseRow.update(call.work, row.id, ended)
    call.add_audit_subjects("firmware_release", row.id)


async def _process_devices(call: Call, row: FirmwareRolloutRow, *, again: bool) -> dict[str, Any]:
    """Enqueue a pass through all devices. Returns the changed columns of the roll-out."""
    await call.enqueue(TELL_JOB, TellDevices(rollout_id=row.id, round=row.round + 1, again=again))
    return {"round": row.round + 1, "telling": True}


async def _notify_batch(
    call: Call,
    rollout: FirmwareRolloutRow,
    wanted: Sequence[DeviceRow],
    before: Mapping[int, FirmwareUpdateRow],
    *,
    again: bool,
) -> None:
    busy = await store.list_busy_devices(call.work, [device.id for device in wanted]) if wanted else set[int]()
    release = await get_release(call, rollout.release_id)
    superseded: list[int] = []
    for device in wanted:
        running, tried = device.telemetry.get("firmware"), before.get(device.id)
        if device.id in busy or not should_install(running, release.version, allow_downgrade=rollout.allow_downgrade):
            continue
        if tried is not None:
            if not (again and tried.status in TOLD_AGAIN):
                continue
            superseded.append(tried.id)
        await _notify_one(call, rollout, release, device, running)
    await store.supersede_updates(call.work, superseded)


async def _notify_one(
    call: Call, rollout: FirmwareRolloutRow, release: FirmwareReleaseRow, device: DeviceRow, running: str | None
) -> None:
    row = await request_command(
        call, device.id, DeviceCommand.UPDATE, settings=describe_release(release), reason=rollout.note[:255]
    )
    told = {"rollout_id": rollout.id, "release_id": release.id, "device_id": device.id, "command_id": row.id}
    state = {"from_version": running, "status": UpdateStatus.PENDING.value, "superseded": False}
    await store.insert_update(call.work, {**told, **state, "created_at": call.now})


async def _require_available(call: Call, release_id: int) -> None:
    release = await get_release(call, release_id, lock=True)
    if release.status != FirmwareStatus.AVAILABLE:
        raise FIRMWARE_WITHDRAWN(version=release.version)
