"""What people say and read of devices."""

from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import Field

from haulier.kernel.operations.answers import Answer, doc
from haulier.kernel.operations.declaration import Request
from haulier.kernel.operations.fields import NO_NUL, Name, Reason, RecordId
from haulier.kernel.values.pagination import PagedAnswer, PageRequest

SERIAL_MAX, CHANNEL_MAX, FAULT_MAX, SETTINGS_MAX, FIRMWARE_MAX = 80, 40, 200, 40, 60

DeviceKind = Literal["cabinet", "scanner", "tablet", "tracker"]
DeviceStatus = Literal["new", "active", "revoked", "decommissioned"]
DeviceOrder = Literal["reboot", "ring", "config", "update"]
CommandStatus = Literal["queued", "sent", "acknowledged", "done", "failed", "expired"]
Serial = Annotated[str, Field(min_length=1, max_length=SERIAL_MAX, pattern=NO_NUL, examples=["CAB-00017"])]
Channel = Annotated[str, Field(min_length=1, max_length=CHANNEL_MAX, pattern="^[a-z0-9_]+$", examples=["stable"])]
SettingName = Annotated[str, Field(min_length=1, max_length=40, pattern=r"^[a-z0-9_]+$", examples=["volume"])]
SettingValue = Annotated[str, Field(max_length=200, pattern=NO_NUL, examples=["7"])]
Settings = Annotated[dict[SettingName, SettingValue], Field(max_length=SETTINGS_MAX, examples=[{"volume": "7"}])]


class CreateDevice(Request):
    """A new device."""

    name: Name = Field(examples=["Union Station, left"])
    """What people call it."""
    kind: DeviceKind = "cabinet"
    """What it is."""
    serial: Serial
    """What is printed on it, unique in the business."""
    firmware_channel: Channel = "stable"
    """From where it takes its firmware."""


class UpdateDevice(Request):
    """What to change; what is left out stays as it is."""

    device_id: RecordId
    name: Name | None = Field(default=None, examples=["Union Station, left"])
    firmware_channel: Channel | None = None
    """From where it takes its firmware; the device is told with the next command `update`."""


class DeviceRef(Request):
    """Which device."""

    device_id: RecordId


class ListDevices(PageRequest):
    """Which devices; one must match all that is given."""

    kind: DeviceKind | None = None
    status: DeviceStatus | None = None
    site_id: RecordId | None = None
    """Only those of the cabinets of this site."""
    silent_min: int | None = Field(default=None, ge=1, le=100_000)
    """Only those not heard of for so many minutes, or never."""
    online: bool | None = None
    """Only those that are there, or only those that are not."""
    firmware: (
        Annotated[str, Field(min_length=1, max_length=FIRMWARE_MAX, pattern=NO_NUL, examples=["2.4.1"])] | None
    ) = None
    """Only those that run this version."""


class SendDeviceCommand(Request):
    """What a device shall do."""

    device_id: RecordId
    command: DeviceOrder
    """`reboot`, `ring` (to be found), `config` (take the settings) or `update` (take the firmware of its channel)."""
    settings: Settings = {}
    """Of the command `config`."""
    reason: Reason = ""
    """Why."""


class ListDeviceCommands(PageRequest):
    """Which commands of a device."""

    device_id: RecordId
    status: CommandStatus | None = None


class DeviceTelemetry(Answer):
    """What a device said of itself last."""

    firmware: str | None = None
    battery_pct: int | None = None
    network: str | None = None
    temperature_c: float | None = None
    mains: bool | None = None


class DeviceRecord(Answer):
    """A device."""

    id: int
    name: str
    kind: str
    serial: str
    site_id: Annotated[int | None, doc("The site of the cabinet whose doors it opens.")]
    status: Annotated[str, doc("new (not registered yet), active, revoked or decommissioned.", "active")]
    firmware_channel: str
    telemetry: DeviceTelemetry
    desired_settings: Annotated[dict[str, str], doc("What the commands `config` asked for.", {"volume": "7"})]
    reported_settings: Annotated[dict[str, str], doc("What the device said that it has.", {"volume": "5"})]
    unsettled: Annotated[list[str], doc("Settings that the device does not have as desired.", ["volume"])]
    last_seen_at: Annotated[datetime | None, doc("When it was heard of last.")]
    online: Annotated[bool, doc("It was heard of in the last two minutes, and its connection did not end since.")]
    clock_offset_s: Annotated[int | None, doc("By how many seconds its clock is ahead of ours.")]
    registered_at: datetime | None
    created_at: datetime


class DeviceAnswer(Answer):
    """One device."""

    result: bool = True
    device: DeviceRecord


class DeviceCode(DeviceAnswer):
    """A device and the code with which it registers, once. It is shown here and never again."""

    code: str
    code_expires_at: datetime


class DeviceList(PagedAnswer):
    """A page of devices, newest first."""

    devices: list[DeviceRecord]


class DeviceCommandRecord(Answer):
    """Something that a device was asked to do."""

    id: int
    device_id: int
    command: Annotated[str, doc("open, reboot, ring, config or update.", "open")]
    purpose: Annotated[str | None, doc("Why a door is opened: deposit, collect, retrieve or inspect.", "collect")]
    box_id: int | None
    parcel_id: int | None
    settings: dict[str, Any]
    status: Annotated[str, doc("queued, sent, acknowledged, done, failed or expired.", "done")]
    fault: Annotated[str | None, doc("Why it failed, in the device's words.", "door stuck")]
    reason: str
    requested_by: Annotated[int | None, doc("Who asked for it; null for the device's own keypad.")]
    created_at: datetime
    sent_at: datetime | None
    acknowledged_at: datetime | None
    ended_at: datetime | None
    expires_at: Annotated[datetime, doc("It is not handed out after this.")]


class DeviceCommandAnswer(Answer):
    """One command."""

    result: bool = True
    command: DeviceCommandRecord


class DeviceCommandList(PagedAnswer):
    """A page of commands, newest first."""

    commands: list[DeviceCommandRecord]
