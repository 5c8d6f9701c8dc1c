"""The table of depots."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Boolean, Column, Float, String, bindparam, func, select, update

from haulier.kernel.data.personal_data import plain_columns
from haulier.kernel.data.statements import Row, in_param
from haulier.kernel.data.tables import UTCDateTime, announce_writes, tenant_table
from haulier.kernel.data.unit_of_work import UnitOfWork
from haulier.kernel.operations.fields import NAME_MAX

DEPOTS_CHANNEL = "depots"
"""The channel of notices that depots of a client changed."""

depots = tenant_table(
    "depot",
    Column("name", String(NAME_MAX), nullable=False),
    Column("address", String(300), nullable=False),
    Column("lat", Float, nullable=False),
    Column("lng", Float, nullable=False),
    Column("closed", Boolean, nullable=False),
    Column("created_at", UTCDateTime, nullable=False),
)
plain_columns(depots, "name", "address", "lat", "lng")
announce_writes(depots, DEPOTS_CHANNEL)

MOST_PLACES = 200
"""Coordinates of new orders are compared with so many depots at most."""


class PlaceRow(Row):
    """The coordinates of a depot."""

    lat: float
    lng: float


class DepotRow(Row):
    """A depot."""

    id: int
    name: str
    address: str
    lat: float
    lng: float
    closed: bool
    created_at: datetime


_depot_by_id = select(depots).where(depots.c.id == bindparam("depot"))
_depots_by_id = select(depots).where(in_param(depots.c.id, "ids"))
_wanted = depots.c.closed.is_(False) | bindparam("all", type_=Boolean)
_list = (
    select(depots)
    .where(_wanted)
    .order_by(depots.c.name, depots.c.id)
    .limit(bindparam("page_size"))
    .offset(bindparam("skipped"))
)
_places = select(depots.c.lat, depots.c.lng).where(depots.c.closed.is_(False)).order_by(depots.c.id).limit(MOST_PLACES)
_count = select(func.count()).select_from(depots).where(_wanted)


async def insert_depot(work: UnitOfWork, **values: Any) -> int:
    """Write a depot. Returns the id."""
    return await work.insert(depots, closed=False, **values)


async def update_depot_row(work: UnitOfWork, depot_id: int, values: Mapping[str, Any]) -> None:
    """Change columns of a depot."""
    if values:
        await work.run(update(depots).where(depots.c.id == bindparam("depot")).values(**values), depot=depot_id)


async def get_depot_row(work: UnitOfWork, depot_id: int) -> DepotRow | None:
    """A depot of this client, or None."""
    return await work.first(_depot_by_id, DepotRow, depot=depot_id)


async def get_depot_rows(work: UnitOfWork, depot_ids: Collection[int]) -> dict[int, DepotRow]:
    """Depots of this client by id."""
    if not depot_ids:
        return {}
    return {row.id: row for row in await work.all(_depots_by_id, DepotRow, ids=list(depot_ids))}


async def list_depot_rows(work: UnitOfWork, *, closed: bool, limit: int, offset: int) -> tuple[Sequence[DepotRow], int]:
    """A page of depots, by name, and how many there are."""
    rows = await work.all(_list, DepotRow, all=closed, page_size=limit, skipped=offset)
    return rows, await work.value(_count, all=closed)


async def list_depot_places(work: UnitOfWork) -> tuple[tuple[float, float], ...]:
    """Return the coordinates of the open depots, the earliest first."""
    return tuple((row.lat, row.lng) for row in await work.all(_places, PlaceRow))
