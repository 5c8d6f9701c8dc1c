"""Request and response models for device alarms."""

from datetime import datetime
from typing import Annotated

from pydantic import Field

from haulier.contexts.lockers.device_alarms.rules import DEFAULT_BATTERY_PCT, DEFAULT_SILENT_MIN, AlarmKind, AlarmStatus
from haulier.contexts.lockers.devices.contract import DeviceKind
from haulier.kernel.operations.answers import Answer, doc
from haulier.kernel.operations.declaration import Request
from haulier.kernel.operations.fields import RecordId
from haulier.kernel.operations.ids import LockerDeviceId
from haulier.kernel.values.pagination import PagedAnswer, PageRequest

SILENT_MIN_LEAST, SILENT_MIN_MOST = 3, 7 * 24 * 60


class ListDeviceAlarms(PageRequest):
    """Filters for alarms. Alarms must match all of them."""

    device_id: LockerDeviceId | None = None
    site_id: RecordId | None = None
    """Only alarms of devices at this site at the time."""
    kind: AlarmKind | None = None
    status: AlarmStatus | None = None
    """Filter by status. `raised` selects active alarms."""


class SetDeviceAlarmSettings(Request):
    """Thresholds and notifications for device alarms."""

    silent_min: int = Field(default=DEFAULT_SILENT_MIN, ge=SILENT_MIN_LEAST, le=SILENT_MIN_MOST)
    """Minutes without contact after which a device counts as silent."""
    silent_kinds: list[DeviceKind] = Field(default=["cabinet"], max_length=4)
    """Kinds of devices with an alarm for silence. Empty for none."""
    battery_pct: int = Field(default=DEFAULT_BATTERY_PCT, ge=0, le=95)
    """Battery level in percent below which a battery counts as low. 0 turns the alarm off."""
    letters: bool = True
    """If true, admins of the business get emails. Webhooks are always sent."""


class DeviceAlarm(Answer):
    """A device alarm."""

    id: int
    device_id: LockerDeviceId
    device_name: str
    site_id: Annotated[int | None, doc("Site of the device at the time.")]
    kind: AlarmKind
    status: AlarmStatus
    last_seen_at: Annotated[datetime | None, doc("Time of the last contact before the alarm.")]
    battery_pct: Annotated[int | None, doc("Battery level in percent at the time, for devices with a battery.", 12)]
    raised_at: datetime
    ended_at: Annotated[datetime | None, doc("Time when the device recovered or was no longer monitored.")]


class DeviceAlarmList(PagedAnswer):
    """A page of alarms, newest first."""

    alarms: list[DeviceAlarm]


class DeviceAlarmSettings(Answer):
    """Thresholds and notifications for device alarms."""

    result: bool = True
    silent_min: Annotated[int, doc("Minutes without contact after which a device counts as silent.")]
    silent_kinds: Annotated[list[DeviceKind], doc("Kinds of devices with an alarm for silence.")]
    battery_pct: Annotated[
        int, doc("Battery level in percent below which a battery counts as low. 0 turns the alarm off.")
    ]
    letters: Annotated[bool, doc("If true, admins of the business get emails.")]
