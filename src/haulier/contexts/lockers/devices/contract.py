"""Request and response models of devices.

Over HTTP each frame is the body of a request or its response and carries the credential. Persistent connections present
the credential once.
"""

from base64 import b64decode
from datetime import datetime
from typing import Annotated, Any, Literal, Self

from pydantic import Field, SecretStr, model_validator
from pydantic_core import PydanticCustomError

from haulier.contexts.lockers.devices.rules import FIRMWARE_MAX_BYTES, VERSION_PATTERN, RolloutStep
from haulier.kernel.operations.answers import Answer, doc
from haulier.kernel.operations.declaration import Request
from haulier.kernel.operations.fields import ID_MAX, NO_NUL, Name, Note, Reason, RecordId
from haulier.kernel.operations.file_parts import FileInput
from haulier.kernel.operations.ids import DeviceCommandId, LockerBoxId, LockerDeviceId, LockerParcelId
from haulier.kernel.values.moments import Moment
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

    device_id: LockerDeviceId
    name: Name | None = Field(default=None, examples=["Union Station, left"])
    firmware_channel: Channel | None = None
    """Firmware channel of the device. The device learns of a change with its next `update` command."""


class DeviceRef(Request):
    """Reference to a device."""

    device_id: LockerDeviceId


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

    device_id: LockerDeviceId
    command: DeviceOrder
    """Command: `reboot`, `ring` (to locate it), `config` (apply the settings) or `update` (install its firmware)."""
    settings: Settings = {}
    """Settings for the `config` command."""
    reason: Reason = ""
    """Reason."""


class ListDeviceCommands(PageRequest):
    """Filters for the commands of a device."""

    device_id: LockerDeviceId
    status: CommandStatus | None = None
    box_id: LockerBoxId | None = None
    """Only commands for this compartment."""


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
    device_id: LockerDeviceId
    command: Annotated[str, doc("open, reboot, ring, config or update.", "open")]
    purpose: Annotated[str | None, doc("Purpose of opening a door: deposit, collect, retrieve or inspect.", "collect")]
    box_id: LockerBoxId | None
    parcel_id: LockerParcelId | None
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


WAIT_MAX_S = 20
DOORS_MAX = 500

Secret = Annotated[SecretStr, Field(min_length=8, max_length=200)]
Sequence = Annotated[int, Field(ge=1, le=ID_MAX)]
Short = Annotated[str, Field(min_length=1, max_length=60, pattern=NO_NUL)]


class RegisterDevice(Request):
    """Registration of a device with its code."""

    code: Secret
    """Registration code. It works once."""
    serial: Serial
    """Serial number printed on the device. It must match the registration code."""
    firmware: Short | None = Field(default=None, examples=["2.4.1"])
    """Installed firmware version."""


class DeviceFrame(Request):
    """Fields that start every frame of a device."""

    credential: Secret
    """Credential issued at registration."""
    sequence: Sequence
    """Sequence number of the frame. A repeated frame has the same number."""


class DoorState(Request):
    """State of a door sensor."""

    box: int = Field(ge=1, le=100_000)
    """Number of the compartment in its locker."""
    open: bool
    """If true, the door is open."""


class StateFrame(DeviceFrame):
    """Heartbeat with the state of a device."""

    sent_at: Moment
    """Time of sending, by the device's clock."""
    firmware: Short | None = Field(default=None, examples=["2.4.1"])
    battery_pct: int | None = Field(default=None, ge=0, le=100)
    network: Short | None = Field(default=None, examples=["lte"])
    temperature_c: float | None = Field(default=None, ge=-100, le=150)
    mains: bool | None = None
    """If true, the device has mains power."""
    settings: Settings | None = None
    """All settings of the device, sent when they change."""
    doors: list[DoorState] = Field(default=[], max_length=DOORS_MAX)
    """Doors that changed since the last frame, or all doors."""
    session: Literal["begin", "end"] | None = None
    """Persistent connections: `begin` in the first frame; `end` in the last will, with the number of the first frame."""


class PollFrame(Request):
    """Request of a device for its commands."""

    credential: Secret
    """Credential issued at registration."""
    sequence: Sequence | None = None
    """Sequence number of the frame, to match responses with requests."""
    wait_s: int = Field(default=0, ge=0, le=WAIT_MAX_S)
    """Seconds to wait for a command if none is available."""


class OutcomeFrame(DeviceFrame):
    """Outcome of a command."""

    command_id: DeviceCommandId
    outcome: Literal["acknowledged", "done", "failed"]
    """Outcome: `acknowledged` when the command starts, then `done` or `failed`."""
    fault: Annotated[str, Field(max_length=FAULT_MAX, pattern=NO_NUL)] | None = Field(
        default=None, examples=["door stuck"]
    )
    """Reason for the failure."""


class CommandFrame(Answer):
    """Command for a device. Commands may be delivered twice and must be executed once."""

    id: int
    command: Annotated[str, doc("open, reboot, ring, config or update.", "open")]
    box: Annotated[int | None, doc("For `open`: number of the compartment in its locker.")]
    settings: Annotated[
        dict[str, Any],
        doc(
            "For `config`: the settings. For `update`: release_id, version, path, size_bytes and sha256 of the file.",
            {"volume": "7"},
        ),
    ]
    answers_frame: Annotated[
        int | None,
        doc(
            "Number of the `code` frame that caused the command. A device that verified the code itself opens no door again."
        ),
    ]
    expires_at: Annotated[datetime, doc("Time by which the command must be started.")]


class CommandPush(CommandFrame):
    """A command pushed to a device."""

    type: Literal["command"] = "command"


class RegisteredDevice(Answer):
    """A registered device. The credential is shown only once."""

    result: bool = True
    device_id: LockerDeviceId
    credential: Annotated[str, doc("Credential to send in every frame of the device.")]


class StateReceipt(Answer):
    """Response to a heartbeat."""

    result: bool = True
    stale: Annotated[bool, doc("If true, a later frame arrived first and this one changed nothing.")]
    server_time: Annotated[datetime, doc("Server time, to set the device's clock.")]
    clock_offset_s: Annotated[int, doc("Seconds by which the device's clock is ahead of the server.")]
    commands_waiting: int


class CommandFrames(Answer):
    """Waiting commands, oldest first."""

    result: bool = True
    commands: list[CommandFrame]


class OutcomeReceipt(Answer):
    """Response to the outcome of a command."""

    result: bool = True
    command_id: DeviceCommandId
    status: Annotated[str, doc("queued, sent, acknowledged, done, failed or expired.", "done")]
    repeated: Annotated[bool, doc("If true, the outcome was already known or the command had already ended.")]


FILE_NAME_MAX, RANGE_MAX = 120, 200
CONTENT_MAX = (FIRMWARE_MAX_BYTES + 2) // 3 * 4
FIRMWARE_BODY_LIMIT_BYTES = CONTENT_MAX + 65_536
"""Limit for the largest file in base64 plus the other fields."""
EXAMPLE_FIRMWARE_BASE64 = "SGF1bGllciBjYWJpbmV0IDIuNS4wCg=="

StatusOfRelease = Literal["available", "withdrawn"]
StatusOfRollout = Literal["draft", "running", "paused", "completed", "cancelled"]
StatusOfUpdate = Literal["pending", "downloading", "installed", "failed", "expired", "cancelled"]
Version = Annotated[str, Field(max_length=FIRMWARE_MAX, pattern=VERSION_PATTERN, examples=["2.5.0"])]
Sha256 = Annotated[str, Field(pattern="^[0-9a-fA-F]{64}$")]
Percent = Annotated[int, Field(ge=1, le=100, examples=[10])]
Failures = Annotated[int, Field(ge=1, le=1000, examples=[3])]
FirmwareContent = Annotated[
    str,
    Field(
        min_length=4,
        max_length=CONTENT_MAX,
        repr=False,
        exclude=True,
        examples=[EXAMPLE_FIRMWARE_BASE64],
        json_schema_extra={"contentEncoding": "base64"},
    ),
]


class CreateFirmwareRelease(FileInput):
    """A firmware release for a kind of device."""

    version: Version
    """Version: numbers separated by dots, ascending. A suffix after a hyphen marks a pre-release."""
    kind: DeviceKind = "cabinet"
    """Kind of device that can run the release."""
    channel: Channel = "stable"
    """Channel of the release. Devices of this channel install it."""
    content: FirmwareContent
    """Firmware file in base64, without line breaks, at most 16 MiB before encoding. Not recorded in the audit trail."""
    name: Annotated[str, Field(min_length=1, max_length=FILE_NAME_MAX, pattern=NO_NUL)] | None = Field(
        default=None, examples=["cabinet-2.5.0.bin"]
    )
    """File name for display."""
    sha256: Sha256 | None = None
    """Expected SHA-256 digest of the file in hexadecimal. A file that doesn't match is rejected."""
    notes: Note = Field(default="", examples=["Doors close more quietly"])
    """Release notes."""

    @property
    def decoded(self) -> bytes:
        """Return the decoded file."""
        return b64decode(self.content, validate=True)

    @model_validator(mode="after")
    def _is_a_file(self) -> Self:
        try:
            size = len(self.decoded)
        except ValueError:
            raise PydanticCustomError("not_base64", "content is not base64") from None
        if size > FIRMWARE_MAX_BYTES:
            raise PydanticCustomError("file_too_large", "the file is too large", {"most_bytes": FIRMWARE_MAX_BYTES})
        return self


class FirmwareReleaseRef(Request):
    """Reference to a firmware release."""

    firmware_release_id: RecordId


class ListFirmwareReleases(PageRequest):
    """Filters for firmware releases. Releases must match all of them."""

    kind: DeviceKind | None = None
    channel: Channel | None = None
    status: StatusOfRelease | None = None


class WithdrawFirmwareRelease(FirmwareReleaseRef):
    """A firmware release to withdraw."""

    reason: Reason = Field(default="", examples=["Doors stay open"])


class CreateFirmwareRollout(Request):
    """A roll-out of a release and its target devices."""

    firmware_release_id: RecordId
    channel: Channel | None = None
    """Only devices of this channel. Defaults to the channel of the release if no site is given."""
    site_id: RecordId | None = None
    """Only devices whose locker is at this site."""
    share_pct: Percent = 100
    """Percentage of devices. The selection is stable: a larger share includes the devices of a smaller one."""
    max_failure_pct: Percent = 10
    """Percentage of finished devices that may fail before the roll-out pauses automatically."""
    min_failures: Failures = 3
    """Minimum number of failures before the roll-out pauses automatically."""
    allow_downgrade: bool = False
    """If true, devices that run a later version install this release as well."""
    note: Note = ""


class UpdateFirmwareRollout(Request):
    """Changes to an active roll-out. Omitted fields stay unchanged."""

    firmware_rollout_id: RecordId
    share_pct: Percent | None = None
    """Percentage of devices. A larger share adds devices immediately; a smaller one undoes nothing."""
    max_failure_pct: Percent | None = None
    min_failures: Failures | None = None


class FirmwareRolloutRef(Request):
    """Reference to a roll-out."""

    firmware_rollout_id: RecordId


class StopFirmwareRollout(FirmwareRolloutRef):
    """A roll-out to stop and the reason."""

    reason: Reason = Field(default="", examples=["Complaints from Union Station"])


class ListFirmwareRollouts(PageRequest):
    """Filters for roll-outs. Roll-outs must match all of them."""

    firmware_release_id: RecordId | None = None
    status: StatusOfRollout | None = None


class ListFirmwareUpdates(PageRequest):
    """Filters for installations. Installations must match all of them."""

    firmware_rollout_id: RecordId | None = None
    firmware_release_id: RecordId | None = None
    device_id: LockerDeviceId | None = None
    status: StatusOfUpdate | None = None


class DownloadFirmware(FirmwareReleaseRef):
    """Download of a firmware file, or a part of it, by a device."""

    credential: Secret
    """Credential issued at registration."""
    range: Annotated[str, Field(max_length=RANGE_MAX)] = ""
    """One byte range (RFC 9110): `bytes=1000-`, `bytes=0-65535` or `bytes=-500`. Defaults to the whole file."""
    if_range: Annotated[str, Field(max_length=RANGE_MAX)] = ""
    """ETag of the part already downloaded. If the file has changed, it is sent in full."""
    form: Literal["record", "content"] = "record"
    """Response format. `record` returns base64; `Accept: application/octet-stream` selects the raw content."""


class FirmwareReleaseRecord(Answer):
    """A firmware release for a kind of device."""

    id: int
    version: Annotated[str, doc("Version: numbers separated by dots.", "2.5.0")]
    kind: Annotated[str, doc("Kind of device that can run the release.", "cabinet")]
    channel: Annotated[str, doc("Channel whose devices install the release.", "stable")]
    status: Annotated[str, doc("available or withdrawn.", "available")]
    size_bytes: int
    sha256: Annotated[str, doc("SHA-256 digest of the file in hexadecimal.")]
    file_id: Annotated[int, doc("ID of the file. Open it with `get_file`.")]
    name: Annotated[str | None, doc("File name.", "cabinet-2.5.0.bin")]
    notes: str
    created_by: int | None
    created_at: datetime
    withdrawn_at: datetime | None
    reason: Annotated[str, doc("Reason for the withdrawal.", "Doors stay open")]


class FirmwareReleaseAnswer(Answer):
    """A firmware release."""

    result: bool = True
    release: FirmwareReleaseRecord


class FirmwareReleaseList(PagedAnswer):
    """A page of releases, newest first."""

    releases: list[FirmwareReleaseRecord]


class FirmwareProgress(Answer):
    """Number of devices in each state, by their latest installation of the roll-out."""

    pending: Annotated[int, doc("Devices that have not started the installation.", 12)]
    downloading: Annotated[int, doc("Devices that have started the installation.", 3)]
    installed: int
    failed: int
    expired: Annotated[int, doc("Devices that did not respond in time.", 1)]
    cancelled: int


class FirmwareRolloutRecord(Answer):
    """A roll-out of a release to devices."""

    id: int
    firmware_release_id: int
    version: str
    kind: str
    status: Annotated[str, doc("draft, running, paused, completed or cancelled.", "running")]
    allowed_actions: Annotated[list[RolloutStep], doc("Actions allowed in the current status.", ["pause", "cancel"])]
    channel: str | None
    site_id: int | None
    share_pct: int
    max_failure_pct: int
    min_failures: int
    allow_downgrade: bool
    note: str
    progress: FirmwareProgress
    reason: Annotated[str, doc("Reason why the roll-out stopped. `failures` if it paused automatically.", "failures")]
    created_by: int | None
    created_at: datetime
    started_at: datetime | None
    paused_at: datetime | None
    ended_at: datetime | None


class FirmwareRolloutAnswer(Answer):
    """A roll-out."""

    result: bool = True
    rollout: FirmwareRolloutRecord


class FirmwareRolloutList(PagedAnswer):
    """A page of roll-outs, newest first."""

    rollouts: list[FirmwareRolloutRecord]


class FirmwareUpdateRecord(Answer):
    """The installation of a release on a device."""

    id: int
    firmware_rollout_id: int
    firmware_release_id: int
    device_id: LockerDeviceId
    command_id: DeviceCommandId
    version: str
    from_version: Annotated[str | None, doc("Version that the device ran before.", "2.4.1")]
    status: Annotated[str, doc("pending, downloading, installed, failed, expired or cancelled.", "installed")]
    fault: Annotated[str | None, doc("Error reported by the device or detected by the server.", "wrong hash")]
    created_at: datetime
    ended_at: datetime | None


class FirmwareUpdateList(PagedAnswer):
    """A page of installations, newest first."""

    updates: list[FirmwareUpdateRecord]


class FirmwarePart(Answer):
    """A firmware file, or a part of it."""

    result: bool = True
    firmware_release_id: int
    version: str
    size_bytes: Annotated[int, doc("Size of the whole file in bytes.")]
    sha256: Annotated[str, doc("SHA-256 digest of the whole file in hexadecimal.")]
    first_byte: Annotated[int, doc("Position of the first byte of the part, counted from 0.", 0)]
    media_type: Annotated[str, doc("Media type of the raw content.", "application/octet-stream")]
    content: Annotated[str, doc("Content of the part in base64.")]
