"""Statements on reservations."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Integer, bindparam, delete, select, update

from haulier.contexts.warehouse.stock.store.tables import StockReservationRow, reservations
from haulier.kernel.data.statements import in_param
from haulier.kernel.data.unit_of_work import UnitOfWork

_mine = (reservations.c.warehouse_id == bindparam("warehouse")) & (reservations.c.reference == bindparam("reference"))
_list = select(reservations).where(_mine).order_by(reservations.c.id)
_lock = _list.with_for_update()
_delete = delete(reservations).where(_mine)
_of_references = (
    select(reservations)
    .where(reservations.c.warehouse_id == bindparam("warehouse"), in_param(reservations.c.reference, "references"))
    .order_by(reservations.c.id)
)
_lock_ids = select(reservations).where(in_param(reservations.c.id, "ids")).order_by(reservations.c.id).with_for_update()
_lock_of = (
    select(reservations)
    .where(in_param(reservations.c.warehouse_id, "warehouses"), in_param(reservations.c.reference, "references"))
    .order_by(reservations.c.id)
    .with_for_update()
)
_delete_ids = delete(reservations).where(in_param(reservations.c.id, "ids"))
_add = (
    update(reservations)
    .where(_mine, reservations.c.level_id == bindparam("level"))
    .values(quantity=reservations.c.quantity + bindparam("change", type_=Integer))
)
_add_by_id = (
    update(reservations)
    .where(reservations.c.id == bindparam("reservation"))
    .values(quantity=reservations.c.quantity + bindparam("change", type_=Integer))
)


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


async def list_reservations_of(
    work: UnitOfWork, warehouse_id: int, references: Collection[str]
) -> Sequence[StockReservationRow]:
    """What is reserved for several things in a warehouse."""
    return await work.all(_of_references, StockReservationRow, warehouse=warehouse_id, references=list(references))


async def lock_reservation_rows(work: UnitOfWork, ids: Collection[int]) -> dict[int, StockReservationRow]:
    """Reservations by id, locked until the call ends."""
    if not ids:
        return {}
    return {row.id: row for row in await work.all(_lock_ids, StockReservationRow, ids=list(ids))}


async def lock_reservations_of(
    work: UnitOfWork, warehouses: Collection[int], references: Collection[str]
) -> Sequence[StockReservationRow]:
    """What is reserved for several things in several warehouses, the oldest first, locked until the call ends."""
    return await work.all(_lock_of, StockReservationRow, warehouses=list(warehouses), references=list(references))


async def take_from_reservations(
    work: UnitOfWork, rows: Sequence[StockReservationRow], taken: Mapping[int, int]
) -> None:
    """Take pieces off reservations; those of which nothing is left are forgotten."""
    gone = [row.id for row in rows if taken[row.id] >= row.quantity]
    if gone:
        await work.run(_delete_ids, ids=gone)
    await work.run_many(
        _add_by_id,
        [{"reservation": row.id, "change": -taken[row.id]} for row in rows if taken[row.id] < row.quantity],
    )


async def add_to_reservations(
    work: UnitOfWork, warehouse_id: int, more: Mapping[tuple[str, int], int], now: datetime
) -> None:
    """Add to what is reserved, by whom it is for and the level."""
    rows = [
        {"warehouse_id": warehouse_id, "reference": reference, "level_id": level, "quantity": pieces, "created_at": now}
        for (reference, level), pieces in sorted(more.items())
    ]
    new = {(row.reference, row.level_id) for row in await work.insert_new(reservations, rows, StockReservationRow)}
    await work.run_many(
        _add,
        [
            {"warehouse": warehouse_id, "reference": reference, "level": level, "change": pieces}
            for (reference, level), pieces in sorted(more.items())
            if (reference, level) not in new
        ],
    )
