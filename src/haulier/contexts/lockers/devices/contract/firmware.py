"""Firmware: releases that are uploaded, roll-outs of them to devices, and how each device fares."""

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
"""The largest file in base64, and room for the other fields."""
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
    """A version of the firmware of a kind of device."""

    version: Version
    """Numbers with dots; a later release has larger ones. What follows a hyphen comes before the release itself."""
    kind: DeviceKind = "cabinet"
    """The devices that can run it."""
    channel: Channel = "stable"
    """The devices that take it: those of this channel."""
    content: FirmwareContent
    """The file in base64, without line breaks; at most 16 MiB before encoding. It is not written into the audit trail."""
    name: Annotated[str, Field(min_length=1, max_length=FILE_NAME_MAX, pattern=NO_NUL)] | None = Field(
        default=None, examples=["cabinet-2.5.0.bin"]
    )
    """The file's name, for people."""
    sha256: Sha256 | None = None
    """The digest that the file must have, hexadecimal. A file that was damaged on its way is refused."""
    notes: Note = Field(default="", examples=["Doors close more quietly"])
    """What is new."""

    @property
    def decoded(self) -> bytes:
        """The file."""
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
    """Which release."""

    firmware_release_id: RecordId


class ListFirmwareReleases(PageRequest):
    """Which releases; one must match all that is given."""

    kind: DeviceKind | None = None
    channel: Channel | None = None
    status: StatusOfRelease | None = None


class WithdrawFirmwareRelease(FirmwareReleaseRef):
    """A release that nobody shall install any more."""

    reason: Reason = Field(default="", examples=["Doors stay open"])


class CreateFirmwareRollout(Request):
    """A release that devices shall install, and which of them."""

    firmware_release_id: RecordId
    channel: Channel | None = None
    """Only devices of this channel; that of the release where no site is named either."""
    site_id: RecordId | None = None
    """Only devices of the cabinets of this site."""
    share_pct: Percent = 100
    """How many of a hundred devices. Which ones does not change, so a larger share has those of a smaller one."""
    max_failure_pct: Percent = 10
    """The roll-out pauses by itself once so many of a hundred devices that are through have failed."""
    min_failures: Failures = 3
    """And not before so many have failed."""
    allow_downgrade: bool = False
    """Whether devices that run a later version install it, too."""
    note: Note = ""


class UpdateFirmwareRollout(Request):
    """What to change of a roll-out that is not over; what is left out stays."""

    firmware_rollout_id: RecordId
    share_pct: Percent | None = None
    """A larger share tells more devices at once; a smaller one takes nothing back."""
    max_failure_pct: Percent | None = None
    min_failures: Failures | None = None


class FirmwareRolloutRef(Request):
    """Which roll-out."""

    firmware_rollout_id: RecordId


class StopFirmwareRollout(FirmwareRolloutRef):
    """Which roll-out, and why it stops."""

    reason: Reason = Field(default="", examples=["Complaints from Union Station"])


class ListFirmwareRollouts(PageRequest):
    """Which roll-outs; one must match all that is given."""

    firmware_release_id: RecordId | None = None
    status: StatusOfRollout | None = None


class ListFirmwareUpdates(PageRequest):
    """Which devices' installations; one must match all that is given."""

    firmware_rollout_id: RecordId | None = None
    firmware_release_id: RecordId | None = None
    device_id: RecordId | None = None
    status: StatusOfUpdate | None = None


class DownloadFirmware(FirmwareReleaseRef):
    """A device fetches the file that it was told to install, or a part of it."""

    credential: Secret
    """What the device got when it registered."""
    range: Annotated[str, Field(max_length=RANGE_MAX)] = ""
    """`bytes=1000-`, `bytes=0-65535` or `bytes=-500` (RFC 9110); one range. The whole file without."""
    if_range: Annotated[str, Field(max_length=RANGE_MAX)] = ""
    """The ETag of the part that is there already: another file is sent whole."""
    form: Literal["record", "content"] = "record"
    """`record` has the content in base64; with `Accept: application/octet-stream` it is sent alone."""


class FirmwareReleaseRecord(Answer):
    """A version of the firmware of a kind of device."""

    id: int
    version: Annotated[str, doc("Numbers with dots.", "2.5.0")]
    kind: Annotated[str, doc("The devices that can run it.", "cabinet")]
    channel: Annotated[str, doc("The devices that take it.", "stable")]
    status: Annotated[str, doc("available or withdrawn.", "available")]
    size_bytes: int
    sha256: Annotated[str, doc("The digest of the file, hexadecimal.")]
    file_id: Annotated[int, doc("The file itself, at `get_file`.")]
    name: Annotated[str | None, doc("The file's name.", "cabinet-2.5.0.bin")]
    notes: str
    created_by: int | None
    created_at: datetime
    withdrawn_at: datetime | None
    reason: Annotated[str, doc("Why it was withdrawn.", "Doors stay open")]


class FirmwareReleaseAnswer(Answer):
    """One release."""

    result: bool = True
    release: FirmwareReleaseRecord


class FirmwareReleaseList(PagedAnswer):
    """A page of releases, newest first."""

    releases: list[FirmwareReleaseRecord]


class FirmwareProgress(Answer):
    """How many devices are how far, each by its newest installation of this roll-out."""

    pending: Annotated[int, doc("Told, or to be told, and not begun.", 12)]
    downloading: Annotated[int, doc("Begun.", 3)]
    installed: int
    failed: int
    expired: Annotated[int, doc("Said nothing in time.", 1)]
    cancelled: int


class FirmwareRolloutRecord(Answer):
    """A release on its way to devices."""

    id: int
    firmware_release_id: int
    version: str
    kind: str
    status: Annotated[str, doc("draft, running, paused, completed or cancelled.", "running")]
    allowed_actions: Annotated[list[RolloutStep], doc("What can be done with it now.", ["pause", "cancel"])]
    channel: str | None
    site_id: int | None
    share_pct: int
    max_failure_pct: int
    min_failures: int
    allow_downgrade: bool
    note: str
    progress: FirmwareProgress
    reason: Annotated[str, doc("Why it stopped; `failures` where it paused by itself.", "failures")]
    created_by: int | None
    created_at: datetime
    started_at: datetime | None
    paused_at: datetime | None
    ended_at: datetime | None


class FirmwareRolloutAnswer(Answer):
    """One roll-out."""

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
    from_version: Annotated[str | None, doc("What the device ran before.", "2.4.1")]
    status: Annotated[str, doc("pending, downloading, installed, failed, expired or cancelled.", "installed")]
    fault: Annotated[str | None, doc("Why it failed, in the device's words or ours.", "wrong hash")]
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
    size_bytes: Annotated[int, doc("Of the whole file.")]
    sha256: Annotated[str, doc("Of the whole file, hexadecimal.")]
    first_byte: Annotated[int, doc("Where the part begins, counted from 0.", 0)]
    media_type: Annotated[str, doc("Of the bare content.", "application/octet-stream")]
    content: Annotated[str, doc("The part in base64.")]
