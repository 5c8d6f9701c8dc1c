"""Orders by the time when they were made."""

from datetime import datetime

from sqlalchemy import bindparam, select

from haulier.contexts.orders.delivery_orders.store.tables import orders
from haulier.kernel.data.statements import Row
from haulier.kernel.data.unit_of_work import UnitOfWork


class OrderIdRow(Row):
    """An order's id."""

    id: int


_of_period = (
    select(orders.c.id)
    .where(orders.c.created_at >= bindparam("begins"), orders.c.created_at < bindparam("ends"))
    .order_by(orders.c.id.desc())
    .limit(bindparam("most"))
)


async def list_ids_of_period(work: UnitOfWork, begins: datetime, ends: datetime, most: int) -> list[int]:
    """The orders that were made in a period, the newest first: read from the index of the newest, until there are so many."""
    return [row.id for row in await work.all(_of_period, OrderIdRow, begins=begins, ends=ends, most=most)]
