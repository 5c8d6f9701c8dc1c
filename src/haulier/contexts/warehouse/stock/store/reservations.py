"""Tables and statements of stock: reservations."""

from collections.abc import Collection, Mapping, Sequence
from datetime import date, datetime
from typing import Any

from sqlalchemy import ColumnElement, Date, Integer, bindparam, case, delete, func, or_, select, update

from haulier.contexts.warehouse.stock.store.tables import (
    MovementRow,
    StockLotRow,
    StockReservationRow,
    levels,
    lots,
    movements,
    reservations,
)
from haulier.contexts.warehouse.warehouses.contract import STAGING_KINDS
from haulier.contexts.warehouse.warehouses.store import locations
from haulier.kernel.data.statements import Row, in_param
from haulier.kernel.data.unit_of_work import UnitOfWork

LotKey = tuple[int, str]
"""A product and a lot."""

_lot_lock = (
    select(lots)
    .where(in_param(lots.c.product_id, "products"), in_param(lots.c.lot, "lots"))
    .order_by(lots.c.id)
    .with_for_update()
)
_set_day = (
    update(lots)
    .where(lots.c.product_id == bindparam("product"), lots.c.lot == bindparam("of_lot"))
    .values(expires_on=bindparam("day", type_=Date))
)
_set_levels = (
    update(levels)
    .where(levels.c.product_id == bindparam("product"), levels.c.lot == bindparam("of_lot"))
    .values(expires_on=bindparam("day", type_=Date))
)


async def insert_lots(work: UnitOfWork, days: Mapping[LotKey, date]) -> None:
    """Insert lots that are not recorded yet; their stock without a day gets it."""
    rows = [{"product_id": product, "lot": lot, "expires_on": day} for (product, lot), day in sorted(days.items())]
    new = await work.insert_new(lots, rows, StockLotRow)
    await work.run_many(
        _set_levels, [{"product": row.product_id, "of_lot": row.lot, "day": row.expires_on} for row in new]
    )


async def lock_lots(work: UnitOfWork, keys: Collection[LotKey]) -> dict[LotKey, date]:
    """Lock the recorded lots among these and return their expiry days."""
    if not keys:
        return {}
    products, names = [product for product, _ in keys], [lot for _, lot in keys]
    rows = await work.all(_lot_lock, StockLotRow, products=products, lots=names)
    days = {(row.product_id, row.lot): row.expires_on for row in rows}
    return {key: days[key] for key in keys if key in days}


async def set_lot_days(work: UnitOfWork, days: Mapping[LotKey, date]) -> None:
    """Set the expiry days of lots and of their stock everywhere."""
    sets = [{"product": product, "of_lot": lot, "day": day} for (product, lot), day in sorted(days.items())]
    await work.run_many(_set_day, sets)
    await work.run_many(_set_levels, sets)


async def insert_movements(work: UnitOfWork, rows: Sequence[Mapping[str, Any]]) -> Sequence[MovementRow]:
    """Insert movements and return them; known keys are skipped."""
    return await work.insert_new(movements, rows, MovementRow)


async def list_movement_rows(
    work: UnitOfWork, wanted: Mapping[str, Any], *, warehouse_id: int | None, before: int | None, limit: int
) -> Sequence[MovementRow]:
    """Movements matching column values, newest first, older than one."""
    page = select(movements).where(*(movements.c[name] == value for name, value in wanted.items()))
    if warehouse_id is not None:
        page = page.where(
            or_(movements.c.from_warehouse_id == warehouse_id, movements.c.to_warehouse_id == warehouse_id)
        )
    if before is not None:
        page = page.where(movements.c.id < before)
    return await work.all(page.order_by(movements.c.id.desc()).limit(limit), MovementRow)


class ReservationSumRow(Row):
    """Reserved stock of a reference in total."""

    warehouse_id: int
    reference: str
    products: int
    pieces: int
    to_pick: int
    reserved_at: datetime


_mine = (reservations.c.warehouse_id == bindparam("warehouse")) & (reservations.c.reference == bindparam("reference"))
_list = select(reservations).where(_mine).order_by(reservations.c.id)
_reservation_lock = _list.with_for_update()
_of_references = (
    select(reservations)
    .where(reservations.c.warehouse_id == bindparam("warehouse"), in_param(reservations.c.reference, "references"))
    .order_by(reservations.c.id)
)
_lock_everywhere = (
    select(reservations)
    .where(reservations.c.reference == bindparam("reference"))
    .order_by(reservations.c.id)
    .with_for_update()
)
_lock_of = (
    select(reservations)
    .where(in_param(reservations.c.warehouse_id, "warehouses"), in_param(reservations.c.reference, "references"))
    .order_by(reservations.c.id)
    .with_for_update()
)
_lock_on = (
    select(reservations)
    .where(in_param(reservations.c.level_id, "levels"))
    .order_by(reservations.c.created_at.desc(), reservations.c.id.desc())
    .with_for_update()
)
_unpicked = (
    select(reservations, levels.c.product_id)
    .select_from(
        reservations.join(
            levels, (levels.c.client_id == reservations.c.client_id) & (levels.c.id == reservations.c.level_id)
        ).join(locations, (locations.c.client_id == levels.c.client_id) & (locations.c.id == levels.c.location_id))
    )
    .where(reservations.c.reference == bindparam("reference"), locations.c.kind.not_in(sorted(STAGING_KINDS)))
    .order_by(reservations.c.created_at.desc(), reservations.c.id.desc())
    .with_for_update(of=reservations)
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


async def list_reservation_rows(work: UnitOfWork, warehouse_id: int, reference: str) -> Sequence[StockReservationRow]:
    """Return the reservations of a reference in a warehouse."""
    return await work.all(_list, StockReservationRow, warehouse=warehouse_id, reference=reference)


_to_pick = func.sum(case((locations.c.kind.in_(sorted(STAGING_KINDS)), 0), else_=reservations.c.quantity))
_sums = (
    select(
        reservations.c.warehouse_id,
        reservations.c.reference,
        func.count(levels.c.product_id.distinct()).label("products"),
        func.sum(reservations.c.quantity).label("pieces"),
        _to_pick.label("to_pick"),
        func.min(reservations.c.created_at).label("reserved_at"),
    )
    .select_from(
        reservations.join(
            levels, (levels.c.client_id == reservations.c.client_id) & (levels.c.id == reservations.c.level_id)
        ).join(locations, (locations.c.client_id == levels.c.client_id) & (locations.c.id == levels.c.location_id))
    )
    .group_by(reservations.c.warehouse_id, reservations.c.reference)
)


async def list_reservation_sums(
    work: UnitOfWork,
    *,
    warehouse_id: int | None,
    product_id: int | None,
    picked: bool | None,
    condition: ColumnElement[bool] | None,
    limit: int,
    offset: int,
) -> tuple[Sequence[ReservationSumRow], int]:
    """Return a page of reservations by reference, oldest first, and the total.

    `condition` is about the rows of a reference, such as a comparison of their sum.
    """
    sums = _sums
    if warehouse_id is not None:
        sums = sums.where(reservations.c.warehouse_id == warehouse_id)
    having: list[ColumnElement[bool]] = []
    if product_id is not None:
        having.append(func.sum(case((levels.c.product_id == product_id, 1), else_=0)) > 0)
    if picked is not None:
        having.append(_to_pick == 0 if picked else _to_pick > 0)
    if condition is not None:
        having.append(condition)
    sums = sums.having(*having) if having else sums
    page = sums.order_by(func.min(reservations.c.id)).limit(limit).offset(offset)
    return await work.all(page, ReservationSumRow), await work.value(select(func.count()).select_from(sums.subquery()))


async def lock_whole_reservation(work: UnitOfWork, warehouse_id: int, reference: str) -> Sequence[StockReservationRow]:
    """Lock and return the whole reservation of a reference in a warehouse."""
    named = {"warehouse": warehouse_id, "reference": reference}
    # Read twice: a pick can add rows while the first statement waits for its lock. Adding rows needs a lock on an
    # existing one, so the second statement sees all.
    await work.all(_reservation_lock, StockReservationRow, **named)
    return await work.all(_reservation_lock, StockReservationRow, **named)


async def list_reservations_of(
    work: UnitOfWork, warehouse_id: int, references: Collection[str]
) -> Sequence[StockReservationRow]:
    """Return the reservations of references in a warehouse."""
    return await work.all(_of_references, StockReservationRow, warehouse=warehouse_id, references=list(references))


async def lock_reservations_everywhere(work: UnitOfWork, reference: str) -> Sequence[StockReservationRow]:
    """Lock and return the reservations of a reference in all warehouses, oldest first."""
    return await work.all(_lock_everywhere, StockReservationRow, reference=reference)


class UnpickedRow(StockReservationRow):
    """A reservation of units on a shelf, with their product."""

    product_id: int


async def lock_unpicked_reservations(work: UnitOfWork, reference: str) -> Sequence[UnpickedRow]:
    """Lock and return the reservations of a reference on shelves, newest first."""
    return await work.all(_unpicked, UnpickedRow, reference=reference)


async def lock_reservations_of(
    work: UnitOfWork, warehouses: Collection[int], references: Collection[str]
) -> Sequence[StockReservationRow]:
    """Lock and return the reservations of references in warehouses, oldest first."""
    return await work.all(_lock_of, StockReservationRow, warehouses=list(warehouses), references=list(references))


async def lock_reservations_on(work: UnitOfWork, level_ids: Collection[int]) -> Sequence[StockReservationRow]:
    """Lock and return the reservations of levels, newest first."""
    if not level_ids:
        return []
    return await work.all(_lock_on, StockReservationRow, levels=list(level_ids))


async def reduce_reservations(work: UnitOfWork, rows: Sequence[StockReservationRow], taken: Mapping[int, int]) -> None:
    """Subtract items from reservations; empty ones are deleted."""
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
    """Add to reservations, by reference and level."""
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
