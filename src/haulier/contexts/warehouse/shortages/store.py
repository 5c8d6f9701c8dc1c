"""The table of shortages and its statements."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Annotated, Any

from sqlalchemy import ColumnElement, Index, String, func, select

from haulier.contexts.warehouse.warehouses.contract import REFERENCE_MAX
from haulier.kernel.data.personal_data import plain_columns
from haulier.kernel.data.records import Record, Reference
from haulier.kernel.data.unit_of_work import UnitOfWork
from haulier.kernel.operations.fields import REASON_MAX

SOURCE_MAX = 40


class StockShortageRow(
    Record,
    table="stock_shortage",
    items=[
        Index("ix_stock_shortage_resolved", "client_id", "resolved_at", "id"),
        Index("ix_stock_shortage_reference", "client_id", "reference", "id"),
    ],
):
    """A shortage."""

    warehouse_id: Reference
    reference: Annotated[str, String(REFERENCE_MAX)]
    order_id: Reference | None
    product_id: Reference
    quantity: int
    source: Annotated[str, String(SOURCE_MAX)]
    owner_id: Reference | None
    note: Annotated[str, String(REASON_MAX)] | None
    created_at: datetime
    resolved_at: datetime | None
    resolved_by: Reference | None


shortages = StockShortageRow.table
plain_columns(shortages, "reference", "source", "note")


async def insert_shortages(work: UnitOfWork, rows: Sequence[Mapping[str, Any]]) -> Sequence[StockShortageRow]:
    """Insert shortages and return their rows."""
    return await work.insert_new(shortages, rows, StockShortageRow)


async def list_shortage_rows(
    work: UnitOfWork, wanted: Mapping[str, Any], *, resolved: bool | None, limit: int, offset: int
) -> tuple[Sequence[StockShortageRow], int]:
    """Return a page of shortages matching column values, oldest first, and the total."""
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
