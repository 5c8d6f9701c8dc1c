"""The table of shortages and its statements."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Column, ColumnElement, Index, Integer, String, bindparam, func, select, update

from haulier.contexts.warehouse.warehouses.contract import REFERENCE_MAX
from haulier.kernel.data.personal_data import plain_columns
from haulier.kernel.data.statements import Row
from haulier.kernel.data.tables import Id, UTCDateTime, tenant_table
from haulier.kernel.data.unit_of_work import UnitOfWork
from haulier.kernel.operations.fields import REASON_MAX

SOURCE_MAX = 40

shortages = tenant_table(
    "stock_shortage",
    Column("warehouse_id", Id, nullable=False),
    Column("reference", String(REFERENCE_MAX), nullable=False),
    Column("order_id", Id),
    Column("product_id", Id, nullable=False),
    Column("quantity", Integer, nullable=False),
    Column("source", String(SOURCE_MAX), nullable=False),
    Column("owner_id", Id),
    Column("note", String(REASON_MAX)),
    Column("created_at", UTCDateTime, nullable=False),
    Column("resolved_at", UTCDateTime),
    Column("resolved_by", Id),
    Index("ix_stock_shortage_resolved", "client_id", "resolved_at", "id"),
    Index("ix_stock_shortage_reference", "client_id", "reference", "id"),
)
plain_columns(shortages, "reference", "source", "note")


class StockShortageRow(Row):
    """A shortage."""

    id: int
    warehouse_id: int
    reference: str
    order_id: int | None
    product_id: int
    quantity: int
    source: str
    owner_id: int | None
    note: str | None
    created_at: datetime
    resolved_at: datetime | None
    resolved_by: int | None


_by_id = select(shortages).where(shortages.c.id == bindparam("shortage"))
_by_id_locked = _by_id.with_for_update()


async def insert_shortages(work: UnitOfWork, rows: Sequence[Mapping[str, Any]]) -> Sequence[StockShortageRow]:
    """Insert shortages and return their rows."""
    return await work.insert_new(shortages, rows, StockShortageRow)


async def get_shortage_row(work: UnitOfWork, id: int, *, lock: bool = False) -> StockShortageRow | None:
    """Return a shortage of this client, or None."""
    return await work.first(_by_id_locked if lock else _by_id, StockShortageRow, shortage=id)


async def update_shortage_row(work: UnitOfWork, id: int, values: Mapping[str, Any]) -> None:
    """Set columns of a shortage."""
    await work.run(update(shortages).where(shortages.c.id == bindparam("shortage")).values(**values), shortage=id)


async def list_shortage_rows(
    work: UnitOfWork, wanted: Mapping[str, Any], *, resolved: bool | None, limit: int, offset: int
) -> tuple[Sequence[StockShortageRow], int]:
    """Return a page of shortages whose columns have these values, oldest first, and their total."""
    where: list[ColumnElement[bool]] = [shortages.c[name] == value for name, value in wanted.items()]
    if resolved is not None:
        where.append(shortages.c.resolved_at.is_not(None) if resolved else shortages.c.resolved_at.is_(None))
    page = select(shortages).where(*where).order_by(shortages.c.id).limit(limit).offset(offset)
    total = await work.value(select(func.count()).select_from(shortages).where(*where))
    return await work.all(page, StockShortageRow), total


async def count_open_shortages(work: UnitOfWork, most: int) -> int:
    """Count open shortages, up to `most`."""
    some = select(shortages.c.id).where(shortages.c.resolved_at.is_(None)).limit(most).subquery()
    return await work.value(select(func.count()).select_from(some))
