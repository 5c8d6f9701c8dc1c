"""Request and response models for firmware releases, roll-outs and installations."""

from base64 import b64decode
from datetime import datetime
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator
from pydantic_core import PydanticCustomError

from haulier.contexts.lockers.devices.contract.devices import FIRMWARE_MAX, Channel, DeviceKind
from haulier.contexts.lockers.devices.contract.frames import Secret
from haulier.contexts.lockers.devices.rules import FIRMWARE_MAX_BYTES, VERSION_PATTERN, RolloutStep
from haulier.kernel.operations.answers import Answer, doc
from haulier.kernel.operations.declaration import Request
from haulier.kernel.operations.fields import NO_NUL, Note, Reason, RecordId
from haulier.kernel.operations.file_parts import FileInput
from haulier.kernel.values.pagination import PagedAnswer, PageRequest

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
    device_id: RecordId | None = None
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
    device_id: int
    command_id: int
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
