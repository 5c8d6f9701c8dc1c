"""What goes in and out of counts."""

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
from haulier.kernel.values.moments import Day
from haulier.kernel.values.pagination import PagedAnswer, PageRequest

COUNT_LINES_MAX = 1000


class StockCountState(StrEnum):
    """How far a count is."""

    OPEN = "open"
    """People count."""
    COUNTED = "counted"
    """Somebody has to say whether the differences are posted."""
    APPROVED = "approved"
    """The differences are posted."""
    REJECTED = "rejected"
    """Nothing is posted."""


class CreateStockCount(Request):
    """What is to be counted."""

    warehouse_id: RecordId
    """Where."""
    location_ids: Annotated[set[RecordId], Field(min_length=1, max_length=LOCATIONS_MAX), EachOnce] | None = None
    """Only these locations."""
    zone: WarehouseCode | None = Field(default=None, examples=["A"])
    """Only locations of this part of the warehouse."""
    skus: Annotated[set[Sku], Field(min_length=1, max_length=LINES_MAX), EachOnce] | None = None
    """Only these products."""
    locations: int = Field(default=50, ge=1, le=LOCATIONS_MAX)
    """At most so many locations: those that were not counted for the longest time. A small number each day is a cycle count."""
    blind: bool = True
    """Whether who counts does not see how much there should be."""
    note: Reason | None = Field(default=None, examples=["Cycle count, week 24"])
    """What it is about."""


class StockCountRef(Request):
    """Which count."""

    count_id: RecordId


class GetStockCount(StockCountRef):
    """Which count, and which of its lines."""

    differences: bool = False
    """Only lines whose pieces differ from the books."""
    per_page: Page = 50
    """Lines on a page."""
    cursor: Cursor | None = None
    """Continues a list: `next_cursor` of the page before."""


class ListStockCounts(PageRequest):
    """Which counts, the newest first."""

    warehouse_id: RecordId | None = None
    """Only those of this warehouse."""
    state: StockCountState | None = None
    """Only those that are so far."""


class CountedPieces(Request):
    """Pieces that somebody found."""

    location_id: RecordId
    """Where."""
    sku: Sku
    """Which product."""
    quantity: int = Field(ge=0, le=QUANTITY_MAX, examples=[12])
    """How many there are; 0 for none. What is counted again replaces what was counted before."""
    lot: Lot | None = None
    """Of which lot."""
    serial: Lot | None = Field(default=None, examples=["SN-0001"])
    """Which piece."""
    condition: Condition = Condition.GOOD
    """In which state."""
    expires_on: Day | None = None
    """Until which day they are good, where the books do not know them."""


class RecordStockCount(StockCountRef):
    """What was counted."""

    lines: list[CountedPieces] = Field(min_length=1, max_length=LINES_MAX)
    """What stands where. Pieces that the books do not know are lines of their own."""


class FinishStockCount(StockCountRef):
    """A count that is done."""

    rest_is_gone: bool = False
    """What nobody counted is not there. Otherwise a count with such lines is refused."""


class RecountStock(StockCountRef):
    """What is to be counted again."""

    all: bool = False
    """All of it, and not only what differs from the books."""


class StockCountLine(Answer):
    """Pieces that were counted, or are to be."""

    location_id: int
    location: Annotated[str, doc("The location's code.")]
    product_id: int
    sku: str
    lot: str | None
    serial: str | None
    condition: Condition
    expires_on: date | None
    expected: Annotated[int | None, doc("By the books, when it was counted. Null while a blind count is open.")]
    counted: Annotated[int | None, doc("Null where nobody counted yet.")]
    difference: Annotated[int | None, doc("Pieces more than in the books, or less where negative.")]


class StockCount(Answer):
    """A count."""

    id: int
    warehouse_id: int
    state: StockCountState
    blind: bool
    note: str | None
    locations: Annotated[int, doc("How many locations are counted.")]
    lines: int
    counted: Annotated[int, doc("Lines that were counted.")]
    differences: Annotated[int | None, doc("Lines that differ from the books. Null while a blind count is open.")]
    created_at: datetime
    created_by: Annotated[int | None, doc("Who asked for it.")]
    decided_at: datetime | None
    decided_by: Annotated[int | None, doc("Who approved or rejected it.")]


class StockCountAnswer(Answer):
    """One count."""

    result: bool = True
    count: StockCount


class StockCountDetail(Answer):
    """One count with a page of its lines, in the order of the walk."""

    result: bool = True
    count: StockCount
    lines: list[StockCountLine]
    next_cursor: Annotated[str | None, doc("Continues the list; null at its end.")]


class StockCountPosted(Answer):
    """A count that was approved, and what was posted."""

    result: bool = True
    count: StockCount
    movements: list[StockMovement]
    released: Annotated[list[ReleasedReservation], doc("Reservations that lost pieces by this count, by reference.")]


class StockCountList(PagedAnswer):
    """A page of counts, the newest first."""

    counts: list[StockCount]
