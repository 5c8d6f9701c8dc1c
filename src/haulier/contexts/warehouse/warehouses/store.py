"""Tables and statements of warehouses."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Annotated, Any

from sqlalchemy import (
    Boolean,
    ColumnElement,
    Index,
    Select,
    String,
    UniqueConstraint,
    bindparam,
    func,
    or_,
    select,
    update,
)

from haulier.contexts.warehouse.warehouses.contract import ADDRESS_MAX, BARCODE_MAX, CODE_MAX, LocationKind
from haulier.kernel.data.personal_data import plain_columns
from haulier.kernel.data.records import Record, Reference
from haulier.kernel.data.statements import in_param
from haulier.kernel.data.unit_of_work import UnitOfWork
from haulier.kernel.operations.fields import NAME_MAX
from haulier.kernel.values.folded_text import has_words


class WarehouseRow(Record, table="warehouse", items=[UniqueConstraint("client_id", "code")]):
    """A warehouse."""

    code: Annotated[str, String(CODE_MAX)]
    name: Annotated[str, String(NAME_MAX)]
    address: Annotated[str, String(ADDRESS_MAX)]
    lat: float | None
    lng: float | None
    closed: bool
    created_at: datetime


warehouses = WarehouseRow.table
plain_columns(warehouses, "code", "name", "address", "lat", "lng")


class LocationRow(
    Record,
    table="warehouse_location",
    items=[
        UniqueConstraint("client_id", "warehouse_id", "code"),
        UniqueConstraint("client_id", "barcode"),
        Index("ix_warehouse_location_walk", "client_id", "warehouse_id", "walk_order", "code"),
    ],
):
    """A location."""

    warehouse_id: Reference
    code: Annotated[str, String(CODE_MAX)]
    zone: Annotated[str, String(CODE_MAX)] | None
    kind: Annotated[LocationKind, String(20)]
    barcode: Annotated[str, String(BARCODE_MAX)]
    walk_order: int
    capacity: int | None
    blocked: bool


locations = LocationRow.table
plain_columns(locations, "code", "zone", "kind", "barcode")


_by_barcodes = select(locations).where(in_param(locations.c.barcode, "barcodes"))


async def insert_locations(work: UnitOfWork, rows: Sequence[Mapping[str, Any]]) -> Sequence[LocationRow]:
    """Insert locations with a free code and barcode, and return them."""
    return await work.insert_new(locations, rows, LocationRow)


async def update_location_row(work: UnitOfWork, location_id: int, values: Mapping[str, Any]) -> None:
    """Update a location. Raises `UniqueConflict` for a barcode that is taken."""
    if values:
        changed = update(locations).where(locations.c.id == bindparam("location")).values(**values)
        await work.run(changed, location=location_id)


async def find_location_rows(work: UnitOfWork, barcodes: Collection[str]) -> dict[str, LocationRow]:
    """Return locations of this client by barcode."""
    if not barcodes:
        return {}
    return {row.barcode: row for row in await work.all(_by_barcodes, LocationRow, barcodes=list(barcodes))}


def _in_warehouse(page: Select[Any], warehouse_id: int | None) -> Select[Any]:
    ordered = page.order_by(locations.c.warehouse_id, locations.c.walk_order, locations.c.code)
    return ordered if warehouse_id is None else ordered.where(locations.c.warehouse_id == warehouse_id)


async def find_locations_by_code(
    work: UnitOfWork, code: str, *, warehouse_id: int | None, limit: int
) -> Sequence[LocationRow]:
    """Return locations with this barcode, or with this code in any case."""
    page = select(locations).where(
        or_(locations.c.barcode == bindparam("code"), func.upper(locations.c.code) == bindparam("capitals"))
    )
    page = _in_warehouse(page, warehouse_id).limit(limit)
    return await work.all(page, LocationRow, code=code, capitals=code.upper())


async def search_location_rows(
    work: UnitOfWork, text: str, *, warehouse_id: int | None, limit: int
) -> Sequence[LocationRow]:
    """Return locations whose code has all words of a text."""
    page = select(locations).where(has_words(text, locations.c.code))
    return await work.all(_in_warehouse(page, warehouse_id).limit(limit), LocationRow)


async def list_location_rows(
    work: UnitOfWork, wanted: Mapping[str, Any], *, limit: int, offset: int
) -> tuple[Sequence[LocationRow], int]:
    """Return a page of locations matching column values, and the total.

    In walking order.
    """
    conditions: list[ColumnElement[bool]] = [locations.c[name] == value for name, value in wanted.items()]
    page = select(locations).where(*conditions).order_by(locations.c.walk_order, locations.c.code)
    rows = await work.all(page.limit(limit).offset(offset), LocationRow)
    return rows, await work.value(select(func.count()).select_from(locations).where(*conditions))


_wanted = warehouses.c.closed.is_(False) | bindparam("all", type_=Boolean)
_list = (
    select(warehouses)
    .where(_wanted)
    .order_by(warehouses.c.code)
    .limit(bindparam("page_size"))
    .offset(bindparam("skipped"))
)
_count = select(func.count()).select_from(warehouses).where(_wanted)


async def update_warehouse_row(work: UnitOfWork, warehouse_id: int, values: Mapping[str, Any]) -> None:
    """Change columns of a warehouse."""
    if values:
        changed = update(warehouses).where(warehouses.c.id == bindparam("warehouse")).values(**values)
        await work.run(changed, warehouse=warehouse_id)


async def list_warehouse_rows(
    work: UnitOfWork, *, closed: bool, limit: int, offset: int
) -> tuple[Sequence[WarehouseRow], int]:
    """Return a page of warehouses, by code, and the total."""
    rows = await work.all(_list, WarehouseRow, all=closed, page_size=limit, skipped=offset)
    return rows, await work.value(_count, all=closed)
