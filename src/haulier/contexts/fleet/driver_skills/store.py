"""The table of skills, and the skills in the table of drivers."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Column, String, UniqueConstraint, and_, bindparam, func, literal, select, update

from haulier.contexts.fleet.drivers.rules import skill_columns
from haulier.contexts.fleet.drivers.store import drivers
from haulier.kernel.data.statements import contains, contains_pattern, in_param
from haulier.kernel.data.tables import UTCDateTime, tenant_table
from haulier.kernel.data.unit_of_work import UnitOfWork
from haulier.kernel.operations.fields import NAME_MAX, NOTE_MAX

skills = tenant_table(
    "driver_skill",
    Column("code", String(64), nullable=False),
    Column("name", String(NAME_MAX), nullable=False),
    Column("description", String(NOTE_MAX)),
    Column("retired_at", UTCDateTime),
    Column("created_at", UTCDateTime, nullable=False),
    UniqueConstraint("client_id", "code"),
)

_word = literal("\n") + skills.c.code + literal("\n")
_has_it = and_(drivers.c.active.is_(True), func.replace(drivers.c.skill_words, _word, "") != drivers.c.skill_words)
_skills_with_driver_counts = (
    select(*skills.c, func.count(drivers.c.id).label("drivers"))
    .join(drivers, _has_it, isouter=True)
    .group_by(*skills.c)
)
_skill_by_id = _skills_with_driver_counts.where(skills.c.id == bindparam("skill"))
_skill_for_update = select(skills).where(skills.c.id == bindparam("skill")).with_for_update()
_FILTERS: Mapping[str, Any] = {
    "active": skills.c.retired_at.is_(None),
    "retired": skills.c.retired_at.is_not(None),
    "text": contains(func.lower(skills.c.name), "text") | contains(func.lower(skills.c.code), "text"),
}
_some_drivers = (
    select(drivers.c.id, drivers.c.skills).where(in_param(drivers.c.id, "ids")).order_by(drivers.c.id).with_for_update()
)
_set_skills = (
    update(drivers)
    .where(drivers.c.id == bindparam("driver"))
    .values(skills=bindparam("list", type_=drivers.c.skills.type), skill_words=bindparam("words"))
)
_by_codes = select(skills.c.code, skills.c.name).where(in_param(skills.c.code, "codes"))


async def insert_skill(work: UnitOfWork, **values: Any) -> int:
    """Write a skill. Returns its id. Raises `Conflict` when the code is taken."""
    return await work.insert(skills, **values)


async def get_skill_row(work: UnitOfWork, skill_id: int) -> Any:
    """A skill of this client with the number of its active drivers, or None."""
    return await work.first(_skill_by_id, skill=skill_id)


async def lock_skill_row(work: UnitOfWork, skill_id: int) -> Any:
    """A skill of this client, held until the transaction ends; None when there is none."""
    return await work.first(_skill_for_update, skill=skill_id)


async def update_skill_row(work: UnitOfWork, skill_id: int, **values: Any) -> None:
    """Change columns of a skill."""
    if values:
        await work.run(update(skills).where(skills.c.id == bindparam("skill")).values(**values), skill=skill_id)


async def get_skill_names(work: UnitOfWork, codes: Collection[str]) -> dict[str, str]:
    """What people call some skills, by code; those that are in no catalogue are absent."""
    return {row.code: row.name for row in await work.all(_by_codes, codes=list(codes))} if codes else {}


async def list_skill_rows(
    work: UnitOfWork, *, active: bool | None, text: str | None, limit: int, offset: int
) -> tuple[Sequence[Any], int]:
    """A page of skills, by name, and how many match."""
    asked = [] if active is None else ["active" if active else "retired"]
    params = {"text": contains_pattern(text.lower())} if text else {}
    clauses = [_FILTERS[name] for name in (*asked, *params)]
    listed = _skills_with_driver_counts.where(*clauses).order_by(skills.c.name, skills.c.id)
    listed = listed.limit(bindparam("page_size")).offset(bindparam("skipped"))
    rows = await work.all(listed, **params, page_size=limit, skipped=offset)
    return rows, await work.value(select(func.count()).select_from(skills).where(*clauses), **params)


async def lock_driver_skills(work: UnitOfWork, driver_ids: Collection[int]) -> dict[int, list[str]]:
    """The skills of some drivers, who are held until the transaction ends."""
    return {row.id: row.skills for row in await work.all(_some_drivers, ids=list(driver_ids))}


async def update_driver_skills(work: UnitOfWork, changed: Mapping[int, list[str]]) -> None:
    """Give drivers the skills that they have from now on, in one statement."""
    rows = [
        {"driver": driver_id, "list": now, "words": skill_columns(now)["skill_words"]}
        for driver_id, now in changed.items()
    ]
    await work.run_many(_set_skills, rows)


def retirement_column(active: bool | None, now: datetime) -> dict[str, datetime | None]:
    """The column that says whether a skill is retired; nothing when nothing was said of it."""
    return {} if active is None else {"retired_at": None if active else now}
