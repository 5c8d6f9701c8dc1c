"""Statements on movements."""

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import or_, select

from haulier.contexts.warehouse.stock.store.tables import MovementRow, movements
from haulier.kernel.data.unit_of_work import UnitOfWork


async def insert_movements(work: UnitOfWork, rows: Sequence[Mapping[str, Any]]) -> Sequence[MovementRow]:
    """Write movements and return them; those whose `key` was written before are left out."""
    return await work.insert_new(movements, rows, MovementRow)


async def list_movement_rows(
    work: UnitOfWork, wanted: Mapping[str, Any], *, warehouse_id: int | None, before: int | None, limit: int
) -> Sequence[MovementRow]:
    """Movements whose columns have these values, the newest first, older than one."""
    page = select(movements).where(*(movements.c[name] == value for name, value in wanted.items()))
    if warehouse_id is not None:
        page = page.where(
            or_(movements.c.from_warehouse_id == warehouse_id, movements.c.to_warehouse_id == warehouse_id)
        )
    if before is not None:
        page = page.where(movements.c.id < before)
    return await work.all(page.order_by(movements.c.id.desc()).limit(limit), MovementRow)
