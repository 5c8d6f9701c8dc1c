"""What a device says of itself: the newest frame counts, in the order in which the device sent them."""

from haulier.contexts.lockers.devices import store
from haulier.contexts.lockers.devices.contract.frames import StateFrame
from haulier.contexts.lockers.devices.store import DeviceRow
from haulier.kernel.call import Call

TELEMETRY = {"firmware", "battery_pct", "network", "temperature_c", "mains"}


async def note_state(call: Call, device: DeviceRow, frame: StateFrame) -> tuple[int, bool]:
    """Write down how a device is. The seconds by which its clock is ahead, and whether the frame is older than one before."""
    offset_s = round((frame.sent_at - call.now).total_seconds())
    stale = frame.sequence <= device.last_sequence
    values: dict[str, object] = {"last_seen_at": call.now}
    if not stale:
        said = frame.model_dump(include=TELEMETRY, exclude_none=True)
        telemetry = {**device.telemetry, **said}
        values |= {"last_sequence": frame.sequence, "clock_offset_s": offset_s, "telemetry": telemetry}
    await store.update_device(call.work, device.id, values)
    return offset_s, stale
