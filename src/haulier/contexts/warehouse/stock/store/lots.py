"""Statements on lots."""

from collections.abc import Collection, Mapping
from datetime import date

from sqlalchemy import Date, bindparam, select, update

from haulier.contexts.warehouse.stock.store.tables import StockLotRow, levels, lots
from haulier.kernel.data.statements import in_param
from haulier.kernel.data.unit_of_work import UnitOfWork

LotKey = tuple[int, str]
"""A product and a lot."""

_lock = (
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
    """Insert lots that are not recorded yet; stock of theirs without a day gets it."""
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
    rows = await work.all(_lock, StockLotRow, products=products, lots=names)
    days = {(row.product_id, row.lot): row.expires_on for row in rows}
    return {key: days[key] for key in keys if key in days}


async def set_lot_days(work: UnitOfWork, days: Mapping[LotKey, date]) -> None:
    """Set the expiry days of lots and of their stock everywhere."""
    sets = [{"product": product, "of_lot": lot, "day": day} for (product, lot), day in sorted(days.items())]
    await work.run_many(_set_day, sets)
    await work.run_many(_set_levels, sets)
