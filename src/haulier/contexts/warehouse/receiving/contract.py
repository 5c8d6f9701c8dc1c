"""Request and response models for receiving."""

from datetime import date, datetime
from enum import StrEnum
from typing import Annotated

from pydantic import Field

from haulier.contexts.documents.files.contract import FileUpload
from haulier.contexts.warehouse.products.contract import Sku
from haulier.contexts.warehouse.stock.contract import (
    LINES_MAX,
    Condition,
    Quantity,
    ReceivedPieces,
    StockMovement,
    StockPieces,
)
from haulier.contexts.warehouse.warehouses.contract import Reference
from haulier.kernel.operations.answers import Answer, doc
from haulier.kernel.operations.declaration import Request
from haulier.kernel.operations.fields import Name, RecordId
from haulier.kernel.operations.ids import LocationId
from haulier.kernel.values.moments import Day
from haulier.kernel.values.pagination import PagedAnswer, PageRequest


class StockAdviceState(StrEnum):
    """State of an inbound shipment."""

    EXPECTED = "expected"
    """Nothing has been received."""
    RECEIVING = "receiving"
    """Some goods were received."""
    RECEIVED = "received"
    """All goods were received."""
    CLOSED = "closed"
    """Nothing more is expected."""


class AdvisedPieces(Request):
    """Announced pieces."""

    sku: Sku
    """SKU of the product."""
    quantity: Quantity
    """Number of items."""


class CreateStockAdvice(Request):
    """Goods that a supplier announces."""

    warehouse_id: RecordId
    """Warehouse."""
    reference: Reference = Field(examples=["PO-1001"])
    """The purchase order or delivery note; unique in the warehouse."""
    supplier: Name | None = Field(default=None, examples=["Pottery Ltd."])
    """Name of the supplier."""
    expected_on: Day | None = None
    """Expected day of arrival."""
    lines: list[AdvisedPieces] = Field(min_length=1, max_length=LINES_MAX)
    """Announced goods. Lines of the same product are added up."""


class StockAdviceRef(Request):
    """Reference to an inbound shipment."""

    advice_id: RecordId


class ListStockAdvices(PageRequest):
    """Filters for inbound shipments, newest first."""

    warehouse_id: RecordId | None = None
    """Filter by warehouse."""
    open: bool | None = None
    """If true, only open ones; if false, only closed ones."""
    reference: Reference | None = None
    """Filter by reference."""


class ReceiveStockAdvice(Request):
    """Received goods of an inbound shipment."""

    advice_id: RecordId
    lines: list[ReceivedPieces] = Field(min_length=1, max_length=LINES_MAX)
    """Received goods with condition and location."""
    accept_over: bool = False
    """If true, accept unannounced or excess units. Otherwise the whole call is rejected."""


class AddStockAdvicePhoto(Request):
    """A photo of what came, such as of damaged items."""

    advice_id: RecordId
    photo: FileUpload
    """The picture."""


class PutAwayQuestion(Request):
    """Items that need a storage location."""

    warehouse_id: RecordId
    """ID of the warehouse."""
    sku: Sku
    """SKU of the product."""
    quantity: Quantity
    """Number of items."""
    condition: Condition = Condition.GOOD
    """Condition of the units."""


class PutAwayPieces(StockPieces):
    """Items to put away."""

    from_location_id: LocationId
    """Previous location, such as a dock."""
    to_location_id: LocationId | None = None
    """New location. Defaults to the suggested location."""


class PutStockAway(Request):
    """Goods to put away, recorded atomically."""

    warehouse_id: RecordId
    """ID of the warehouse."""
    lines: list[PutAwayPieces] = Field(min_length=1, max_length=LINES_MAX)
    """Items and their locations."""
    reference: Reference | None = None
    """Reference of the delivery."""


class StockAdviceLine(Answer):
    """Announced and received items of a product."""

    product_id: int
    sku: str
    expected: Annotated[int, doc("Announced units; 0 if not announced.")]
    received: Annotated[int, doc("Received units in any condition.")]
    damaged: Annotated[int, doc("Received units that are damaged.")]
    missing: Annotated[int, doc("Announced units that were not received.")]
    over: Annotated[int, doc("Units received in excess of the announcement.")]


class StockAdvice(Answer):
    """Goods that were announced."""

    id: int
    warehouse_id: int
    reference: str
    supplier: str | None
    expected_on: date | None
    state: StockAdviceState
    created_at: datetime
    closed_at: datetime | None
    lines: Annotated[list[StockAdviceLine], doc("Announced and received goods.")]
    photo_file_ids: Annotated[list[int], doc("Photos of the delivery. Open them with `get_file`.")]


class StockAdviceAnswer(Answer):
    """One advice."""

    result: bool = True
    advice: StockAdvice


class StockAdviceReceived(Answer):
    """Received goods and the updated advice."""

    result: bool = True
    advice: StockAdvice
    movements: list[StockMovement]


class StockAdviceList(PagedAnswer):
    """A page of inbound shipments, newest first."""

    advices: list[StockAdvice]


class PutAwaySuggestion(Answer):
    """A location that has room."""

    location_id: LocationId
    code: str
    zone: str | None
    quantity: Annotated[int, doc("Units to put there.")]
    same_product: Annotated[bool, doc("True if the location already holds the product.")]


class PutAwaySuggestions(Answer):
    """Suggested locations.

    Locations with the product come first, then its zone, then walking order.
    """

    result: bool = True
    suggestions: list[PutAwaySuggestion]
    without_room: Annotated[int, doc("Units for which no space was found.")]
