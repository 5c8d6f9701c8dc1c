"""Tables of firmware: releases, roll-outs and installations."""

from datetime import datetime
from typing import Annotated, Any

from sqlalchemy import Boolean, Column, ColumnElement, Index, Integer, String, exists, select

from haulier.contexts.lockers.devices.contract import CHANNEL_MAX, FAULT_MAX, FILE_NAME_MAX, FIRMWARE_MAX
from haulier.contexts.lockers.devices.rules import UNDER_WAY, RolloutStatus
from haulier.kernel.data.personal_data import plain_columns
from haulier.kernel.data.records import Record, Reference
from haulier.kernel.data.statements import Row
from haulier.kernel.data.tables import Id, UTCDateTime, partial_unique_index, tenant_table
from haulier.kernel.operations.fields import NOTE_MAX, REASON_MAX


class FirmwareReleaseRow(
    Record,
    table="firmware_release",
    items=[
        Index("uq_firmware_release_version", "client_id", "kind", "version", unique=True),
        Index("ix_firmware_release_channel", "client_id", "channel", "status"),
    ],
):
    """A release."""

    version: Annotated[str, String(FIRMWARE_MAX)]
    kind: Annotated[str, String(20)]
    channel: Annotated[str, String(CHANNEL_MAX)]
    status: Annotated[str, String(12)]
    file_id: Reference
    size_bytes: int
    sha256: Annotated[str, String(64)]
    name: Annotated[str, String(FILE_NAME_MAX)] | None
    notes: Annotated[str, String(NOTE_MAX)]
    created_by: Reference | None
    created_at: datetime
    withdrawn_at: datetime | None
    reason: Annotated[str, String(REASON_MAX)]


releases = FirmwareReleaseRow.table
plain_columns(releases, "version", "kind", "channel", "status", "sha256", "name", "notes", "reason")

rollouts = tenant_table(
    "firmware_rollout",
    Column("release_id", Id, nullable=False),
    Column("status", String(12), nullable=False),
    Column("channel", String(CHANNEL_MAX)),
    Column("site_id", Id),
    Column("share_pct", Integer, nullable=False),
    Column("max_failure_pct", Integer, nullable=False),
    Column("min_failures", Integer, nullable=False),
    Column("allow_downgrade", Boolean, nullable=False),
    Column("note", String(NOTE_MAX), nullable=False),
    Column("round", Integer, nullable=False),
    Column("telling", Boolean, nullable=False),
    Column("installed", Integer, nullable=False),
    Column("failed", Integer, nullable=False),
    Column("reason", String(REASON_MAX), nullable=False),
    Column("created_by", Id),
    Column("created_at", UTCDateTime, nullable=False),
    Column("started_at", UTCDateTime),
    Column("paused_at", UTCDateTime),
    Column("ended_at", UTCDateTime),
    Index("ix_firmware_rollout_release", "client_id", "release_id"),
    Index("ix_firmware_rollout_status", "client_id", "status"),
)
"""`installed` and `failed` count since the last start, resume or retry. `round` numbers the passes, so that jobs of an
older pass stop. `telling` marks a running job.
"""
plain_columns(rollouts, "status", "channel", "note", "reason")

updates = tenant_table(
    "firmware_update",
    Column("rollout_id", Id, nullable=False),
    Column("release_id", Id, nullable=False),
    Column("device_id", Id, nullable=False),
    Column("command_id", Id, nullable=False),
    Column("from_version", String(FIRMWARE_MAX)),
    Column("status", String(12), nullable=False),
    Column("fault", String(FAULT_MAX)),
    Column("superseded", Boolean, nullable=False),
    Column("created_at", UTCDateTime, nullable=False),
    Column("ended_at", UTCDateTime),
    Index("uq_firmware_update_command", "client_id", "command_id", unique=True),
    Index("ix_firmware_update_rollout", "client_id", "rollout_id", "status"),
    Index("ix_firmware_update_device", "client_id", "device_id"),
)
"""`superseded` marks an installation with a later attempt in the same roll-out."""
_LIVE = f"status IN ({', '.join(repr(each.value) for each in sorted(UNDER_WAY))})"
partial_unique_index("uq_firmware_update_live", _LIVE, updates.c.device_id)
plain_columns(updates, "from_version", "status", "fault")


class FirmwareRolloutRow(Row):
    """A roll-out with its release."""

    id: int
    release_id: int
    status: str
    channel: str | None
    site_id: int | None
    share_pct: int
    max_failure_pct: int
    min_failures: int
    allow_downgrade: bool
    note: str
    round: int
    telling: bool
    installed: int
    failed: int
    reason: str
    created_by: int | None
    created_at: datetime
    started_at: datetime | None
    paused_at: datetime | None
    ended_at: datetime | None
    version: str
    kind: str


class FirmwareUpdateRow(Row):
    """The installation of a release on a device."""

    id: int
    rollout_id: int
    release_id: int
    device_id: int
    command_id: int
    from_version: str | None
    status: str
    fault: str | None
    created_at: datetime
    ended_at: datetime | None
    version: str


class ProgressRow(Row):
    """Number of devices of a roll-out in one state."""

    id: int
    status: str
    devices: int


class OpenCommandRow(Row):
    """An open update command. `held` while its roll-out is paused."""

    id: int
    settings: dict[str, Any]
    held: bool


def is_held(client_id: Column[int], command_id: Column[int]) -> ColumnElement[bool]:
    """Return the condition that a command belongs to a roll-out that is not running."""
    here = (updates.c.client_id == client_id) & (updates.c.command_id == command_id)
    of_rollout = (rollouts.c.client_id == updates.c.client_id) & (rollouts.c.id == updates.c.rollout_id)
    running = rollouts.c.status == RolloutStatus.RUNNING.value
    return exists(select(updates.c.id).select_from(updates.join(rollouts, of_rollout)).where(here, ~running))
