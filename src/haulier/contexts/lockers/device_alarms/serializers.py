"""Serializers of device alarms."""

from collections.abc import Sequence

from haulier.contexts.lockers.device_alarms.contract import DeviceAlarm
from haulier.contexts.lockers.device_alarms.store import DeviceAlarmRow
from haulier.contexts.lockers.devices.queries import get_watched_devices
from haulier.kernel.call import Call
from haulier.kernel.operations.records import record


async def alarm_records(call: Call, rows: Sequence[DeviceAlarmRow]) -> list[DeviceAlarm]:
    """Serialize alarms with the names of their devices, in one statement."""
    devices = await get_watched_devices(call, {row.device_id for row in rows})
    return [
        record(
            DeviceAlarm,
            row,
            device_name=devices[row.device_id].name,
            last_seen_at=call.local_time(row.last_seen_at),
            raised_at=call.local_time(row.raised_at),
            ended_at=call.local_time(row.ended_at),
        )
        for row in rows
    ]
