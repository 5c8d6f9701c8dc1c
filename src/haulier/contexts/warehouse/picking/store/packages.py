"""Statements on packages."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, bindparam, delete, func, select, update

from haulier.contexts.warehouse.picking.store.tables import (
    PickPackageLineRow,
    PickPackageRow,
    package_lines,
    packages,
)
from haulier.kernel.data.statements import Row, in_param
from haulier.kernel.data.unit_of_work import UnitOfWork


class PackedRow(Row):
    """How much of something was packed."""

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
    """Write a package and what is in it. Returns its id; None, and nothing is written, where its carton is packed already."""
    written = await work.insert_new(packages, [{"shipped_at": None, **values}], PickPackageRow)
    if not written:
        return None
    id = written[0].id
    await work.insert_many(package_lines, [{"package_id": id, **line} for line in lines])
    return id


async def delete_package(work: UnitOfWork, package_id: int) -> None:
    """Forget a package."""
    await work.run(_delete_lines, package=package_id)
    await work.run(_delete, package=package_id)


async def sum_packed(work: UnitOfWork, warehouse_id: int, reference: str) -> dict[tuple[int, str, str], int]:
    """How much of each product, lot and serial number is in packages that have not left."""
    rows = await work.all(_packed, PackedRow, warehouse=warehouse_id, reference=reference)
    return {(row.product_id, row.lot, row.serial): int(row.quantity) for row in rows}


async def ship_packages(work: UnitOfWork, warehouse_id: int, reference: str, now: datetime) -> list[int]:
    """Write that packages left. Returns their ids."""
    ids = [row.id for row in await work.all(_waiting_ids, warehouse=warehouse_id, reference=reference)]
    await work.run(_ship, warehouse=warehouse_id, reference=reference, now=now)
    return ids


async def list_packed_cartons(work: UnitOfWork, plan_id: int) -> set[int]:
    """The numbers of the cartons of a packing plan that are packed."""
    return {row.carton for row in await work.all(_packed_cartons, plan=plan_id)}


async def list_package_rows(
    work: UnitOfWork, wanted: Mapping[str, Any], *, limit: int, offset: int
) -> tuple[Sequence[PickPackageRow], int]:
    """A page of packages whose columns have these values, the newest first, and how many there are."""
    conditions: list[ColumnElement[bool]] = [packages.c[name] == value for name, value in wanted.items()]
    page = select(packages).where(*conditions).order_by(packages.c.id.desc()).limit(limit).offset(offset)
    total = await work.value(select(func.count()).select_from(packages).where(*conditions))
    return await work.all(page, PickPackageRow), total


async def list_package_line_rows(work: UnitOfWork, package_ids: Collection[int]) -> Sequence[PickPackageLineRow]:
    """What is in packages."""
    return await work.all(_lines, PickPackageLineRow, packages=list(package_ids)) if package_ids else []
