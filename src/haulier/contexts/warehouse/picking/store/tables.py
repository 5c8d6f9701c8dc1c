"""The tables of picking."""

from datetime import datetime

from sqlalchemy import CheckConstraint, Column, Index, Integer, String, UniqueConstraint

from haulier.contexts.warehouse.stock.contract import LOT_MAX
from haulier.contexts.warehouse.warehouses.contract import REFERENCE_MAX
from haulier.kernel.data.personal_data import plain_columns
from haulier.kernel.data.statements import Row
from haulier.kernel.data.tables import Id, UTCDateTime, tenant_table

waves = tenant_table(
    "pick_wave",
    Column("warehouse_id", Id, nullable=False),
    Column("staging_location_id", Id, nullable=False),
    Column("created_at", UTCDateTime, nullable=False),
    Index("ix_pick_wave_warehouse", "client_id", "warehouse_id", "id"),
)

tasks = tenant_table(
    "pick_task",
    Column("wave_id", Id, nullable=False),
    Column("reference", String(REFERENCE_MAX), nullable=False),
    Column("reservation_id", Id, nullable=False),
    Column("location_id", Id, nullable=False),
    Column("product_id", Id, nullable=False),
    Column("lot", String(LOT_MAX), nullable=False),
    Column("serial", String(LOT_MAX), nullable=False),
    Column("quantity", Integer, nullable=False),
    Column("picked", Integer, nullable=False),
    Column("short", Integer, nullable=False),
    CheckConstraint("quantity > 0", name="positive"),
    CheckConstraint("picked + short <= quantity", name="within"),
    UniqueConstraint("client_id", "reservation_id"),
    Index("ix_pick_task_wave", "client_id", "wave_id", "id"),
)
"""A reservation of a level is in one task at most: two waves never fetch the same pieces."""
plain_columns(tasks, "reference", "lot", "serial")

packages = tenant_table(
    "pick_package",
    Column("warehouse_id", Id, nullable=False),
    Column("reference", String(REFERENCE_MAX), nullable=False),
    Column("weight_g", Integer, nullable=False),
    Column("barcode", String(LOT_MAX)),
    Column("packing_plan_id", Id),
    Column("carton", Integer),
    Column("created_at", UTCDateTime, nullable=False),
    Column("shipped_at", UTCDateTime),
    Index("ix_pick_package_reference", "client_id", "warehouse_id", "reference", "id"),
    Index("ix_pick_package_carton", "client_id", "packing_plan_id", "carton", unique=True),
)
"""A carton of a packing plan is packed once. `carton` is its number in the plan, from 1."""
plain_columns(packages, "reference", "barcode")

package_lines = tenant_table(
    "pick_package_line",
    Column("package_id", Id, nullable=False),
    Column("product_id", Id, nullable=False),
    Column("lot", String(LOT_MAX), nullable=False),
    Column("serial", String(LOT_MAX), nullable=False),
    Column("quantity", Integer, nullable=False),
    CheckConstraint("quantity > 0", name="positive"),
    Index("ix_pick_package_line_package", "client_id", "package_id", "id"),
)
plain_columns(package_lines, "lot", "serial")


class PickWaveRow(Row):
    """A wave."""

    id: int
    warehouse_id: int
    staging_location_id: int
    created_at: datetime


class PickTaskRow(Row):
    """Pieces to take from a location."""

    id: int
    wave_id: int
    reference: str
    reservation_id: int
    location_id: int
    product_id: int
    lot: str
    serial: str
    quantity: int
    picked: int
    short: int


class PickPackageRow(Row):
    """A package."""

    id: int
    warehouse_id: int
    reference: str
    weight_g: int
    barcode: str | None
    packing_plan_id: int | None
    carton: int | None
    created_at: datetime
    shipped_at: datetime | None


class PickPackageLineRow(Row):
    """Pieces in a package."""

    package_id: int
    product_id: int
    lot: str
    serial: str
    quantity: int
