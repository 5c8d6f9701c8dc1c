"""The tables of scans and of packages that are expected."""

from datetime import date, datetime

from sqlalchemy import Column, Date, Index, Integer, String, UniqueConstraint

from haulier.contexts.warehouse.packages.contract import PACKAGE_NUMBER_MAX
from haulier.contexts.warehouse.scans.contract import (
    SCANNED_CODE_MAX,
    SCANNER_ID_MAX,
    ScanKind,
    ScanOutcome,
    ScanRefusal,
)
from haulier.contexts.warehouse.stock.contract import LOT_MAX
from haulier.contexts.warehouse.warehouses.contract import REFERENCE_MAX
from haulier.kernel.data.personal_data import plain_columns
from haulier.kernel.data.statements import Row
from haulier.kernel.data.tables import VOLATILE, Id, UTCDateTime, tenant_table
from haulier.kernel.operations.fields import REASON_MAX

scans = tenant_table(
    "warehouse_scan",
    Column("device_id", String(SCANNER_ID_MAX), nullable=False),
    Column("scan_id", String(SCANNER_ID_MAX), nullable=False),
    Column("kind", String(12), nullable=False),
    Column("code", String(SCANNED_CODE_MAX), nullable=False, info=VOLATILE),
    Column("warehouse_id", Id, nullable=False),
    Column("outcome", String(16), nullable=False),
    Column("refusal", String(24)),
    Column("sku", String(80)),
    Column("package_number", String(PACKAGE_NUMBER_MAX), info=VOLATILE),
    Column("quantity", Integer),
    Column("lot", String(LOT_MAX)),
    Column("serial", String(LOT_MAX)),
    Column("expires_on", Date),
    Column("location_id", Id),
    Column("to_location_id", Id),
    Column("belongs_to_warehouse_id", Id),
    Column("transfer_id", Id),
    Column("route_id", Id),
    Column("belongs_on_route_id", Id),
    Column("reference", String(REFERENCE_MAX)),
    Column("note", String(REASON_MAX)),
    Column("file_id", Id),
    Column("user_id", Id),
    Column("occurred_at", UTCDateTime, nullable=False),
    Column("device_at", UTCDateTime),
    Column("recorded_at", UTCDateTime, nullable=False),
    UniqueConstraint("client_id", "device_id", "scan_id"),
    Index("ix_warehouse_scan_warehouse", "client_id", "warehouse_id", "id"),
    Index("ix_warehouse_scan_outcome", "client_id", "outcome", "id"),
    Index("ix_warehouse_scan_kind", "client_id", "kind", "id"),
)
"""A scan is there once: a repeat finds what came of the first."""
plain_columns(scans, "device_id", "scan_id", "kind", "code", "outcome", "refusal", "sku", "package_number")
plain_columns(scans, "lot", "serial", "reference", "note")

expected_arrivals = tenant_table(
    "expected_arrival",
    Column("warehouse_id", Id, nullable=False),
    Column("day", Date, nullable=False),
    Column("number", String(PACKAGE_NUMBER_MAX), nullable=False, info=VOLATILE),
    Column("order_id", Id),
    Column("route_id", Id),
    Column("arrived_at", UTCDateTime),
    Column("missed_at", UTCDateTime),
    Column("created_at", UTCDateTime, nullable=False),
    UniqueConstraint("client_id", "number", "warehouse_id", "day"),
    Index("ix_expected_arrival_day", "client_id", "day", "id"),
)
plain_columns(expected_arrivals, "number")


class WarehouseScanRow(Row):
    """A scan."""

    id: int
    device_id: str
    scan_id: str
    kind: ScanKind
    code: str
    warehouse_id: int
    outcome: ScanOutcome
    refusal: ScanRefusal | None
    sku: str | None
    package_number: str | None
    quantity: int | None
    lot: str | None
    serial: str | None
    expires_on: date | None
    location_id: int | None
    to_location_id: int | None
    belongs_to_warehouse_id: int | None
    transfer_id: int | None
    route_id: int | None
    belongs_on_route_id: int | None
    reference: str | None
    note: str | None
    file_id: int | None
    user_id: int | None
    occurred_at: datetime
    device_at: datetime | None
    recorded_at: datetime


class ExpectedArrivalRow(Row):
    """A package that should come to a warehouse on a day."""

    id: int
    warehouse_id: int
    day: date
    number: str
    order_id: int | None
    route_id: int | None
