"""When a device raises an alarm, and what ends one."""

from collections.abc import Collection
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Protocol

from msgspec import Struct

from haulier.contexts.lockers.devices.rules import DeviceState

WATCH_EVERY = timedelta(minutes=1)
NOT_WATCHED = timedelta(minutes=3)
"""Where nobody looked for so long, no server ran: devices were not silent then, nobody listened."""
RESTORED_ABOVE = 5
"""A battery is well again so many percent above the threshold, lest one at the threshold is told of again and again."""
DEFAULT_SILENT_MIN, DEFAULT_BATTERY_PCT = 15, 20
CABINETS = ("cabinet",)
"""Of these kinds a silence is told unless the business says otherwise: they have mains, while people switch off others."""
KEPT = timedelta(days=365)
AT_ONCE = 200
"""Devices in one transaction, and in one letter."""
WATCH_JOB, LETTER_JOB = "device_alarms.watch", "device_alarms.letter"


class AlarmKind(StrEnum):
    """What is wrong with a device."""

    SILENT = "silent"
    LOW_BATTERY = "low_battery"


class AlarmStatus(StrEnum):
    """How far an alarm is."""

    RAISED = "raised"
    RECOVERED = "recovered"
    """The device is well again."""
    DROPPED = "dropped"
    """The device was taken out of use, or nobody wants to be told of such any more."""


class WatchDevices(Struct, frozen=True):
    """The job of looking after the devices of a business, once."""


class SendAlarmLetter(Struct, frozen=True, kw_only=True):
    """The job of telling somebody of alarms that were raised, or of devices that are well again."""

    user_id: int
    alarm_ids: list[int]
    status: AlarmStatus


class AlarmTerms(Struct, frozen=True, kw_only=True):
    """From when on a business wants to be told."""

    silent_min: int = DEFAULT_SILENT_MIN
    silent_kinds: Collection[str] = CABINETS
    battery_pct: int = DEFAULT_BATTERY_PCT
    letters: bool = True


class WatchedDevice(Protocol):
    """How a device is."""

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
    """An alarm that was raised."""

    @property
    def kind(self) -> str: ...
    @property
    def last_seen_at(self) -> datetime | None: ...


def quiet_before(terms: AlarmTerms, listening_since: datetime, now: datetime) -> datetime | None:
    """A device last heard of before this is silent; None while nobody has listened for as long as that takes."""
    before = now - timedelta(minutes=terms.silent_min)
    return before if listening_since <= before else None


def alarms_of(device: WatchedDevice, terms: AlarmTerms, before: datetime | None) -> list[AlarmKind]:
    """What is wrong with a device that is in use."""
    found = []
    if before and device.kind in terms.silent_kinds and device.last_seen_at and device.last_seen_at < before:
        found.append(AlarmKind.SILENT)
    if device.battery_pct is not None and device.battery_pct < terms.battery_pct:
        found.append(AlarmKind.LOW_BATTERY)
    return found


def end_of(alarm: RaisedAlarm, device: WatchedDevice | None, terms: AlarmTerms) -> AlarmStatus | None:
    """How an alarm ends now; None where it goes on."""
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
