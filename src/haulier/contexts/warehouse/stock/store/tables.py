"""The tables of stock: movements, the levels that follow from them, and reservations."""

from datetime import date, datetime

from sqlalchemy import BigInteger, CheckConstraint, Column, Date, Index, Integer, String, UniqueConstraint

from haulier.contexts.warehouse.stock.contract import LOT_MAX, REASON_CODE_MAX, Condition, MovementKind
from haulier.contexts.warehouse.warehouses.contract import REFERENCE_MAX
from haulier.kernel.data.personal_data import plain_columns
from haulier.kernel.data.statements import Row
from haulier.kernel.data.tables import Id, UTCDateTime, tenant_table
from haulier.kernel.operations.fields import REASON_MAX

KEY_MAX = 80

movements = tenant_table(
    "stock_movement",
    Column("kind", String(12), nullable=False),
    Column("product_id", Id, nullable=False),
    Column("quantity", Integer, nullable=False),
    Column("lot", String(LOT_MAX), nullable=False),
    Column("serial", String(LOT_MAX), nullable=False),
    Column("condition", String(10), nullable=False),
    Column("from_location_id", Id),
    Column("to_location_id", Id),
    Column("from_warehouse_id", Id),
    Column("to_warehouse_id", Id),
    Column("reference", String(REFERENCE_MAX)),
    Column("reason", String(REASON_CODE_MAX)),
    Column("note", String(REASON_MAX)),
    Column("key", String(KEY_MAX)),
    Column("occurred_at", UTCDateTime, nullable=False),
    Column("recorded_at", UTCDateTime, nullable=False),
    Column("user_id", Id),
    CheckConstraint("quantity > 0", name="positive"),
    UniqueConstraint("client_id", "key"),
    Index("ix_stock_movement_product", "client_id", "product_id", "id"),
    # Why so wide: reports read nothing but this index, and of each product only the period that they are about (0076).
    Index(
        "ix_stock_movement_occurred",
        *("client_id", "product_id", "occurred_at", "kind", "from_warehouse_id", "to_warehouse_id", "quantity"),
    ),
    Index("ix_stock_movement_reference", "client_id", "reference", "id"),
    Index("ix_stock_movement_from", "client_id", "from_warehouse_id", "id"),
    Index("ix_stock_movement_to", "client_id", "to_warehouse_id", "id"),
)
"""Written once and never changed: `stock_level` is their sum."""
plain_columns(movements, "kind", "lot", "serial", "condition", "reference", "reason", "note", "key")

levels = tenant_table(
    "stock_level",
    Column("warehouse_id", Id, nullable=False),
    Column("location_id", Id, nullable=False),
    Column("product_id", Id, nullable=False),
    Column("lot", String(LOT_MAX), nullable=False),
    Column("serial", String(LOT_MAX), nullable=False),
    Column("condition", String(10), nullable=False),
    Column("expires_on", Date),
    Column("on_hand", BigInteger, nullable=False),
    Column("reserved", BigInteger, nullable=False),
    CheckConstraint("reserved >= 0", name="reserved"),
    UniqueConstraint("client_id", "location_id", "product_id", "lot", "serial", "condition"),
    Index("ix_stock_level_product", "client_id", "product_id", "warehouse_id"),
    Index("ix_stock_level_warehouse", "client_id", "warehouse_id", "id"),
    Index("ix_stock_level_expiry", "client_id", "expires_on", "id"),
)
plain_columns(levels, "lot", "serial", "condition")

lots = tenant_table(
    "stock_lot",
    Column("product_id", Id, nullable=False),
    Column("lot", String(LOT_MAX), nullable=False),
    Column("expires_on", Date, nullable=False),
    UniqueConstraint("client_id", "product_id", "lot"),
)
"""The expiry day of a lot, the same wherever its pieces stand. `stock_level.expires_on` repeats it."""
plain_columns(lots, "lot")

reservations = tenant_table(
    "stock_reservation",
    Column("warehouse_id", Id, nullable=False),
    Column("reference", String(REFERENCE_MAX), nullable=False),
    Column("level_id", Id, nullable=False),
    Column("quantity", Integer, nullable=False),
    Column("created_at", UTCDateTime, nullable=False),
    CheckConstraint("quantity > 0", name="positive"),
    UniqueConstraint("client_id", "warehouse_id", "reference", "level_id"),
    Index("ix_stock_reservation_level", "client_id", "level_id"),
)
plain_columns(reservations, "reference")


class MovementRow(Row):
    """A movement."""

    id: int
    kind: MovementKind
    product_id: int
    quantity: int
    lot: str
    serial: str
    condition: Condition
    from_location_id: int | None
    to_location_id: int | None
    reference: str | None
    reason: str | None
    note: str | None
    key: str | None
    occurred_at: datetime
    recorded_at: datetime
    user_id: int | None


class LevelRow(Row):
    """How much of a product stands on a location."""

    id: int
    warehouse_id: int
    location_id: int
    product_id: int
    lot: str
    serial: str
    condition: Condition
    expires_on: date | None
    on_hand: int
    reserved: int


class StockLotRow(Row):
    """A lot and its expiry day."""

    id: int
    product_id: int
    lot: str
    expires_on: date


class StockReservationRow(Row):
    """Pieces of a level that something will take."""

    id: int
    warehouse_id: int
    reference: str
    level_id: int
    quantity: int
