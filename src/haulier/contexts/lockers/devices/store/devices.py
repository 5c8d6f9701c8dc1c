"""Tables and statements of devices: devices."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Annotated, Any

from msgspec import Struct, structs
from sqlalchemy import (
    Column,
    ColumnElement,
    Index,
    Integer,
    LargeBinary,
    String,
    and_,
    bindparam,
    false,
    func,
    not_,
    or_,
    select,
    update,
)

from haulier.contexts.lockers.devices.contract import FAULT_MAX
from haulier.contexts.lockers.devices.rules import CREDENTIAL, WAITING, DeviceCommand, DeviceState
from haulier.contexts.lockers.devices.store.firmware_tables import is_held
from haulier.contexts.lockers.devices.store.tables import DeviceRow, devices
from haulier.kernel.data.personal_data import plain_columns
from haulier.kernel.data.records import BigInt, Record, Reference
from haulier.kernel.data.statements import Row, in_param
from haulier.kernel.data.tables import (
    VOLATILE,
    Json,
    UTCDateTime,
    directory_table,
    partial_unique_index,
)
from haulier.kernel.data.unit_of_work import UnitOfWork
from haulier.kernel.operations.fields import REASON_MAX
from haulier.kernel.values.pagination import MAX_COUNT

COMMANDS_CHANNEL = "device_commands"
"""Notices that a device has commands. The subject is the client and the device."""
_NO_CLIENT_YET = "a device shows who it is before its client is known"


class DeviceKeyRow(
    Record,
    table="device_key",
    items=[Index("ix_device_key_device", "client_id", "device_id")],
    kind=directory_table,
    why="a device sends its code or credential before its business is known",
):
    """A valid code or credential.

    `purpose` is `code` (one-time registration) or `credential`.
    """

    client_id: int
    device_id: Reference
    purpose: Annotated[str, String(12)]
    key_sha256: Annotated[bytes, Column("key_sha256", LargeBinary(32), nullable=False, unique=True, info=VOLATILE)]
    expires_at: datetime | None
    ended_at: datetime | None
    created_at: datetime


keys = DeviceKeyRow.table
plain_columns(keys, "purpose", "key_sha256")


class DeviceCommandRow(
    Record,
    table="device_command",
    items=[
        Index("ix_device_command_device", "client_id", "device_id", "status"),
        Index("ix_device_command_parcel", "client_id", "parcel_id"),
    ],
):
    """A command."""

    device_id: Reference
    command: Annotated[str, String(12)]
    purpose: Annotated[str, String(12)] | None
    box_id: Reference | None
    box_number: int | None
    parcel_id: Reference | None
    settings: dict[str, Any]
    status: Annotated[str, String(14)]
    fault: Annotated[str, String(FAULT_MAX)] | None
    reason: Annotated[str, String(REASON_MAX)]
    requested_by: Reference | None
    frame_sequence: BigInt | None
    created_at: datetime
    sent_at: datetime | None
    acknowledged_at: datetime | None
    ended_at: datetime | None
    expires_at: datetime


commands = DeviceCommandRow.table
partial_unique_index(
    "uq_device_command_frame", "frame_sequence IS NOT NULL", commands.c.device_id, commands.c.frame_sequence
)
plain_columns(commands, "command", "purpose", "settings", "status", "fault", "reason")


class HeardDeviceRow(Row):
    """State of a device before a heartbeat."""

    id: int
    status: str
    telemetry: dict[str, Any]
    last_sequence: int
    session_sequence: int | None
    sampled_at: datetime | None
    firmware: str | None
    reported_settings: dict[str, str] | None
    commands_waiting: int


class HeardState(Struct, frozen=True, kw_only=True):
    """New state of a device to write."""

    at: datetime
    sequence: int
    session: int | None
    said: dict[str, Any]
    ahead: int
    sampled: datetime | None
    version: str | None
    battery: int | None
    settings: dict[str, str] | None


_is_told_now = or_(commands.c.command != DeviceCommand.UPDATE.value, not_(is_held(commands.c.client_id, commands.c.id)))
_key = select(keys).where(keys.c.key_sha256 == bindparam("digest"))
_key_locked = _key.with_for_update()
_of_heard = (
    commands.c.device_id == devices.c.id,
    commands.c.status.in_(sorted(WAITING)),
    commands.c.expires_at > bindparam("at", type_=UTCDateTime),
    _is_told_now,
)
_heard = select(
    devices.c.id,
    devices.c.status,
    devices.c.telemetry,
    devices.c.last_sequence,
    devices.c.session_sequence,
    devices.c.sampled_at,
    devices.c.firmware,
    devices.c.reported_settings,
    select(func.count()).select_from(commands).where(*_of_heard).scalar_subquery().label("commands_waiting"),
).where(devices.c.id == bindparam("device"))
_write_state = (
    update(devices)
    .where(devices.c.id == bindparam("device"), devices.c.last_sequence == bindparam("known"))
    .values(
        last_seen_at=bindparam("at", type_=UTCDateTime),
        last_sequence=bindparam("sequence"),
        session_sequence=bindparam("session"),
        gone_at=None,
        sampled_at=bindparam("sampled", type_=UTCDateTime),
        firmware=bindparam("version"),
        battery_pct=bindparam("battery"),
        reported_settings=bindparam("settings", type_=Json),
        clock_offset_s=bindparam("ahead"),
        telemetry=bindparam("said", type_=Json),
    )
)
_credential = select(keys).where(
    keys.c.device_id == bindparam("device"), keys.c.purpose == CREDENTIAL, keys.c.ended_at.is_(None)
)
_end_keys = (
    update(keys)
    .where(keys.c.device_id == bindparam("device"), keys.c.ended_at.is_(None))
    .values(ended_at=bindparam("at", type_=UTCDateTime))
)
_is_waiting = (
    commands.c.device_id == bindparam("device"),
    commands.c.status.in_(sorted(WAITING)),
    commands.c.expires_at > bindparam("at", type_=UTCDateTime),
    _is_told_now,
)
_waiting = select(commands).where(*_is_waiting).order_by(commands.c.id).limit(100)
_waiting_locked = _waiting.with_for_update()
_count_waiting = select(func.count()).select_from(commands).where(*_is_waiting)
_of_parcels = select(commands).where(in_param(commands.c.parcel_id, "parcels")).order_by(commands.c.id)


async def list_device_rows(
    work: UnitOfWork, wanted: Mapping[str, Any], heard: Sequence[ColumnElement[bool]], *, limit: int, offset: int
) -> tuple[Sequence[DeviceRow], int]:
    """List a page of matching devices, newest first, with their count.

    Counting stops one above `MAX_COUNT`.
    """
    conditions = [*(devices.c[name] == value for name, value in wanted.items()), *heard]
    page = select(devices).where(*conditions).order_by(devices.c.id.desc())
    rows = await work.all(page.limit(limit).offset(offset), DeviceRow)
    counted = select(devices.c.id).where(*conditions).limit(MAX_COUNT + 1).subquery()
    return rows, await work.value(select(func.count()).select_from(counted))


async def find_key(work: UnitOfWork, digest: bytes, *, lock: bool = False) -> DeviceKeyRow | None:
    """Return the key with this digest, of any client."""
    anybody = work.without_tenant_filter(_NO_CLIENT_YET)
    return await anybody.first(_key_locked if lock else _key, DeviceKeyRow, digest=digest)


async def find_credential(work: UnitOfWork, device_id: int) -> DeviceKeyRow | None:
    """Return the valid credential of a device, or None."""
    return await work.first(_credential, DeviceKeyRow, device=device_id)


async def get_heard_device(work: UnitOfWork, device_id: int, at: datetime) -> HeardDeviceRow | None:
    """Return a device of this client with its number of waiting commands, or None."""
    return await work.first(_heard, HeardDeviceRow, device=device_id, at=at)


async def write_state(work: UnitOfWork, device: HeardDeviceRow, heard: HeardState) -> bool:
    """Update the state of a device in its one row.

    Returns False if the row changed since it was read.
    """
    said = structs.asdict(heard)
    return bool(await work.run(_write_state, device=device.id, known=device.last_sequence, **said))


async def end_keys(work: UnitOfWork, device_id: int, at: datetime) -> None:
    """End every code and credential of a device."""
    await work.run(_end_keys, device=device_id, at=at)


async def list_waiting_commands(
    work: UnitOfWork, device_id: int, at: datetime, *, lock: bool = False
) -> Sequence[DeviceCommandRow]:
    """List the waiting commands of a device, oldest first."""
    return await work.all(_waiting_locked if lock else _waiting, DeviceCommandRow, device=device_id, at=at)


async def count_waiting_commands(work: UnitOfWork, device_id: int, at: datetime) -> int:
    """Count the waiting commands of a device."""
    return await work.value(_count_waiting, device=device_id, at=at)


async def list_commands_of_parcels(work: UnitOfWork, parcel_ids: Collection[int]) -> Sequence[DeviceCommandRow]:
    """List all door openings for parcels, oldest first."""
    return await work.all(_of_parcels, DeviceCommandRow, parcels=list(parcel_ids)) if parcel_ids else []


async def update_command(work: UnitOfWork, command_id: int, values: Mapping[str, Any]) -> None:
    """Change columns of a command."""
    changed = update(commands).where(commands.c.id == bindparam("command_id")).values(**values)
    await work.run(changed, command_id=command_id)


async def list_command_rows(
    work: UnitOfWork, wanted: Mapping[str, Any], *, limit: int, offset: int
) -> tuple[Sequence[DeviceCommandRow], int]:
    """List a page of matching commands, newest first, with their count.

    Counting stops one above `MAX_COUNT`.
    """
    conditions: list[ColumnElement[bool]] = [commands.c[name] == value for name, value in wanted.items()]
    page = select(commands).where(*conditions).order_by(commands.c.id.desc())
    rows = await work.all(page.limit(limit).offset(offset), DeviceCommandRow)
    counted = select(commands.c.id).where(*conditions).limit(MAX_COUNT + 1).subquery()
    return rows, await work.value(select(func.count()).select_from(counted))


class SeenDeviceRow(Row):
    """Time of last contact of a device."""

    id: int
    last_seen_at: datetime | None


class WatchedDeviceRow(Row):
    """Health of a device, for monitoring."""

    id: int
    name: str
    kind: str
    site_id: int | None
    status: str
    last_seen_at: datetime | None
    battery_pct: int | None


_watched = select(
    devices.c.id,
    devices.c.name,
    devices.c.kind,
    devices.c.site_id,
    devices.c.status,
    devices.c.last_seen_at,
    devices.c.battery_pct,
)
_is_active = devices.c.status == DeviceState.ACTIVE.value
_seen = select(devices.c.id, devices.c.last_seen_at).where(in_param(devices.c.id, "devices"))
_some_watched = _watched.where(in_param(devices.c.id, "devices"))
_is_quiet = and_(devices.c.last_seen_at < bindparam("before", type_=UTCDateTime), in_param(devices.c.kind, "kinds"))
# These columns have no index: each heartbeat writes them, and PostgreSQL would then update every index of the row.
# Reads cover one business's devices in key order.
_in_trouble = (
    _watched.where(
        _is_active,
        devices.c.id > bindparam("after"),
        or_(_is_quiet, devices.c.battery_pct < bindparam("below", type_=Integer)),
    )
    .order_by(devices.c.id)
    .limit(bindparam("limit"))
)
_any_active = select(devices.c.id).where(_is_active).limit(1)


async def list_seen_rows(work: UnitOfWork, device_ids: Collection[int]) -> Sequence[SeenDeviceRow]:
    """List the times of last contact of devices."""
    return await work.all(_seen, SeenDeviceRow, devices=list(device_ids)) if device_ids else []


async def has_active_devices(work: UnitOfWork) -> bool:
    """Return True if this client has an active device."""
    return await work.value(_any_active) is not None


async def list_watched_rows(work: UnitOfWork, device_ids: Collection[int]) -> Sequence[WatchedDeviceRow]:
    """List the health of devices."""
    return await work.all(_some_watched, WatchedDeviceRow, devices=list(device_ids)) if device_ids else []


async def list_rows_in_trouble(
    work: UnitOfWork,
    *,
    quiet_before: datetime | None,
    kinds: Collection[str],
    battery_below: int,
    after: int,
    limit: int,
) -> Sequence[WatchedDeviceRow]:
    """List active devices after an id that are silent or low on battery.

    Without a time, none counts as silent.
    """
    asked = {"kinds": list(kinds) if quiet_before else [], "before": quiet_before}
    return await work.all(_in_trouble, WatchedDeviceRow, **asked, below=battery_below, after=after, limit=limit)


def heard_conditions(
    *, silent_since: datetime | None, online_since: datetime, online: bool | None
) -> list[ColumnElement[bool]]:
    """Return conditions on the last contact of devices."""
    conditions: list[ColumnElement[bool]] = []
    if silent_since is not None:
        conditions.append(or_(devices.c.last_seen_at.is_(None), devices.c.last_seen_at < silent_since))
    if online is not None:
        there = and_(devices.c.gone_at.is_(None), func.coalesce(devices.c.last_seen_at > online_since, false()))
        conditions.append(there if online else not_(there))
    return conditions


_by_serials = select(devices).where(in_param(devices.c.serial, "serials"))
_end_keys_of = (
    update(keys)
    .where(in_param(keys.c.device_id, "devices"), keys.c.ended_at.is_(None))
    .values(ended_at=bindparam("at", type_=UTCDateTime))
)
_cut_off = update(devices).where(in_param(devices.c.id, "devices")).values(status=bindparam("state"))


async def insert_new_devices(work: UnitOfWork, rows: Sequence[Mapping[str, Any]]) -> None:
    """Insert devices in one statement, skipping taken serial numbers."""
    await work.insert_new(devices, rows, returning=("id",))


async def list_devices_by_serial(work: UnitOfWork, serials: Collection[str]) -> Sequence[DeviceRow]:
    """List the devices of this client with these serial numbers."""
    return await work.all(_by_serials, DeviceRow, serials=sorted(serials))


async def cut_devices_off(work: UnitOfWork, device_ids: Collection[int], state: str, at: datetime) -> None:
    """Revoke all codes and credentials of devices, in two statements."""
    await work.run(_end_keys_of, devices=sorted(device_ids), at=at)
    await work.run(_cut_off, devices=sorted(device_ids), state=state)
