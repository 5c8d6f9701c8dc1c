"""The tables of warehouses and locations."""

from datetime import datetime
from typing import Annotated

from sqlalchemy import Index, String, UniqueConstraint

from haulier.contexts.warehouse.warehouses.contract import ADDRESS_MAX, BARCODE_MAX, CODE_MAX, LocationKind
from haulier.kernel.data.personal_data import plain_columns
from haulier.kernel.data.records import Record, Reference
from haulier.kernel.operations.fields import NAME_MAX


class WarehouseRow(Record, table="warehouse", items=[UniqueConstraint("client_id", "code")]):
    """A warehouse."""

    code: Annotated[str, String(CODE_MAX)]
    name: Annotated[str, String(NAME_MAX)]
    address: Annotated[str, String(ADDRESS_MAX)]
    lat: float | None
    lng: float | None
    closed: bool
    created_at: datetime


warehouses = WarehouseRow.table
plain_columns(warehouses, "code", "name", "address", "lat", "lng")


class LocationRow(
    Record,
    table="warehouse_location",
    items=[
        UniqueConstraint("client_id", "warehouse_id", "code"),
        UniqueConstraint("client_id", "barcode"),
        Index("ix_warehouse_location_walk", "client_id", "warehouse_id", "walk_order", "code"),
    ],
):
    """A location."""

    warehouse_id: Reference
    code: Annotated[str, String(CODE_MAX)]
    zone: Annotated[str, String(CODE_MAX)] | None
    kind: Annotated[LocationKind, String(20)]
    barcode: Annotated[str, String(BARCODE_MAX)]
    walk_order: int
    capacity: int | None
    blocked: bool


locations = LocationRow.table
plain_columns(locations, "code", "zone", "kind", "barcode")
