"""Statements on packages that are expected."""

from collections.abc import Collection, Mapping, Sequence
from datetime import date, datetime
from typing import Any

from sqlalchemy import BigInteger, bindparam, delete, func, or_, select, update

from haulier.contexts.warehouse.packages.store.tables import packages
from haulier.contexts.warehouse.scans.store.tables import ExpectedArrivalRow, expected_arrivals
from haulier.kernel.data.statements import in_param
from haulier.kernel.data.unit_of_work import UnitOfWork

_table = expected_arrivals
_came_otherwise = (
    select(packages.c.id)
    .where(packages.c.number == _table.c.number, packages.c.warehouse_id == _table.c.warehouse_id)
    .exists()
)
"""Whether a package is where it is expected though nobody scanned it here: with a transfer, say."""
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
    """Expect packages; those that are expected there on that day already are left out. Returns how many were new."""
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
    """Forget packages that are expected on a day and did not come. Returns how many."""
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
    """A page of packages that did not come until a day, by day, and how many there are."""
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
    """Packages of orders that did not come on their day, of which nobody told yet, locked until the transaction ends."""
    return await work.all(_missed, ExpectedArrivalRow, today=today, page_size=limit)


async def set_missed(work: UnitOfWork, ids: Collection[int], now: datetime) -> None:
    """Write that it was told that packages did not come."""
    if ids:
        await work.run(_set_missed, ids=list(ids), at=now)
