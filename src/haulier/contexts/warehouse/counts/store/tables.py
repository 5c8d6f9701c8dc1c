"""The tables of counts."""

from datetime import date, datetime
from typing import Annotated

from sqlalchemy import Index, String, UniqueConstraint

from haulier.contexts.warehouse.counts.contract import StockCountState
from haulier.contexts.warehouse.stock.contract import LOT_MAX, Condition
from haulier.kernel.data.personal_data import plain_columns
from haulier.kernel.data.records import BigInt, Record, Reference
from haulier.kernel.operations.fields import REASON_MAX


class StockCountRow(
    Record, table="stock_count", items=[Index("ix_stock_count_warehouse", "client_id", "warehouse_id", "id")]
):
    """A count."""

    warehouse_id: Reference
    state: Annotated[StockCountState, String(10)]
    blind: bool
    note: Annotated[str, String(REASON_MAX)] | None
    created_at: datetime
    created_by: Reference | None
    decided_at: datetime | None
    decided_by: Reference | None


counts = StockCountRow.table
plain_columns(counts, "state", "note")


class CountPlaceRow(
    Record,
    table="stock_count_location",
    items=[
        UniqueConstraint("client_id", "count_id", "location_id"),
        UniqueConstraint("client_id", "underway_location_id"),
        Index("ix_stock_count_location_location", "client_id", "location_id", "count_id"),
    ],
):
    """A location that is counted, and the count.

    `underway_location_id` is the location until the count is decided: nothing is counted twice at a time, nor posted
    twice.
    """

    count_id: Reference
    location_id: Reference
    underway_location_id: Reference | None


count_locations = CountPlaceRow.table


class StockCountLineRow(
    Record,
    table="stock_count_line",
    items=[
        UniqueConstraint("client_id", "count_id", "location_id", "product_id", "lot", "serial", "condition"),
        Index("ix_stock_count_line_count", "client_id", "count_id", "id"),
    ],
):
    """Pieces that were counted, or are to be.

    `scan_id` is there where a scanner counted: the books are then those of `counted_at`, by the device's clock.
    """

    count_id: Reference
    location_id: Reference
    product_id: Reference
    lot: Annotated[str, String(LOT_MAX)]
    serial: Annotated[str, String(LOT_MAX)]
    condition: Annotated[Condition, String(10)]
    expires_on: date | None
    expected: BigInt
    counted: int | None
    counted_at: datetime | None
    scan_id: Reference | None


count_lines = StockCountLineRow.table
plain_columns(count_lines, "lot", "serial", "condition")
