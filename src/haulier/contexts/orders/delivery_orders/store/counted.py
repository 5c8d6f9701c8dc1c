"""On which day orders count, and what their sums should be by the orders themselves."""

from collections.abc import Mapping, Sequence
from datetime import date, datetime
from typing import Any

from sqlalchemy import (
    BigInteger,
    ColumnElement,
    Integer,
    Select,
    String,
    Text,
    bindparam,
    case,
    cast,
    func,
    literal,
    select,
    update,
)

from haulier.contexts.analytics.sums.rules import NOBODY, Measure
from haulier.contexts.orders.delivery_orders.rules.order_sums import NO_REASON
from haulier.contexts.orders.delivery_orders.store.tables import changes, orders
from haulier.kernel.data.statements import Row
from haulier.kernel.data.unit_of_work import UnitOfWork

_set_counted = (
    update(orders)
    .where(orders.c.id == bindparam("order"))
    .values(
        counted_day=bindparam("new_counted_day", type_=orders.c.counted_day.type),
        on_time=bindparam("new_on_time", type_=orders.c.on_time.type),
    )
)
_uncounted = (
    select(orders.c.id)
    .where(orders.c.counted_day.is_(None))
    .order_by(orders.c.id)
    .limit(bindparam("most"))
    .with_for_update()
)
_undated_failures = (
    select(changes.c.id, changes.c.at, orders.c.route_driver_id, orders.c.contractor_id)
    .join(orders, orders.c.id == changes.c.order_id)
    .where(changes.c.step == "fail", changes.c.failed_day.is_(None))
    .order_by(changes.c.id)
    .limit(bindparam("most"))
)
_date_failure = (
    update(changes)
    .where(changes.c.id == bindparam("change"))
    .values(
        failed_day=bindparam("day", type_=changes.c.failed_day.type),
        failure=NO_REASON,
        driver_id=bindparam("driver", type_=changes.c.driver_id.type),
        contractor_id=bindparam("contractor", type_=changes.c.contractor_id.type),
    )
)


class UncountedRow(Row):
    """An order of an earlier version, which has no day yet."""

    id: int


class UndatedFailureRow(Row):
    """A failed attempt of an earlier version, which has no day yet, and who has its order."""

    id: int
    at: datetime
    route_driver_id: int | None
    contractor_id: int | None


async def set_counted(work: UnitOfWork, counted: Mapping[int, tuple[date, bool | None]]) -> None:
    """Set the days that orders count for, and whether they were delivered on time, by their ids; in one exchange."""
    rows = [
        {"order": id, "new_counted_day": day, "new_on_time": on_time} for id, (day, on_time) in sorted(counted.items())
    ]
    await work.run_many(_set_counted, rows)


async def list_uncounted_order_ids(work: UnitOfWork, most: int) -> list[int]:
    """Orders that have no day yet, locked."""
    return [row.id for row in await work.all(_uncounted, UncountedRow, most=most)]


async def list_undated_failures(work: UnitOfWork, most: int) -> list[UndatedFailureRow]:
    """Failed attempts that have no day yet."""
    return await work.all(_undated_failures, UndatedFailureRow, most=most)


async def date_failures(work: UnitOfWork, rows: Sequence[Mapping[str, Any]]) -> None:
    """Give failed attempts their `day`, `driver` and `contractor`."""
    await work.run_many(_date_failure, rows)


def order_sum_truths() -> dict[Measure, Select[*tuple[Any, ...]]]:
    """What the sums should be made of, by the orders and by their failed attempts."""
    return {Measure.ORDERS: _counted_orders(), Measure.FAILURES: _failures()}


def _counted_orders() -> Select[*tuple[Any, ...]]:
    total = _in_price("total")
    on_time, has_total = orders.c.on_time, total.is_not(None)
    return select(
        orders.c.counted_day.label("day"),
        literal(Measure.ORDERS.value).label("measure"),
        cast(orders.c.status, String).label("status"),
        literal("").label("reason"),
        *_holders(orders.c.route_driver_id, orders.c.contractor_id),
        case((has_total, func.coalesce(_in_price("currency"), "")), else_="").label("currency"),
        literal(1, Integer()).label("count"),
        case((on_time.is_not(None), 1), else_=0).label("judged"),
        case((on_time.is_(True), 1), else_=0).label("on_time"),
        cast(func.coalesce(cast(total, BigInteger), 0), BigInteger).label("minor"),
    ).where(orders.c.counted_day.is_not(None))


def _failures() -> Select[*tuple[Any, ...]]:
    nothing = literal(0, Integer())
    return (
        select(
            changes.c.failed_day.label("day"),
            literal(Measure.FAILURES.value).label("measure"),
            literal("").label("status"),
            changes.c.failure.label("reason"),
            *_holders(changes.c.driver_id, changes.c.contractor_id),
            literal("").label("currency"),
            literal(1, Integer()).label("count"),
            nothing.label("judged"),
            nothing.label("on_time"),
            nothing.label("minor"),
        )
        .join(orders, orders.c.id == changes.c.order_id)
        .where(changes.c.failed_day.is_not(None))
    )


def _in_price(member: str) -> ColumnElement[str]:
    return orders.c.price.op("->>", return_type=Text())(literal(member, Text()))


def _holders(driver: ColumnElement[int], contractor: ColumnElement[int]) -> tuple[ColumnElement[int], ...]:
    columns = {"customer_id": orders.c.customer_id, "driver_id": driver, "contractor_id": contractor}
    return tuple(func.coalesce(column, NOBODY).label(name) for name, column in columns.items())
