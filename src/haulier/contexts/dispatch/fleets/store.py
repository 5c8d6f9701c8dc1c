"""The table of vehicles."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from sqlalchemy import BigInteger, Column, Index, Integer, Select, String, bindparam, func, select, update

from haulier.contexts.dispatch.fields import NAME_MAX
from haulier.contexts.dispatch.skill_words import having, skilled
from haulier.kernel.data.statement import among, holds
from haulier.kernel.data.tables import Id, Json, UTCDateTime, tenant_table
from haulier.kernel.data.work import Work

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

_one = select(vehicles).where(vehicles.c.id == bindparam("vehicle"))
_some = select(vehicles).where(among(vehicles.c.id, "ids"))
_FILTERS = {
    "contractor": vehicles.c.contractor_id == bindparam("contractor"),
    "own": vehicles.c.contractor_id.is_(None),
    "depot": vehicles.c.depot_id == bindparam("depot"),
    "skill": holds(vehicles.c.skill_words, "skill"),
    "in_use": vehicles.c.retired_at.is_(None),
}
UNSAID = {"own", "in_use"}
"""Filters that need no value."""


async def add(work: Work, *, skills: Sequence[str], **values: Any) -> int:
    """Write a vehicle. Returns the id."""
    return await work.insert(vehicles, **values, **skilled(skills))


async def change(work: Work, vehicle_id: int, values: Mapping[str, Any]) -> None:
    """Change columns of a vehicle."""
    changed = {**values, **skilled(values["skills"])} if "skills" in values else dict(values)
    if changed:
        statement = update(vehicles).where(vehicles.c.id == bindparam("vehicle")).values(**changed)
        await work.run(statement, vehicle=vehicle_id)


async def one(work: Work, vehicle_id: int) -> Any:
    """A vehicle of this client, or None."""
    return await work.first(_one, vehicle=vehicle_id)


async def some(work: Work, vehicle_ids: Collection[int]) -> dict[int, Any]:
    """Vehicles of this client by id."""
    return {row.id: row for row in await work.all(_some, ids=list(vehicle_ids))} if vehicle_ids else {}


async def page(work: Work, filters: Mapping[str, Any], *, limit: int, offset: int) -> tuple[Sequence[Any], int]:
    """A page of vehicles, by name, and how many match. Filters: the keys of `_FILTERS`."""
    params = {name: value for name, value in filters.items() if name not in UNSAID}
    params |= {name: having(params[name]) for name in ("skill",) if name in params}
    listed = _matching(select(vehicles), filters).order_by(vehicles.c.name, vehicles.c.id)
    listed = listed.limit(bindparam("page_size")).offset(bindparam("skipped"))
    rows = await work.all(listed, **params, page_size=limit, skipped=offset)
    return rows, await work.value(_matching(select(func.count()).select_from(vehicles), filters), **params)


def _matching(statement: Select[Any], filters: Mapping[str, Any]) -> Select[Any]:
    return statement.where(*(_FILTERS[name] for name in filters))
