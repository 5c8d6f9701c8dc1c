"""Lines of orders: statements."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from sqlalchemy import bindparam, delete, select

from haulier.contexts.orders.delivery_orders.store.tables import items
from haulier.kernel.data.statements import Row, in_param
from haulier.kernel.data.unit_of_work import UnitOfWork

_by_orders = select(items).where(in_param(items.c.order_id, "ids")).order_by(items.c.id)
_delete = delete(items).where(items.c.order_id == bindparam("order"))


class ItemRow(Row):
    """A line of an order."""

    id: int
    order_id: int
    sku: str | None
    product_id: int | None
    description: str | None
    quantity: int
    unit_price_minor: int | None
    currency: str | None
    weight_g: int | None
    hs_code: str | None
    country_of_origin: str | None


async def insert_order_items(work: UnitOfWork, rows: Sequence[Mapping[str, Any]]) -> None:
    """Insert lines of any number of orders, with one statement."""
    await work.insert_later(items, rows)


async def list_order_item_rows(work: UnitOfWork, order_ids: Collection[int]) -> dict[int, list[ItemRow]]:
    """Return the lines of some orders, by order. One statement."""
    rows: dict[int, list[ItemRow]] = {}
    for row in await work.all(_by_orders, ItemRow, ids=sorted(set(order_ids))) if order_ids else []:
        rows.setdefault(row.order_id, []).append(row)
    return rows


async def delete_order_items(work: UnitOfWork, order_id: int) -> None:
    """Delete the lines of an order."""
    await work.run(_delete, order=order_id)
