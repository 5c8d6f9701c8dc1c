"""Request and response models for devices."""

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
    """A device to create."""

    name: Name = Field(examples=["Union Station, left"])
    """Display name."""
    kind: DeviceKind = "cabinet"
    """Kind of device."""
    serial: Serial
    """Serial number printed on the device, unique within the business."""
    firmware_channel: Channel = "stable"
    """Firmware channel of the device."""


class UpdateDevice(Request):
    """Changes to a device. Omitted fields stay unchanged."""

    device_id: RecordId
    name: Name | None = Field(default=None, examples=["Union Station, left"])
    firmware_channel: Channel | None = None
    """Firmware channel of the device. The device learns of a change with its next `update` command."""


class DeviceRef(Request):
    """Reference to a device."""

    device_id: RecordId


class ListDevices(PageRequest):
    """Filters for devices. Devices must match all of them."""

    kind: DeviceKind | None = None
    status: DeviceStatus | None = None
    site_id: RecordId | None = None
    """Only devices whose locker is at this site."""
    silent_min: int | None = Field(default=None, ge=1, le=100_000)
    """Only devices without contact for this many minutes, or that were never connected."""
    online: bool | None = None
    """If true, only online devices; if false, only offline devices."""
    firmware: (
        Annotated[str, Field(min_length=1, max_length=FIRMWARE_MAX, pattern=NO_NUL, examples=["2.4.1"])] | None
    ) = None
    """Filter by firmware version."""


class SendDeviceCommand(Request):
    """A command to send to a device."""

    device_id: RecordId
    command: DeviceOrder
    """Command: `reboot`, `ring` (to locate it), `config` (apply the settings) or `update` (install its firmware)."""
    settings: Settings = {}
    """Settings for the `config` command."""
    reason: Reason = ""
    """Reason."""


class ListDeviceCommands(PageRequest):
    """Filters for the commands of a device."""

    device_id: RecordId
    status: CommandStatus | None = None


class DeviceTelemetry(Answer):
    """Latest telemetry of a device."""

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
    site_id: Annotated[int | None, doc("Site of the locker whose doors the device opens.")]
    status: Annotated[str, doc("new (not registered yet), active, revoked or decommissioned.", "active")]
    firmware_channel: str
    telemetry: DeviceTelemetry
    desired_settings: Annotated[dict[str, str], doc("Settings requested by `config` commands.", {"volume": "7"})]
    reported_settings: Annotated[dict[str, str], doc("Settings reported by the device.", {"volume": "5"})]
    unsettled: Annotated[list[str], doc("Names of settings that differ from the requested value.", ["volume"])]
    last_seen_at: Annotated[datetime | None, doc("Time of the last contact.")]
    online: Annotated[
        bool, doc("If true, the device made contact in the last two minutes and has not disconnected since.")
    ]
    clock_offset_s: Annotated[int | None, doc("Seconds by which the device's clock is ahead of the server.")]
    registered_at: datetime | None
    created_at: datetime


class DeviceAnswer(Answer):
    """A device."""

    result: bool = True
    device: DeviceRecord


class DeviceCode(DeviceAnswer):
    """A device and its registration code. The code is shown only once."""

    code: str
    code_expires_at: datetime


class DeviceList(PagedAnswer):
    """A page of devices, newest first."""

    devices: list[DeviceRecord]


class DeviceCommandRecord(Answer):
    """A command sent to a device."""

    id: int
    device_id: int
    command: Annotated[str, doc("open, reboot, ring, config or update.", "open")]
    purpose: Annotated[str | None, doc("Purpose of opening a door: deposit, collect, retrieve or inspect.", "collect")]
    box_id: int | None
    parcel_id: int | None
    settings: dict[str, Any]
    status: Annotated[str, doc("queued, sent, acknowledged, done, failed or expired.", "done")]
    fault: Annotated[str | None, doc("Error reported by the device.", "door stuck")]
    reason: str
    requested_by: Annotated[int | None, doc("User who sent the command. Null if entered on the device's keypad.")]
    created_at: datetime
    sent_at: datetime | None
    acknowledged_at: datetime | None
    ended_at: datetime | None
    expires_at: Annotated[datetime, doc("Time after which the command is no longer delivered.")]


class DeviceCommandAnswer(Answer):
    """A command."""

    result: bool = True
    command: DeviceCommandRecord


class DeviceCommandList(PagedAnswer):
    """A page of commands, newest first."""

    commands: list[DeviceCommandRecord]
