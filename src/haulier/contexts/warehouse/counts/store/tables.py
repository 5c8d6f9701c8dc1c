"""The tables of counts."""

from datetime import date, datetime

from sqlalchemy import BigInteger, Boolean, Column, Date, Index, Integer, String, UniqueConstraint

from haulier.contexts.warehouse.counts.contract import StockCountState
from haulier.contexts.warehouse.stock.contract import LOT_MAX, Condition
from haulier.kernel.data.personal_data import plain_columns
from haulier.kernel.data.statements import Row
from haulier.kernel.data.tables import Id, UTCDateTime, tenant_table
from haulier.kernel.operations.fields import REASON_MAX

counts = tenant_table(
    "stock_count",
    Column("warehouse_id", Id, nullable=False),
    Column("state", String(10), nullable=False),
    Column("blind", Boolean, nullable=False),
    Column("note", String(REASON_MAX)),
    Column("created_at", UTCDateTime, nullable=False),
    Column("created_by", Id),
    Column("decided_at", UTCDateTime),
    Column("decided_by", Id),
    Index("ix_stock_count_warehouse", "client_id", "warehouse_id", "id"),
)
plain_columns(counts, "state", "note")

count_locations = tenant_table(
    "stock_count_location",
    Column("count_id", Id, nullable=False),
    Column("location_id", Id, nullable=False),
    Column("underway_location_id", Id),
    UniqueConstraint("client_id", "count_id", "location_id"),
    UniqueConstraint("client_id", "underway_location_id"),
    Index("ix_stock_count_location_location", "client_id", "location_id", "count_id"),
)
"""`underway_location_id` is the location until the count is decided: nothing is counted twice at a time, nor posted twice."""

count_lines = tenant_table(
    "stock_count_line",
    Column("count_id", Id, nullable=False),
    Column("location_id", Id, nullable=False),
    Column("product_id", Id, nullable=False),
    Column("lot", String(LOT_MAX), nullable=False),
    Column("serial", String(LOT_MAX), nullable=False),
    Column("condition", String(10), nullable=False),
    Column("expires_on", Date),
    Column("expected", BigInteger, nullable=False),
    Column("counted", Integer),
    Column("counted_at", UTCDateTime),
    Column("scan_id", Id),
    UniqueConstraint("client_id", "count_id", "location_id", "product_id", "lot", "serial", "condition"),
    Index("ix_stock_count_line_count", "client_id", "count_id", "id"),
)
"""`scan_id` is there where a scanner counted: the books are then those of `counted_at`, by the device's clock."""
plain_columns(count_lines, "lot", "serial", "condition")


class StockCountRow(Row):
    """A count."""

    id: int
    warehouse_id: int
    state: StockCountState
    blind: bool
    note: str | None
    created_at: datetime
    created_by: int | None
    decided_at: datetime | None
    decided_by: int | None


class StockCountLineRow(Row):
    """Pieces that were counted, or are to be."""

    id: int
    count_id: int
    location_id: int
    product_id: int
    lot: str
    serial: str
    condition: Condition
    expires_on: date | None
    expected: int
    counted: int | None
    counted_at: datetime | None
    scan_id: int | None


class CountPlaceRow(Row):
    """A location that is counted, and the count."""

    count_id: int
    location_id: int
