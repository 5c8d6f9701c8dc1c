"""Statements on the references of orders."""

from collections.abc import Collection

from sqlalchemy import func, select

from haulier.contexts.orders.delivery_orders.store.tables import orders
from haulier.kernel.data.statements import Row, in_param
from haulier.kernel.data.unit_of_work import UnitOfWork


class ReferencedOrderRow(Row):
    """The only order with a reference."""

    order_ref: str
    id: int


_only = (
    select(orders.c.order_ref, func.min(orders.c.id).label("id"))
    .where(in_param(orders.c.order_ref, "references"))
    .group_by(orders.c.order_ref)
    .having(func.count() == 1)
)


async def find_order_ids(work: UnitOfWork, references: Collection[str]) -> dict[str, int]:
    """Return the ids of orders whose reference no other order has."""
    if not references:
        return {}
    rows = await work.all(_only, ReferencedOrderRow, references=sorted(references))
    return {row.order_ref: row.id for row in rows}
