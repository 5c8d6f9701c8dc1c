"""The table of skills."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Annotated, Any

from sqlalchemy import String, UniqueConstraint, and_, bindparam, func, literal, select

from haulier.contexts.fleet.drivers.queries import drivers
from haulier.kernel.data.personal_data import plain_columns
from haulier.kernel.data.records import Record
from haulier.kernel.data.statements import Row, in_param
from haulier.kernel.data.unit_of_work import UnitOfWork
from haulier.kernel.operations.fields import NAME_MAX, NOTE_MAX
from haulier.kernel.values.folded_text import has_words


class SkillRow(Record, table="driver_skill", items=[UniqueConstraint("client_id", "code")]):
    """A skill in the catalogue."""

    code: Annotated[str, String(64)]
    name: Annotated[str, String(NAME_MAX)]
    description: Annotated[str, String(NOTE_MAX)] | None
    retired_at: datetime | None
    created_at: datetime


skills = SkillRow.table
plain_columns(skills, "code", "name", "description")


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
_FILTERS: Mapping[str, Any] = {
    "active": skills.c.retired_at.is_(None),
    "retired": skills.c.retired_at.is_not(None),
}
_by_codes = select(skills.c.code, skills.c.name).where(in_param(skills.c.code, "codes"))


async def get_skill_row(work: UnitOfWork, skill_id: int) -> SkillDetailRow | None:
    """A skill of this client with the number of its active drivers, or None."""
    return await work.first(_skill_by_id, SkillDetailRow, skill=skill_id)


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
