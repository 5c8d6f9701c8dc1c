"""The devices that were sent for orders, and their returns."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, bindparam, func, select, update

from haulier.contexts.lockers.device_orders.store.tables import returns, units
from haulier.kernel.data.statements import Row, in_param
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
_return = select(returns).where(returns.c.id == bindparam("device_return"))
_return_locked = _return.with_for_update()


class OrderedUnitRow(Row):
    """A device that was sent."""

    id: int
    product_id: int
    product_code: str
    unit_price_minor: int
    serial: str
    device_id: int
    device_return_id: int | None
    activated_at: datetime | None
    returned_at: datetime | None


class DeviceReturnRow(Row):
    """Devices that go back."""

    id: int
    device_order_id: int
    customer_id: int
    status: str
    reason: str
    wish: str
    note: str
    serials: list[str]
    restocked: bool | None
    worth_minor: int
    refund_minor: int | None
    currency: str
    tracking_number: str | None
    created_at: datetime
    received_at: datetime | None
    ended_at: datetime | None


async def insert_units(work: UnitOfWork, rows: Sequence[Mapping[str, Any]]) -> set[str]:
    """Write devices that are sent. Returns the serial numbers that were free: others are out with somebody already."""
    return {row.serial for row in await work.insert_new(units, rows, returning=("serial",))}


async def list_units(work: UnitOfWork, device_order_id: int) -> Sequence[OrderedUnitRow]:
    """What was sent for an order, replacements among it."""
    return await work.all(_of_order, OrderedUnitRow, device_order=device_order_id)


async def list_units_of_return(work: UnitOfWork, device_return_id: int) -> Sequence[OrderedUnitRow]:
    """What goes back with a return."""
    return await work.all(_of_return, OrderedUnitRow, device_return=device_return_id)


async def count_units_out(work: UnitOfWork, device_order_id: int) -> int:
    """How many devices of an order did not come back."""
    return await work.value(_live, device_order=device_order_id)


async def note_activated(work: UnitOfWork, unit_id: int, at: datetime) -> None:
    """Note when a device's code was handed over first."""
    await work.run(_activate, unit=unit_id, at=at)


async def promise_units(work: UnitOfWork, ids: Sequence[int], device_return_id: int) -> None:
    """Note with which return devices go back."""
    await work.run(_promise, ids=list(ids), going=device_return_id)


async def release_units(work: UnitOfWork, device_return_id: int) -> None:
    """Note that the devices of a return do not go back."""
    await work.run(_release, going=device_return_id)


async def take_back_units(work: UnitOfWork, device_return_id: int, at: datetime) -> None:
    """Note that the devices of a return are here; their serial numbers can be sent again."""
    await work.run(_take_back, going=device_return_id, at=at)


async def insert_return(work: UnitOfWork, values: Mapping[str, Any]) -> int:
    """Write a return. Returns its id."""
    return await work.insert(returns, **values)


async def update_return(work: UnitOfWork, device_return_id: int, values: Mapping[str, Any]) -> None:
    """Change columns of a return."""
    changed = update(returns).where(returns.c.id == bindparam("device_return")).values(**values)
    await work.run(changed, device_return=device_return_id)


async def get_return_row(work: UnitOfWork, device_return_id: int, *, lock: bool = False) -> DeviceReturnRow | None:
    """A return, or None."""
    return await work.first(_return_locked if lock else _return, DeviceReturnRow, device_return=device_return_id)


async def list_return_rows(
    work: UnitOfWork, wanted: Mapping[str, Any], *, limit: int, offset: int
) -> tuple[Sequence[DeviceReturnRow], int]:
    """A page of returns whose columns have these values, newest first, and how many there are, counted to one too many."""
    conditions: list[ColumnElement[bool]] = [returns.c[name] == value for name, value in wanted.items()]
    page = select(returns).where(*conditions).order_by(returns.c.id.desc())
    rows = await work.all(page.limit(limit).offset(offset), DeviceReturnRow)
    counted = select(returns.c.id).where(*conditions).limit(MAX_COUNT + 1).subquery()
    return rows, await work.value(select(func.count()).select_from(counted))
