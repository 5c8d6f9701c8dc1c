"""What goes in and out of stock."""

from datetime import date, datetime
from enum import StrEnum
from typing import Annotated

from pydantic import Field

from haulier.contexts.custom_fields.fields import FieldFilters, ShownValues
from haulier.contexts.warehouse.products.contract import ProductBarcode, Sku
from haulier.contexts.warehouse.warehouses.contract import Reference
from haulier.kernel.operations.answers import Answer, doc
from haulier.kernel.operations.declaration import Request
from haulier.kernel.operations.fields import Reason, RecordId
from haulier.kernel.operations.ids import UserId
from haulier.kernel.values.moments import Day
from haulier.kernel.values.pagination import MAX_CURSOR_LENGTH, MAX_PER_PAGE, PagedAnswer, PageRequest

QUANTITY_MAX, LINES_MAX = 1_000_000_000, 200
LOT_MAX, REASON_CODE_MAX = 60, 40

Quantity = Annotated[int, Field(ge=1, le=QUANTITY_MAX)]
Lot = Annotated[str, Field(min_length=1, max_length=LOT_MAX, pattern=r"^[\x21-\x7e]+$", examples=["L2026-11"])]
Cursor = Annotated[str, Field(max_length=MAX_CURSOR_LENGTH, examples=["WzE3XQ"])]
Page = Annotated[int, Field(ge=1, le=MAX_PER_PAGE)]


class Condition(StrEnum):
    """What state pieces are in."""

    GOOD = "good"
    DAMAGED = "damaged"
    """Kept apart: neither reserved nor picked."""


class MovementKind(StrEnum):
    """Why stock moved."""

    RECEIVE = "receive"
    PUT_AWAY = "put_away"
    MOVE = "move"
    PICK = "pick"
    PACK = "pack"
    SHIP = "ship"
    RETURN = "return"
    COUNT = "count"
    ADJUST = "adjust"
    TRANSFER = "transfer"


class AdjustReason(StrEnum):
    """Why the books were wrong, or stock is gone."""

    DAMAGED = "damaged"
    LOST = "lost"
    FOUND = "found"
    EXPIRED = "expired"
    CORRECTION = "correction"


class StockPieces(Request):
    """Pieces of one product."""

    sku: Sku
    """Which product."""
    quantity: Quantity
    """How many pieces."""
    lot: Lot | None = None
    """Their lot, for a product whose lots are told apart."""
    serial: Lot | None = Field(default=None, examples=["SN-0001"])
    """The serial number of the one piece, for a product whose pieces are told apart."""
    condition: Condition = Condition.GOOD
    """What state they are in."""


class ReceivedPieces(StockPieces):
    """Pieces that came."""

    location_id: RecordId
    """Where they were put."""
    expires_on: Day | None = None
    """Until which day they are good."""


class ReceiveStock(Request):
    """Goods that came."""

    lines: list[ReceivedPieces] = Field(min_length=1, max_length=LINES_MAX)
    """What came, and where it was put."""
    reference: Reference | None = None
    """The delivery note or order that they came with."""
    returned: bool = False
    """Whether they come back from a customer."""


class MovedPieces(StockPieces):
    """Pieces that go from one location to another."""

    from_location_id: RecordId
    """Where they stood."""
    to_location_id: RecordId
    """Where they stand from now on."""


class MoveStock(Request):
    """Goods that go elsewhere, in the same warehouse or in another."""

    lines: list[MovedPieces] = Field(min_length=1, max_length=LINES_MAX)
    """What goes where."""
    reference: Reference | None = None
    """What it is for."""


class AdjustStock(Request):
    """A correction of what the books say."""

    location_id: RecordId
    """Where."""
    sku: Sku
    """Of which product."""
    change: int = Field(ge=-QUANTITY_MAX, le=QUANTITY_MAX, examples=[-2])
    """Pieces more, or less where negative."""
    lot: Lot | None = None
    """Of which lot."""
    serial: Lot | None = Field(default=None, examples=["SN-0001"])
    """Which piece."""
    condition: Condition = Condition.GOOD
    """Pieces in which state."""
    reason: AdjustReason
    """Why."""
    note: Reason | None = Field(default=None, examples=["Dropped from the forklift"])
    """More about it."""


class ReservedPieces(Request):
    """Pieces that are wanted."""

    sku: Sku
    """Which product."""
    quantity: Quantity
    """How many pieces."""


class ReserveStock(Request):
    """Stock that something will take."""

    warehouse_id: RecordId
    """Where it will be picked."""
    reference: Reference
    """What it is for, such as an order's reference. It has one reservation in a warehouse."""
    lines: list[ReservedPieces] = Field(min_length=1, max_length=LINES_MAX)
    """What is wanted. All of it is reserved, or nothing."""


class StockReservationRef(Request):
    """Whose reservation."""

    warehouse_id: RecordId
    """In which warehouse."""
    reference: Reference
    """What it is for."""


class ListStockReservations(PageRequest):
    """Whose reservations, the oldest first."""

    warehouse_id: RecordId | None = None
    """Only in this warehouse."""
    sku: Sku | None = None
    """Only those with pieces of this product."""
    picked: bool | None = None
    """Only those that stand where picked stock waits, all of it, or only those of which something is still to be picked."""


class GetInventory(Request):
    """Which products, in which warehouse."""

    warehouse_id: RecordId | None = None
    """Only in this warehouse; in all of them when left out."""
    skus: Annotated[list[Sku], Field(max_length=MAX_PER_PAGE)] | None = None
    """Only these products."""
    barcode: ProductBarcode | None = None
    """Only the product with this barcode."""
    custom_fields: FieldFilters = []
    """Only products whose own fields have these values: `name:value`, `name>=value` or `name<=value`. Not beside `skus` and
    `barcode`."""
    per_page: Page = 50
    """Products on a page."""
    cursor: Cursor | None = None
    """Continues a list: `next_cursor` of the page before."""


class ListStockLevels(Request):
    """What stands where."""

    warehouse_id: RecordId | None = None
    """Only in this warehouse."""
    location_id: RecordId | None = None
    """Only on this location."""
    sku: Sku | None = None
    """Only of this product."""
    expires_before: Day | None = None
    """Only what is good until a day before this one."""
    per_page: Page = 50
    """Records on a page."""
    cursor: Cursor | None = None
    """Continues a list: `next_cursor` of the page before."""


class ListStockMovements(Request):
    """Which movements, the newest first."""

    warehouse_id: RecordId | None = None
    """Only into, out of and within this warehouse."""
    sku: Sku | None = None
    """Only of this product."""
    reference: Reference | None = None
    """Only for this."""
    per_page: Page = 50
    """Records on a page."""
    cursor: Cursor | None = None
    """Continues a list: `next_cursor` of the page before."""


class WarehouseInventory(Answer):
    """How much of a product a warehouse holds."""

    warehouse_id: int
    on_hand: Annotated[int, doc("Pieces that stand there, in whatever state.")]
    reserved: Annotated[int, doc("Of these, pieces that orders will take.")]
    available: Annotated[int, doc("Pieces that can be reserved today: good and not expired.")]


class InventoryItem(Answer):
    """How much of a product there is."""

    product_id: int
    sku: str
    name: str
    on_hand: Annotated[int, doc("Pieces that there are, in whatever state.")]
    reserved: Annotated[int, doc("Of these, pieces that orders will take.")]
    available: Annotated[int, doc("Pieces that can be reserved today: good and not expired.")]
    short: Annotated[bool, doc("Whether fewer are available than the product's `reorder_below`.")]
    custom_fields: ShownValues
    warehouses: Annotated[list[WarehouseInventory], doc("Where they are; empty where there are none.")]


class InventoryList(Answer):
    """A page of products and how much there is of each, by SKU."""

    result: bool = True
    inventory: list[InventoryItem]
    next_cursor: Annotated[str | None, doc("Continues the list; null at its end.")]


class StockLevel(Answer):
    """How much of a product stands on a location."""

    warehouse_id: int
    location_id: int
    product_id: int
    sku: str
    lot: str | None
    serial: str | None
    condition: Condition
    expires_on: Annotated[date | None, doc("Until which day it is good.")]
    on_hand: Annotated[int, doc("Pieces. Negative where scans that were made offline say that more left than came.")]
    reserved: Annotated[int, doc("Of these, pieces that orders will take.")]
    available: Annotated[
        int, doc("Pieces that can be reserved today: good, not expired, not in quarantine, not blocked.")
    ]


class CorrectStockLot(Request):
    """A new expiry day for a lot."""

    product_id: RecordId
    """The product's id."""
    lot: Lot
    """The lot."""
    expires_on: Day
    """Last day on which its pieces are good."""
    reason: Reason = Field(examples=["Misread on the delivery note"])
    """Why the recorded day was wrong. It is stored with the lot's history."""


class StockLot(Answer):
    """A lot of a product."""

    product_id: int
    sku: str
    lot: str
    expires_on: Annotated[date, doc("Last day on which its pieces are good.")]


class StockLotAnswer(Answer):
    """A corrected lot."""

    result: bool = True
    lot: StockLot
    previous: Annotated[date, doc("Expiry day before the correction.")]


class StockLevelList(Answer):
    """A page of levels."""

    result: bool = True
    levels: list[StockLevel]
    next_cursor: Annotated[str | None, doc("Continues the list; null at its end.")]


class StockMovement(Answer):
    """A quantity of a product that came, left, or went elsewhere. Never changed."""

    id: int
    kind: MovementKind
    product_id: int
    sku: str
    quantity: int
    lot: str | None
    serial: str | None
    condition: Condition
    from_location_id: Annotated[int | None, doc("Null where it came from outside.")]
    to_location_id: Annotated[int | None, doc("Null where it left.")]
    reference: str | None
    reason: Annotated[str | None, doc("Why the books were corrected.")]
    note: str | None
    occurred_at: Annotated[datetime, doc("When it happened, by the clock of who scanned it.")]
    recorded_at: Annotated[datetime, doc("When it was written down.")]
    user_id: Annotated[UserId | None, doc("Who did it.")]


class StockMovementList(Answer):
    """A page of movements, the newest first."""

    result: bool = True
    movements: list[StockMovement]
    next_cursor: Annotated[str | None, doc("Continues the list; null at its end.")]


class ReleasedReservation(Answer):
    """Reserved pieces that were released because their stock is gone."""

    shortage_id: Annotated[int, doc("Shortage opened for them; `list_stock_shortages` lists it.")]
    reference: Annotated[str, doc("Reference of the reservation.")]
    order_id: Annotated[int | None, doc("Order with this reference, or null.")]
    sku: str
    quantity: Annotated[int, doc("Pieces released.")]


class StockMoved(Answer):
    """The movements that were written, in the order of the lines."""

    result: bool = True
    movements: list[StockMovement]
    released: Annotated[
        list[ReleasedReservation], doc("Reservations that lost pieces by this call, by reference.")
    ] = []


class ReservedLevel(Answer):
    """Pieces that are reserved on a location."""

    location_id: int
    product_id: int
    lot: str | None
    serial: str | None
    quantity: int


class StockReservation(Answer):
    """What is reserved for something, in all."""

    warehouse_id: int
    reference: str
    products: Annotated[int, doc("How many different products.")]
    pieces: int
    to_pick: Annotated[int, doc("Of these, pieces that do not stand where picked stock waits.")]
    reserved_at: Annotated[datetime, doc("When the first of it was reserved.")]


class StockReservationList(PagedAnswer):
    """A page of reservations, the oldest first."""

    reservations: list[StockReservation]


class StockReservationAnswer(Answer):
    """What is reserved for something, what ends first before the rest."""

    result: bool = True
    warehouse_id: int
    reference: str
    reserved: list[ReservedLevel]
