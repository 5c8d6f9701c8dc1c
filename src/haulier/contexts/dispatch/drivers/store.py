"""The table of drivers."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from sqlalchemy import Boolean, Column, Index, Select, String, bindparam, func, select, update

from haulier.contexts.dispatch.fields import NAME_MAX
from haulier.contexts.dispatch.skill_words import having, skilled
from haulier.kernel.data.statement import among, holds, pattern
from haulier.kernel.data.tables import Id, Json, UTCDateTime, tenant_table
from haulier.kernel.data.work import Work

drivers = tenant_table(
    "driver",
    Column("user_id", Id, unique=True),
    Column("contractor_id", Id),
    Column("name", String(NAME_MAX), nullable=False),
    Column("phone", String(50)),
    Column("vehicle", String(120)),
    Column("skills", Json, nullable=False),
    Column("skill_words", String(4000), nullable=False),
    Column("active", Boolean, nullable=False),
    Column("created_at", UTCDateTime, nullable=False),
    Index(None, "client_id", "contractor_id"),
)
"""`skill_words` is the skills again, each between line breaks, so that one can be searched for on both databases."""

_one = select(drivers).where(drivers.c.id == bindparam("driver"))
_some = select(drivers).where(among(drivers.c.id, "ids"))
_by_user = select(drivers).where(drivers.c.user_id == bindparam("user"))
_FILTERS = {
    "contractor": drivers.c.contractor_id == bindparam("contractor"),
    "own": drivers.c.contractor_id.is_(None),
    "enabled": drivers.c.active == bindparam("enabled"),
    "skill": holds(drivers.c.skill_words, "skill"),
    "user": drivers.c.user_id == bindparam("user"),
    "text": holds(func.lower(drivers.c.name), "text") | holds(drivers.c.phone, "text"),
}


async def add(work: Work, *, skills: Sequence[str], **values: Any) -> int:
    """Write a driver. Returns the id. Raises `Conflict` when the user is linked to another driver."""
    return await work.insert(drivers, **values, **skilled(skills))


async def change(work: Work, driver_id: int, values: Mapping[str, Any]) -> None:
    """Change columns of a driver. Raises `Conflict` when the user is linked to another driver."""
    changed = {**values, **skilled(values["skills"])} if "skills" in values else dict(values)
    if changed:
        await work.run(update(drivers).where(drivers.c.id == bindparam("driver")).values(**changed), driver=driver_id)


async def one(work: Work, driver_id: int) -> Any:
    """A driver of this client, or None."""
    return await work.first(_one, driver=driver_id)


async def some(work: Work, driver_ids: Collection[int]) -> dict[int, Any]:
    """Drivers of this client by id."""
    return {row.id: row for row in await work.all(_some, ids=list(driver_ids))} if driver_ids else {}


async def by_user(work: Work, user_id: int) -> Any:
    """The driver who signs in with this account, or None."""
    return await work.first(_by_user, user=user_id)


async def page(work: Work, filters: Mapping[str, Any], *, limit: int, offset: int) -> tuple[Sequence[Any], int]:
    """A page of drivers, by name, and how many match. Filters: contractor, own, enabled, skill, text, user."""
    params = {name: value for name, value in filters.items() if name != "own"}
    params |= {name: pattern(params[name].lower()) for name in ("text",) if name in params}
    params |= {name: having(params[name]) for name in ("skill",) if name in params}
    listed = _matching(select(drivers), filters).order_by(drivers.c.name, drivers.c.id)
    listed = listed.limit(bindparam("page_size")).offset(bindparam("skipped"))
    rows = await work.all(listed, **params, page_size=limit, skipped=offset)
    return rows, await work.value(_matching(select(func.count()).select_from(drivers), filters), **params)


def _matching(statement: Select[Any], filters: Mapping[str, Any]) -> Select[Any]:
    return statement.where(*(_FILTERS[name] for name in filters))
