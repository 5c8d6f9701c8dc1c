"""Statements on firmware releases, roll-outs and installations."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Select, bindparam, func, select, update

from haulier.contexts.lockers.devices.rules import (
    UNDER_WAY,
    WAITING,
    DeviceCommand,
    DeviceState,
    FirmwareStatus,
    UpdateStatus,
)
from haulier.contexts.lockers.devices.store.devices import DeviceRow, commands, devices
from haulier.contexts.lockers.devices.store.firmware_tables import (
    FirmwareReleaseRow,
    FirmwareRolloutRow,
    FirmwareUpdateRow,
    OpenCommandRow,
    ProgressRow,
    is_held,
    releases,
    rollouts,
    updates,
)
from haulier.kernel.data.statements import Row, in_param
from haulier.kernel.data.tables import UTCDateTime
from haulier.kernel.data.unit_of_work import UnitOfWork
from haulier.kernel.values.pagination import MAX_COUNT


class _Numbered(Row):
    id: int


_rollouts = select(rollouts, releases.c.version, releases.c.kind).select_from(
    rollouts.join(releases, releases.c.id == rollouts.c.release_id)
)
_rollout = _rollouts.where(rollouts.c.id == bindparam("rollout"))
_lock_rollout = select(rollouts.c.id).where(rollouts.c.id == bindparam("rollout")).with_for_update()
_updates = select(updates, releases.c.version).select_from(
    updates.join(releases, releases.c.id == updates.c.release_id)
)
_by_command = _updates.where(updates.c.command_id == bindparam("told"))
_under_way = updates.c.status.in_([each.value for each in sorted(UNDER_WAY)])
_newest_of_device = _updates.where(updates.c.device_id == bindparam("device")).order_by(updates.c.id.desc()).limit(1)
_lock_updates = (
    select(updates.c.id)
    .where(
        updates.c.rollout_id == bindparam("rollout"),
        in_param(updates.c.device_id, "devices"),
        updates.c.superseded.is_(False),
    )
    .order_by(updates.c.id)
    .with_for_update()
)
_of_devices = _updates.where(
    updates.c.rollout_id == bindparam("rollout"),
    in_param(updates.c.device_id, "devices"),
    updates.c.superseded.is_(False),
)
_busy = select(updates.c.device_id.label("id")).where(in_param(updates.c.device_id, "devices"), _under_way)
_supersede = update(updates).where(in_param(updates.c.id, "ids")).values(superseded=True)
_change = (
    update(updates)
    .where(updates.c.id == bindparam("one"), updates.c.status == bindparam("known"))
    .values(status=bindparam("then"), fault=bindparam("why"), ended_at=bindparam("at", type_=UTCDateTime))
)
_cancel = (
    update(updates)
    .where(updates.c.rollout_id == bindparam("rollout"), _under_way)
    .values(status=UpdateStatus.CANCELLED.value, ended_at=bindparam("at", type_=UTCDateTime))
)
_count = (
    update(rollouts)
    .where(rollouts.c.id == bindparam("rollout"))
    .values(
        installed=rollouts.c.installed + bindparam("installed_more"),
        failed=rollouts.c.failed + bindparam("failed_more"),
    )
)
_any_left = select(updates.c.id).where(updates.c.rollout_id == bindparam("rollout"), _under_way).limit(1)
_progress = (
    select(updates.c.rollout_id.label("id"), updates.c.status, func.count().label("devices"))
    .where(in_param(updates.c.rollout_id, "rollouts"), updates.c.superseded.is_(False))
    .group_by(updates.c.rollout_id, updates.c.status)
)
_waiting_devices = select(updates.c.device_id.label("id")).where(
    updates.c.rollout_id == bindparam("rollout"), _under_way
)

_open_commands = select(
    commands.c.id, commands.c.settings, is_held(commands.c.client_id, commands.c.id).label("held")
).where(
    commands.c.device_id == bindparam("device"),
    commands.c.status.in_(sorted(WAITING)),
    commands.c.command == DeviceCommand.UPDATE.value,
)


async def list_release_rows(
    work: UnitOfWork, wanted: Mapping[str, Any], *, limit: int, offset: int
) -> tuple[Sequence[FirmwareReleaseRow], int]:
    """List a page of matching releases, newest first, with their count.

    Counting stops one above `MAX_COUNT`.
    """
    conditions = [releases.c[name] == value for name, value in wanted.items()]
    page = select(releases).where(*conditions).order_by(releases.c.id.desc())
    rows = await work.all(page.limit(limit).offset(offset), FirmwareReleaseRow)
    return rows, await _counted(work, select(releases.c.id).where(*conditions))


async def list_available_rows(work: UnitOfWork, kind: str, channel: str) -> Sequence[FirmwareReleaseRow]:
    """List the newest hundred installable releases for a kind and channel."""
    wanted = {"kind": kind, "channel": channel, "status": FirmwareStatus.AVAILABLE.value}
    conditions = [releases.c[name] == value for name, value in wanted.items()]
    page = select(releases).where(*conditions).order_by(releases.c.id.desc()).limit(100)
    return await work.all(page, FirmwareReleaseRow)


async def insert_rollout(work: UnitOfWork, values: Mapping[str, Any]) -> int:
    """Insert a roll-out. Returns its id."""
    return await work.insert(rollouts, **values)


async def update_rollout(
    work: UnitOfWork, rollout_id: int, values: Mapping[str, Any], *, known: str | None = None
) -> bool:
    """Update columns of a roll-out; with `known`, only in that status.

    Returns True if it was updated.
    """
    changed = update(rollouts).where(rollouts.c.id == bindparam("rollout")).values(**values)
    if known is not None:
        changed = changed.where(rollouts.c.status == known)
    return bool(await work.run(changed, rollout=rollout_id))


async def get_rollout_row(work: UnitOfWork, rollout_id: int, *, lock: bool = False) -> FirmwareRolloutRow | None:
    """Return a roll-out of this client, or None."""
    if lock and await work.first(_lock_rollout, _Numbered, rollout=rollout_id) is None:
        return None
    return await work.first(_rollout, FirmwareRolloutRow, rollout=rollout_id)


async def list_rollout_rows(
    work: UnitOfWork, wanted: Mapping[str, Any], *, limit: int, offset: int
) -> tuple[Sequence[FirmwareRolloutRow], int]:
    """List a page of matching roll-outs, newest first, with their count.

    Counting stops one above `MAX_COUNT`.
    """
    conditions = [rollouts.c[name] == value for name, value in wanted.items()]
    page = _rollouts.where(*conditions).order_by(rollouts.c.id.desc())
    rows = await work.all(page.limit(limit).offset(offset), FirmwareRolloutRow)
    return rows, await _counted(work, select(rollouts.c.id).where(*conditions))


async def count_progress(work: UnitOfWork, rollout_ids: Collection[int]) -> dict[int, dict[str, int]]:
    """Count the devices of roll-outs by state, in one statement."""
    found: dict[int, dict[str, int]] = {id: {} for id in rollout_ids}
    if rollout_ids:
        for row in await work.all(_progress, ProgressRow, rollouts=list(rollout_ids)):
            found[row.id][row.status] = row.devices
    return found


async def count_end(work: UnitOfWork, rollout_id: int, *, installed: int = 0, failed: int = 0) -> None:
    """Add outcomes to the counters of a roll-out. This locks its row."""
    await work.run(_count, rollout=rollout_id, installed_more=installed, failed_more=failed)


async def has_devices_left(work: UnitOfWork, rollout_id: int) -> bool:
    """Return True if devices of a roll-out are unfinished."""
    return await work.first(_any_left, _Numbered, rollout=rollout_id) is not None


async def list_devices_to_notify(
    work: UnitOfWork, rollout: FirmwareRolloutRow, after: int, limit: int
) -> Sequence[DeviceRow]:
    """List the next candidate devices of a roll-out by id."""
    wanted: list[ColumnElement[bool]] = [
        devices.c.status == DeviceState.ACTIVE.value,
        devices.c.kind == rollout.kind,
        devices.c.id > bindparam("after"),
    ]
    if rollout.channel is not None:
        wanted.append(devices.c.firmware_channel == rollout.channel)
    if rollout.site_id is not None:
        wanted.append(devices.c.site_id == rollout.site_id)
    page = select(devices).where(*wanted).order_by(devices.c.id).limit(limit)
    return await work.all(page, DeviceRow, after=after)


async def lock_updates_of_devices(
    work: UnitOfWork, rollout_id: int, device_ids: Collection[int]
) -> Mapping[int, FirmwareUpdateRow]:
    """Lock and return the newest installations of a roll-out, by device."""
    asked = {"rollout": rollout_id, "devices": list(device_ids)}
    await work.all(_lock_updates, _Numbered, **asked)
    return {row.device_id: row for row in await work.all(_of_devices, FirmwareUpdateRow, **asked)}


async def list_busy_devices(work: UnitOfWork, device_ids: Collection[int]) -> set[int]:
    """List the devices that are installing a release now."""
    return {row.id for row in await work.all(_busy, _Numbered, devices=list(device_ids))}


async def list_devices_of_rollout(work: UnitOfWork, rollout_id: int) -> Sequence[int]:
    """List the unfinished devices of a roll-out."""
    return [row.id for row in await work.all(_waiting_devices, _Numbered, rollout=rollout_id)]


async def list_open_commands(work: UnitOfWork, device_id: int) -> Sequence[OpenCommandRow]:
    """List the open update commands of a device, including those of paused roll-outs."""
    return await work.all(_open_commands, OpenCommandRow, device=device_id)


async def insert_update(work: UnitOfWork, values: Mapping[str, Any]) -> None:
    """Insert an installation.

    Raises `UniqueConflict` if the device is installing another release.
    """
    await work.insert(updates, **values)


async def supersede_updates(work: UnitOfWork, ids: Collection[int]) -> None:
    """Mark installations as superseded by later attempts."""
    if ids:
        await work.run(_supersede, ids=list(ids))


async def change_update(
    work: UnitOfWork, row: FirmwareUpdateRow, status: UpdateStatus, fault: str | None, at: datetime | None
) -> bool:
    """Update the status of an installation.

    Returns False if it changed in the meantime.
    """
    said = {"known": row.status, "then": status.value, "why": fault, "at": at}
    return bool(await work.run(_change, one=row.id, **said))


async def cancel_updates(work: UnitOfWork, rollout_id: int, at: datetime) -> None:
    """Cancel all open installations of a roll-out."""
    await work.run(_cancel, rollout=rollout_id, at=at)


async def find_update_of_command(work: UnitOfWork, command_id: int) -> FirmwareUpdateRow | None:
    """Return the installation of a command, or None."""
    return await work.first(_by_command, FirmwareUpdateRow, told=command_id)


async def find_newest_update(work: UnitOfWork, device_id: int) -> FirmwareUpdateRow | None:
    """Return the newest installation of a device, or None."""
    return await work.first(_newest_of_device, FirmwareUpdateRow, device=device_id)


async def list_update_rows(
    work: UnitOfWork, wanted: Mapping[str, Any], *, limit: int, offset: int
) -> tuple[Sequence[FirmwareUpdateRow], int]:
    """List a page of matching installations, newest first, with their count.

    Counting stops one above `MAX_COUNT`.
    """
    conditions = [updates.c[name] == value for name, value in wanted.items()]
    page = _updates.where(*conditions).order_by(updates.c.id.desc())
    rows = await work.all(page.limit(limit).offset(offset), FirmwareUpdateRow)
    return rows, await _counted(work, select(updates.c.id).where(*conditions))


async def _counted(work: UnitOfWork, matching: Select[Any]) -> int:
    return await work.value(select(func.count()).select_from(matching.limit(MAX_COUNT + 1).subquery()))
