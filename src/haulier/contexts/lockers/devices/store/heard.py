"""Statements on when devices were heard of last, and on how their batteries are."""

from collections.abc import Collection, Sequence
from datetime import datetime

from sqlalchemy import ColumnElement, Integer, and_, bindparam, false, func, not_, or_, select

from haulier.contexts.lockers.devices.rules import DeviceState
from haulier.contexts.lockers.devices.store.devices import devices
from haulier.kernel.data.statements import Row, in_param
from haulier.kernel.data.tables import UTCDateTime
from haulier.kernel.data.unit_of_work import UnitOfWork


class SeenDeviceRow(Row):
    """When a device was heard of last."""

    id: int
    last_seen_at: datetime | None


class WatchedDeviceRow(Row):
    """How a device is, for whoever watches over all of them."""

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
# Why no index on these columns: each heartbeat writes them, and PostgreSQL would then write every index of the row anew.
# What is read is a business's own devices, in the order of its key.
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
    """When some devices were heard of last."""
    return await work.all(_seen, SeenDeviceRow, devices=list(device_ids)) if device_ids else []


async def has_active_devices(work: UnitOfWork) -> bool:
    """Whether this client has any device that may speak to us."""
    return await work.value(_any_active) is not None


async def list_watched_rows(work: UnitOfWork, device_ids: Collection[int]) -> Sequence[WatchedDeviceRow]:
    """How some devices are."""
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
    """Active devices behind one, by id, that are not heard of or whose battery is low. Without a moment none is too quiet."""
    asked = {"kinds": list(kinds) if quiet_before else [], "before": quiet_before}
    return await work.all(_in_trouble, WatchedDeviceRow, **asked, below=battery_below, after=after, limit=limit)


def heard_conditions(
    *, silent_since: datetime | None, online_since: datetime, online: bool | None
) -> list[ColumnElement[bool]]:
    """Conditions on when devices were heard of."""
    conditions: list[ColumnElement[bool]] = []
    if silent_since is not None:
        conditions.append(or_(devices.c.last_seen_at.is_(None), devices.c.last_seen_at < silent_since))
    if online is not None:
        there = and_(devices.c.gone_at.is_(None), func.coalesce(devices.c.last_seen_at > online_since, false()))
        conditions.append(there if online else not_(there))
    return conditions
