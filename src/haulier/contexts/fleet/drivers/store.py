"""The table of drivers."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Annotated, Any

from sqlalchemy import Index, Select, String, UniqueConstraint, bindparam, func, select, update

from haulier.contexts.custom_fields.public import (
    Document,
    FilterPlan,
    ResourceKind,
    custom_fields_column,
    erased_custom_fields,
    matching_records,
)
from haulier.contexts.fleet.drivers.rules import skill_columns, skill_pattern
from haulier.kernel.data.personal_data import ERASED, PersonKey, RecordKind, personal_data
from haulier.kernel.data.records import Record, Reference
from haulier.kernel.data.statements import Row, contains, in_param
from haulier.kernel.data.unit_of_work import UnitOfWork
from haulier.kernel.operations.fields import NAME_MAX
from haulier.kernel.values.folded_text import has_words


class DriverRow(
    Record, table="driver", items=[Index(None, "client_id", "contractor_id"), UniqueConstraint("client_id", "user_id")]
):
    """A driver. `contractor_id` is None for drivers of the client itself.

    `skill_words` holds the skills separated by line breaks, so that both databases can search for one.
    """

    user_id: Reference | None
    contractor_id: Reference | None
    name: Annotated[str, String(NAME_MAX)]
    phone: Annotated[str, String(50)] | None
    vehicle: Annotated[str, String(120)] | None
    skills: list[str]
    skill_words: Annotated[str, String(4000)]
    active: bool
    custom_fields: Annotated[Document | None, custom_fields_column(ResourceKind.DRIVER)]
    created_at: datetime


drivers = DriverRow.table
personal_data(
    drivers,
    RecordKind.DRIVERS,
    by={"id": PersonKey.DRIVER, "user_id": PersonKey.USER},
    gives={"id": PersonKey.DRIVER, "user_id": PersonKey.USER, "phone": PersonKey.PHONE},
    erased={
        "name": ERASED,
        "phone": None,
        "vehicle": None,
        "active": False,
        "custom_fields": erased_custom_fields,
    },
    plain=("skills", "skill_words"),
)


class DriverSkillsRow(Row):
    """The skills of a driver."""

    id: int
    skills: list[str]


_lock = select(drivers.c.id).where(in_param(drivers.c.id, "ids")).order_by(drivers.c.id).with_for_update()
_skills_of_drivers = (
    select(drivers.c.id, drivers.c.skills).where(in_param(drivers.c.id, "ids")).order_by(drivers.c.id).with_for_update()
)
_set_skills = (
    update(drivers)
    .where(drivers.c.id == bindparam("driver"))
    .values(skills=bindparam("list", type_=drivers.c.skills.type), skill_words=bindparam("words"))
)
_FILTERS = {
    "contractor": drivers.c.contractor_id == bindparam("contractor"),
    "own": drivers.c.contractor_id.is_(None),
    "enabled": drivers.c.active == bindparam("enabled"),
    "skill": contains(drivers.c.skill_words, "skill"),
    "user": drivers.c.user_id == bindparam("user"),
}


async def insert_driver(work: UnitOfWork, *, skills: Sequence[str], **values: Any) -> int:
    """Insert a driver and return the id.

    Raises `UniqueConflict` if the user is linked to another driver.
    """
    return await work.insert(drivers, **values, **skill_columns(skills))


async def update_driver_row(work: UnitOfWork, driver_id: int, values: Mapping[str, Any]) -> None:
    """Update columns of a driver.

    Raises `UniqueConflict` if the user is linked to another driver.
    """
    changed = {**values, **skill_columns(values["skills"])} if "skills" in values else dict(values)
    if changed:
        await work.run(update(drivers).where(drivers.c.id == bindparam("driver")).values(**changed), driver=driver_id)


async def lock_drivers(work: UnitOfWork, driver_ids: Collection[int]) -> None:
    """Lock drivers until the transaction ends, by ascending id to prevent deadlocks."""
    await work.all(_lock, ids=sorted(driver_ids))


async def list_driver_rows(
    work: UnitOfWork,
    filters: Mapping[str, Any],
    *,
    limit: int,
    offset: int,
    by_fields: FilterPlan | None = None,
) -> tuple[Sequence[DriverRow], int]:
    """Return a page of drivers by name, and the number of matches.

    Filters: contractor, own, enabled, skill, text, user, and custom fields.
    """
    params = _parameters(filters)
    fitting = matching_records(ResourceKind.DRIVER, drivers.c.id, by_fields) if by_fields else []
    listed = _matching(select(drivers).where(*fitting), filters).order_by(drivers.c.name, drivers.c.id)
    listed = listed.limit(bindparam("page_size")).offset(bindparam("skipped"))
    rows = await work.all(listed, DriverRow, **params, page_size=limit, skipped=offset)
    return rows, await work.value(
        _matching(select(func.count()).select_from(drivers).where(*fitting), filters), **params
    )


async def list_driver_rows_after(
    work: UnitOfWork, filters: Mapping[str, Any], *, after: int, limit: int, by_fields: FilterPlan | None = None
) -> Sequence[DriverRow]:
    """Drivers with ids above one, by id. Filters are those of `list_driver_rows`."""
    fitting = matching_records(ResourceKind.DRIVER, drivers.c.id, by_fields) if by_fields else []
    listed = _matching(select(drivers).where(*fitting, drivers.c.id > bindparam("after_id")), filters)
    listed = listed.order_by(drivers.c.id).limit(bindparam("page_size"))
    return await work.all(listed, DriverRow, **_parameters(filters), after_id=after, page_size=limit)


def _parameters(filters: Mapping[str, Any]) -> dict[str, Any]:
    params = {name: value for name, value in filters.items() if name not in ("own", "search")}
    return params | {name: skill_pattern(params[name]) for name in ("skill",) if name in params}


def _matching(statement: Select[Any], filters: Mapping[str, Any]) -> Select[Any]:
    meant = [has_words(filters["search"], drivers.c.name, drivers.c.phone)] if "search" in filters else []
    return statement.where(*meant, *(_FILTERS[name] for name in filters if name != "search"))


async def lock_driver_skills(work: UnitOfWork, driver_ids: Collection[int]) -> dict[int, list[str]]:
    """The skills of some drivers, whose rows are locked until the transaction ends."""
    return {row.id: row.skills for row in await work.all(_skills_of_drivers, DriverSkillsRow, ids=list(driver_ids))}


async def update_driver_skills(work: UnitOfWork, changed: Mapping[int, list[str]]) -> None:
    """Replace the skills of some drivers, in one statement."""
    rows = [
        {"driver": driver_id, "list": skills, "words": skill_columns(skills)["skill_words"]}
        for driver_id, skills in changed.items()
    ]
    await work.run_many(_set_skills, rows)
