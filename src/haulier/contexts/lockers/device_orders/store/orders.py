"""Orders of devices and their lines."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from sqlalchemy import ColumnElement, bindparam, delete, func, select, update

from haulier.contexts.lockers.device_orders.store.tables import DeviceLineRow, DeviceOrderRow, device_orders, lines
from haulier.kernel.data.statements import in_param
from haulier.kernel.data.unit_of_work import UnitOfWork
from haulier.kernel.values.pagination import MAX_COUNT

_by_delivery = select(device_orders).where(device_orders.c.order_id == bindparam("delivery")).with_for_update()
_deliveries = select(device_orders.c.order_id).where(in_param(device_orders.c.order_id, "deliveries"))
_lines = select(lines).where(lines.c.device_order_id == bindparam("device_order")).order_by(lines.c.product_code)
_no_lines = delete(lines).where(lines.c.device_order_id == bindparam("device_order"))


async def update_device_order(work: UnitOfWork, device_order_id: int, values: Mapping[str, Any]) -> None:
    """Update columns of an order."""
    changed = update(device_orders).where(device_orders.c.id == bindparam("device_order")).values(**values)
    await work.run(changed, device_order=device_order_id)


async def write_lines(work: UnitOfWork, device_order_id: int, rows: Sequence[Mapping[str, Any]]) -> None:
    """Replace the lines of an order."""
    await work.run(_no_lines, device_order=device_order_id)
    await work.insert_many(lines, [{**row, "device_order_id": device_order_id} for row in rows])


async def lock_order_of_delivery(work: UnitOfWork, order_id: int) -> DeviceOrderRow | None:
    """Lock and return the order of a local delivery, or None."""
    return await work.first(_by_delivery, DeviceOrderRow, delivery=order_id)


async def list_deliveries_of_devices(work: UnitOfWork, order_ids: Collection[int]) -> list[int]:
    """Return the local deliveries that belong to device orders."""
    return [row.order_id for row in await work.all(_deliveries, deliveries=sorted(order_ids))]


async def list_line_rows(work: UnitOfWork, device_order_id: int) -> Sequence[DeviceLineRow]:
    """List the lines of an order by product code."""
    return await work.all(_lines, DeviceLineRow, device_order=device_order_id)


async def list_device_order_rows(
    work: UnitOfWork, wanted: Mapping[str, Any], *, limit: int, offset: int
) -> tuple[Sequence[DeviceOrderRow], int]:
    """List a page of matching orders, newest first, with their count.

    Counting stops one above `MAX_COUNT`.
    """
    conditions: list[ColumnElement[bool]] = [device_orders.c[name] == value for name, value in wanted.items()]
    page = select(device_orders).where(*conditions).order_by(device_orders.c.id.desc())
    rows = await work.all(page.limit(limit).offset(offset), DeviceOrderRow)
    counted = select(device_orders.c.id).where(*conditions).limit(MAX_COUNT + 1).subquery()
    return rows, await work.value(select(func.count()).select_from(counted))
