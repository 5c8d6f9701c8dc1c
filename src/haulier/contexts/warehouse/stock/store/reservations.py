"""Statements on reservations."""

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import bindparam, delete, select

from haulier.contexts.warehouse.stock.store.tables import StockReservationRow, reservations
from haulier.kernel.data.unit_of_work import UnitOfWork

_mine = (reservations.c.warehouse_id == bindparam("warehouse")) & (reservations.c.reference == bindparam("reference"))
_list = select(reservations).where(_mine).order_by(reservations.c.id)
_lock = _list.with_for_update()
_delete = delete(reservations).where(_mine)


async def insert_reservations(work: UnitOfWork, rows: Sequence[Mapping[str, Any]]) -> None:
    """Write what is reserved. Raises `UniqueConflict` where another call reserved for the same reference."""
    await work.insert_many(reservations, rows)


async def list_reservation_rows(
    work: UnitOfWork, warehouse_id: int, reference: str, *, lock: bool = False
) -> Sequence[StockReservationRow]:
    """What is reserved for something in a warehouse."""
    return await work.all(_lock if lock else _list, StockReservationRow, warehouse=warehouse_id, reference=reference)


async def delete_reservations(work: UnitOfWork, warehouse_id: int, reference: str) -> None:
    """Forget what is reserved for something."""
    await work.run(_delete, warehouse=warehouse_id, reference=reference)
