"""Statements on last contact and batteries of devices."""

from collections.abc import Collection, Sequence
from datetime import datetime

from sqlalchemy import ColumnElement, Integer, and_, bindparam, false, func, not_, or_, select

from haulier.contexts.lockers.devices.rules import DeviceState
from haulier.contexts.lockers.devices.store.devices import devices
from haulier.kernel.data.statements import Row, in_param
from haulier.kernel.data.tables import UTCDateTime
from haulier.kernel.data.unit_of_work import UnitOfWork


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
