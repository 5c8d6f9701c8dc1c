"""Commands: requested, delivered and settled.

Each is executed once, even if sent twice.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from msgspec import Struct

from haulier.contexts.lockers.devices.actions.firmware_outcomes import follow_command
from haulier.contexts.lockers.devices.actions.tickets import tell_device
from haulier.contexts.lockers.devices.contract.frames import CommandFrame
from haulier.contexts.lockers.devices.queries import get_device
from haulier.contexts.lockers.devices.rules import (
    COMMAND_LIFE_CYCLE,
    DEVICE_NOT_USABLE,
    OVER,
    CommandState,
    CommandStep,
    DeviceCommand,
    DeviceState,
    DoorPurpose,
    life_of,
)
from haulier.contexts.lockers.devices.serializers import command_frame
from haulier.contexts.lockers.devices.store import devices as store
from haulier.contexts.lockers.devices.store import firmware as firmware_store
from haulier.contexts.lockers.devices.store.devices import DeviceCommandRow, DeviceRow
from haulier.contexts.lockers.events import DeviceCommandEnded
from haulier.kernel.call import Call
from haulier.kernel.operations.errors import record_not_found

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
    await tell_device(call, device_id)
    call.add_audit_subjects("device", device_id)
    return await _require(call, command_id)


async def note_opened_door(
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


async def desire_settings(call: Call, device_id: int, settings: Mapping[str, str]) -> None:
    """Merge settings into the desired settings of a device."""
    device = await get_device(call, device_id, lock=True)
    desired = {**(device.desired_settings or {}), **settings}
    await DeviceRow.update(call.work, device_id, {"desired_settings": desired})


async def hand_out_commands(call: Call, device_id: int) -> list[CommandFrame]:
    """Deliver the waiting commands of a device and mark them as sent."""
    rows = await store.list_waiting_commands(call.work, device_id, call.now, lock=True)
    for row in rows:
        if row.status == CommandState.QUEUED:
            await store.update_command(call.work, row.id, {"status": CommandState.SENT.value, "sent_at": call.now})
    return [command_frame(row) for row in rows]


async def settle_command(
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
    await store.update_command(call.work, row.id, values)
    if row.command == DeviceCommand.UPDATE:
        device = await get_device(call, row.device_id)
        await follow_command(call, row, reached, device.telemetry.get("firmware"), fault)
    if reached in OVER:
        await _publish_end(call, row, reached)
    return reached, False


async def fail_waiting_commands(call: Call, device_id: int, fault: str) -> None:
    """Fail the commands that a device will never execute."""
    rows: Sequence[DeviceCommandRow] = await store.list_waiting_commands(call.work, device_id, call.now, lock=True)
    held = await firmware_store.list_open_commands(call.work, device_id)  # includes commands of paused roll-outs
    for id in sorted({*(row.id for row in rows), *(row.id for row in held)}):
        await settle_command(call, id, CommandStep.FAIL, fault=fault)


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
