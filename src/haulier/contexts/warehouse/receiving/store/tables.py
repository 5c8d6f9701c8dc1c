"""The tables of advices."""

from datetime import date, datetime

from sqlalchemy import CheckConstraint, Column, Date, Index, Integer, String, UniqueConstraint

from haulier.contexts.warehouse.warehouses.contract import REFERENCE_MAX
from haulier.kernel.data.personal_data import plain_columns
from haulier.kernel.data.statements import Row
from haulier.kernel.data.tables import Id, UTCDateTime, tenant_table
from haulier.kernel.operations.fields import NAME_MAX

advices = tenant_table(
    "stock_advice",
    Column("warehouse_id", Id, nullable=False),
    Column("reference", String(REFERENCE_MAX), nullable=False),
    Column("supplier", String(NAME_MAX)),
    Column("expected_on", Date),
    Column("created_at", UTCDateTime, nullable=False),
    Column("closed_at", UTCDateTime),
    UniqueConstraint("client_id", "warehouse_id", "reference"),
    Index("ix_stock_advice_warehouse", "client_id", "warehouse_id", "id"),
)
plain_columns(advices, "reference", "supplier")

advice_lines = tenant_table(
    "stock_advice_line",
    Column("advice_id", Id, nullable=False),
    Column("product_id", Id, nullable=False),
    Column("expected", Integer, nullable=False),
    Column("received", Integer, nullable=False),
    Column("damaged", Integer, nullable=False),
    CheckConstraint("expected >= 0", name="expected"),
    UniqueConstraint("client_id", "advice_id", "product_id"),
)

advice_photos = tenant_table(
    "stock_advice_photo",
    Column("advice_id", Id, nullable=False),
    Column("file_id", Id, nullable=False),
    UniqueConstraint("client_id", "advice_id", "file_id"),
)


class StockAdviceRow(Row):
    """An advice."""

    id: int
    warehouse_id: int
    reference: str
    supplier: str | None
    expected_on: date | None
    created_at: datetime
    closed_at: datetime | None


class StockAdviceLineRow(Row):
    """How much of a product was announced, and came."""

    id: int
    advice_id: int
    product_id: int
    expected: int
    received: int
    damaged: int


class StockAdvicePhotoRow(Row):
    """A photo of what came."""

    advice_id: int
    file_id: int
