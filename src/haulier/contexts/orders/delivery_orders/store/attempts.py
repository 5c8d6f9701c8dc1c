"""Conditions of orders by failed attempt."""

from datetime import date
from functools import partial
from typing import Any

from msgspec import Struct
from sqlalchemy import ColumnElement, extract, select

from haulier.contexts.orders.delivery_orders.store.tables import changes, orders


class AttemptFilter(Struct, frozen=True):
    """Failed attempts by period, reason, driver, weekday and hour."""

    since: date | None
    until: date | None
    reason: str | None
    driver_id: int | None
    weekday: int | None
    hour: int | None


def is_on_weekday(day: ColumnElement[Any], wanted: Any) -> ColumnElement[bool]:
    """Return the condition that a day is a weekday, from 1 (Monday) to 7."""
    return extract("dow", day) == wanted % 7


def has_attempt(wanted: AttemptFilter) -> ColumnElement[bool]:
    """Return the condition that an order has a failed attempt that fits."""
    given = {
        changes.c.failed_day.__ge__: wanted.since,
        changes.c.failed_day.__le__: wanted.until,
        changes.c.failure.__eq__: wanted.reason,
        changes.c.driver_id.__eq__: wanted.driver_id,
        partial(is_on_weekday, changes.c.failed_day): wanted.weekday,
        changes.c.failed_hour.__eq__: wanted.hour,
    }
    fits = (condition(value) for condition, value in given.items() if value is not None)
    return orders.c.id.in_(select(changes.c.order_id).where(changes.c.failed_day.is_not(None), *fits))
