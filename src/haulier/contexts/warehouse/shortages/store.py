"""The table of shortages and its statements."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Annotated, Any

from sqlalchemy import ColumnElement, Index, String, bindparam, func, select, update

from haulier.contexts.warehouse.warehouses.contract import REFERENCE_MAX
from haulier.kernel.data.personal_data import plain_columns
from haulier.kernel.data.records import Record, Reference
from haulier.kernel.data.statements import in_param
from haulier.kernel.data.unit_of_work import UnitOfWork
from haulier.kernel.operations.fields import REASON_MAX

SOURCE_MAX = 40


class StockShortageRow(
    Record,
    table="stock_shortage",
    items=[
        Index("ix_stock_shortage_resolved", "client_id", "resolved_at", "id"),
        Index("ix_stock_shortage_reference", "client_id", "reference", "id"),
        Index("ix_stock_shortage_order", "client_id", "order_id", "id"),
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


_open_of_orders = (
    select(shortages)
    .where(in_param(shortages.c.order_id, "orders"), shortages.c.resolved_at.is_(None))
    .order_by(shortages.c.id)
)
_close = (
    update(shortages)
    .where(in_param(shortages.c.id, "ids"), shortages.c.resolved_at.is_(None))
    .values(
        resolved_at=bindparam("at", type_=shortages.c.resolved_at.type),
        resolved_by=bindparam("actor", type_=shortages.c.resolved_by.type),
    )
)


async def list_open_shortages(work: UnitOfWork, order_ids: Collection[int]) -> Sequence[StockShortageRow]:
    """Return the open shortages of orders, oldest first."""
    return await work.all(_open_of_orders, StockShortageRow, orders=sorted(order_ids)) if order_ids else []


async def close_shortages(work: UnitOfWork, ids: Collection[int], now: datetime, actor: int | None) -> None:
    """Resolve open shortages."""
    if ids:
        await work.run(_close, ids=sorted(ids), at=now, actor=actor)


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
