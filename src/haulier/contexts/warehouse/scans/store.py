"""Tables and statements of scans."""

from collections.abc import Collection, Mapping, Sequence
from datetime import date, datetime
from typing import Annotated, Any

from sqlalchemy import BigInteger, Column, Index, String, UniqueConstraint, bindparam, delete, func, or_, select, update

from haulier.contexts.warehouse.packages.contract import PACKAGE_NUMBER_MAX
from haulier.contexts.warehouse.packages.store import packages
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
from haulier.kernel.data.statements import in_param
from haulier.kernel.data.tables import VOLATILE
from haulier.kernel.data.unit_of_work import UnitOfWork
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


_table = expected_arrivals
_came_otherwise = (
    select(packages.c.id)
    .where(packages.c.number == _table.c.number, packages.c.warehouse_id == _table.c.warehouse_id)
    .exists()
)
"""Condition: a package is where it is expected without a scan here, such as by transfer."""
_open = (
    select(_table)
    .where(in_param(_table.c.number, "numbers"), _table.c.arrived_at.is_(None))
    .order_by(_table.c.day, _table.c.id)
)
_arrived = (
    update(_table)
    .where(_table.c.id == bindparam("row"))
    .values(arrived_at=bindparam("at", type_=_table.c.arrived_at.type))
)


_missed = (
    select(_table)
    .where(_table.c.day < bindparam("today", type_=_table.c.day.type), _table.c.order_id.is_not(None))
    .where(_table.c.arrived_at.is_(None), _table.c.missed_at.is_(None), ~_came_otherwise)
    .order_by(_table.c.id)
    .limit(bindparam("page_size"))
    .with_for_update(of=_table)
)
_set_missed = (
    update(_table).where(in_param(_table.c.id, "ids")).values(missed_at=bindparam("at", type_=_table.c.missed_at.type))
)


_cancel = delete(_table).where(
    _table.c.warehouse_id == bindparam("warehouse"),
    _table.c.day == bindparam("on", type_=_table.c.day.type),
    _table.c.arrived_at.is_(None),
    or_(
        in_param(_table.c.number, "numbers"),
        in_param(_table.c.order_id, "orders"),
        _table.c.route_id == bindparam("route", type_=BigInteger),
    ),
)


async def insert_arrivals(work: UnitOfWork, rows: Sequence[Mapping[str, Any]]) -> int:
    """Insert expected packages; known ones are skipped. Return the number of new ones."""
    return len(await work.insert_new(_table, rows, returning=("id",)))


async def delete_open_arrivals(
    work: UnitOfWork,
    warehouse_id: int,
    day: date,
    *,
    numbers: Collection[str],
    order_ids: Collection[int],
    route_id: int | None,
) -> int:
    """Delete expected packages of a day that did not arrive. Return their number."""
    named = {"numbers": sorted(numbers), "orders": sorted(order_ids), "route": route_id}
    return await work.run(_cancel, warehouse=warehouse_id, on=day, **named)


async def list_open_arrivals(work: UnitOfWork, numbers: Collection[str]) -> Sequence[ExpectedArrivalRow]:
    """Where packages are expected that did not come yet, the earliest day first."""
    return await work.all(_open, ExpectedArrivalRow, numbers=sorted(numbers)) if numbers else []


async def set_arrived(work: UnitOfWork, arrived: Sequence[Mapping[str, Any]]) -> None:
    """Write that packages came, in one exchange."""
    await work.run_many(_arrived, arrived)


async def list_missing_rows(
    work: UnitOfWork, wanted: Mapping[str, Any], until: date, *, limit: int, offset: int
) -> tuple[Sequence[ExpectedArrivalRow], int]:
    """Return a page of packages that did not arrive until a day, and the total."""
    missing = [
        _table.c.arrived_at.is_(None),
        ~_came_otherwise,
        _table.c.day <= until,
        *(_table.c[name] == value for name, value in wanted.items()),
    ]
    page = select(_table).where(*missing).order_by(_table.c.day, _table.c.id).limit(limit).offset(offset)
    rows = await work.all(page, ExpectedArrivalRow)
    return rows, await work.value(select(func.count()).select_from(_table).where(*missing))


async def lock_missed_rows(work: UnitOfWork, today: date, limit: int) -> Sequence[ExpectedArrivalRow]:
    """Lock and return missed packages of orders that were not reported yet."""
    return await work.all(_missed, ExpectedArrivalRow, today=today, page_size=limit)


async def set_missed(work: UnitOfWork, ids: Collection[int], now: datetime) -> None:
    """Mark missed packages as reported."""
    if ids:
        await work.run(_set_missed, ids=list(ids), at=now)


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
    """Insert new scans and return them by `scan_id`; known ones are skipped."""
    return {row.scan_id: row for row in await work.insert_new(scans, rows, WarehouseScanRow)}


async def update_scan_results(work: UnitOfWork, settled: Sequence[Mapping[str, Any]]) -> None:
    """Write what came of scans, in one exchange."""
    await work.run_many(_settle, settled)


async def find_scan_rows(work: UnitOfWork, device_id: str, scan_ids: Collection[str]) -> dict[str, WarehouseScanRow]:
    """Return scans of a device by `scan_id`."""
    if not scan_ids:
        return {}
    rows = await work.all(_of_device, WarehouseScanRow, device=device_id, scan_ids=list(scan_ids))
    return {row.scan_id: row for row in rows}


async def list_scan_rows(
    work: UnitOfWork, wanted: Mapping[str, Any], *, before: int | None, limit: int
) -> Sequence[WarehouseScanRow]:
    """Scans matching column values, newest first, older than one."""
    page = select(scans).where(*(scans.c[name] == value for name, value in wanted.items()))
    if before is not None:
        page = page.where(scans.c.id < before)
    return await work.all(page.order_by(scans.c.id.desc()).limit(limit), WarehouseScanRow)
