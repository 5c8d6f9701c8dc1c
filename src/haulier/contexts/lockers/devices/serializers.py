"""Serializers of devices, commands and firmware."""

from collections.abc import Mapping
from typing import Any

import msgspec

from haulier.contexts.lockers.devices.contract import (
    CommandFrame,
    DeviceCommandRecord,
    DeviceRecord,
    DeviceTelemetry,
    FirmwareProgress,
    FirmwareReleaseRecord,
    FirmwareRolloutRecord,
    FirmwareUpdateRecord,
)
from haulier.contexts.lockers.devices.rules import ROLLOUT_LIFE, RolloutStatus, RolloutStep, UpdateStatus, is_online
from haulier.contexts.lockers.devices.store.devices import DeviceCommandRow, DeviceRow
from haulier.contexts.lockers.devices.store.firmware_tables import (
    FirmwareReleaseRow,
    FirmwareRolloutRow,
    FirmwareUpdateRow,
)
from haulier.kernel.call import Call
from haulier.kernel.operations.records import record


def device_record(call: Call, row: DeviceRow) -> DeviceRecord:
    """Serialize a device."""
    desired, reported = row.desired_settings or {}, row.reported_settings or {}
    return record(
        DeviceRecord,
        row,
        telemetry=msgspec.convert(row.telemetry, DeviceTelemetry),
        desired_settings=desired,
        reported_settings=reported,
        unsettled=sorted(name for name, value in desired.items() if reported.get(name) != value),
        last_seen_at=call.local_time(row.last_seen_at),
        online=is_online(row.last_seen_at, row.gone_at, call.now),
        registered_at=call.local_time(row.registered_at),
        created_at=call.local_time(row.created_at),
    )


def command_record(call: Call, row: DeviceCommandRow) -> DeviceCommandRecord:
    """Serialize a command for users."""
    moments = ("created_at", "sent_at", "acknowledged_at", "ended_at", "expires_at")
    times: dict[str, Any] = {name: call.local_time(getattr(row, name)) for name in moments}
    return record(DeviceCommandRecord, row, **times)


def command_frame(row: DeviceCommandRow) -> CommandFrame:
    """Serialize a command for its device."""
    return record(CommandFrame, row, box=row.box_number, answers_frame=row.frame_sequence)


def release_record(call: Call, row: FirmwareReleaseRow) -> FirmwareReleaseRecord:
    """Serialize a firmware release."""
    return record(FirmwareReleaseRecord, row, **_local(call, row, "created_at", "withdrawn_at"))


def rollout_record(call: Call, row: FirmwareRolloutRow, counts: Mapping[str, int]) -> FirmwareRolloutRecord:
    """Serialize a roll-out with its progress."""
    times = _local(call, row, "created_at", "started_at", "paused_at", "ended_at")
    progress = FirmwareProgress(**{status.value: counts.get(status.value, 0) for status in UpdateStatus})
    allowed = [step for step in ROLLOUT_LIFE.actions(RolloutStatus(row.status)) if step is not RolloutStep.COMPLETE]
    named = {"firmware_release_id": row.release_id, "allowed_actions": allowed}
    return record(FirmwareRolloutRecord, row, progress=progress, **named, **times)


def update_record(call: Call, row: FirmwareUpdateRow) -> FirmwareUpdateRecord:
    """Serialize an installation."""
    named = {"firmware_rollout_id": row.rollout_id, "firmware_release_id": row.release_id}
    return record(FirmwareUpdateRecord, row, **named, **_local(call, row, "created_at", "ended_at"))


def _local(call: Call, row: Any, *names: str) -> dict[str, Any]:
    return {name: call.local_time(getattr(row, name)) for name in names}
