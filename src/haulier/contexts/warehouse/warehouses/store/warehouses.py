"""Statements on warehouses."""

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import Boolean, bindparam, func, select, update

from haulier.contexts.warehouse.warehouses.store.tables import WarehouseRow, warehouses
from haulier.kernel.data.unit_of_work import UnitOfWork

_wanted = warehouses.c.closed.is_(False) | bindparam("all", type_=Boolean)
_list = (
    select(warehouses)
    .where(_wanted)
    .order_by(warehouses.c.code)
    .limit(bindparam("page_size"))
    .offset(bindparam("skipped"))
)
_count = select(func.count()).select_from(warehouses).where(_wanted)


async def update_warehouse_row(work: UnitOfWork, warehouse_id: int, values: Mapping[str, Any]) -> None:
    """Change columns of a warehouse."""
    if values:
        changed = update(warehouses).where(warehouses.c.id == bindparam("warehouse")).values(**values)
        await work.run(changed, warehouse=warehouse_id)


async def list_warehouse_rows(
    work: UnitOfWork, *, closed: bool, limit: int, offset: int
) -> tuple[Sequence[WarehouseRow], int]:
    """A page of warehouses, by code, and how many there are."""
    rows = await work.all(_list, WarehouseRow, all=closed, page_size=limit, skipped=offset)
    return rows, await work.value(_count, all=closed)
