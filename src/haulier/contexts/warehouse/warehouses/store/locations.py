"""Statements on locations."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from sqlalchemy import ColumnElement, bindparam, func, select, update

from haulier.contexts.warehouse.warehouses.store.tables import LocationRow, locations
from haulier.kernel.data.statements import in_param
from haulier.kernel.data.unit_of_work import UnitOfWork

_by_barcodes = select(locations).where(in_param(locations.c.barcode, "barcodes"))


async def insert_locations(work: UnitOfWork, rows: Sequence[Mapping[str, Any]]) -> Sequence[LocationRow]:
    """Write those locations whose code and barcode nobody else has, and return them."""
    return await work.insert_new(locations, rows, LocationRow)


async def update_location_row(work: UnitOfWork, location_id: int, values: Mapping[str, Any]) -> None:
    """Change columns of a location. Raises `UniqueConflict` for a barcode that another one has."""
    if values:
        changed = update(locations).where(locations.c.id == bindparam("location")).values(**values)
        await work.run(changed, location=location_id)


async def find_location_rows(work: UnitOfWork, barcodes: Collection[str]) -> dict[str, LocationRow]:
    """Locations of this client by what is printed on them."""
    if not barcodes:
        return {}
    return {row.barcode: row for row in await work.all(_by_barcodes, LocationRow, barcodes=list(barcodes))}


async def list_location_rows(
    work: UnitOfWork, wanted: Mapping[str, Any], *, limit: int, offset: int
) -> tuple[Sequence[LocationRow], int]:
    """A page of locations whose columns have these values, in walking order, and how many there are."""
    conditions: list[ColumnElement[bool]] = [locations.c[name] == value for name, value in wanted.items()]
    page = select(locations).where(*conditions).order_by(locations.c.walk_order, locations.c.code)
    rows = await work.all(page.limit(limit).offset(offset), LocationRow)
    return rows, await work.value(select(func.count()).select_from(locations).where(*conditions))
