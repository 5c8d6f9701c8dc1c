"""What goes in and out of receiving."""

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
from haulier.kernel.values.moments import Day
from haulier.kernel.values.pagination import PagedAnswer, PageRequest


class StockAdviceState(StrEnum):
    """How far an advice is."""

    EXPECTED = "expected"
    """Nothing came yet."""
    RECEIVING = "receiving"
    """Some of it came."""
    RECEIVED = "received"
    """All of it came."""
    CLOSED = "closed"
    """Nothing more is waited for."""


class AdvisedPieces(Request):
    """Pieces that are to come."""

    sku: Sku
    """Which product."""
    quantity: Quantity
    """How many pieces."""


class CreateStockAdvice(Request):
    """What a supplier announces."""

    warehouse_id: RecordId
    """Where it will come."""
    reference: Reference = Field(examples=["PO-1001"])
    """The purchase order or delivery note; unique in the warehouse."""
    supplier: Name | None = Field(default=None, examples=["Pottery Ltd."])
    """Who sends it."""
    expected_on: Day | None = None
    """The day on which it should come."""
    lines: list[AdvisedPieces] = Field(min_length=1, max_length=LINES_MAX)
    """What is to come. Lines of one product are added up."""


class StockAdviceRef(Request):
    """Which advice."""

    advice_id: RecordId


class ListStockAdvices(PageRequest):
    """Which advices, the newest first."""

    warehouse_id: RecordId | None = None
    """Only those of this warehouse."""
    open: bool | None = None
    """Only those that something is waited for, or only those that are closed."""
    reference: Reference | None = None
    """Only that with this reference."""


class ReceiveStockAdvice(Request):
    """What came of an advice."""

    advice_id: RecordId
    lines: list[ReceivedPieces] = Field(min_length=1, max_length=LINES_MAX)
    """What came, in which state, and where it was put."""
    accept_over: bool = False
    """Take also what was not announced, or more than was: otherwise nothing of the call is received."""


class AddStockAdvicePhoto(Request):
    """A photo of what came, such as of damaged pieces."""

    advice_id: RecordId
    photo: FileUpload
    """The picture."""


class PutAwayQuestion(Request):
    """What is to be put away."""

    warehouse_id: RecordId
    """In which warehouse."""
    sku: Sku
    """Which product."""
    quantity: Quantity
    """How many pieces."""
    condition: Condition = Condition.GOOD
    """Pieces in which state."""


class PutAwayPieces(StockPieces):
    """Pieces that go to where they are kept."""

    from_location_id: RecordId
    """Where they stood, such as at a dock."""
    to_location_id: RecordId | None = None
    """Where they stand from now on; where it is suggested when left out."""


class PutStockAway(Request):
    """Goods that go to where they are kept: all of them, or none."""

    warehouse_id: RecordId
    """In which warehouse."""
    lines: list[PutAwayPieces] = Field(min_length=1, max_length=LINES_MAX)
    """What goes where."""
    reference: Reference | None = None
    """What it came with."""


class StockAdviceLine(Answer):
    """How much of a product was announced, and came."""

    product_id: int
    sku: str
    expected: Annotated[int, doc("Pieces that were announced; 0 for what came without.")]
    received: Annotated[int, doc("Pieces that came, in whatever state.")]
    damaged: Annotated[int, doc("Of these, pieces that are damaged.")]
    missing: Annotated[int, doc("Pieces that did not come.")]
    over: Annotated[int, doc("Pieces that came beyond what was announced.")]


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
    lines: Annotated[list[StockAdviceLine], doc("What was announced, and what came.")]
    photo_file_ids: Annotated[list[int], doc("Photos of what came; `get_file` opens them.")]


class StockAdviceAnswer(Answer):
    """One advice."""

    result: bool = True
    advice: StockAdvice


class StockAdviceReceived(Answer):
    """What was received, and the advice as it is now."""

    result: bool = True
    advice: StockAdvice
    movements: list[StockMovement]


class StockAdviceList(PagedAnswer):
    """A page of advices, the newest first."""

    advices: list[StockAdvice]


class PutAwaySuggestion(Answer):
    """A location that has room."""

    location_id: int
    code: str
    zone: str | None
    quantity: Annotated[int, doc("Pieces to put there.")]
    same_product: Annotated[bool, doc("Whether pieces of the product stand there already.")]


class PutAwaySuggestions(Answer):
    """Where pieces go: where the product stands already, then in the same zone, then in walking order."""

    result: bool = True
    suggestions: list[PutAwaySuggestion]
    without_room: Annotated[int, doc("Pieces for which no room was found.")]
