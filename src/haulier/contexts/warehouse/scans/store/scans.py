"""Statements on scans."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from sqlalchemy import String, bindparam, select, update

from haulier.contexts.warehouse.scans.store.tables import WarehouseScanRow, scans
from haulier.kernel.data.statements import in_param
from haulier.kernel.data.unit_of_work import UnitOfWork

_of_device = select(scans).where(scans.c.device_id == bindparam("device"), in_param(scans.c.scan_id, "scan_ids"))
_settle = (
    update(scans)
    .where(scans.c.id == bindparam("scan"))
    .values(
        outcome=bindparam("new_outcome", type_=String()),
        refusal=bindparam("new_refusal", type_=scans.c.refusal.type),
        belongs_to_warehouse_id=bindparam("belongs_to", type_=scans.c.belongs_to_warehouse_id.type),
        transfer_id=bindparam("transfer", type_=scans.c.transfer_id.type),
        belongs_on_route_id=bindparam("belongs_on", type_=scans.c.belongs_on_route_id.type),
    )
)


async def insert_scans(work: UnitOfWork, rows: Sequence[Mapping[str, Any]]) -> dict[str, WarehouseScanRow]:
    """Write scans that were not known, and return them by `scan_id`. Those that were are left out."""
    return {row.scan_id: row for row in await work.insert_new(scans, rows, WarehouseScanRow)}


async def settle_scan_rows(work: UnitOfWork, settled: Sequence[Mapping[str, Any]]) -> None:
    """Write what came of scans, in one exchange."""
    await work.run_many(_settle, settled)


async def find_scan_rows(work: UnitOfWork, device_id: str, scan_ids: Collection[str]) -> dict[str, WarehouseScanRow]:
    """Scans of a device by `scan_id`."""
    if not scan_ids:
        return {}
    rows = await work.all(_of_device, WarehouseScanRow, device=device_id, scan_ids=list(scan_ids))
    return {row.scan_id: row for row in rows}


async def list_scan_rows(
    work: UnitOfWork, wanted: Mapping[str, Any], *, before: int | None, limit: int
) -> Sequence[WarehouseScanRow]:
    """Scans whose columns have these values, the newest first, older than one."""
    page = select(scans).where(*(scans.c[name] == value for name, value in wanted.items()))
    if before is not None:
        page = page.where(scans.c.id < before)
    return await work.all(page.order_by(scans.c.id.desc()).limit(limit), WarehouseScanRow)
