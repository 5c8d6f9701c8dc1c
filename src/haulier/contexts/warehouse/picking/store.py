"""Statements on waves and their tasks."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from sqlalchemy import ColumnElement, Integer, bindparam, case, delete, func, select, update

from haulier.contexts.warehouse.picking.store.tables import PickTaskRow, PickWaveRow, tasks, waves
from haulier.contexts.warehouse.stock.store.tables import reservations
from haulier.contexts.warehouse.warehouses.store.tables import locations
from haulier.kernel.data.statements import Row, in_param
from haulier.kernel.data.unit_of_work import UnitOfWork


class WaveTotalRow(Row):
    """How much of a wave is done."""

    wave_id: int
    tasks: int
    pieces: int
    picked: int
    short: int
    left: int


class NewTaskRow(Row):
    """A task that was written."""

    reservation_id: int


_tasks = (
    select(tasks)
    .select_from(
        tasks.join(locations, (locations.c.client_id == tasks.c.client_id) & (locations.c.id == tasks.c.location_id))
    )
    .where(tasks.c.wave_id == bindparam("wave"))
    .order_by(locations.c.walk_order, locations.c.code, tasks.c.id)
)
_of_reservations = select(tasks).where(in_param(tasks.c.reservation_id, "reservations")).order_by(tasks.c.id)
_planned = tasks.c.quantity - tasks.c.picked - tasks.c.short
_left = case(
    (reservations.c.id.is_(None), 0), (reservations.c.quantity < _planned, reservations.c.quantity), else_=_planned
)
"""Pieces left to pick: no more than are still reserved."""
_with_reservations = tasks.outerjoin(
    reservations,
    (reservations.c.client_id == tasks.c.client_id) & (reservations.c.id == tasks.c.reservation_id),
)
_waves_of = (
    select(tasks.c.wave_id)
    .select_from(
        tasks.join(
            reservations,
            (reservations.c.client_id == tasks.c.client_id) & (reservations.c.id == tasks.c.reservation_id),
        )
    )
    .where(in_param(reservations.c.warehouse_id, "warehouses"), in_param(reservations.c.reference, "references"))
)
_lock_waves = select(waves).where(waves.c.id.in_(_waves_of)).order_by(waves.c.id).with_for_update()
_totals = (
    select(
        tasks.c.wave_id,
        func.count().label("tasks"),
        func.sum(tasks.c.quantity).label("pieces"),
        func.sum(tasks.c.picked).label("picked"),
        func.sum(tasks.c.short).label("short"),
        func.sum(_left).label("left"),
    )
    .select_from(_with_reservations)
    .where(in_param(tasks.c.wave_id, "waves"))
    .group_by(tasks.c.wave_id)
)
_something_left = (
    select(tasks.c.id)
    .select_from(_with_reservations)
    .where(tasks.c.client_id == waves.c.client_id, tasks.c.wave_id == waves.c.id, _left > 0)
    .correlate(waves)
    .exists()
)
_confirm = (
    update(tasks)
    .where(tasks.c.id == bindparam("task"))
    .values(
        picked=tasks.c.picked + bindparam("taken", type_=Integer),
        short=tasks.c.short + bindparam("gone", type_=Integer),
    )
)
_untouched = delete(tasks).where(tasks.c.wave_id == bindparam("wave")).where(tasks.c.picked == 0, tasks.c.short == 0)
_untouched_of = _untouched.where(in_param(tasks.c.reference, "references"))
_count_tasks = select(func.count()).select_from(tasks).where(tasks.c.wave_id == bindparam("wave"))
_delete_wave = delete(waves).where(waves.c.id == bindparam("wave"))
_extend = (
    update(tasks)
    .where(tasks.c.reservation_id == bindparam("reservation"))
    .values(quantity=tasks.c.quantity + bindparam("more", type_=Integer))
)


async def insert_tasks(work: UnitOfWork, wave_id: int, rows: Sequence[Mapping[str, Any]]) -> set[int]:
    """Write tasks of reservations that have none. Returns the reservations that have one already."""
    written = await work.insert_new(
        tasks, [{"wave_id": wave_id, "picked": 0, "short": 0, **row} for row in rows], NewTaskRow
    )
    return {row["reservation_id"] for row in rows} - {row.reservation_id for row in written}


async def extend_tasks(work: UnitOfWork, more: Mapping[int, int]) -> None:
    """Add pieces to the tasks of reservations."""
    await work.run_many(_extend, [{"reservation": id, "more": pieces} for id, pieces in sorted(more.items())])


async def confirm_tasks(work: UnitOfWork, done: Mapping[int, tuple[int, int]]) -> None:
    """Add to what was picked of tasks, and to what was not there."""
    await work.run_many(
        _confirm, [{"task": id, "taken": taken, "gone": gone} for id, (taken, gone) in sorted(done.items())]
    )


async def delete_untouched_tasks(work: UnitOfWork, wave_id: int, references: Collection[str]) -> tuple[int, int]:
    """Delete the tasks of a wave of which nothing was done, or those of some references; the wave itself, if none is left.

    Returns how many tasks were deleted and how many are left.
    """
    if references:
        removed = await work.run(_untouched_of, wave=wave_id, references=sorted(references))
    else:
        removed = await work.run(_untouched, wave=wave_id)
    left = await work.value(_count_tasks, wave=wave_id)
    if not left:
        await work.run(_delete_wave, wave=wave_id)
    return removed, left


async def lock_waves_of(work: UnitOfWork, warehouses: Collection[int], references: Collection[str]) -> None:
    """Lock the waves that fetch what is reserved for these, until the call ends."""
    await work.all(_lock_waves, PickWaveRow, warehouses=list(warehouses), references=list(references))


async def list_tasks_of(work: UnitOfWork, reservation_ids: Collection[int]) -> Sequence[PickTaskRow]:
    """The tasks of reservations."""
    if not reservation_ids:
        return []
    return await work.all(_of_reservations, PickTaskRow, reservations=list(reservation_ids))


async def list_task_rows(work: UnitOfWork, wave_id: int) -> Sequence[PickTaskRow]:
    """The tasks of a wave, in walking order."""
    return await work.all(_tasks, PickTaskRow, wave=wave_id)


async def sum_waves(work: UnitOfWork, wave_ids: Collection[int]) -> dict[int, WaveTotalRow]:
    """How much of waves is done."""
    if not wave_ids:
        return {}
    return {row.wave_id: row for row in await work.all(_totals, WaveTotalRow, waves=list(wave_ids))}


async def list_wave_rows(
    work: UnitOfWork, wanted: Mapping[str, Any], *, open: bool | None, limit: int, offset: int
) -> tuple[Sequence[PickWaveRow], int]:
    """A page of waves whose columns have these values, the newest first, and how many there are."""
    conditions: list[ColumnElement[bool]] = [waves.c[name] == value for name, value in wanted.items()]
    if open is not None:
        conditions.append(_something_left if open else ~_something_left)
    page = select(waves).where(*conditions).order_by(waves.c.id.desc()).limit(limit).offset(offset)
    total = await work.value(select(func.count()).select_from(waves).where(*conditions))
    return await work.all(page, PickWaveRow), total
