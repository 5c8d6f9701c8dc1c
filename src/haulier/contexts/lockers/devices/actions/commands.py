"""Writes of devices for other families: commands.

Each is executed once, even if sent twice.
"""

import asyncio
from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Any

import msgspec
from msgspec import Struct
from pydantic import SecretStr

from haulier.contexts.lockers.devices.actions.credentials import TICKETS_ABOUT, device_topic, notify_device
from haulier.contexts.lockers.devices.contract import CommandFrame, CommandPush, StateFrame
from haulier.contexts.lockers.devices.queries import find_device_of_credential, get_device
from haulier.contexts.lockers.devices.rules import (
    COMMAND_LIFE_CYCLE,
    DEVICE_NOT_USABLE,
    DEVICE_SERIAL_TAKEN,
    OVER,
    SAMPLE_EVERY,
    UNDER_WAY,
    CommandState,
    CommandStep,
    DeviceCommand,
    DeviceState,
    DoorPurpose,
    RolloutStatus,
    UpdateStatus,
    has_failed_too_often,
    life_of,
)
from haulier.contexts.lockers.devices.serializers import command_frame
from haulier.contexts.lockers.devices.store import devices as devices_store
from haulier.contexts.lockers.devices.store import firmware as store
from haulier.contexts.lockers.devices.store.devices import DeviceCommandRow, DeviceRow, HeardDeviceRow
from haulier.contexts.lockers.devices.store.firmware_tables import FirmwareRolloutRow, FirmwareUpdateRow
from haulier.contexts.lockers.events import DeviceCommandEnded, FirmwareRolloutChanged
from haulier.contexts.messaging.public import Channel, list_ticket_holders, revoke_lost_tickets
from haulier.kernel.application import Application
from haulier.kernel.call import Call
from haulier.kernel.data.notices import client_subject
from haulier.kernel.data.unit_of_work import TransactionRetry
from haulier.kernel.job_run import JobRun
from haulier.kernel.operations.errors import record_not_found

FAILURES = "failures"
"""Reason recorded when a roll-out pauses automatically."""
OTHER_VERSION = "reports {version}"
_ENDS = {
    CommandState.ACKNOWLEDGED: UpdateStatus.DOWNLOADING,
    CommandState.DONE: UpdateStatus.INSTALLED,
    CommandState.FAILED: UpdateStatus.FAILED,
    CommandState.EXPIRED: UpdateStatus.EXPIRED,
}


async def on_command_changed(
    call: Call, command: DeviceCommandRow, reached: CommandState, running: str | None, fault: str | None
) -> None:
    """Apply the outcome of an update command.

    `running` is the version that the device reports.
    """
    row = await store.find_update_of_command(call.work, command.id)
    if row is None or row.status == UpdateStatus.CANCELLED:
        return
    status = _ENDS[reached]
    # A device that reports success but still runs its old version has rolled back.
    if status is UpdateStatus.INSTALLED and running not in (None, row.version):
        status, fault = UpdateStatus.FAILED, OTHER_VERSION.format(version=running)
    await _move(call, row, status, fault)


async def record_version(call: Call, device_id: int, version: str) -> None:
    """Mark installations of a newly reported version as installed."""
    row = await store.find_newest_update(call.work, device_id)
    if row is None or row.version != version or row.status == UpdateStatus.CANCELLED:
        return
    await _move(call, row, UpdateStatus.INSTALLED, None)


async def complete_if_through(call: Call, row: FirmwareRolloutRow) -> None:
    """Complete a roll-out once all of its devices are finished.

    Its row must be locked.
    """
    if row.status != RolloutStatus.RUNNING or row.telling or await store.has_devices_left(call.work, row.id):
        return
    ended = {"status": RolloutStatus.COMPLETED.value, "ended_at": call.now}
    await store.update_rollout(call.work, row.id, ended)
    await call.publish(_changed(row, RolloutStatus.COMPLETED))


async def _move(call: Call, row: FirmwareUpdateRow, status: UpdateStatus, fault: str | None) -> None:
    before = UpdateStatus(row.status)
    if before is status or before is UpdateStatus.INSTALLED:
        return
    over = status not in UNDER_WAY
    if not await store.change_update(call.work, row, status, fault, call.now if over else None):
        raise TransactionRetry
    if not over:
        return
    installed = int(status is UpdateStatus.INSTALLED)
    failed = int(status is UpdateStatus.FAILED) - int(before is UpdateStatus.FAILED)
    await store.count_end(call.work, row.rollout_id, installed=installed, failed=failed)
    rollout = await store.get_rollout_row(call.work, row.rollout_id)
    if rollout is not None:
        await _evaluate(call, rollout)


async def _evaluate(call: Call, row: FirmwareRolloutRow) -> None:
    """Pause a roll-out with too many failures, or complete it.

    Counting the outcome has locked its row.
    """
    limits = {"max_failure_pct": row.max_failure_pct, "min_failures": row.min_failures}
    if row.status == RolloutStatus.RUNNING and has_failed_too_often(row.installed, row.failed, **limits):
        paused = {"status": RolloutStatus.PAUSED.value, "paused_at": call.now, "reason": FAILURES}
        await store.update_rollout(call.work, row.id, paused)
        await call.publish(_changed(row, RolloutStatus.PAUSED, FAILURES))
        return
    await complete_if_through(call, row)


def _changed(row: FirmwareRolloutRow, status: RolloutStatus, reason: str = "") -> FirmwareRolloutChanged:
    return FirmwareRolloutChanged(
        firmware_rollout_id=row.id, firmware_release_id=row.release_id, status=status.value, reason=reason
    )


EXPIRE_JOB = "lockers.expire_command"


class ExpireCommand(Struct, frozen=True):
    """Job that expires a command."""

    command_id: int


class Door(Struct, frozen=True, kw_only=True):
    """A door to open and the purpose."""

    box_id: int
    number: int
    purpose: DoorPurpose
    parcel_id: int | None = None


async def request_command(
    call: Call,
    device_id: int,
    command: DeviceCommand,
    *,
    door: Door | None = None,
    settings: Mapping[str, Any] | None = None,
    reason: str = "",
    frame_sequence: int | None = None,
) -> DeviceCommandRow:
    """Create a command for a device.

    Raises `NOT_FOUND`, or `DEVICE_NOT_USABLE` if the device is not registered.
    """
    device = await get_device(call, device_id)
    if device.status != DeviceState.ACTIVE:
        raise DEVICE_NOT_USABLE(status=device.status)
    expires_at = call.now + life_of(command)
    command_id = await DeviceCommandRow.insert(
        call.work,
        device_id=device_id,
        command=command.value,
        purpose=door.purpose.value if door else None,
        box_id=door.box_id if door else None,
        box_number=door.number if door else None,
        parcel_id=door.parcel_id if door else None,
        settings=dict(settings or {}),
        status=CommandState.QUEUED.value,
        reason=reason,
        requested_by=call.actor,
        frame_sequence=frame_sequence,
        created_at=call.now,
        expires_at=expires_at,
    )
    await call.enqueue(EXPIRE_JOB, ExpireCommand(command_id), run_at=expires_at)
    await notify_device(call, device_id)
    call.add_audit_subjects("device", device_id)
    return await _require(call, command_id)


async def record_opened_door(
    call: Call,
    device_id: int,
    door: Door,
    *,
    frame_sequence: int,
    outcome: CommandStep,
    at: datetime,
    fault: str | None,
) -> int:
    """Record a door that a device opened, or failed to open, on its own.

    Returns the id of the command.
    """
    status = COMMAND_LIFE_CYCLE.next_status_or_raise(outcome, CommandState.QUEUED)
    command_id = await DeviceCommandRow.insert(
        call.work,
        device_id=device_id,
        command=DeviceCommand.OPEN.value,
        purpose=door.purpose.value,
        box_id=door.box_id,
        box_number=door.number,
        parcel_id=door.parcel_id,
        settings={},
        status=status.value,
        fault=fault,
        reason="",
        frame_sequence=frame_sequence,
        created_at=at,
        ended_at=at,
        expires_at=at,
    )
    await _publish_end(call, await _require(call, command_id), status, happened_at=at)
    return command_id


async def set_desired_settings(call: Call, device_id: int, settings: Mapping[str, str]) -> None:
    """Merge settings into the desired settings of a device."""
    device = await get_device(call, device_id, lock=True)
    desired = {**(device.desired_settings or {}), **settings}
    await DeviceRow.update(call.work, device_id, {"desired_settings": desired})


async def deliver_commands(call: Call, device_id: int) -> list[CommandFrame]:
    """Deliver the waiting commands of a device and mark them as sent."""
    rows = await devices_store.list_waiting_commands(call.work, device_id, call.now, lock=True)
    for row in rows:
        if row.status == CommandState.QUEUED:
            await devices_store.update_command(
                call.work, row.id, {"status": CommandState.SENT.value, "sent_at": call.now}
            )
    return [command_frame(row) for row in rows]


async def complete_command(
    call: Call, command_id: int, step: CommandStep, *, device_id: int | None = None, fault: str | None = None
) -> tuple[CommandState, bool]:
    """Record the outcome of a command.

    Returns its state, and True if the outcome was already known. Raises `NOT_FOUND` for a command of another device.
    """
    row = await DeviceCommandRow.lock(call.work, command_id)
    if row is None or (device_id is not None and row.device_id != device_id):
        raise record_not_found(command_id=command_id)
    reached = COMMAND_LIFE_CYCLE.next_status(step, CommandState(row.status))
    if reached is None:
        return CommandState(row.status), True
    values: dict[str, Any] = {"status": reached.value}
    if reached is CommandState.ACKNOWLEDGED:
        values["acknowledged_at"] = call.now
    if reached in OVER:
        values |= {"ended_at": call.now, "fault": fault}
    await devices_store.update_command(call.work, row.id, values)
    if row.command == DeviceCommand.UPDATE:
        device = await get_device(call, row.device_id)
        await on_command_changed(call, row, reached, device.telemetry.get("firmware"), fault)
    if reached in OVER:
        await _publish_end(call, row, reached)
    return reached, False


async def fail_waiting_commands(call: Call, device_id: int, fault: str) -> None:
    """Fail the commands that a device will never execute."""
    rows: Sequence[DeviceCommandRow] = await devices_store.list_waiting_commands(
        call.work, device_id, call.now, lock=True
    )
    held = await store.list_open_commands(call.work, device_id)  # includes commands of paused roll-outs
    for id in sorted({*(row.id for row in rows), *(row.id for row in held)}):
        await complete_command(call, id, CommandStep.FAIL, fault=fault)


async def _publish_end(
    call: Call, row: DeviceCommandRow, status: CommandState, *, happened_at: datetime | None = None
) -> None:
    ended = DeviceCommandEnded(
        command_id=row.id,
        device_id=row.device_id,
        command=row.command,
        status=status.value,
        box_id=row.box_id,
        parcel_id=row.parcel_id,
        purpose=row.purpose,
        happened_at=happened_at,
    )
    await call.publish(ended)


async def _require(call: Call, command_id: int) -> DeviceCommandRow:
    row = await DeviceCommandRow.get(call.work, command_id)
    assert row is not None
    return row


LOOK_AGAIN_S = 5
"""Seconds between polls of the database, since notices can be lost with their sender."""


async def wait_for_command(app: Application, credential: SecretStr, wait_s: int) -> None:
    """Wait until the device has commands or the time is over.

    Returns at once for an invalid credential.
    """
    whose = await find_device_of_credential(app, credential.get_secret_value())
    if whose is None:
        return
    client_id, device_id = whose
    woken = asyncio.Event()
    subject = client_subject(client_id, device_id)
    unlisten = await app.database.listen(devices_store.COMMANDS_CHANNEL, lambda _: woken.set(), subject)
    try:
        async with asyncio.timeout(wait_s):
            while True:
                woken.clear()  # subscribe before reading: a notice in between must not be lost
                if await _waits(app, client_id, device_id):
                    return
                try:
                    async with asyncio.timeout(LOOK_AGAIN_S):
                        await woken.wait()
                except TimeoutError:
                    continue
    except TimeoutError:
        return
    finally:
        unlisten()


async def _waits(app: Application, client_id: int, device_id: int) -> bool:
    async with app.database.read(client_id) as work:
        return await devices_store.count_waiting_commands(work, device_id, app.clock()) > 0


FREE = (DeviceState.NEW, DeviceState.REVOKED)


class SoldDevice(Struct, frozen=True):
    """A device that is sold."""

    serial: str
    name: str
    kind: str


async def register_sold_devices(call: Call, sold: Sequence[SoldDevice]) -> Mapping[str, int]:
    """Return the ids of devices by serial number, in three statements.

    Unknown devices are added without a code. Raises `DEVICE_SERIAL_TAKEN` for a device in use or decommissioned.
    """
    in_order = sorted(sold, key=lambda each: each.serial)  # Sort: concurrent calls then lock rows in the same order.
    await devices_store.insert_new_devices(call.work, [_new_device(call, each) for each in in_order])
    found = await devices_store.list_devices_by_serial(call.work, [each.serial for each in sold])
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


async def reclaim_devices(call: Call, device_ids: Collection[int], *, for_good: bool) -> None:
    """Revoke returned devices; with `for_good`, decommission them."""
    state = DeviceState.DECOMMISSIONED if for_good else DeviceState.REVOKED
    await devices_store.cut_devices_off(call.work, device_ids, state.value, call.now)


async def push_to_device(run: JobRun, device_id: int) -> None:
    """Close revoked connections of a device and push its waiting commands.

    Raises `ChannelUnavailable`. Commands may be pushed twice; a device executes each once.
    """
    holders = await list_ticket_holders(run, TICKETS_ABOUT, device_id)
    if not holders or run.client_id is None:
        return
    async with run.app.database.read(run.client_id) as work:
        device = await DeviceRow.get(work, device_id)
    active = device is not None and device.status == DeviceState.ACTIVE
    await revoke_lost_tickets(run, TICKETS_ABOUT, device_id, {max(holders, key=int)} if active else ())
    if not active:
        return
    async with run.call() as call:
        commands = await deliver_commands(call, device_id)
    if commands:
        channel = run.app.adapter(Channel)
        pushes = (CommandPush(**msgspec.structs.asdict(frame)) for frame in commands)
        await channel.publish(
            device_topic(channel, run.client_id, device_id, "command"), *map(msgspec.json.encode, pushes)
        )


TELEMETRY = {"firmware", "battery_pct", "network", "temperature_c", "mains"}


class NotedState(Struct, frozen=True, kw_only=True):
    """Result of a heartbeat."""

    offset_s: int
    """Seconds by which the device's clock is ahead."""
    stale: bool = False
    """If true, the frame is older than an earlier one and changed nothing."""
    sample: dict[str, Any] | None = None
    """Measurements to store, when a sample is due."""


async def record_state(call: Call, device: HeardDeviceRow, frame: StateFrame) -> NotedState:
    """Record the state of a device.

    Raises `TransactionRetry` if another of its frames came in between, so that no data is lost.
    """
    offset_s = round((frame.sent_at - call.now).total_seconds())
    if frame.session == "end":
        return NotedState(offset_s=offset_s, stale=await _record_end(call, device, frame))
    if frame.sequence <= device.last_sequence:
        await DeviceRow.update(call.work, device.id, {"last_seen_at": call.now})
        return NotedState(offset_s=offset_s, stale=True)
    said = {**device.telemetry, **frame.model_dump(include=TELEMETRY, exclude_none=True)}
    due = device.sampled_at is None or call.now - device.sampled_at >= SAMPLE_EVERY
    heard = devices_store.HeardState(
        at=call.now,
        sequence=frame.sequence,
        session=frame.sequence if frame.session == "begin" else device.session_sequence,
        said=said,
        ahead=offset_s,
        sampled=call.now if due else device.sampled_at,
        version=frame.firmware or device.firmware,
        battery=said.get("battery_pct"),
        settings=device.reported_settings if frame.settings is None else frame.settings,
    )
    if not await devices_store.write_state(call.work, device, heard):
        raise TransactionRetry
    if frame.firmware and frame.firmware != device.firmware:
        await record_version(call, device.id, frame.firmware)
    return NotedState(offset_s=offset_s, sample=heard.said if due else None)


async def place_device(call: Call, device_id: int, site_id: int | None) -> None:
    """Move a device to the site of its locker, or to none."""
    await DeviceRow.update(call.work, device_id, {"site_id": site_id})


async def _record_end(call: Call, device: HeardDeviceRow, frame: StateFrame) -> bool:
    """Record the end of a connection.

    Returns True if a newer connection exists: brokers may report ends late.
    """
    if frame.sequence != device.session_sequence:
        return True
    await DeviceRow.update(call.work, device.id, {"gone_at": call.now, "session_sequence": None})
    return False
