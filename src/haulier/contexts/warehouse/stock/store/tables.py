"""Tables of stock: movements, levels and reservations."""

from datetime import date, datetime
from typing import Annotated

from sqlalchemy import CheckConstraint, Index, String, UniqueConstraint

from haulier.contexts.warehouse.stock.contract import LOT_MAX, REASON_CODE_MAX, Condition, MovementKind
from haulier.contexts.warehouse.warehouses.contract import REFERENCE_MAX
from haulier.kernel.data.personal_data import plain_columns
from haulier.kernel.data.records import BigInt, Record, Reference
from haulier.kernel.operations.fields import REASON_MAX

KEY_MAX = 80


class MovementRow(
    Record,
    table="stock_movement",
    items=[
        CheckConstraint("quantity > 0", name="positive"),
        UniqueConstraint("client_id", "key"),
        Index("ix_stock_movement_product", "client_id", "product_id", "id"),
        Index(
            "ix_stock_movement_occurred",
            *("client_id", "product_id", "occurred_at", "kind", "from_warehouse_id", "to_warehouse_id", "quantity"),
        ),
        Index("ix_stock_movement_reference", "client_id", "reference", "id"),
        Index("ix_stock_movement_from", "client_id", "from_warehouse_id", "id"),
        Index("ix_stock_movement_to", "client_id", "to_warehouse_id", "id"),
    ],
):
    """A movement.

    Written once and never changed: `stock_level` is their sum.
    """

    kind: Annotated[MovementKind, String(12)]
    product_id: Reference
    quantity: int
    lot: Annotated[str, String(LOT_MAX)]
    serial: Annotated[str, String(LOT_MAX)]
    condition: Annotated[Condition, String(10)]
    from_location_id: Reference | None
    to_location_id: Reference | None
    from_warehouse_id: Reference | None
    to_warehouse_id: Reference | None
    reference: Annotated[str, String(REFERENCE_MAX)] | None
    reason: Annotated[str, String(REASON_CODE_MAX)] | None
    note: Annotated[str, String(REASON_MAX)] | None
    key: Annotated[str, String(KEY_MAX)] | None
    occurred_at: datetime
    recorded_at: datetime
    user_id: Reference | None


movements = MovementRow.table
plain_columns(movements, "kind", "lot", "serial", "condition", "reference", "reason", "note", "key")


class LevelRow(
    Record,
    table="stock_level",
    items=[
        CheckConstraint("reserved >= 0", name="reserved"),
        UniqueConstraint("client_id", "location_id", "product_id", "lot", "serial", "condition"),
        Index("ix_stock_level_product", "client_id", "product_id", "warehouse_id"),
        Index("ix_stock_level_warehouse", "client_id", "warehouse_id", "id"),
        Index("ix_stock_level_expiry", "client_id", "expires_on", "id"),
    ],
):
    """Quantity of a product on a location."""

    warehouse_id: Reference
    location_id: Reference
    product_id: Reference
    lot: Annotated[str, String(LOT_MAX)]
    serial: Annotated[str, String(LOT_MAX)]
    condition: Annotated[Condition, String(10)]
    expires_on: date | None
    on_hand: BigInt
    reserved: BigInt


levels = LevelRow.table
plain_columns(levels, "lot", "serial", "condition")


class StockLotRow(Record, table="stock_lot", items=[UniqueConstraint("client_id", "product_id", "lot")]):
    """A lot and its expiry day.

    The expiry day of a lot, the same wherever its items stand. `stock_level.expires_on` repeats it.
    """

    product_id: Reference
    lot: Annotated[str, String(LOT_MAX)]
    expires_on: date


lots = StockLotRow.table
plain_columns(lots, "lot")


class StockReservationRow(
    Record,
    table="stock_reservation",
    items=[
        CheckConstraint("quantity > 0", name="positive"),
        UniqueConstraint("client_id", "warehouse_id", "reference", "level_id"),
        Index("ix_stock_reservation_level", "client_id", "level_id"),
    ],
):
    """Items of a level that something will take."""

    warehouse_id: Reference
    reference: Annotated[str, String(REFERENCE_MAX)]
    level_id: Reference
    quantity: int
    created_at: datetime


reservations = StockReservationRow.table
plain_columns(reservations, "reference")
