"""Tables and statements of receiving."""

from collections.abc import Collection, Mapping, Sequence
from datetime import date, datetime
from typing import Annotated, Any

from sqlalchemy import (
    CheckConstraint,
    ColumnElement,
    Index,
    Integer,
    String,
    UniqueConstraint,
    bindparam,
    func,
    select,
    update,
)

from haulier.contexts.warehouse.warehouses.contract import REFERENCE_MAX
from haulier.kernel.data.personal_data import plain_columns
from haulier.kernel.data.records import Record, Reference
from haulier.kernel.data.statements import in_param
from haulier.kernel.data.unit_of_work import UnitOfWork
from haulier.kernel.operations.fields import NAME_MAX


class StockAdviceRow(
    Record,
    table="stock_advice",
    items=[
        UniqueConstraint("client_id", "warehouse_id", "reference"),
        Index("ix_stock_advice_warehouse", "client_id", "warehouse_id", "id"),
    ],
):
    """An inbound shipment."""

    warehouse_id: Reference
    reference: Annotated[str, String(REFERENCE_MAX)]
    supplier: Annotated[str, String(NAME_MAX)] | None
    expected_on: date | None
    created_at: datetime
    closed_at: datetime | None


advices = StockAdviceRow.table
plain_columns(advices, "reference", "supplier")


class StockAdviceLineRow(
    Record,
    table="stock_advice_line",
    items=[CheckConstraint("expected >= 0", name="expected"), UniqueConstraint("client_id", "advice_id", "product_id")],
):
    """Announced and received items of a product."""

    advice_id: Reference
    product_id: Reference
    expected: int
    received: int
    damaged: int


advice_lines = StockAdviceLineRow.table


class StockAdvicePhotoRow(
    Record, table="stock_advice_photo", items=[UniqueConstraint("client_id", "advice_id", "file_id")]
):
    """A photo of what came."""

    advice_id: Reference
    file_id: Reference


advice_photos = StockAdvicePhotoRow.table


_lines = select(advice_lines).where(in_param(advice_lines.c.advice_id, "advices")).order_by(advice_lines.c.id)
_photos = select(advice_photos).where(in_param(advice_photos.c.advice_id, "advices")).order_by(advice_photos.c.id)
_receive = (
    update(advice_lines)
    .where(advice_lines.c.advice_id == bindparam("advice"), advice_lines.c.product_id == bindparam("product"))
    .values(
        received=advice_lines.c.received + bindparam("came", type_=Integer),
        damaged=advice_lines.c.damaged + bindparam("broken", type_=Integer),
    )
)


async def insert_advice(work: UnitOfWork, expected: Mapping[int, int], **values: Any) -> int:
    """Insert an inbound shipment with its lines by product.

    Raises `UniqueConflict` for a reference that is taken.
    """
    id = await work.insert(advices, **values)
    await add_advice_lines(work, id, expected)
    return id


async def add_advice_lines(work: UnitOfWork, advice_id: int, expected: Mapping[int, int]) -> None:
    """Write lines of products that the inbound shipment does not have yet."""
    rows = [
        {"advice_id": advice_id, "product_id": product, "expected": pieces, "received": 0, "damaged": 0}
        for product, pieces in sorted(expected.items())
    ]
    await work.insert_new(advice_lines, rows)


async def add_received(work: UnitOfWork, advice_id: int, came: Mapping[int, tuple[int, int]]) -> None:
    """Add received and damaged items of products."""
    await work.run_many(
        _receive,
        [
            {"advice": advice_id, "product": product, "came": pieces, "broken": damaged}
            for product, (pieces, damaged) in sorted(came.items())
        ],
    )


async def list_advice_rows(
    work: UnitOfWork, wanted: Mapping[str, Any], *, open: bool | None, limit: int, offset: int
) -> tuple[Sequence[StockAdviceRow], int]:
    """Return a page of inbound shipments, newest first, and the total."""
    conditions: list[ColumnElement[bool]] = [advices.c[name] == value for name, value in wanted.items()]
    if open is not None:
        conditions.append(advices.c.closed_at.is_(None) if open else advices.c.closed_at.is_not(None))
    page = select(advices).where(*conditions).order_by(advices.c.id.desc()).limit(limit).offset(offset)
    total = await work.value(select(func.count()).select_from(advices).where(*conditions))
    return await work.all(page, StockAdviceRow), total


async def list_advice_line_rows(work: UnitOfWork, advice_ids: Collection[int]) -> Sequence[StockAdviceLineRow]:
    """Return the lines of advices."""
    return await work.all(_lines, StockAdviceLineRow, advices=list(advice_ids)) if advice_ids else []


async def list_photo_rows(work: UnitOfWork, advice_ids: Collection[int]) -> Sequence[StockAdvicePhotoRow]:
    """Return photos of what came."""
    return await work.all(_photos, StockAdvicePhotoRow, advices=list(advice_ids)) if advice_ids else []
