"""Request and response models for counts."""

from datetime import date, datetime
from enum import StrEnum
from typing import Annotated

from pydantic import Field

from haulier.contexts.warehouse.products.contract import Sku
from haulier.contexts.warehouse.stock.contract import (
    LINES_MAX,
    QUANTITY_MAX,
    Condition,
    Cursor,
    Lot,
    Page,
    ReleasedReservation,
    StockMovement,
)
from haulier.contexts.warehouse.warehouses.contract import LOCATIONS_MAX, WarehouseCode
from haulier.kernel.operations.answers import Answer, doc
from haulier.kernel.operations.declaration import Request
from haulier.kernel.operations.fields import EachOnce, Reason, RecordId
from haulier.kernel.operations.ids import LocationId
from haulier.kernel.values.moments import Day
from haulier.kernel.values.pagination import PagedAnswer, PageRequest

COUNT_LINES_MAX = 1000


class StockCountState(StrEnum):
    """State of a count."""

    OPEN = "open"
    """Counting is in progress."""
    COUNTED = "counted"
    """The differences wait for approval."""
    APPROVED = "approved"
    """The differences are posted."""
    REJECTED = "rejected"
    """Nothing is posted."""


class CreateStockCount(Request):
    """Locations and products to count."""

    warehouse_id: RecordId
    """Warehouse."""
    location_ids: Annotated[set[LocationId], Field(min_length=1, max_length=LOCATIONS_MAX), EachOnce] | None = None
    """Filter by locations."""
    zone: WarehouseCode | None = Field(default=None, examples=["A"])
    """Only locations of this part of the warehouse."""
    skus: Annotated[set[Sku], Field(min_length=1, max_length=LINES_MAX), EachOnce] | None = None
    """Filter by products."""
    locations: int = Field(default=50, ge=1, le=LOCATIONS_MAX)
    """Maximum number of locations, longest uncounted first. A small daily number makes a cycle count."""
    blind: bool = True
    """If true, the expected quantity is hidden while counting."""
    note: Reason | None = Field(default=None, examples=["Cycle count, week 24"])
    """Note about the count."""


class StockCountRef(Request):
    """Reference to a count."""

    count_id: RecordId


class GetStockCount(StockCountRef):
    """A count, and filters for its lines."""

    differences: bool = False
    """If true, only lines with a difference from recorded stock."""
    per_page: Page = 50
    """Lines on a page."""
    cursor: Cursor | None = None
    """`next_cursor` of the previous page."""


class ListStockCounts(PageRequest):
    """Filters for counts, newest first."""

    warehouse_id: RecordId | None = None
    """Filter by warehouse."""
    state: StockCountState | None = None
    """Filter by state."""


class CountedPieces(Request):
    """Items found on a location."""

    location_id: LocationId
    """Location."""
    sku: Sku
    """SKU of the product."""
    quantity: int = Field(ge=0, le=QUANTITY_MAX, examples=[12])
    """Number of items found; 0 for none. A later count of the same line replaces it."""
    lot: Lot | None = None
    """Lot number."""
    serial: Lot | None = Field(default=None, examples=["SN-0001"])
    """Serial number."""
    condition: Condition = Condition.GOOD
    """Condition of the units."""
    expires_on: Day | None = None
    """Expiry date, if the lot is new."""


class RecordStockCount(StockCountRef):
    """Number of counted lines."""

    lines: list[CountedPieces] = Field(min_length=1, max_length=LINES_MAX)
    """Counted lines. Items that are not in the books become additional lines."""


class FinishStockCount(StockCountRef):
    """A count that is done."""

    rest_is_gone: bool = False
    """If true, treat uncounted lines as empty. Otherwise a count with uncounted lines is rejected."""


class RecountStock(StockCountRef):
    """Lines to count again."""

    all: bool = False
    """If true, list all counted stock. If false, only differences."""


class StockCountLine(Answer):
    """A line of a count."""

    location_id: LocationId
    location: Annotated[str, doc("Code of the location.")]
    product_id: int
    sku: str
    lot: str | None
    serial: str | None
    condition: Condition
    expires_on: date | None
    expected: Annotated[
        int | None, doc("Quantity in the books at the time of counting. Null while a blind count is open.")
    ]
    counted: Annotated[int | None, doc("Counted quantity, or null if the line is not counted yet.")]
    difference: Annotated[int | None, doc("Counted quantity minus the quantity in the books.")]


class StockCount(Answer):
    """A count."""

    id: int
    warehouse_id: int
    state: StockCountState
    blind: bool
    note: str | None
    locations: Annotated[int, doc("Number of locations in the count.")]
    lines: int
    counted: Annotated[int, doc("Number of counted lines.")]
    differences: Annotated[
        int | None, doc("Number of lines that differ from the books. Null while a blind count is open.")
    ]
    created_at: datetime
    created_by: Annotated[int | None, doc("User who created the count.")]
    decided_at: datetime | None
    decided_by: Annotated[int | None, doc("User who approved or rejected the count.")]


class StockCountAnswer(Answer):
    """One count."""

    result: bool = True
    count: StockCount


class StockCountDetail(Answer):
    """One count with a page of its lines, in walking order."""

    result: bool = True
    count: StockCount
    lines: list[StockCountLine]
    next_cursor: Annotated[str | None, doc("Cursor of the next page, or null on the last page.")]


class StockCountPosted(Answer):
    """A count that was approved, and what was posted."""

    result: bool = True
    count: StockCount
    movements: list[StockMovement]
    released: Annotated[list[ReleasedReservation], doc("References of reservations that lost units by this count.")]


class StockCountList(PagedAnswer):
    """A page of counts, newest first."""

    counts: list[StockCount]
