"""The tables of advices."""

from datetime import date, datetime
from typing import Annotated

from sqlalchemy import CheckConstraint, Index, String, UniqueConstraint

from haulier.contexts.warehouse.warehouses.contract import REFERENCE_MAX
from haulier.kernel.data.personal_data import plain_columns
from haulier.kernel.data.records import Record, Reference
from haulier.kernel.operations.fields import NAME_MAX


class StockAdviceRow(
    Record,
    table="stock_advice",
    items=[
        UniqueConstraint("client_id", "warehouse_id", "reference"),
        Index("ix_stock_advice_warehouse", "client_id", "warehouse_id", "id"),
    ],
):
    """An advice."""

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
    """How much of a product was announced, and came."""

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
