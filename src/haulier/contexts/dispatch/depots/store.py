"""The table of depots."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from sqlalchemy import Boolean, Column, Float, String, bindparam, func, select, update

from haulier.contexts.dispatch.fields import NAME_MAX
from haulier.kernel.data.statement import among
from haulier.kernel.data.tables import UTCDateTime, tenant_table
from haulier.kernel.data.work import Work

depots = tenant_table(
    "depot",
    Column("name", String(NAME_MAX), nullable=False),
    Column("address", String(300), nullable=False),
    Column("lat", Float, nullable=False),
    Column("lng", Float, nullable=False),
    Column("closed", Boolean, nullable=False),
    Column("created_at", UTCDateTime, nullable=False),
)

_one = select(depots).where(depots.c.id == bindparam("depot"))
_some = select(depots).where(among(depots.c.id, "ids"))
_wanted = depots.c.closed.is_(False) | bindparam("all", type_=Boolean)
_list = (
    select(depots)
    .where(_wanted)
    .order_by(depots.c.name, depots.c.id)
    .limit(bindparam("page_size"))
    .offset(bindparam("skipped"))
)
_count = select(func.count()).select_from(depots).where(_wanted)


async def add(work: Work, **values: Any) -> int:
    """Write a depot. Returns the id."""
    return await work.insert(depots, closed=False, **values)


async def change(work: Work, depot_id: int, values: Mapping[str, Any]) -> None:
    """Change columns of a depot."""
    if values:
        await work.run(update(depots).where(depots.c.id == bindparam("depot")).values(**values), depot=depot_id)


async def one(work: Work, depot_id: int) -> Any:
    """A depot of this client, or None."""
    return await work.first(_one, depot=depot_id)


async def some(work: Work, depot_ids: Collection[int]) -> dict[int, Any]:
    """Depots of this client by id."""
    return {row.id: row for row in await work.all(_some, ids=list(depot_ids))} if depot_ids else {}


async def page(work: Work, *, closed: bool, limit: int, offset: int) -> tuple[Sequence[Any], int]:
    """A page of depots, by name, and how many there are."""
    rows = await work.all(_list, all=closed, page_size=limit, skipped=offset)
    return rows, await work.value(_count, all=closed)
