"""Tables and statements of picking."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Annotated, Any

from sqlalchemy import (
    CheckConstraint,
    ColumnElement,
    Index,
    Integer,
    String,
    UniqueConstraint,
    bindparam,
    case,
    delete,
    func,
    select,
    update,
)

from haulier.contexts.warehouse.stock.contract import LOT_MAX
from haulier.contexts.warehouse.stock.store.tables import reservations
from haulier.contexts.warehouse.warehouses.contract import REFERENCE_MAX
from haulier.contexts.warehouse.warehouses.store import locations
from haulier.kernel.data.personal_data import plain_columns
from haulier.kernel.data.records import Record, Reference
from haulier.kernel.data.statements import Row, in_param
from haulier.kernel.data.unit_of_work import UnitOfWork


class PickWaveRow(
    Record, table="pick_wave", items=[Index("ix_pick_wave_warehouse", "client_id", "warehouse_id", "id")]
):
    """A wave."""

    warehouse_id: Reference
    staging_location_id: Reference
    created_at: datetime


waves = PickWaveRow.table


class PickTaskRow(
    Record,
    table="pick_task",
    items=[
        CheckConstraint("quantity > 0", name="positive"),
        CheckConstraint("picked + short <= quantity", name="within"),
        UniqueConstraint("client_id", "reservation_id"),
        Index("ix_pick_task_wave", "client_id", "wave_id", "id"),
    ],
):
    """Items to take from a location.

    A reservation of a level is in one task at most: two waves never fetch the same items.
    """

    wave_id: Reference
    reference: Annotated[str, String(REFERENCE_MAX)]
    reservation_id: Reference
    location_id: Reference
    product_id: Reference
    lot: Annotated[str, String(LOT_MAX)]
    serial: Annotated[str, String(LOT_MAX)]
    quantity: int
    picked: int
    short: int


tasks = PickTaskRow.table
plain_columns(tasks, "reference", "lot", "serial")


class PickPackageRow(
    Record,
    table="pick_package",
    items=[
        Index("ix_pick_package_reference", "client_id", "warehouse_id", "reference", "id"),
        Index("ix_pick_package_carton", "client_id", "packing_plan_id", "carton", unique=True),
    ],
):
    """A package.

    A carton of a packing plan is packed once. `carton` is its number in the plan, from 1.
    """

    warehouse_id: Reference
    reference: Annotated[str, String(REFERENCE_MAX)]
    weight_g: int
    barcode: Annotated[str, String(LOT_MAX)] | None
    packing_plan_id: Reference | None
    carton: int | None
    created_at: datetime
    shipped_at: datetime | None


packages = PickPackageRow.table
plain_columns(packages, "reference", "barcode")


class PickPackageLineRow(
    Record,
    table="pick_package_line",
    items=[
        CheckConstraint("quantity > 0", name="positive"),
        Index("ix_pick_package_line_package", "client_id", "package_id", "id"),
    ],
):
    """Items in a package."""

    package_id: Reference
    product_id: Reference
    lot: Annotated[str, String(LOT_MAX)]
    serial: Annotated[str, String(LOT_MAX)]
    quantity: int


package_lines = PickPackageLineRow.table
plain_columns(package_lines, "lot", "serial")


_in_wave = (
    select(tasks.c.id)
    .where(tasks.c.client_id == reservations.c.client_id, tasks.c.reservation_id == reservations.c.id)
    .correlate(reservations)
    .exists()
)


def covered_by_wave(wanted: bool | None) -> ColumnElement[bool] | None:
    """Return the condition for references with or without a wave, or None for all."""
    covered = func.sum(case((_in_wave, 1), else_=0))
    return None if wanted is None else covered > 0 if wanted else covered == 0


class PackedRow(Row):
    """Number of packed items."""

    product_id: int
    lot: str
    serial: str
    quantity: int


_lines = select(package_lines).where(in_param(package_lines.c.package_id, "packages")).order_by(package_lines.c.id)
_waiting = (
    (packages.c.warehouse_id == bindparam("warehouse"))
    & (packages.c.reference == bindparam("reference"))
    & packages.c.shipped_at.is_(None)
)
_packed = (
    select(
        package_lines.c.product_id,
        package_lines.c.lot,
        package_lines.c.serial,
        func.sum(package_lines.c.quantity).label("quantity"),
    )
    .select_from(
        package_lines.join(
            packages,
            (packages.c.client_id == package_lines.c.client_id) & (packages.c.id == package_lines.c.package_id),
        )
    )
    .where(_waiting)
    .group_by(package_lines.c.product_id, package_lines.c.lot, package_lines.c.serial)
)
_packed_cartons = select(packages.c.carton).where(packages.c.packing_plan_id == bindparam("plan"))
_waiting_ids = select(packages.c.id).where(_waiting).order_by(packages.c.id)
_ship = update(packages).where(_waiting).values(shipped_at=bindparam("now"))
_delete_lines = delete(package_lines).where(package_lines.c.package_id == bindparam("package"))
_delete = delete(packages).where(packages.c.id == bindparam("package"))


async def insert_package(work: UnitOfWork, lines: Sequence[Mapping[str, Any]], **values: Any) -> int | None:
    """Insert a package with its contents and return its id.

    Returns None, and inserts nothing, if its carton is already packed.
    """
    written = await work.insert_new(packages, [{"shipped_at": None, **values}], PickPackageRow)
    if not written:
        return None
    id = written[0].id
    await work.insert_many(package_lines, [{"package_id": id, **line} for line in lines])
    return id


async def delete_package(work: UnitOfWork, package_id: int) -> None:
    """Delete a package."""
    await work.run(_delete_lines, package=package_id)
    await work.run(_delete, package=package_id)


async def sum_packed(work: UnitOfWork, warehouse_id: int, reference: str) -> dict[tuple[int, str, str], int]:
    """Return packed items that have not left, by product, lot and serial number."""
    rows = await work.all(_packed, PackedRow, warehouse=warehouse_id, reference=reference)
    return {(row.product_id, row.lot, row.serial): int(row.quantity) for row in rows}


async def ship_packages(work: UnitOfWork, warehouse_id: int, reference: str, now: datetime) -> list[int]:
    """Mark packages as shipped. Return their ids."""
    ids = [row.id for row in await work.all(_waiting_ids, warehouse=warehouse_id, reference=reference)]
    await work.run(_ship, warehouse=warehouse_id, reference=reference, now=now)
    return ids


async def list_packed_cartons(work: UnitOfWork, plan_id: int) -> set[int]:
    """Return the numbers of the cartons of a packing plan that are packed."""
    return {row.carton for row in await work.all(_packed_cartons, plan=plan_id)}


async def list_package_rows(
    work: UnitOfWork, wanted: Mapping[str, Any], *, limit: int, offset: int
) -> tuple[Sequence[PickPackageRow], int]:
    """Return a page of packages matching column values, newest first, and the total."""
    conditions: list[ColumnElement[bool]] = [packages.c[name] == value for name, value in wanted.items()]
    page = select(packages).where(*conditions).order_by(packages.c.id.desc()).limit(limit).offset(offset)
    total = await work.value(select(func.count()).select_from(packages).where(*conditions))
    return await work.all(page, PickPackageRow), total


async def list_package_line_rows(work: UnitOfWork, package_ids: Collection[int]) -> Sequence[PickPackageLineRow]:
    """Return the contents of packages."""
    return await work.all(_lines, PickPackageLineRow, packages=list(package_ids)) if package_ids else []


class WaveTotalRow(Row):
    """Progress of a wave."""

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
"""Items left to pick: no more than are still reserved."""
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
    """Insert tasks for reservations without one.

    Return the reservations that have one.
    """
    written = await work.insert_new(
        tasks, [{"wave_id": wave_id, "picked": 0, "short": 0, **row} for row in rows], NewTaskRow
    )
    return {row["reservation_id"] for row in rows} - {row.reservation_id for row in written}


async def extend_tasks(work: UnitOfWork, more: Mapping[int, int]) -> None:
    """Add items to the tasks of reservations."""
    await work.run_many(_extend, [{"reservation": id, "more": pieces} for id, pieces in sorted(more.items())])


async def confirm_tasks(work: UnitOfWork, done: Mapping[int, tuple[int, int]]) -> None:
    """Add picked and short items to tasks."""
    await work.run_many(
        _confirm, [{"task": id, "taken": taken, "gone": gone} for id, (taken, gone) in sorted(done.items())]
    )


async def delete_untouched_tasks(work: UnitOfWork, wave_id: int, references: Collection[str]) -> tuple[int, int]:
    """Delete untouched tasks of a wave, optionally of some references only.

    Deletes the wave if it is empty. Returns the numbers of deleted and remaining tasks.
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
    """Return the tasks of reservations."""
    if not reservation_ids:
        return []
    return await work.all(_of_reservations, PickTaskRow, reservations=list(reservation_ids))


async def list_task_rows(work: UnitOfWork, wave_id: int) -> Sequence[PickTaskRow]:
    """Return the tasks of a wave, in walking order."""
    return await work.all(_tasks, PickTaskRow, wave=wave_id)


async def sum_waves(work: UnitOfWork, wave_ids: Collection[int]) -> dict[int, WaveTotalRow]:
    """Return the progress of waves."""
    if not wave_ids:
        return {}
    return {row.wave_id: row for row in await work.all(_totals, WaveTotalRow, waves=list(wave_ids))}


async def list_wave_rows(
    work: UnitOfWork, wanted: Mapping[str, Any], *, open: bool | None, limit: int, offset: int
) -> tuple[Sequence[PickWaveRow], int]:
    """Return a page of waves matching column values, newest first, and the total."""
    conditions: list[ColumnElement[bool]] = [waves.c[name] == value for name, value in wanted.items()]
    if open is not None:
        conditions.append(_something_left if open else ~_something_left)
    page = select(waves).where(*conditions).order_by(waves.c.id.desc()).limit(limit).offset(offset)
    total = await work.value(select(func.count()).select_from(waves).where(*conditions))
    return await work.all(page, PickWaveRow), total
