"""Where drivers are: the newest position of each, and a journal of points that is thinned and forgotten in time."""

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Column, Float, Index, Integer, bindparam, delete, select, update

from haulier.contexts.driver_app.positions.rules.downsampling import DevicePoint
from haulier.contexts.fleet.drivers.store import drivers
from haulier.kernel.data.statements import in_param
from haulier.kernel.data.tables import Id, UTCDateTime, append_only_table, tenant_table
from haulier.kernel.data.unit_of_work import UnitOfWork


def _device_point_columns() -> tuple[Column[Any], ...]:
    return (
        Column("occurred_at", UTCDateTime, nullable=False),
        Column("recorded_at", UTCDateTime, nullable=False),
        Column("lat", Float, nullable=False),
        Column("lng", Float, nullable=False),
        Column("accuracy_m", Float),
        Column("speed_mps", Float),
        Column("heading_deg", Float),
        Column("battery_percent", Integer),
    )


positions = tenant_table(
    "driver_position",
    Column("driver_id", Id, nullable=False, unique=True),
    *_device_point_columns(),
    Column("standing_since", UTCDateTime, nullable=False),
    Column("standing_lat", Float, nullable=False),
    Column("standing_lng", Float, nullable=False),
    Index(None, "client_id", "recorded_at"),
)
"""One row a driver. `standing_*` is where they came to a halt last, and when."""

points = append_only_table(
    "driver_point",
    Column("driver_id", Id, nullable=False),
    Column("slot_at", UTCDateTime, nullable=False),
    *_device_point_columns(),
    Index(None, "client_id", "slot_at"),
    key=("driver_id", "slot_at"),
)
"""At most one point for each stretch of time, which begins at `slot_at`: a point told twice is one row."""

_hold = select(drivers.c.id).where(drivers.c.id == bindparam("driver")).with_for_update()
_latest = select(positions).where(in_param(positions.c.driver_id, "ids"))
_taken = select(points.c.slot_at).where(points.c.driver_id == bindparam("driver"), in_param(points.c.slot_at, "slots"))
_trail = (
    select(points)
    .where(points.c.driver_id == bindparam("driver"))
    .where(points.c.slot_at >= bindparam("since"), points.c.slot_at < bindparam("until"))
    .order_by(points.c.slot_at)
    .limit(bindparam("most"))
)
_forget = delete(points).where(points.c.slot_at < bindparam("before"))
_moved = select(positions).where(positions.c.recorded_at > bindparam("since")).order_by(positions.c.recorded_at)


async def lock_driver(work: UnitOfWork, driver_id: int) -> None:
    """Keep others from writing for this driver until the transaction ends."""
    await work.all(_hold, driver=driver_id)


async def get_latest_positions(work: UnitOfWork, driver_ids: Collection[int]) -> dict[int, Any]:
    """The newest position of each of these drivers who ever had one."""
    return {row.driver_id: row for row in await work.all(_latest, ids=list(driver_ids))} if driver_ids else {}


async def list_taken_slots(work: UnitOfWork, driver_id: int, slots: Collection[datetime]) -> set[datetime]:
    """In which of these stretches of time a point is kept already."""
    return {row.slot_at for row in await work.all(_taken, driver=driver_id, slots=list(slots))} if slots else set()


async def insert_points(work: UnitOfWork, driver_id: int, kept: dict[datetime, DevicePoint], now: datetime) -> None:
    """Write one point for each stretch of time."""
    rows = [{"driver_id": driver_id, "slot_at": slot, **_point_row(point, now)} for slot, point in kept.items()]
    await work.insert_many(points, rows)


async def upsert_latest_position(
    work: UnitOfWork, driver_id: int, point: DevicePoint, now: datetime, *, known: bool, **standing: Any
) -> None:
    """Write a driver's newest position; `known` where there was one before."""
    values = {**_point_row(point, now), **standing}
    if known:
        statement = update(positions).where(positions.c.driver_id == bindparam("driver")).values(**values)
        await work.run(statement, driver=driver_id)
    else:
        await work.insert(positions, driver_id=driver_id, **values)


async def list_trail_points(
    work: UnitOfWork, driver_id: int, since: datetime, until: datetime, most: int
) -> Sequence[Any]:
    """The kept points of a driver in a stretch of time, oldest first."""
    return await work.all(_trail, driver=driver_id, since=since, until=until, most=most)


async def delete_points_before(work: UnitOfWork, before: datetime) -> int:
    """Delete every point of the client that is older. Returns how many."""
    return await work.run(_forget, before=before)


async def list_positions_since(work: UnitOfWork, since: datetime) -> Sequence[Any]:
    """The newest positions that were heard of after an instant."""
    return await work.all(_moved, since=since)


def _point_row(point: DevicePoint, now: datetime) -> dict[str, Any]:
    told = {name: getattr(point, name) for name in DevicePoint.__struct_fields__}
    return {**told, "recorded_at": now}
