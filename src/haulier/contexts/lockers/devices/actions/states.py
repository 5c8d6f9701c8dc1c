"""States reported by devices. The newest frame counts, by the device's own order."""

from typing import Any

from msgspec import Struct

from haulier.contexts.lockers.devices.actions.firmware_outcomes import note_version
from haulier.contexts.lockers.devices.contract.frames import StateFrame
from haulier.contexts.lockers.devices.rules import SAMPLE_EVERY
from haulier.contexts.lockers.devices.store import devices as store
from haulier.contexts.lockers.devices.store.devices import DeviceRow, HeardDeviceRow
from haulier.kernel.call import Call
from haulier.kernel.data.unit_of_work import TransactionRetry

TELEMETRY = {"firmware", "battery_pct", "network", "temperature_c", "mains"}


class NotedState(Struct, frozen=True, kw_only=True):
    """Result of a heartbeat."""

    offset_s: int
    """Seconds by which the device's clock is ahead."""
    stale: bool = False
    """If true, the frame is older than an earlier one and changed nothing."""
    sample: dict[str, Any] | None = None
    """Measurements to store, when a sample is due."""


async def note_state(call: Call, device: HeardDeviceRow, frame: StateFrame) -> NotedState:
    """Record the state of a device.

    Raises `TransactionRetry` if another of its frames came in between, so that no data is lost.
    """
    offset_s = round((frame.sent_at - call.now).total_seconds())
    if frame.session == "end":
        return NotedState(offset_s=offset_s, stale=await _note_end(call, device, frame))
    if frame.sequence <= device.last_sequence:
        await DeviceRow.update(call.work, device.id, {"last_seen_at": call.now})
        return NotedState(offset_s=offset_s, stale=True)
    said = {**device.telemetry, **frame.model_dump(include=TELEMETRY, exclude_none=True)}
    due = device.sampled_at is None or call.now - device.sampled_at >= SAMPLE_EVERY
    heard = store.HeardState(
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
    if not await store.write_state(call.work, device, heard):
        raise TransactionRetry
    if frame.firmware and frame.firmware != device.firmware:
        await note_version(call, device.id, frame.firmware)
    return NotedState(offset_s=offset_s, sample=heard.said if due else None)


async def place_device(call: Call, device_id: int, site_id: int | None) -> None:
    """Move a device to a site because its locker stands there, or to none."""
    await DeviceRow.update(call.work, device_id, {"site_id": site_id})


async def _note_end(call: Call, device: HeardDeviceRow, frame: StateFrame) -> bool:
    """Record the end of a connection.

    Returns True if a newer connection exists: brokers may report ends late.
    """
    if frame.sequence != device.session_sequence:
        return True
    await DeviceRow.update(call.work, device.id, {"gone_at": call.now, "session_sequence": None})
    return False
