"""What a device says of itself: the newest frame counts, in the order in which the device sent them."""

from haulier.contexts.lockers.devices import store
from haulier.contexts.lockers.devices.contract.frames import StateFrame
from haulier.contexts.lockers.devices.store import HeardDeviceRow
from haulier.kernel.call import Call
from haulier.kernel.data.unit_of_work import TransactionRetry

TELEMETRY = {"firmware", "battery_pct", "network", "temperature_c", "mains"}


async def note_state(call: Call, device: HeardDeviceRow, frame: StateFrame) -> tuple[int, bool]:
    """Write down how a device is. The seconds by which its clock is ahead, and whether the frame is older than one before.

    Raises `TransactionRetry` where another of its frames came in between, so that nothing that it said is lost.
    """
    offset_s = round((frame.sent_at - call.now).total_seconds())
    if frame.session == "end":
        return offset_s, await _note_end(call, device, frame)
    stale = frame.sequence <= device.last_sequence
    if stale:
        await store.update_device(call.work, device.id, {"last_seen_at": call.now})
        return offset_s, stale
    said = frame.model_dump(include=TELEMETRY, exclude_none=True)
    written = await store.write_state(
        call.work,
        device,
        sequence=frame.sequence,
        session=frame.sequence if frame.session == "begin" else device.session_sequence,
        telemetry={**device.telemetry, **said},
        offset_s=offset_s,
        at=call.now,
    )
    if not written:
        raise TransactionRetry
    return offset_s, stale


async def _note_end(call: Call, device: HeardDeviceRow, frame: StateFrame) -> bool:
    """A connection is gone. True for one that another has followed: a broker may tell of it late."""
    if frame.sequence != device.session_sequence:
        return True
    await store.update_device(call.work, device.id, {"gone_at": call.now, "session_sequence": None})
    return False
