"""Tables of device alarms and settings, and their statements."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Annotated, Any

from sqlalchemy import (
    ColumnElement,
    Index,
    String,
    UniqueConstraint,
    bindparam,
    delete,
    func,
    select,
    update,
)

from haulier.kernel.data.personal_data import plain_columns
from haulier.kernel.data.records import Record, Reference
from haulier.kernel.data.statements import in_param
from haulier.kernel.data.tables import (
    UTCDateTime,
    notify_writes,
    partial_unique_index,
)
from haulier.kernel.data.unit_of_work import UnitOfWork
from haulier.kernel.values.pagination import MAX_COUNT

LOCKERS_CHANNEL = "lockers"
"""Channel that refreshes the pages of sites."""


class AlarmSettingsRow(Record, table="device_alarm_settings", items=[UniqueConstraint("client_id")]):
    """Alarm settings of a client.

    At most one row per client.
    """

    silent_min: int
    silent_kinds: list[str]
    battery_pct: int
    letters: bool
    changed_at: datetime


settings = AlarmSettingsRow.table
plain_columns(settings, "silent_kinds")


class DeviceWatchRow(Record, table="device_watch", items=[UniqueConstraint("client_id")]):
    """Last monitoring round and the start of uninterrupted monitoring.

    Last monitoring round of a client, and the start of uninterrupted monitoring. At most one row per client.
    """

    watched_at: datetime
    listening_since: datetime


watches = DeviceWatchRow.table


class DeviceAlarmRow(
    Record,
    table="device_alarm",
    items=[
        Index("ix_device_alarm_device", "client_id", "device_id", "id"),
        Index("ix_device_alarm_site", "client_id", "site_id", "id"),
    ],
):
    """An alarm."""

    device_id: Reference
    site_id: Reference | None
    kind: Annotated[str, String(12)]
    status: Annotated[str, String(10)]
    last_seen_at: datetime | None
    battery_pct: int | None
    raised_at: datetime
    ended_at: datetime | None


alarms = DeviceAlarmRow.table
partial_unique_index("uq_device_alarm_live", "ended_at IS NULL", alarms.c.device_id, alarms.c.kind)
"""A device raises an alarm once, across all servers."""
plain_columns(alarms, "kind", "status")
notify_writes(alarms, LOCKERS_CHANNEL)

_a = alarms.c
_settings, _watch = select(settings), select(watches)
_live = select(alarms).where(_a.ended_at.is_(None), in_param(_a.device_id, "devices"))
_live_page = (
    select(alarms).where(_a.ended_at.is_(None), _a.id > bindparam("after")).order_by(_a.id).limit(bindparam("limit"))
)
_some = select(alarms).where(in_param(_a.id, "alarms")).order_by(_a.id)
_end = (
    update(alarms)
    .where(in_param(_a.id, "alarms"), _a.ended_at.is_(None))
    .values(status=bindparam("how"), ended_at=bindparam("at", type_=UTCDateTime))
    .returning(alarms)
)
_forget = delete(alarms).where(in_param(_a.device_id, "devices"), _a.ended_at < bindparam("before", type_=UTCDateTime))


async def get_settings_row(work: UnitOfWork) -> AlarmSettingsRow | None:
    """Return the alarm settings of the client, or None."""
    return await work.first(_settings, AlarmSettingsRow)


async def upsert_settings(work: UnitOfWork, **values: Any) -> None:
    """Insert or update the alarm settings of the client."""
    await work.upsert(settings, (), **values)


async def get_watch_row(work: UnitOfWork) -> DeviceWatchRow | None:
    """Return the last monitoring round of the client, or None."""
    return await work.first(_watch, DeviceWatchRow)


async def upsert_watch(work: UnitOfWork, *, watched_at: datetime, listening_since: datetime) -> None:
    """Record a monitoring round."""
    await work.upsert(watches, (), watched_at=watched_at, listening_since=listening_since)


async def insert_alarms(work: UnitOfWork, rows: Sequence[Mapping[str, Any]]) -> Sequence[DeviceAlarmRow]:
    """Insert alarms. Returns those that were new."""
    return await work.insert_new(alarms, rows, DeviceAlarmRow)


async def list_live_alarms(work: UnitOfWork, device_ids: Collection[int]) -> Sequence[DeviceAlarmRow]:
    """List the active alarms of devices."""
    return await work.all(_live, DeviceAlarmRow, devices=list(device_ids)) if device_ids else []


async def list_live_page(work: UnitOfWork, *, after: int, limit: int) -> Sequence[DeviceAlarmRow]:
    """List a page of active alarms after an id."""
    return await work.all(_live_page, DeviceAlarmRow, after=after, limit=limit)


async def list_alarms(work: UnitOfWork, alarm_ids: Collection[int]) -> Sequence[DeviceAlarmRow]:
    """List alarms by id, in ascending order."""
    return await work.all(_some, DeviceAlarmRow, alarms=list(alarm_ids)) if alarm_ids else []


async def end_alarms(work: UnitOfWork, alarm_ids: Collection[int], how: str, at: datetime) -> Sequence[DeviceAlarmRow]:
    """End alarms. Returns those that were still active."""
    return await work.all(_end, DeviceAlarmRow, alarms=list(alarm_ids), how=how, at=at) if alarm_ids else []


async def delete_alarms_before(work: UnitOfWork, device_ids: Collection[int], before: datetime) -> None:
    """Delete the alarms of devices that ended before a time."""
    await work.run(_forget, devices=list(device_ids), before=before)


async def list_alarm_rows(
    work: UnitOfWork, wanted: Mapping[str, Any], *, limit: int, offset: int
) -> tuple[Sequence[DeviceAlarmRow], int]:
    """List a page of matching alarms, newest first, with their count.

    Counting stops one above `MAX_COUNT`.
    """
    conditions: list[ColumnElement[bool]] = [alarms.c[name] == value for name, value in wanted.items()]
    page = select(alarms).where(*conditions).order_by(_a.id.desc())
    rows = await work.all(page.limit(limit).offset(offset), DeviceAlarmRow)
    counted = select(_a.id).where(*conditions).limit(MAX_COUNT + 1).subquery()
    return rows, await work.value(select(func.count()).select_from(counted))
