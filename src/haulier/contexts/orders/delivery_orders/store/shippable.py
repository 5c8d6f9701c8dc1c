"""Statements of delivery orders that a parcel carrier can deliver."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from sqlalchemy import ColumnElement, Text, func, literal, select

from haulier.contexts.orders.delivery_orders.rules.lifecycle import DISPATCHABLE_STATUSES, PICKUP_FULFILMENT
from haulier.contexts.orders.delivery_orders.store.orders import OrderRow, order_conditions
from haulier.contexts.orders.delivery_orders.store.tables import orders
from haulier.kernel.data.unit_of_work import UnitOfWork

OrderCondition = Callable[[ColumnElement[int]], ColumnElement[bool]]
"""Makes a condition on the orders whose ids a column holds."""
_SHIPPABLE = (
    orders.c.status.in_(sorted(DISPATCHABLE_STATUSES)),
    orders.c.type != "P",
    orders.c.contractor_id.is_(None),
    orders.c.third_party_held.is_(False),
    orders.c.fulfilment != PICKUP_FULFILMENT,
)


async def list_shippable_rows(
    work: UnitOfWork,
    filters: Mapping[str, Any],
    conditions: Sequence[OrderCondition],
    *,
    country: str | None,
    offset: int,
    limit: int,
    most: int,
) -> tuple[list[OrderRow], int]:
    """Return a page of orders that can be shipped, and their total, up to `most`.

    The earliest delivery day first; orders without a day last.
    """
    where = [*_SHIPPABLE, *(condition(orders.c.id) for condition in conditions), *order_conditions(filters)]
    if country is not None:
        where.append(orders.c.consignee.op("->>", return_type=Text())(literal("country", Text())) == country)
    due = (orders.c.scheduled_date.asc().nulls_last(), orders.c.window_end.asc().nulls_last(), orders.c.id)
    page = select(orders).where(*where).order_by(*due).limit(limit).offset(offset)
    counted = select(orders.c.id).where(*where).limit(most).subquery()
    return await work.all(page, OrderRow), await work.value(select(func.count()).select_from(counted))
