"""What drivers scanned, and what it turned out to be."""

from collections.abc import Collection
from typing import Any

from sqlalchemy import Column, Index, String, bindparam, select

from haulier.contexts.driver_app.fields import SCAN_CODE_MAX
from haulier.kernel.data.statements import in_param
from haulier.kernel.data.tables import Id, UTCDateTime, tenant_table
from haulier.kernel.data.unit_of_work import UnitOfWork

MATCHED = "matched"

scans = tenant_table(
    "rider_scan",
    Column("route_id", Id, nullable=False),
    Column("stop_id", Id),
    Column("driver_id", Id, nullable=False),
    Column("order_id", Id),
    Column("code", String(SCAN_CODE_MAX), nullable=False),
    Column("result", String(20), nullable=False),
    Column("occurred_at", UTCDateTime, nullable=False),
    Column("recorded_at", UTCDateTime, nullable=False),
    Index(None, "client_id", "route_id"),
)
"""Without a stop, it was scanned while loading."""

_matched = (
    select(scans.c.route_id, scans.c.stop_id, scans.c.order_id)
    .where(in_param(scans.c.route_id, "ids"), scans.c.result == MATCHED)
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


async def list_matched_scans(work: UnitOfWork, route_ids: Collection[int]) -> list[Any]:
    """The scans of these routes that matched."""
    return await work.all(_matched, ids=list(route_ids)) if route_ids else []


async def find_same_scan(work: UnitOfWork, route_id: int, driver_id: int, code: str, at: Any) -> Any:
    """The same scan told before, or None."""
    return await work.first(_same, route=route_id, driver=driver_id, code=code, at=at)
