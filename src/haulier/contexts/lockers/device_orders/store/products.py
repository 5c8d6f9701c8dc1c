"""The catalogue and its stock."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from sqlalchemy import ColumnElement, bindparam, func, select, update

from haulier.contexts.lockers.device_orders.store.tables import DeviceProductRow, products
from haulier.kernel.data.statements import in_param
from haulier.kernel.data.unit_of_work import UnitOfWork
from haulier.kernel.values.pagination import MAX_COUNT

_by_code = select(products).where(products.c.product_code == bindparam("code"))
_by_code_locked = _by_code.with_for_update()
_by_codes = select(products).where(in_param(products.c.product_code, "codes"))
_by_ids_locked = select(products).where(in_param(products.c.id, "ids")).order_by(products.c.id).with_for_update()
_move_stock = (
    update(products).where(products.c.id == bindparam("product")).values(stock=products.c.stock + bindparam("change"))
)


async def insert_product(work: UnitOfWork, values: Mapping[str, Any]) -> bool:
    """Insert a product without stock.

    Returns False, and changes nothing, if the code exists.
    """
    return bool(await work.insert_new(products, [{**values, "stock": 0}], returning=("id",)))


async def update_product(work: UnitOfWork, code: str, values: Mapping[str, Any]) -> None:
    """Update columns of a product."""
    await work.run(update(products).where(products.c.product_code == bindparam("code")).values(**values), code=code)


async def get_product_row(work: UnitOfWork, code: str, *, lock: bool = False) -> DeviceProductRow | None:
    """Return a product by its code, or None."""
    return await work.first(_by_code_locked if lock else _by_code, DeviceProductRow, code=code)


async def list_products_by_code(work: UnitOfWork, codes: Collection[str]) -> Sequence[DeviceProductRow]:
    """Return the existing products among the given codes."""
    return await work.all(_by_codes, DeviceProductRow, codes=sorted(codes))


async def lock_products(work: UnitOfWork, ids: Collection[int]) -> Sequence[DeviceProductRow]:
    """Lock products in ascending id order to avoid deadlocks."""
    return await work.all(_by_ids_locked, DeviceProductRow, ids=sorted(ids))


async def move_stock(work: UnitOfWork, changes: Mapping[int, int]) -> None:
    """Adjust the stock of locked products in one statement."""
    await work.run_many(_move_stock, [{"product": id, "change": changes[id]} for id in sorted(changes)])


async def list_product_rows(
    work: UnitOfWork, wanted: Mapping[str, Any], *, in_stock: bool | None, limit: int, offset: int
) -> tuple[Sequence[DeviceProductRow], int]:
    """List a page of matching products by code, with their count.

    Counting stops one above `MAX_COUNT`.
    """
    conditions: list[ColumnElement[bool]] = [products.c[name] == value for name, value in wanted.items()]
    if in_stock is not None:
        conditions.append(products.c.stock > 0 if in_stock else products.c.stock == 0)
    page = select(products).where(*conditions).order_by(products.c.product_code)
    rows = await work.all(page.limit(limit).offset(offset), DeviceProductRow)
    counted = select(products.c.id).where(*conditions).limit(MAX_COUNT + 1).subquery()
    return rows, await work.value(select(func.count()).select_from(counted))
