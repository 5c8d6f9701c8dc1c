"""Statements on load spaces and load plans."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, bindparam, delete, func, select, update

from haulier.contexts.warehouse.load_plans.store.tables import LoadPlanRow, LoadSpaceRow, load_plans, load_spaces
from haulier.kernel.data.statements import in_param
from haulier.kernel.data.unit_of_work import UnitOfWork

_space = select(load_spaces).where(load_spaces.c.id == bindparam("space"))
_usable = select(load_spaces).where(load_spaces.c.active, load_spaces.c.stock > 0).order_by(load_spaces.c.code)
_some = _usable.where(in_param(load_spaces.c.id, "ids"))
_plan = select(load_plans).where(load_plans.c.id == bindparam("plan"))
_same = select(load_plans).where(
    load_plans.c.route_id == bindparam("of_route"), load_plans.c.digest == bindparam("named")
)
_replace = (
    update(load_plans)
    .where(
        load_plans.c.route_id == bindparam("of_route"),
        load_plans.c.id != bindparam("kept"),
        load_plans.c.replaced_at.is_(None),
    )
    .values(replaced_at=bindparam("now"))
)
_keep = update(load_plans).where(load_plans.c.id == bindparam("kept")).values(replaced_at=None)


async def insert_load_space(work: UnitOfWork, **values: Any) -> int:
    """Write a load space. Returns the id."""
    return await work.insert(load_spaces, **values)


async def get_load_space_row(work: UnitOfWork, load_space_id: int) -> LoadSpaceRow | None:
    """A load space of this client, or None."""
    return await work.first(_space, LoadSpaceRow, space=load_space_id)


async def update_load_space_row(work: UnitOfWork, load_space_id: int, values: Mapping[str, Any]) -> None:
    """Change a load space."""
    await work.run(
        update(load_spaces).where(load_spaces.c.id == bindparam("space")).values(**values), space=load_space_id
    )


async def delete_load_space_row(work: UnitOfWork, load_space_id: int) -> bool:
    """Delete a load space. False where there is none."""
    return bool(await work.run(delete(load_spaces).where(load_spaces.c.id == bindparam("space")), space=load_space_id))


async def list_load_space_rows(
    work: UnitOfWork, *, inactive: bool, limit: int, offset: int
) -> tuple[Sequence[LoadSpaceRow], int]:
    """A page of load spaces by code, and how many there are."""
    conditions: list[ColumnElement[bool]] = [] if inactive else [load_spaces.c.active]
    page = select(load_spaces).where(*conditions).order_by(load_spaces.c.code).limit(limit).offset(offset)
    total = await work.value(select(func.count()).select_from(load_spaces).where(*conditions))
    return await work.all(page, LoadSpaceRow), total


async def list_usable_spaces(work: UnitOfWork, ids: Collection[int] | None, *, limit: int) -> Sequence[LoadSpaceRow]:
    """Load spaces that plans may use and of which there is one, by code: all of them, or some."""
    if ids is None:
        return await work.all(_usable.limit(limit), LoadSpaceRow)
    return await work.all(_some, LoadSpaceRow, ids=sorted(ids))


async def get_load_plan_row(work: UnitOfWork, load_plan_id: int) -> LoadPlanRow | None:
    """A plan of this client, or None."""
    return await work.first(_plan, LoadPlanRow, plan=load_plan_id)


async def insert_load_plan(work: UnitOfWork, values: Mapping[str, Any], now: datetime) -> LoadPlanRow:
    """Keep a plan, unless the same is kept already; what was kept of its route before is replaced. Returns the row."""
    await work.insert_new(load_plans, [values], LoadPlanRow)
    row = await work.first(_same, LoadPlanRow, of_route=values["route_id"], named=values["digest"])
    assert row is not None
    await work.run(_keep, kept=row.id)
    await work.run(_replace, of_route=values["route_id"], kept=row.id, now=now)
    return row


async def list_load_plan_rows(
    work: UnitOfWork, *, route_id: int | None, replaced: bool, limit: int, offset: int
) -> tuple[Sequence[LoadPlanRow], int]:
    """A page of plans, the newest first, and how many there are."""
    conditions: list[ColumnElement[bool]] = [] if route_id is None else [load_plans.c.route_id == route_id]
    if not replaced:
        conditions.append(load_plans.c.replaced_at.is_(None))
    page = select(load_plans).where(*conditions).order_by(load_plans.c.id.desc()).limit(limit).offset(offset)
    total = await work.value(select(func.count()).select_from(load_plans).where(*conditions))
    return await work.all(page, LoadPlanRow), total
