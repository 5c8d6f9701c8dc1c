"""Request and response models for stock."""

from datetime import date, datetime
from enum import StrEnum
from typing import Annotated

from pydantic import Field

from haulier.contexts.custom_fields.fields import FieldFilters, ShownValues
from haulier.contexts.warehouse.products.contract import ProductBarcode, Sku
from haulier.contexts.warehouse.warehouses.contract import LocationKind, Reference
from haulier.kernel.operations.answers import Answer, doc
from haulier.kernel.operations.declaration import Request
from haulier.kernel.operations.fields import Reason, RecordId
from haulier.kernel.operations.ids import LocationId, UserId
from haulier.kernel.values.moments import Day
from haulier.kernel.values.pagination import MAX_CURSOR_LENGTH, MAX_PER_PAGE

QUANTITY_MAX, LINES_MAX = 1_000_000_000, 200
LOT_MAX, REASON_CODE_MAX = 60, 40

Quantity = Annotated[int, Field(ge=1, le=QUANTITY_MAX)]
Lot = Annotated[str, Field(min_length=1, max_length=LOT_MAX, pattern=r"^[\x21-\x7e]+$", examples=["L2026-11"])]
Cursor = Annotated[str, Field(max_length=MAX_CURSOR_LENGTH, examples=["WzE3XQ"])]
Page = Annotated[int, Field(ge=1, le=MAX_PER_PAGE)]


class Condition(StrEnum):
    """Condition of items."""

    GOOD = "good"
    B_GRADE = "b_grade"
    """Used or opened, such as returned goods: neither reserved nor picked."""
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
    """Items of one product."""

    sku: Sku
    """SKU of the product."""
    quantity: Quantity
    """Number of items."""
    lot: Lot | None = None
    """Lot number. Required for products that are tracked by lot."""
    serial: Lot | None = Field(default=None, examples=["SN-0001"])
    """Serial number. Required for products that are tracked by serial number."""
    condition: Condition = Condition.GOOD
    """Condition of the items."""


class ReceivedPieces(StockPieces):
    """Items that came."""

    location_id: LocationId
    """Location."""
    expires_on: Day | None = None
    """Expiry date."""


class ReceiveStock(Request):
    """Goods that came."""

    lines: list[ReceivedPieces] = Field(min_length=1, max_length=LINES_MAX)
    """Received goods with their locations."""
    reference: Reference | None = None
    """Delivery note or order."""
    returned: bool = False
    """If true, the goods come back from a customer."""


class MovedPieces(StockPieces):
    """Items that go from one location to another."""

    from_location_id: LocationId
    """Previous location."""
    to_location_id: LocationId
    """New location."""


class MoveStock(Request):
    """Goods that go elsewhere, in the same warehouse or in another."""

    lines: list[MovedPieces] = Field(min_length=1, max_length=LINES_MAX)
    """Items with their old and new locations."""
    reference: Reference | None = None
    """Purpose or reference, such as an order number."""


class AdjustStock(Request):
    """A correction of recorded stock."""

    location_id: LocationId
    """Location."""
    sku: Sku
    """SKU of the product."""
    change: int = Field(ge=-QUANTITY_MAX, le=QUANTITY_MAX, examples=[-2])
    """Items more, or less where negative."""
    lot: Lot | None = None
    """Lot number."""
    serial: Lot | None = Field(default=None, examples=["SN-0001"])
    """Serial number."""
    condition: Condition = Condition.GOOD
    """Condition of the units."""
    reason: AdjustReason
    """Reason."""
    note: Reason | None = Field(default=None, examples=["Dropped from the forklift"])
    """More about it."""


class ReservedPieces(Request):
    """Items to reserve."""

    sku: Sku
    """SKU of the product."""
    quantity: Quantity
    """Number of items."""


class ReserveStock(Request):
    """Stock to reserve."""

    warehouse_id: RecordId
    """Warehouse."""
    reference: Reference
    """Reference, such as an order's reference. Each has one reservation per warehouse."""
    lines: list[ReservedPieces] = Field(min_length=1, max_length=LINES_MAX)
    """Items to reserve. All lines are reserved, or none."""


class StockReservationRef(Request):
    """Reference to a reservation."""

    warehouse_id: RecordId
    """ID of the warehouse."""
    reference: Reference
    """Purpose or reference, such as an order number."""


class GetInventory(Request):
    """Filters for products and warehouses."""

    warehouse_id: RecordId | None = None
    """Filter by warehouse. Defaults to all warehouses."""
    skus: Annotated[list[Sku], Field(max_length=MAX_PER_PAGE)] | None = None
    """Filter by products."""
    barcode: ProductBarcode | None = None
    """Only the product with this barcode."""
    short: bool = False
    """If true, only products below their reorder level, without archived ones. Not beside `skus` and `barcode`."""
    custom_fields: FieldFilters = []
    """Filter by custom fields: `name:value`, `name>=value` or `name<=value`. Cannot be combined with `skus` and
    `barcode`."""
    per_page: Page = 50
    """Products on a page."""
    cursor: Cursor | None = None
    """`next_cursor` of the previous page."""


class ListStockLevels(Request):
    """Filters for stock levels."""

    warehouse_id: RecordId | None = None
    """Filter by warehouse."""
    location_id: LocationId | None = None
    """Filter by location."""
    sku: Sku | None = None
    """Filter by product."""
    expires_before: Day | None = None
    """Only stock that expires before this day."""
    location_kind: LocationKind | None = None
    """Filter by kind of location. `receiving` lists stock waiting for put-away."""
    per_page: Page = 50
    """Records per page."""
    cursor: Cursor | None = None
    """`next_cursor` of the previous page."""


class ListStockMovements(Request):
    """Filters for movements, newest first."""

    warehouse_id: RecordId | None = None
    """Only into, out of and within this warehouse."""
    sku: Sku | None = None
    """Filter by product."""
    reference: Reference | None = None
    """Filter by reference."""
    per_page: Page = 50
    """Records per page."""
    cursor: Cursor | None = None
    """`next_cursor` of the previous page."""


class WarehouseInventory(Answer):
    """Quantity of a product in a warehouse."""

    warehouse_id: int
    on_hand: Annotated[int, doc("Units at the location, in any condition.")]
    reserved: Annotated[int, doc("Units reserved for orders.")]
    available: Annotated[int, doc("Units that can be reserved today: in good condition and not expired.")]


class InventoryItem(Answer):
    """Quantity of a product."""

    product_id: int
    sku: str
    name: str
    on_hand: Annotated[int, doc("Units in stock, in any condition.")]
    reserved: Annotated[int, doc("Units reserved for orders.")]
    available: Annotated[int, doc("Units that can be reserved today: in good condition and not expired.")]
    short: Annotated[bool, doc("True if fewer units are available than `reorder_below`.")]
    custom_fields: ShownValues
    warehouses: Annotated[list[WarehouseInventory], doc("Stock by location; empty without stock.")]


class InventoryList(Answer):
    """A page of products and how much there is of each, by SKU."""

    result: bool = True
    inventory: list[InventoryItem]
    next_cursor: Annotated[str | None, doc("Cursor of the next page, or null on the last page.")]


class StockLevel(Answer):
    """Quantity of a product on a location."""

    warehouse_id: int
    location_id: LocationId
    location: Annotated[str, doc("The location's code.", "A-01")]
    product_id: int
    sku: str
    name: Annotated[str, doc("Name of the product.", "Mug, blue")]
    lot: str | None
    serial: str | None
    condition: Condition
    expires_on: Annotated[date | None, doc("Expiry day.")]
    on_hand: Annotated[int, doc("Units. Negative if offline scans report more outgoing than incoming units.")]
    reserved: Annotated[int, doc("Units reserved for orders.")]
    available: Annotated[
        int, doc("Units that can be reserved today: in good condition, not expired, not in quarantine, not blocked.")
    ]


class CorrectStockLot(Request):
    """A new expiry day for a lot."""

    product_id: RecordId
    """ID of the product."""
    lot: Lot
    """The lot."""
    expires_on: Day
    """Expiry date."""
    reason: Reason = Field(examples=["Misread on the delivery note"])
    """Reason for the correction, stored in the lot's history."""


class StockLot(Answer):
    """A lot of a product."""

    product_id: int
    sku: str
    lot: str
    expires_on: Annotated[date, doc("Best-before day.")]


class StockLotAnswer(Answer):
    """A corrected lot."""

    result: bool = True
    lot: StockLot
    previous: Annotated[date, doc("Expiry day before the correction.")]


class StockLevelList(Answer):
    """A page of levels."""

    result: bool = True
    levels: list[StockLevel]
    next_cursor: Annotated[str | None, doc("Cursor of the next page, or null on the last page.")]


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
    from_location_id: Annotated[LocationId | None, doc("Source location; null if the goods came from outside.")]
    to_location_id: Annotated[LocationId | None, doc("Target location; null if the goods left.")]
    reference: str | None
    reason: Annotated[str | None, doc("Reason for the correction.")]
    note: str | None
    occurred_at: Annotated[datetime, doc("Time of the scan, by the scanner's clock.")]
    recorded_at: Annotated[datetime, doc("Time when the record was created.")]
    user_id: Annotated[UserId | None, doc("User who made the change.")]


class StockMovementList(Answer):
    """A page of movements, newest first."""

    result: bool = True
    movements: list[StockMovement]
    next_cursor: Annotated[str | None, doc("Cursor of the next page, or null on the last page.")]


class ReleasedReservation(Answer):
    """Reserved items that were released because their stock is gone."""

    shortage_id: Annotated[int, doc("Shortage opened for them; `list_stock_shortages` lists it.")]
    reference: Annotated[str, doc("Reference of the reservation.")]
    order_id: Annotated[int | None, doc("Order with this reference, or null.")]
    sku: str
    quantity: Annotated[int, doc("Number of released units.")]


class StockMoved(Answer):
    """The movements that were written, in the order of the lines."""

    result: bool = True
    movements: list[StockMovement]
    released: Annotated[list[ReleasedReservation], doc("References of reservations that lost units by this call.")] = []


class ReservedLevel(Answer):
    """Items that are reserved on a location."""

    location_id: LocationId
    product_id: int
    lot: str | None
    serial: str | None
    quantity: int


class StockReservationAnswer(Answer):
    """Reserved stock of a reference, first expiry first."""

    result: bool = True
    warehouse_id: int
    reference: str
    reserved: list[ReservedLevel]
