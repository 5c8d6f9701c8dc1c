"""The table of scans: what drivers scanned, and the result."""

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Column, Index, String, bindparam, select

from haulier.contexts.driver_app.fields import SCAN_CODE_MAX
from haulier.contexts.driver_app.scans.rules import ScanResult
from haulier.kernel.data.personal_data import plain_columns
from haulier.kernel.data.statements import Row, in_param
from haulier.kernel.data.tables import Id, UTCDateTime, tenant_table
from haulier.kernel.data.unit_of_work import UnitOfWork

scans = tenant_table(
    "rider_scan",
    Column("route_id", Id, nullable=False),
    Column("stop_id", Id),
    Column("driver_id", Id, nullable=False),
    Column("order_id", Id),
    Column("package_id", Id),
    Column("code", String(SCAN_CODE_MAX), nullable=False),
    Column("result", String(20), nullable=False),
    Column("occurred_at", UTCDateTime, nullable=False),
    Column("recorded_at", UTCDateTime, nullable=False),
    Index(None, "client_id", "route_id"),
)
"""`stop_id` is null for a scan while loading; `package_id` is null where the code names an order and not one of its pieces."""
plain_columns(scans, "code", "result")


class MatchedScanRow(Row):
    """A scan whose code belongs to the route.

    `stop_id` is None for a scan while loading.
    """

    route_id: int
    stop_id: int | None
    order_id: int
    package_id: int | None
    code: str
    occurred_at: datetime


class ScanRow(Row):
    """A scan and its result."""

    order_id: int | None
    package_id: int | None
    result: str


_matched = (
    select(scans.c.route_id, scans.c.stop_id, scans.c.order_id, scans.c.package_id, scans.c.code, scans.c.occurred_at)
    .where(in_param(scans.c.route_id, "ids"), scans.c.result == ScanResult.MATCHED)
    .order_by(scans.c.id)
)
_same = select(scans).where(
    scans.c.route_id == bindparam("route"),
    scans.c.driver_id == bindparam("driver"),
    scans.c.code == bindparam("code"),
    scans.c.occurred_at == bindparam("at"),
)


async def insert_scan(work: UnitOfWork, **values: Any) -> int:
    """Write a scan."""
    return await work.insert(scans, **values)


async def list_matched_scans(work: UnitOfWork, route_ids: Collection[int]) -> Sequence[MatchedScanRow]:
    """The scans of these routes that matched, oldest first."""
    return await work.all(_matched, MatchedScanRow, ids=list(route_ids)) if route_ids else []


async def find_same_scan(work: UnitOfWork, route_id: int, driver_id: int, code: str, at: datetime) -> ScanRow | None:
    """The same scan, recorded by an earlier call, or None."""
    return await work.first(_same, ScanRow, route=route_id, driver=driver_id, code=code, at=at)
