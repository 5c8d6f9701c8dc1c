"""The table of vehicles."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import BigInteger, Column, Index, Integer, Select, String, bindparam, func, select, update

from haulier.contexts.fleet.drivers.rules import skill_columns, skill_pattern
from haulier.kernel.data.personal_data import plain_columns
from haulier.kernel.data.statements import Row, contains, in_param
from haulier.kernel.data.tables import Id, Json, UTCDateTime, tenant_table
from haulier.kernel.data.unit_of_work import UnitOfWork
from haulier.kernel.operations.fields import NAME_MAX

vehicles = tenant_table(
    "vehicle",
    Column("contractor_id", Id),
    Column("name", String(NAME_MAX), nullable=False),
    Column("plate", String(20)),
    Column("depot_id", Id),
    Column("capacity_weight_g", BigInteger),
    Column("capacity_volume_cm3", BigInteger),
    Column("capacity_parcels", Integer),
    Column("skills", Json, nullable=False),
    Column("skill_words", String(4000), nullable=False),
    Column("cost_per_km_minor", BigInteger, nullable=False),
    Column("cost_per_hour_minor", BigInteger, nullable=False),
    Column("cost_fixed_minor", BigInteger, nullable=False),
    Column("speed_percent", Integer, nullable=False),
    Column("max_stops", Integer),
    Column("max_distance_m", Integer),
    Column("max_time_s", Integer),
    Column("retired_at", UTCDateTime),
    Column("created_at", UTCDateTime, nullable=False),
    Index(None, "client_id", "contractor_id"),
)
"""`skill_words` is the skills again, each between line breaks, so that one can be searched for on both databases."""
plain_columns(vehicles, "name", "plate", "skills", "skill_words")


class VehicleRow(Row):
    """A vehicle. `contractor_id` is None for the client's own; a limit that is None does not limit."""

    id: int
    contractor_id: int | None
    name: str
    plate: str | None
    depot_id: int | None
    capacity_weight_g: int | None
    capacity_volume_cm3: int | None
    capacity_parcels: int | None
    skills: list[str]
    cost_per_km_minor: int
    cost_per_hour_minor: int
    cost_fixed_minor: int
    speed_percent: int
    max_stops: int | None
    max_distance_m: int | None
    max_time_s: int | None
    retired_at: datetime | None
    created_at: datetime


_vehicle_by_id = select(vehicles).where(vehicles.c.id == bindparam("vehicle"))
_vehicles_by_id = select(vehicles).where(in_param(vehicles.c.id, "ids"))
_FILTERS = {
    "contractor": vehicles.c.contractor_id == bindparam("contractor"),
    "own": vehicles.c.contractor_id.is_(None),
    "depot": vehicles.c.depot_id == bindparam("depot"),
    "skill": contains(vehicles.c.skill_words, "skill"),
    "in_use": vehicles.c.retired_at.is_(None),
}
VALUELESS_FILTERS = {"own", "in_use"}
"""Filters that need no value."""


async def insert_vehicle(work: UnitOfWork, *, skills: Sequence[str], **values: Any) -> int:
    """Write a vehicle. Returns the id."""
    return await work.insert(vehicles, **values, **skill_columns(skills))


async def update_vehicle_row(work: UnitOfWork, vehicle_id: int, values: Mapping[str, Any]) -> None:
    """Change columns of a vehicle."""
    changed = {**values, **skill_columns(values["skills"])} if "skills" in values else dict(values)
    if changed:
        statement = update(vehicles).where(vehicles.c.id == bindparam("vehicle")).values(**changed)
        await work.run(statement, vehicle=vehicle_id)


async def get_vehicle_row(work: UnitOfWork, vehicle_id: int) -> VehicleRow | None:
    """A vehicle of this client, or None."""
    return await work.first(_vehicle_by_id, VehicleRow, vehicle=vehicle_id)


async def get_vehicle_rows(work: UnitOfWork, vehicle_ids: Collection[int]) -> dict[int, VehicleRow]:
    """Vehicles of this client by id."""
    if not vehicle_ids:
        return {}
    return {row.id: row for row in await work.all(_vehicles_by_id, VehicleRow, ids=list(vehicle_ids))}


async def list_vehicle_rows(
    work: UnitOfWork, filters: Mapping[str, Any], *, limit: int, offset: int
) -> tuple[Sequence[VehicleRow], int]:
    """A page of vehicles, by name, and how many match. Filters: the keys of `_FILTERS`."""
    params = {name: value for name, value in filters.items() if name not in VALUELESS_FILTERS}
    params |= {name: skill_pattern(params[name]) for name in ("skill",) if name in params}
    listed = _matching(select(vehicles), filters).order_by(vehicles.c.name, vehicles.c.id)
    listed = listed.limit(bindparam("page_size")).offset(bindparam("skipped"))
    rows = await work.all(listed, VehicleRow, **params, page_size=limit, skipped=offset)
    return rows, await work.value(_matching(select(func.count()).select_from(vehicles), filters), **params)


def _matching(statement: Select[Any], filters: Mapping[str, Any]) -> Select[Any]:
    return statement.where(*(_FILTERS[name] for name in filters))
