"""Devices shipped for orders, and their returns."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, bindparam, func, select, update

from haulier.contexts.lockers.device_orders.store.tables import DeviceReturnRow, OrderedUnitRow, returns, units
from haulier.kernel.data.statements import in_param
from haulier.kernel.data.tables import UTCDateTime
from haulier.kernel.data.unit_of_work import UnitOfWork
from haulier.kernel.values.pagination import MAX_COUNT

_of_order = select(units).where(units.c.device_order_id == bindparam("device_order")).order_by(units.c.id)
_of_return = select(units).where(units.c.device_return_id == bindparam("device_return")).order_by(units.c.id)
_live = (
    select(func.count())
    .select_from(units)
    .where(units.c.device_order_id == bindparam("device_order"), units.c.returned_at.is_(None))
)
_activate = (
    update(units)
    .where(units.c.id == bindparam("unit"), units.c.activated_at.is_(None))
    .values(activated_at=bindparam("at", type_=UTCDateTime))
)
_promise = update(units).where(in_param(units.c.id, "ids")).values(device_return_id=bindparam("going"))
_release = update(units).where(units.c.device_return_id == bindparam("going")).values(device_return_id=None)
_take_back = (
    update(units)
    .where(units.c.device_return_id == bindparam("going"))
    .values(returned_at=bindparam("at", type_=UTCDateTime))
)


async def insert_units(work: UnitOfWork, rows: Sequence[Mapping[str, Any]]) -> set[str]:
    """Insert shipped devices. Returns the serial numbers that were not already in use."""
    return {row.serial for row in await work.insert_new(units, rows, returning=("serial",))}


async def list_units(work: UnitOfWork, device_order_id: int) -> Sequence[OrderedUnitRow]:
    """List the devices shipped for an order, including replacements."""
    return await work.all(_of_order, OrderedUnitRow, device_order=device_order_id)


async def list_units_of_return(work: UnitOfWork, device_return_id: int) -> Sequence[OrderedUnitRow]:
    """List the devices of a return."""
    return await work.all(_of_return, OrderedUnitRow, device_return=device_return_id)


async def count_units_out(work: UnitOfWork, device_order_id: int) -> int:
    """Count the shipped devices of an order that were not returned."""
    return await work.value(_live, device_order=device_order_id)


async def note_activated(work: UnitOfWork, unit_id: int, at: datetime) -> None:
    """Record the first activation of a device."""
    await work.run(_activate, unit=unit_id, at=at)


async def promise_units(work: UnitOfWork, ids: Sequence[int], device_return_id: int) -> None:
    """Assign devices to a return."""
    await work.run(_promise, ids=list(ids), going=device_return_id)


async def release_units(work: UnitOfWork, device_return_id: int) -> None:
    """Remove devices from a return."""
    await work.run(_release, going=device_return_id)


async def take_back_units(work: UnitOfWork, device_return_id: int, at: datetime) -> None:
    """Mark the devices of a return as received and free their serial numbers."""
    await work.run(_take_back, going=device_return_id, at=at)


async def update_return(work: UnitOfWork, device_return_id: int, values: Mapping[str, Any]) -> None:
    """Update columns of a return."""
    changed = update(returns).where(returns.c.id == bindparam("device_return")).values(**values)
    await work.run(changed, device_return=device_return_id)


async def list_return_rows(
    work: UnitOfWork, wanted: Mapping[str, Any], *, limit: int, offset: int
) -> tuple[Sequence[DeviceReturnRow], int]:
    """List a page of matching returns, newest first, with their count.

    Counting stops one above `MAX_COUNT`.
    """
    conditions: list[ColumnElement[bool]] = [returns.c[name] == value for name, value in wanted.items()]
    page = select(returns).where(*conditions).order_by(returns.c.id.desc())
    rows = await work.all(page.limit(limit).offset(offset), DeviceReturnRow)
    counted = select(returns.c.id).where(*conditions).limit(MAX_COUNT + 1).subquery()
    return rows, await work.value(select(func.count()).select_from(counted))
