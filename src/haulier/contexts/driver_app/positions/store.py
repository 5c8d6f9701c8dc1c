"""Tables of positions: the newest of each driver, and a log of downsampled points."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Any

from msgspec import Struct, structs
from sqlalchemy import Column, Float, Index, Integer, UniqueConstraint, bindparam, delete, select

from haulier.contexts.driver_app.positions.rules import DevicePoint, Standstill
from haulier.kernel.data.personal_data import PersonKey, RecordKind, personal_data, retained
from haulier.kernel.data.statements import Row, in_param
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
    Column("driver_id", Id, nullable=False),
    *_device_point_columns(),
    Column("standing_since", UTCDateTime, nullable=False),
    Column("standing_lat", Float, nullable=False),
    Column("standing_lng", Float, nullable=False),
    Index(None, "client_id", "recorded_at"),
    UniqueConstraint("client_id", "driver_id"),
)
"""One row a driver. `standing_*` is where they last came to a halt, and when."""
personal_data(positions, RecordKind.DRIVER_POSITIONS, by={"driver_id": PersonKey.DRIVER})
retained(RecordKind.DRIVER_POSITIONS, positions.c.recorded_at, default_days=30)

points = append_only_table(
    "driver_point",
    Column("driver_id", Id, nullable=False),
    Column("slot_at", UTCDateTime, nullable=False),
    *_device_point_columns(),
    Index(None, "client_id", "slot_at"),
    key=("driver_id", "slot_at"),
)
"""At most one point for each interval, which begins at `slot_at`: a point sent twice is one row."""
personal_data(points, RecordKind.DRIVER_POSITIONS, by={"driver_id": PersonKey.DRIVER})
retained(RecordKind.DRIVER_POSITIONS, points.c.slot_at, default_days=30)


class PositionRow(Row):
    """Newest position of a driver.

    `standing_*` are place and start of the current standstill.
    """

    driver_id: int
    occurred_at: datetime
    recorded_at: datetime
    lat: float
    lng: float
    accuracy_m: float | None
    speed_mps: float | None
    heading_deg: float | None
    battery_percent: int | None
    standing_since: datetime
    standing_lat: float
    standing_lng: float


class TrailPointRow(Row):
    """A stored point of a driver's trail."""

    occurred_at: datetime
    recorded_at: datetime


_latest = select(positions).where(in_param(positions.c.driver_id, "ids"))
_taken = select(points.c.driver_id, points.c.slot_at).where(
    in_param(points.c.driver_id, "drivers"), in_param(points.c.slot_at, "slots")
)
_trail = (
    select(points)
    .where(points.c.driver_id == bindparam("driver"))
    .where(points.c.slot_at >= bindparam("since"), points.c.slot_at < bindparam("until"))
    .order_by(points.c.slot_at)
    .limit(bindparam("most"))
)
_delete_before = delete(points).where(points.c.slot_at < bindparam("before"))
_moved = select(positions).where(positions.c.recorded_at > bindparam("since")).order_by(positions.c.recorded_at)


async def get_latest_positions(work: UnitOfWork, driver_ids: Collection[int]) -> dict[int, PositionRow]:
    """The newest position of each of these drivers; one without any is absent."""
    if not driver_ids:
        return {}
    return {row.driver_id: row for row in await work.all(_latest, PositionRow, ids=list(driver_ids))}


async def list_taken_slots(
    work: UnitOfWork, driver_ids: Collection[int], slots: Collection[datetime]
) -> dict[int, set[datetime]]:
    """By driver, the starts of those of these intervals that have a point already."""
    taken: dict[int, set[datetime]] = {driver_id: set() for driver_id in driver_ids}
    if slots:
        for row in await work.all(_taken, drivers=list(driver_ids), slots=list(slots)):
            taken[row.driver_id].add(row.slot_at)
    return taken


async def insert_points(work: UnitOfWork, sampled: Mapping[int, Mapping[datetime, DevicePoint]], now: datetime) -> None:
    """Write one point for each interval of each driver."""
    rows = [
        {"driver_id": driver_id, "slot_at": slot, **_point_row(point, now)}
        for driver_id, by_slot in sampled.items()
        for slot, point in by_slot.items()
    ]
    await work.insert_many(points, rows)


class NewestPosition(Struct, frozen=True):
    """Where a driver is, and since when and where they have been standing."""

    point: DevicePoint
    standstill: Standstill


async def upsert_newest_positions(work: UnitOfWork, newest: Mapping[int, NewestPosition], now: datetime) -> None:
    """Write drivers' newest positions."""
    rows = [{"driver_id": driver_id, **_newest_row(newest[driver_id], now)} for driver_id in sorted(newest)]
    await work.upsert_many(positions, ("driver_id",), rows)


async def list_trail_points(
    work: UnitOfWork, driver_id: int, since: datetime, until: datetime, most: int
) -> Sequence[TrailPointRow]:
    """The stored points of a driver in a time span, oldest first."""
    return await work.all(_trail, TrailPointRow, driver=driver_id, since=since, until=until, most=most)


async def delete_points_before(work: UnitOfWork, before: datetime) -> int:
    """Delete every point of the client that is older. Returns how many."""
    return await work.run(_delete_before, before=before)


async def list_positions_since(work: UnitOfWork, since: datetime) -> Sequence[PositionRow]:
    """The newest positions that were recorded after an instant, oldest first."""
    return await work.all(_moved, PositionRow, since=since)


def _point_row(point: DevicePoint, now: datetime) -> dict[str, Any]:
    return {**structs.asdict(point), "recorded_at": now}


def _newest_row(position: NewestPosition, now: datetime) -> dict[str, Any]:
    (lat, lng), since = position.standstill.place, position.standstill.since
    return {**_point_row(position.point, now), "standing_since": since, "standing_lat": lat, "standing_lng": lng}
