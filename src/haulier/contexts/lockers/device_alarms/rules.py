"""Conditions that raise and end a device alarm."""

from collections.abc import Collection
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Protocol

from msgspec import Struct

from haulier.contexts.lockers.devices.rules import DeviceState

WATCH_EVERY = timedelta(minutes=1)
NOT_WATCHED = timedelta(minutes=3)
"""Pause of the monitoring after which silence is not counted: no server was running."""
RESTORED_ABOVE = 5
"""Margin in percent above the threshold at which a battery recovers, to avoid repeated alarms."""
DEFAULT_SILENT_MIN, DEFAULT_BATTERY_PCT = 15, 20
CABINETS = ("cabinet",)
"""Kinds with an alarm for silence by default: lockers have mains power, while users switch off other devices."""
KEPT = timedelta(days=365)
AT_ONCE = 200
"""Number of devices per transaction and per email."""
WATCH_JOB, LETTER_JOB = "device_alarms.watch", "device_alarms.letter"


class AlarmKind(StrEnum):
    """Kind of device alarm."""

    SILENT = "silent"
    LOW_BATTERY = "low_battery"


class AlarmStatus(StrEnum):
    """Status of an alarm."""

    RAISED = "raised"
    RECOVERED = "recovered"
    """The device recovered."""
    DROPPED = "dropped"
    """The device was decommissioned, or the alarm was turned off."""


class WatchDevices(Struct, frozen=True):
    """Job that monitors the devices of a business once."""


class SendAlarmEmail(Struct, frozen=True, kw_only=True):
    """Job that emails an admin about raised or ended alarms."""

    user_id: int
    alarm_ids: list[int]
    status: AlarmStatus


class AlarmTerms(Struct, frozen=True, kw_only=True):
    """Alarm thresholds of a business."""

    silent_min: int = DEFAULT_SILENT_MIN
    silent_kinds: Collection[str] = CABINETS
    battery_pct: int = DEFAULT_BATTERY_PCT
    letters: bool = True


class WatchedDevice(Protocol):
    """Health of a device."""

    @property
    def id(self) -> int: ...
    @property
    def site_id(self) -> int | None: ...
    @property
    def kind(self) -> str: ...
    @property
    def status(self) -> str: ...
    @property
    def last_seen_at(self) -> datetime | None: ...
    @property
    def battery_pct(self) -> int | None: ...


class RaisedAlarm(Protocol):
    """A raised alarm."""

    @property
    def kind(self) -> str: ...
    @property
    def last_seen_at(self) -> datetime | None: ...


def quiet_before(terms: AlarmTerms, listening_since: datetime, now: datetime) -> datetime | None:
    """Return the time before which a device counts as silent, if there is one."""
    before = now - timedelta(minutes=terms.silent_min)
    return before if listening_since <= before else None


def alarms_of(device: WatchedDevice, terms: AlarmTerms, before: datetime | None) -> list[AlarmKind]:
    """Return the alarms that an active device should raise."""
    found = []
    if before and device.kind in terms.silent_kinds and device.last_seen_at and device.last_seen_at < before:
        found.append(AlarmKind.SILENT)
    if device.battery_pct is not None and device.battery_pct < terms.battery_pct:
        found.append(AlarmKind.LOW_BATTERY)
    return found


def end_of(alarm: RaisedAlarm, device: WatchedDevice | None, terms: AlarmTerms) -> AlarmStatus | None:
    """Return how an alarm ends now, or None if it continues."""
    if device is None or device.status != DeviceState.ACTIVE:
        return AlarmStatus.DROPPED
    if alarm.kind == AlarmKind.SILENT:
        return _end_of_silence(alarm, device, terms)
    if terms.battery_pct == 0:
        return AlarmStatus.DROPPED
    well = min(terms.battery_pct + RESTORED_ABOVE, 100)
    return AlarmStatus.RECOVERED if device.battery_pct is not None and device.battery_pct >= well else None


def _end_of_silence(alarm: RaisedAlarm, device: WatchedDevice, terms: AlarmTerms) -> AlarmStatus | None:
    if device.last_seen_at and alarm.last_seen_at and device.last_seen_at > alarm.last_seen_at:
        return AlarmStatus.RECOVERED
    return None if device.kind in terms.silent_kinds else AlarmStatus.DROPPED
