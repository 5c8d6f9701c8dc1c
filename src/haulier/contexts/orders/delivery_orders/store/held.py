"""Orders that a contractor holds: which are not over, and how many there are of a day."""

from collections.abc import Collection
from datetime import date

from sqlalchemy import bindparam, func, select

from haulier.contexts.orders.delivery_orders.rules.lifecycle import TERMINAL_STATUSES, OrderStatus
from haulier.contexts.orders.delivery_orders.store.tables import orders
from haulier.kernel.data.statements import Row, in_param
from haulier.kernel.data.unit_of_work import UnitOfWork


class OrdersOfDayRow(Row):
    """How many orders there are of a day."""

    scheduled_date: date
    count: int


class HeldOrderRow(Row):
    """An order that a contractor holds."""

    id: int


_held = orders.c.contractor_id == bindparam("contractor")
_open_of_contractor = (
    select(orders.c.id).where(_held, orders.c.status.not_in(sorted(TERMINAL_STATUSES))).order_by(orders.c.id)
)
_of_days = (
    select(orders.c.scheduled_date, func.count().label("count"))
    .where(_held, in_param(orders.c.scheduled_date, "days"), orders.c.status != OrderStatus.CANCELLED.value)
    .group_by(orders.c.scheduled_date)
)


async def list_open_order_ids(work: UnitOfWork, contractor_id: int) -> list[int]:
    """The orders that a contractor holds and that are not over, oldest first."""
    return [row.id for row in await work.all(_open_of_contractor, HeldOrderRow, contractor=contractor_id)]


async def count_orders_of_days(work: UnitOfWork, contractor_id: int, days: Collection[date]) -> dict[date, int]:
    """How many orders a contractor has of each of some days, those that are over included."""
    rows = await work.all(_of_days, OrdersOfDayRow, contractor=contractor_id, days=sorted(days)) if days else []
    return {row.scheduled_date: row.count for row in rows}
