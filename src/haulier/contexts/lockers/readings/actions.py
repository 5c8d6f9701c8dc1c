"""Storage of device measurements."""

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from haulier.contexts.lockers.readings import store
from haulier.contexts.lockers.readings.store import DeviceReadingRow
from haulier.kernel.call import Call

KEPT = timedelta(days=30)


async def record_reading(call: Call, device_id: int, telemetry: Mapping[str, Any], clock_offset_s: int) -> None:
    """Store a measurement and delete those older than a month."""
    values = {"device_id": device_id, "at": call.now, "telemetry": dict(telemetry), "clock_offset_s": clock_offset_s}
    await DeviceReadingRow.insert(call.work, **values)
    await store.delete_readings_before(call.work, device_id, call.now - KEPT)
