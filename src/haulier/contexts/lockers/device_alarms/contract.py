"""What people say and read of alarms."""

from datetime import datetime
from typing import Annotated

from pydantic import Field

from haulier.contexts.lockers.device_alarms.rules import DEFAULT_BATTERY_PCT, DEFAULT_SILENT_MIN, AlarmKind, AlarmStatus
from haulier.contexts.lockers.devices.contract.devices import DeviceKind
from haulier.kernel.operations.answers import Answer, doc
from haulier.kernel.operations.declaration import Request
from haulier.kernel.operations.fields import RecordId
from haulier.kernel.values.pagination import PagedAnswer, PageRequest

SILENT_MIN_LEAST, SILENT_MIN_MOST = 3, 7 * 24 * 60


class ListDeviceAlarms(PageRequest):
    """Which alarms; one must match all that is given."""

    device_id: RecordId | None = None
    site_id: RecordId | None = None
    """Only those of devices that stood at this site."""
    kind: AlarmKind | None = None
    status: AlarmStatus | None = None
    """`raised`: only those that go on."""


class SetDeviceAlarmSettings(Request):
    """From when on people are told of devices."""

    silent_min: int = Field(default=DEFAULT_SILENT_MIN, ge=SILENT_MIN_LEAST, le=SILENT_MIN_MOST)
    """A device not heard of for so many minutes is silent."""
    silent_kinds: list[DeviceKind] = Field(default=["cabinet"], max_length=4)
    """Of these kinds of devices a silence is told; none, where empty."""
    battery_pct: int = Field(default=DEFAULT_BATTERY_PCT, ge=0, le=95)
    """A battery below so many percent is low; 0: none is."""
    letters: bool = True
    """Whether the admins of the business get letters. Webhooks are told in any case."""


class DeviceAlarm(Answer):
    """Something that is or was wrong with a device."""

    id: int
    device_id: int
    device_name: str
    site_id: Annotated[int | None, doc("The site at which it stood then.")]
    kind: AlarmKind
    status: AlarmStatus
    last_seen_at: Annotated[datetime | None, doc("When it was heard of last before the alarm.")]
    battery_pct: Annotated[int | None, doc("What its battery had then, where it has one.", 12)]
    raised_at: datetime
    ended_at: Annotated[datetime | None, doc("When it was well again, or was not watched any more.")]


class DeviceAlarmList(PagedAnswer):
    """A page of alarms, newest first."""

    alarms: list[DeviceAlarm]


class DeviceAlarmSettings(Answer):
    """From when on people are told of devices."""

    result: bool = True
    silent_min: Annotated[int, doc("A device not heard of for so many minutes is silent.")]
    silent_kinds: Annotated[list[DeviceKind], doc("Of these kinds of devices a silence is told.")]
    battery_pct: Annotated[int, doc("A battery below so many percent is low; 0: none is.")]
    letters: Annotated[bool, doc("Whether the admins of the business get letters.")]
