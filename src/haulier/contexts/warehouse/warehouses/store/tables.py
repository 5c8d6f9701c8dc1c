"""The tables of warehouses and locations."""

from datetime import datetime

from sqlalchemy import Boolean, Column, Float, Index, Integer, String, UniqueConstraint

from haulier.contexts.warehouse.warehouses.contract import ADDRESS_MAX, BARCODE_MAX, CODE_MAX, LocationKind
from haulier.kernel.data.personal_data import plain_columns
from haulier.kernel.data.statements import Row
from haulier.kernel.data.tables import Id, UTCDateTime, tenant_table
from haulier.kernel.operations.fields import NAME_MAX

warehouses = tenant_table(
    "warehouse",
    Column("code", String(CODE_MAX), nullable=False),
    Column("name", String(NAME_MAX), nullable=False),
    Column("address", String(ADDRESS_MAX), nullable=False),
    Column("lat", Float),
    Column("lng", Float),
    Column("closed", Boolean, nullable=False),
    Column("created_at", UTCDateTime, nullable=False),
    UniqueConstraint("client_id", "code"),
)
plain_columns(warehouses, "code", "name", "address", "lat", "lng")

locations = tenant_table(
    "warehouse_location",
    Column("warehouse_id", Id, nullable=False),
    Column("code", String(CODE_MAX), nullable=False),
    Column("zone", String(CODE_MAX)),
    Column("kind", String(20), nullable=False),
    Column("barcode", String(BARCODE_MAX), nullable=False),
    Column("walk_order", Integer, nullable=False),
    Column("capacity", Integer),
    Column("blocked", Boolean, nullable=False),
    UniqueConstraint("client_id", "warehouse_id", "code"),
    UniqueConstraint("client_id", "barcode"),
    Index("ix_warehouse_location_walk", "client_id", "warehouse_id", "walk_order", "code"),
)
plain_columns(locations, "code", "zone", "kind", "barcode")


class WarehouseRow(Row):
    """A warehouse."""

    id: int
    code: str
    name: str
    address: str
    lat: float | None
    lng: float | None
    closed: bool
    created_at: datetime


class LocationRow(Row):
    """A location."""

    id: int
    warehouse_id: int
    code: str
    zone: str | None
    kind: LocationKind
    barcode: str
    walk_order: int
    capacity: int | None
    blocked: bool
