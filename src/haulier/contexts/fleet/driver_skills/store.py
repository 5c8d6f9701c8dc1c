"""The table of skills."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Column, String, UniqueConstraint, and_, bindparam, func, literal, select, update

from haulier.contexts.fleet.drivers.queries import drivers
from haulier.kernel.data.personal_data import plain_columns
from haulier.kernel.data.statements import Row, in_param
from haulier.kernel.data.tables import UTCDateTime, tenant_table
from haulier.kernel.data.unit_of_work import UnitOfWork
from haulier.kernel.operations.fields import NAME_MAX, NOTE_MAX
from haulier.kernel.values.folded_text import has_words

skills = tenant_table(
    "driver_skill",
    Column("code", String(64), nullable=False),
    Column("name", String(NAME_MAX), nullable=False),
    Column("description", String(NOTE_MAX)),
    Column("retired_at", UTCDateTime),
    Column("created_at", UTCDateTime, nullable=False),
    UniqueConstraint("client_id", "code"),
)
plain_columns(skills, "code", "name", "description")


class SkillRow(Row):
    """A skill of the catalogue."""

    id: int
    code: str
    name: str
    description: str | None
    retired_at: datetime | None
    created_at: datetime


class SkillDetailRow(SkillRow):
    """A skill with the number of its active drivers."""

    drivers: int


class SkillNameRow(Row):
    """A skill's code and name."""

    code: str
    name: str


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
}
_by_codes = select(skills.c.code, skills.c.name).where(in_param(skills.c.code, "codes"))


async def insert_skill(work: UnitOfWork, **values: Any) -> int:
    """Write a skill. Returns its id. Raises `UniqueConflict` when the code is taken."""
    return await work.insert(skills, **values)


async def get_skill_row(work: UnitOfWork, skill_id: int) -> SkillDetailRow | None:
    """A skill of this client with the number of its active drivers, or None."""
    return await work.first(_skill_by_id, SkillDetailRow, skill=skill_id)


async def lock_skill_row(work: UnitOfWork, skill_id: int) -> SkillRow | None:
    """A skill of this client, locked until the transaction ends; None when there is none."""
    return await work.first(_skill_for_update, SkillRow, skill=skill_id)


async def update_skill_row(work: UnitOfWork, skill_id: int, **values: Any) -> None:
    """Change columns of a skill."""
    if values:
        await work.run(update(skills).where(skills.c.id == bindparam("skill")).values(**values), skill=skill_id)


async def get_skill_names(work: UnitOfWork, codes: Collection[str]) -> dict[str, str]:
    """The names of some skills, by code; those outside the catalogue are absent."""
    return {row.code: row.name for row in await work.all(_by_codes, SkillNameRow, codes=list(codes))} if codes else {}


async def list_skill_rows(
    work: UnitOfWork, *, active: bool | None, text: str | None, limit: int, offset: int
) -> tuple[Sequence[SkillDetailRow], int]:
    """A page of skills, by name, and how many match."""
    states = [] if active is None else ["active" if active else "retired"]
    meant = [has_words(text, skills.c.name, skills.c.code)] if text else []
    clauses = [*(_FILTERS[name] for name in states), *meant]
    listed = _skills_with_driver_counts.where(*clauses).order_by(skills.c.name, skills.c.id)
    listed = listed.limit(bindparam("page_size")).offset(bindparam("skipped"))
    rows = await work.all(listed, SkillDetailRow, page_size=limit, skipped=offset)
    return rows, await work.value(select(func.count()).select_from(skills).where(*clauses))


def retirement_column(active: bool | None, now: datetime) -> dict[str, datetime | None]:
    """The value of `retired_at` for a change; empty when the change does not touch it."""
    return {} if active is None else {"retired_at": None if active else now}
