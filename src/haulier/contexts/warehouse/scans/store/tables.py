"""The tables of scans and of packages that are expected."""

from datetime import date, datetime
from typing import Annotated

from sqlalchemy import Column, Index, String, UniqueConstraint

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
from haulier.kernel.data.records import Record, Reference
from haulier.kernel.data.tables import VOLATILE
from haulier.kernel.operations.fields import REASON_MAX


class WarehouseScanRow(
    Record,
    table="warehouse_scan",
    items=[
        UniqueConstraint("client_id", "device_id", "scan_id"),
        Index("ix_warehouse_scan_warehouse", "client_id", "warehouse_id", "id"),
        Index("ix_warehouse_scan_outcome", "client_id", "outcome", "id"),
        Index("ix_warehouse_scan_kind", "client_id", "kind", "id"),
    ],
):
    """A scan.

    A scan is there once: a repeat finds what came of the first.
    """

    device_id: Annotated[str, String(SCANNER_ID_MAX)]
    scan_id: Annotated[str, String(SCANNER_ID_MAX)]
    kind: Annotated[ScanKind, String(12)]
    code: Annotated[str, Column("code", String(SCANNED_CODE_MAX), nullable=False, info=VOLATILE)]
    warehouse_id: Reference
    outcome: Annotated[ScanOutcome, String(16)]
    refusal: Annotated[ScanRefusal, String(24)] | None
    sku: Annotated[str, String(80)] | None
    package_number: Annotated[str | None, Column("package_number", String(PACKAGE_NUMBER_MAX), info=VOLATILE)]
    quantity: int | None
    lot: Annotated[str, String(LOT_MAX)] | None
    serial: Annotated[str, String(LOT_MAX)] | None
    expires_on: date | None
    location_id: Reference | None
    to_location_id: Reference | None
    belongs_to_warehouse_id: Reference | None
    transfer_id: Reference | None
    route_id: Reference | None
    belongs_on_route_id: Reference | None
    reference: Annotated[str, String(REFERENCE_MAX)] | None
    note: Annotated[str, String(REASON_MAX)] | None
    file_id: Reference | None
    user_id: Reference | None
    occurred_at: datetime
    device_at: datetime | None
    recorded_at: datetime


scans = WarehouseScanRow.table
plain_columns(scans, "device_id", "scan_id", "kind", "code", "outcome", "refusal", "sku", "package_number")
plain_columns(scans, "lot", "serial", "reference", "note")


class ExpectedArrivalRow(
    Record,
    table="expected_arrival",
    items=[
        UniqueConstraint("client_id", "number", "warehouse_id", "day"),
        Index("ix_expected_arrival_day", "client_id", "day", "id"),
    ],
):
    """A package that should come to a warehouse on a day."""

    warehouse_id: Reference
    day: date
    number: Annotated[str, Column("number", String(PACKAGE_NUMBER_MAX), nullable=False, info=VOLATILE)]
    order_id: Reference | None
    route_id: Reference | None
    arrived_at: datetime | None
    missed_at: datetime | None
    created_at: datetime


expected_arrivals = ExpectedArrivalRow.table
plain_columns(expected_arrivals, "number")
