"""What a device says of itself: the newest frame counts, in the order in which the device sent them."""

from typing import Any

from msgspec import Struct

from haulier.contexts.lockers.devices.actions.firmware_outcomes import note_version
from haulier.contexts.lockers.devices.contract.frames import StateFrame
from haulier.contexts.lockers.devices.rules import SAMPLE_EVERY
from haulier.contexts.lockers.devices.store import devices as store
from haulier.contexts.lockers.devices.store.devices import HeardDeviceRow
from haulier.kernel.call import Call
from haulier.kernel.data.unit_of_work import TransactionRetry

TELEMETRY = {"firmware", "battery_pct", "network", "temperature_c", "mains"}


class NotedState(Struct, frozen=True, kw_only=True):
    """What came of a heartbeat."""

    offset_s: int
    """By how many seconds the device's clock is ahead."""
    stale: bool = False
    """It is older than one before, and changed nothing."""
    sample: dict[str, Any] | None = None
    """What the device said of itself, where it is time to keep it."""


async def note_state(call: Call, device: HeardDeviceRow, frame: StateFrame) -> NotedState:
    """Write down how a device is.

    Raises `TransactionRetry` where another of its frames came in between, so that nothing that it said is lost.
    """
    offset_s = round((frame.sent_at - call.now).total_seconds())
    if frame.session == "end":
        return NotedState(offset_s=offset_s, stale=await _note_end(call, device, frame))
    if frame.sequence <= device.last_sequence:
        await store.update_device(call.work, device.id, {"last_seen_at": call.now})
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
    """A device stands at a site from now on, since a cabinet there is its own; or nowhere."""
    await store.update_device(call.work, device_id, {"site_id": site_id})


async def _note_end(call: Call, device: HeardDeviceRow, frame: StateFrame) -> bool:
    """A connection is gone. True for one that another has followed: a broker may tell of it late."""
    if frame.sequence != device.session_sequence:
        return True
    await store.update_device(call.work, device.id, {"gone_at": call.now, "session_sequence": None})
    return False
