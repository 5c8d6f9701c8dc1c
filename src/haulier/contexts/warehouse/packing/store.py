"""Tables and statements of packing."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Annotated, Any

from sqlalchemy import ColumnElement, Index, String, UniqueConstraint, bindparam, func, select, update

from haulier.contexts.warehouse.warehouses.contract import CODE_MAX
from haulier.kernel.data.personal_data import plain_columns
from haulier.kernel.data.records import BigInt, Record, Reference
from haulier.kernel.data.statements import in_param
from haulier.kernel.data.unit_of_work import UnitOfWork
from haulier.kernel.operations.fields import NAME_MAX


class CartonRow(Record, table="carton", items=[UniqueConstraint("client_id", "code")]):
    """A kind of carton."""

    code: Annotated[str, String(CODE_MAX)]
    name: Annotated[str, String(NAME_MAX)]
    inner_length_mm: int
    inner_width_mm: int
    inner_height_mm: int
    outer_length_mm: int
    outer_width_mm: int
    outer_height_mm: int
    tare_g: int
    payload_g: int
    cost_minor: int
    stock: int | None
    active: bool
    created_at: datetime
    updated_at: datetime


cartons = CartonRow.table
plain_columns(cartons, "code", "name")


class FillingRow(Record, table="packing_filling", items=[UniqueConstraint("client_id", "code")]):
    """A filling.

    The default filling is the one with the latest `default_since`: so two that become it at once need no lock.
    """

    code: Annotated[str, String(CODE_MAX)]
    name: Annotated[str, String(NAME_MAX)]
    unit_mm3: int
    unit_g: int
    unit_cost_minor: int
    fragile_cushion_mm: int
    wall_cushion_mm: int
    default_since: datetime | None
    active: bool
    created_at: datetime
    updated_at: datetime


fillings = FillingRow.table
plain_columns(fillings, "code", "name")


class PackingPlanRow(
    Record,
    table="packing_plan",
    items=[
        UniqueConstraint("client_id", "subject", "subject_id", "digest"),
        Index("ix_packing_plan_subject", "client_id", "subject", "subject_id", "id"),
    ],
):
    """A plan that was committed.

    `problem` and `plan` are the solver's own documents; `digest` names both.
    """

    subject: Annotated[str, String(10)]
    subject_id: Reference
    digest: Annotated[str, String(64)]
    input_hash: Annotated[str, String(64)]
    problem: dict[str, Any]
    plan: dict[str, Any]
    pieces: int
    outer_volume_mm3: BigInt
    cartons: int
    cost_minor: BigInt
    created_at: datetime
    created_by: Reference | None
    replaced_at: datetime | None


packing_plans = PackingPlanRow.table
plain_columns(packing_plans, "subject", "digest", "input_hash", "problem", "plan")


_filling = select(fillings).where(fillings.c.id == bindparam("filling"))
_filling_usable = _filling.where(fillings.c.active)
_default = (
    select(fillings)
    .where(fillings.c.active, fillings.c.default_since.is_not(None))
    .order_by(fillings.c.default_since.desc(), fillings.c.id.desc())
    .limit(1)
)
_no_longer_default = (
    update(fillings)
    .where(fillings.c.id != bindparam("filling"), fillings.c.default_since.is_not(None))
    .values(default_since=None)
)


async def find_usable_filling(work: UnitOfWork, filling_id: int | None) -> FillingRow | None:
    """Return the given or the default filling, if plans can use it, or None."""
    if filling_id is None:
        return await work.first(_default, FillingRow)
    return await work.first(_filling_usable, FillingRow, filling=filling_id)


async def make_only_default(work: UnitOfWork, filling_id: int) -> None:
    """No other filling is the default one."""
    await work.run(_no_longer_default, filling=filling_id)


async def list_filling_rows(
    work: UnitOfWork, *, inactive: bool, limit: int, offset: int
) -> tuple[Sequence[FillingRow], int]:
    """Return a page of fillings by code, and the total."""
    conditions: list[ColumnElement[bool]] = [] if inactive else [fillings.c.active]
    page = select(fillings).where(*conditions).order_by(fillings.c.code).limit(limit).offset(offset)
    total = await work.value(select(func.count()).select_from(fillings).where(*conditions))
    return await work.all(page, FillingRow), total


_plan_usable = select(cartons).where(cartons.c.active).order_by(cartons.c.code)
_some = _plan_usable.where(in_param(cartons.c.id, "ids"))
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
    """Change a kind of carton. Return False if there is none."""
    changed = update(cartons).where(cartons.c.id == bindparam("carton")).values(**values)
    return bool(await work.run(changed, carton=carton_id))


async def list_carton_rows(
    work: UnitOfWork, *, inactive: bool, limit: int, offset: int
) -> tuple[Sequence[CartonRow], int]:
    """Return a page of kinds of cartons by code, and the total."""
    conditions: list[ColumnElement[bool]] = [] if inactive else [cartons.c.active]
    page = select(cartons).where(*conditions).order_by(cartons.c.code).limit(limit).offset(offset)
    total = await work.value(select(func.count()).select_from(cartons).where(*conditions))
    return await work.all(page, CartonRow), total


async def list_usable_cartons(work: UnitOfWork, ids: Collection[int] | None, *, limit: int) -> Sequence[CartonRow]:
    """Return kinds of cartons that plans may use, by code: all of them, or some."""
    if ids is None:
        return await work.all(_plan_usable.limit(limit), CartonRow)
    return await work.all(_some, CartonRow, ids=sorted(ids))


async def insert_plan(work: UnitOfWork, values: Mapping[str, Any], now: datetime) -> PackingPlanRow:
    """Insert a plan, unless it is stored already, and replace the earlier one.

    Returns the row.
    """
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
    """Return a page of plans matching column values, newest first, and the total.

    With `subject_ids`, only plans of these.
    """
    conditions: list[ColumnElement[bool]] = [packing_plans.c[name] == value for name, value in wanted.items()]
    if subject_ids is not None:
        conditions.append(packing_plans.c.subject_id.in_(subject_ids))
    if not replaced:
        conditions.append(packing_plans.c.replaced_at.is_(None))
    page = select(packing_plans).where(*conditions).order_by(packing_plans.c.id.desc()).limit(limit).offset(offset)
    total = await work.value(select(func.count()).select_from(packing_plans).where(*conditions))
    return await work.all(page, PackingPlanRow), total
