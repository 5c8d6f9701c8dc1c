"""Tables and statements of load plans."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Annotated, Any

from sqlalchemy import ColumnElement, Index, String, UniqueConstraint, bindparam, delete, func, select, update

from haulier.contexts.warehouse.warehouses.contract import CODE_MAX
from haulier.kernel.data.personal_data import plain_columns
from haulier.kernel.data.records import BigInt, Record, Reference
from haulier.kernel.data.statements import in_param
from haulier.kernel.data.unit_of_work import UnitOfWork
from haulier.kernel.operations.fields import NAME_MAX


class LoadSpaceRow(Record, table="load_space", items=[UniqueConstraint("client_id", "code")]):
    """A load space.

    `layout` has the doors, obstacles, axles, balance and reach as they were given.
    """

    code: Annotated[str, String(CODE_MAX)]
    name: Annotated[str, String(NAME_MAX)]
    kind: Annotated[str, String(10)]
    length_mm: int
    width_mm: int
    height_mm: int
    payload_g: int
    tare_g: int
    cost_minor: int
    stock: int
    target_utilization_percent: int
    layout: dict[str, Any]
    active: bool
    created_at: datetime
    updated_at: datetime


load_spaces = LoadSpaceRow.table
plain_columns(load_spaces, "code", "name", "kind", "layout")


class LoadSpaceVehicleRow(
    Record,
    table="load_space_vehicle",
    items=[
        UniqueConstraint("client_id", "vehicle_id"),
        Index("ix_load_space_vehicle_space", "client_id", "load_space_id"),
    ],
):
    """A vehicle and its load space.

    Which vehicle looks like which load space inside.
    """

    vehicle_id: Reference
    load_space_id: Reference


load_space_vehicles = LoadSpaceVehicleRow.table


class LoadPlanRow(
    Record,
    table="load_plan",
    items=[
        UniqueConstraint("client_id", "route_id", "digest"),
        Index("ix_load_plan_route", "client_id", "route_id", "id"),
    ],
):
    """A plan that was committed.

    `problem` and `plan` are the solver's own documents; `digest` names both.
    """

    route_id: Reference
    digest: Annotated[str, String(64)]
    input_hash: Annotated[str, String(64)]
    problem: dict[str, Any]
    plan: dict[str, Any]
    pieces: int
    left_over: int
    spaces_used: int
    cost_minor: BigInt
    created_at: datetime
    created_by: Reference | None
    replaced_at: datetime | None


load_plans = LoadPlanRow.table
plain_columns(load_plans, "digest", "input_hash", "problem", "plan")


_usable = select(load_spaces).where(load_spaces.c.active, load_spaces.c.stock > 0).order_by(load_spaces.c.code)
_some = _usable.where(in_param(load_spaces.c.id, "ids"))
_vehicles_of = (
    select(load_space_vehicles)
    .where(in_param(load_space_vehicles.c.load_space_id, "ids"))
    .order_by(load_space_vehicles.c.vehicle_id)
)
_of_vehicles = select(load_space_vehicles).where(in_param(load_space_vehicles.c.vehicle_id, "ids"))
_no_vehicles = delete(load_space_vehicles).where(load_space_vehicles.c.load_space_id == bindparam("space"))
_other_vehicles = _no_vehicles.where(in_param(load_space_vehicles.c.vehicle_id, "ids"))
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


async def delete_load_space_row(work: UnitOfWork, load_space_id: int) -> bool:
    """Delete a load space. Return False if there is none."""
    await work.run(_no_vehicles, space=load_space_id)
    return bool(await work.run(delete(load_spaces).where(load_spaces.c.id == bindparam("space")), space=load_space_id))


async def list_space_vehicles(work: UnitOfWork, load_space_ids: Collection[int]) -> Sequence[LoadSpaceVehicleRow]:
    """Return the vehicles of some load spaces, by id."""
    return await work.all(_vehicles_of, LoadSpaceVehicleRow, ids=sorted(load_space_ids)) if load_space_ids else ()


async def list_spaces_of_vehicles(work: UnitOfWork, vehicle_ids: Collection[int]) -> Sequence[LoadSpaceVehicleRow]:
    """Return the load spaces of some vehicles; those without one are left out."""
    return await work.all(_of_vehicles, LoadSpaceVehicleRow, ids=sorted(vehicle_ids)) if vehicle_ids else ()


async def set_space_vehicles(work: UnitOfWork, load_space_id: int, vehicle_ids: Collection[int]) -> None:
    """Replace the vehicles of a load space.

    Vehicles leave their former load space.
    """
    before = {row.vehicle_id for row in await list_space_vehicles(work, [load_space_id])}
    if gone := sorted(before - set(vehicle_ids)):
        await work.run(_other_vehicles, space=load_space_id, ids=gone)
    # Ordered locks: concurrent calls for the same vehicles wait for each other.
    rows = [{"vehicle_id": id, "load_space_id": load_space_id} for id in sorted(set(vehicle_ids) - before)]
    await work.upsert_many(load_space_vehicles, ["vehicle_id"], rows)


async def list_load_space_rows(
    work: UnitOfWork, *, inactive: bool, limit: int, offset: int
) -> tuple[Sequence[LoadSpaceRow], int]:
    """Return a page of load spaces by code, and the total."""
    conditions: list[ColumnElement[bool]] = [] if inactive else [load_spaces.c.active]
    page = select(load_spaces).where(*conditions).order_by(load_spaces.c.code).limit(limit).offset(offset)
    total = await work.value(select(func.count()).select_from(load_spaces).where(*conditions))
    return await work.all(page, LoadSpaceRow), total


async def list_usable_spaces(work: UnitOfWork, ids: Collection[int] | None, *, limit: int) -> Sequence[LoadSpaceRow]:
    """Return available load spaces by code: all, or those given."""
    if ids is None:
        return await work.all(_usable.limit(limit), LoadSpaceRow)
    return await work.all(_some, LoadSpaceRow, ids=sorted(ids))


async def insert_load_plan(work: UnitOfWork, values: Mapping[str, Any], now: datetime) -> LoadPlanRow:
    """Insert a plan, unless it is stored already, and replace the earlier one.

    Returns the row.
    """
    await work.insert_new(load_plans, [values], LoadPlanRow)
    row = await work.first(_same, LoadPlanRow, of_route=values["route_id"], named=values["digest"])
    assert row is not None
    await work.run(_keep, kept=row.id)
    await work.run(_replace, of_route=values["route_id"], kept=row.id, now=now)
    return row


async def list_load_plan_rows(
    work: UnitOfWork, *, route_id: int | None, replaced: bool, limit: int, offset: int
) -> tuple[Sequence[LoadPlanRow], int]:
    """Return a page of plans, newest first, and the total."""
    conditions: list[ColumnElement[bool]] = [] if route_id is None else [load_plans.c.route_id == route_id]
    if not replaced:
        conditions.append(load_plans.c.replaced_at.is_(None))
    page = select(load_plans).where(*conditions).order_by(load_plans.c.id.desc()).limit(limit).offset(offset)
    total = await work.value(select(func.count()).select_from(load_plans).where(*conditions))
    return await work.all(page, LoadPlanRow), total
