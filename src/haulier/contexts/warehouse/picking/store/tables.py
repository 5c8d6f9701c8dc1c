"""The tables of picking."""

from datetime import datetime
from typing import Annotated

from sqlalchemy import CheckConstraint, Index, String, UniqueConstraint

from haulier.contexts.warehouse.stock.contract import LOT_MAX
from haulier.contexts.warehouse.warehouses.contract import REFERENCE_MAX
from haulier.kernel.data.personal_data import plain_columns
from haulier.kernel.data.records import Record, Reference


class PickWaveRow(
    Record, table="pick_wave", items=[Index("ix_pick_wave_warehouse", "client_id", "warehouse_id", "id")]
):
    """A wave."""

    warehouse_id: Reference
    staging_location_id: Reference
    created_at: datetime


waves = PickWaveRow.table


class PickTaskRow(
    Record,
    table="pick_task",
    items=[
        CheckConstraint("quantity > 0", name="positive"),
        CheckConstraint("picked + short <= quantity", name="within"),
        UniqueConstraint("client_id", "reservation_id"),
        Index("ix_pick_task_wave", "client_id", "wave_id", "id"),
    ],
):
    """Pieces to take from a location.

    A reservation of a level is in one task at most: two waves never fetch the same pieces.
    """

    wave_id: Reference
    reference: Annotated[str, String(REFERENCE_MAX)]
    reservation_id: Reference
    location_id: Reference
    product_id: Reference
    lot: Annotated[str, String(LOT_MAX)]
    serial: Annotated[str, String(LOT_MAX)]
    quantity: int
    picked: int
    short: int


tasks = PickTaskRow.table
plain_columns(tasks, "reference", "lot", "serial")


class PickPackageRow(
    Record,
    table="pick_package",
    items=[
        Index("ix_pick_package_reference", "client_id", "warehouse_id", "reference", "id"),
        Index("ix_pick_package_carton", "client_id", "packing_plan_id", "carton", unique=True),
    ],
):
    """A package.

    A carton of a packing plan is packed once. `carton` is its number in the plan, from 1.
    """

    warehouse_id: Reference
    reference: Annotated[str, String(REFERENCE_MAX)]
    weight_g: int
    barcode: Annotated[str, String(LOT_MAX)] | None
    packing_plan_id: Reference | None
    carton: int | None
    created_at: datetime
    shipped_at: datetime | None


packages = PickPackageRow.table
plain_columns(packages, "reference", "barcode")


class PickPackageLineRow(
    Record,
    table="pick_package_line",
    items=[
        CheckConstraint("quantity > 0", name="positive"),
        Index("ix_pick_package_line_package", "client_id", "package_id", "id"),
    ],
):
    """Pieces in a package."""

    package_id: Reference
    product_id: Reference
    lot: Annotated[str, String(LOT_MAX)]
    serial: Annotated[str, String(LOT_MAX)]
    quantity: int


package_lines = PickPackageLineRow.table
plain_columns(package_lines, "lot", "serial")
