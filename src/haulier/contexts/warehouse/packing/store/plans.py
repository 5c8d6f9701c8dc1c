"""Statements on cartons and packing plans."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, bindparam, func, select, update

from haulier.contexts.warehouse.packing.store.tables import CartonRow, PackingPlanRow, cartons, packing_plans
from haulier.kernel.data.statements import in_param
from haulier.kernel.data.unit_of_work import UnitOfWork

_usable = select(cartons).where(cartons.c.active).order_by(cartons.c.code)
_some = _usable.where(in_param(cartons.c.id, "ids"))
_same = select(packing_plans).where(
    packing_plans.c.subject == bindparam("of"),
    packing_plans.c.subject_id == bindparam("of_id"),
    packing_plans.c.digest == bindparam("named"),
)
_replace = (
    update(packing_plans)
    .where(
        packing_plans.c.subject == bindparam("of"),
        packing_plans.c.subject_id == bindparam("of_id"),
        packing_plans.c.id != bindparam("kept"),
        packing_plans.c.replaced_at.is_(None),
    )
    .values(replaced_at=bindparam("now"))
)


async def update_carton_row(work: UnitOfWork, carton_id: int, values: Mapping[str, Any]) -> bool:
    """Change a kind of carton. False where there is none."""
    changed = update(cartons).where(cartons.c.id == bindparam("carton")).values(**values)
    return bool(await work.run(changed, carton=carton_id))


async def list_carton_rows(
    work: UnitOfWork, *, inactive: bool, limit: int, offset: int
) -> tuple[Sequence[CartonRow], int]:
    """A page of kinds of cartons by code, and how many there are."""
    conditions: list[ColumnElement[bool]] = [] if inactive else [cartons.c.active]
    page = select(cartons).where(*conditions).order_by(cartons.c.code).limit(limit).offset(offset)
    total = await work.value(select(func.count()).select_from(cartons).where(*conditions))
    return await work.all(page, CartonRow), total


async def list_usable_cartons(work: UnitOfWork, ids: Collection[int] | None, *, limit: int) -> Sequence[CartonRow]:
    """Kinds of cartons that plans may use, by code: all of them, or some."""
    if ids is None:
        return await work.all(_usable.limit(limit), CartonRow)
    return await work.all(_some, CartonRow, ids=sorted(ids))


async def insert_plan(work: UnitOfWork, values: Mapping[str, Any], now: datetime) -> PackingPlanRow:
    """Keep a plan, unless the same is kept already; what was kept of its subject before is replaced. Returns the row."""
    await work.insert_new(packing_plans, [values], PackingPlanRow)
    named = {"of": values["subject"], "of_id": values["subject_id"]}
    row = await work.first(_same, PackingPlanRow, **named, named=values["digest"])
    assert row is not None
    again = update(packing_plans).where(packing_plans.c.id == bindparam("kept")).values(replaced_at=None)
    await work.run(again, kept=row.id)
    await work.run(_replace, **named, kept=row.id, now=now)
    return row


async def list_plan_rows(
    work: UnitOfWork,
    wanted: Mapping[str, Any],
    *,
    subject_ids: Collection[int] | None = None,
    replaced: bool,
    limit: int,
    offset: int,
) -> tuple[Sequence[PackingPlanRow], int]:
    """A page of plans whose columns have these values, the newest first, and how many there are.

    With `subject_ids` only plans of these.
    """
    conditions: list[ColumnElement[bool]] = [packing_plans.c[name] == value for name, value in wanted.items()]
    if subject_ids is not None:
        conditions.append(packing_plans.c.subject_id.in_(subject_ids))
    if not replaced:
        conditions.append(packing_plans.c.replaced_at.is_(None))
    page = select(packing_plans).where(*conditions).order_by(packing_plans.c.id.desc()).limit(limit).offset(offset)
    total = await work.value(select(func.count()).select_from(packing_plans).where(*conditions))
    return await work.all(page, PackingPlanRow), total
