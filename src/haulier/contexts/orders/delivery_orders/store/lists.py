"""Tables and statements of delivery orders: lists."""

from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import date, datetime
from functools import lru_cache
from typing import Any

from msgspec import Struct
from sqlalchemy import (
    BigInteger,
    ColumnElement,
    Integer,
    Select,
    String,
    Subquery,
    Text,
    and_,
    bindparam,
    case,
    cast,
    func,
    literal,
    literal_column,
    or_,
    select,
    union_all,
    update,
)
from sqlalchemy.sql.base import Executable

from haulier.contexts.analytics.sums.rules import NOBODY, Measure
from haulier.contexts.identity.accounts.store.tables import users
from haulier.contexts.orders.delivery_orders.rules.lifecycle import (
    ENDED_STATUSES,
    LOADED_STATUSES,
    ORDER_PROBLEM_STATUSES,
    PIECE_PROBLEMS,
    TERMINAL_STATUSES,
    UNLOADED_STATUSES,
    OrderProblemKind,
    OrderStatus,
)
from haulier.contexts.orders.delivery_orders.rules.ratings import LOW_RATING_MAX
from haulier.contexts.orders.delivery_orders.store.orders import (
    ListedOrderRow,
    OrderRow,
    OrderSummaryRow,
    conditions_of_parameters,
    order_conditions,
)
from haulier.contexts.orders.delivery_orders.store.tables import changes, items, orders, packages, piece_exceptions
from haulier.kernel.data.aggregates import DELIMITER, json_agg
from haulier.kernel.data.statements import Row, in_param
from haulier.kernel.data.unit_of_work import UnitOfWork
from haulier.kernel.values.pagination import MAX_COUNT

_set_counted = (
    update(orders)
    .where(orders.c.id == bindparam("order"))
    .values(
        {
            name: bindparam(f"new_{name}", type_=orders.c[name].type)
            for name in ("counted_day", "counted_hour", "on_time")
        }
    )
)
_uncounted = (
    select(orders.c.id)
    .where(
        or_(
            orders.c.counted_day.is_(None),
            and_(orders.c.counted_hour.is_(None), orders.c.status.in_(sorted(ENDED_STATUSES))),
        )
    )
    .order_by(orders.c.id)
    .limit(bindparam("most"))
    .with_for_update()
)
_undated_failures = (
    select(
        changes.c.id,
        changes.c.at,
        changes.c.failed_day,
        changes.c.failure,
        *(
            case((changes.c.failed_day.is_(None), own), else_=written).label(own.name)
            for own, written in (
                (orders.c.route_driver_id, changes.c.driver_id),
                (orders.c.contractor_id, changes.c.contractor_id),
            )
        ),
    )
    .join(orders, orders.c.id == changes.c.order_id)
    .where(changes.c.step == "fail", or_(changes.c.failed_day.is_(None), changes.c.failed_hour.is_(None)))
    .order_by(changes.c.id)
    .limit(bindparam("most"))
)
_date_failure = (
    update(changes)
    .where(changes.c.id == bindparam("change"))
    .values(
        failed_day=bindparam("day", type_=changes.c.failed_day.type),
        failed_hour=bindparam("hour", type_=changes.c.failed_hour.type),
        failure=bindparam("reason", type_=changes.c.failure.type),
        driver_id=bindparam("driver", type_=changes.c.driver_id.type),
        contractor_id=bindparam("contractor", type_=changes.c.contractor_id.type),
    )
)


class UncountedRow(Row):
    """An order of an earlier version, which has no day or hour yet."""

    id: int


class UndatedFailureRow(Row):
    """A failed attempt of an earlier version without a day or an hour.

    With its driver and contractor, or else those of its order.
    """

    id: int
    at: datetime
    failed_day: date | None
    failure: str | None
    route_driver_id: int | None
    contractor_id: int | None


class Counted(Struct, frozen=True):
    """Day and hour on which an order counts, and its punctuality.

    Open orders have neither hour nor punctuality.
    """

    day: date
    hour: int | None
    on_time: bool | None


async def set_counted(work: UnitOfWork, counted: Mapping[int, Counted]) -> None:
    """Set when orders count, and their punctuality, in one exchange."""
    rows = [
        {"order": id, "new_counted_day": now.day, "new_counted_hour": now.hour, "new_on_time": now.on_time}
        for id, now in sorted(counted.items())
    ]
    await work.run_many(_set_counted, rows)


async def list_uncounted_order_ids(work: UnitOfWork, most: int) -> list[int]:
    """Orders that have no day yet, or have ended and have no hour yet, locked."""
    return [row.id for row in await work.all(_uncounted, UncountedRow, most=most)]


async def list_undated_failures(work: UnitOfWork, most: int) -> list[UndatedFailureRow]:
    """Failed attempts that have no day or hour yet."""
    return await work.all(_undated_failures, UndatedFailureRow, most=most)


async def set_failure_dates(work: UnitOfWork, rows: Sequence[Mapping[str, Any]]) -> None:
    """Give failed attempts their `day`, `hour`, `reason`, `driver` and `contractor`."""
    await work.run_many(_date_failure, rows)


def order_sum_truths() -> dict[Measure, Select[*tuple[Any, ...]]]:
    """Return the true values of the sums, from orders and failed attempts."""
    return {Measure.ORDERS: _counted_orders(), Measure.FAILURES: _failures(), Measure.RATINGS: _ratings()}


def _counted_orders() -> Select[*tuple[Any, ...]]:
    total = _in_price("total")
    on_time, has_total = orders.c.on_time, total.is_not(None)
    return select(
        orders.c.counted_day.label("day"),
        literal(Measure.ORDERS.value).label("measure"),
        cast(orders.c.status, String).label("status"),
        literal("").label("reason"),
        *_holders(orders.c.route_driver_id, orders.c.contractor_id),
        _hour_subject(orders.c.counted_hour),
        case((has_total, func.coalesce(_in_price("currency"), "")), else_="").label("currency"),
        literal(1, Integer()).label("count"),
        case((on_time.is_not(None), 1), else_=0).label("judged"),
        case((on_time.is_(True), 1), else_=0).label("on_time"),
        cast(func.coalesce(cast(total, BigInteger), 0), BigInteger).label("minor"),
    ).where(orders.c.counted_day.is_not(None))


def _ratings() -> Select[*tuple[Any, ...]]:
    nothing = literal(0, Integer())
    return select(
        orders.c.counted_day.label("day"),
        literal(Measure.RATINGS.value).label("measure"),
        cast(orders.c.rating, String).label("status"),
        literal("").label("reason"),
        *_holders(orders.c.route_driver_id, orders.c.contractor_id),
        _hour_subject(orders.c.counted_hour),
        literal("").label("currency"),
        literal(1, Integer()).label("count"),
        nothing.label("judged"),
        nothing.label("on_time"),
        nothing.label("minor"),
    ).where(orders.c.counted_day.is_not(None), orders.c.rating.is_not(None))


def _failures() -> Select[*tuple[Any, ...]]:
    nothing = literal(0, Integer())
    return (
        select(
            changes.c.failed_day.label("day"),
            literal(Measure.FAILURES.value).label("measure"),
            literal("").label("status"),
            changes.c.failure.label("reason"),
            *_holders(changes.c.driver_id, changes.c.contractor_id),
            _hour_subject(changes.c.failed_hour),
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


def _hour_subject(hour: ColumnElement[int]) -> ColumnElement[int]:
    return func.coalesce(hour + 1, NOBODY).label("hour_id")


PACKAGE_COLUMNS = tuple(column.name for column in packages.c if column.name not in {"id", "client_id", "order_id"})
ITEM_COLUMNS = tuple(column.name for column in items.c if column.name not in {"id", "client_id", "order_id"})
STEP_COLUMNS = ("step", "status", "at", "recorded_at", "by_user_id", "reason")
PlacesColumn = Callable[[ColumnElement[int]], ColumnElement[Any]]
"""Makes the column `places` for the orders whose ids a column holds: `OrderRoutes.places_column`."""


class OrderDetailRow(OrderRow):
    """An order with its packages, lines, steps and visits as unordered documents."""

    packages: list[dict[str, Any]]
    items: list[dict[str, Any]]
    steps: list[dict[str, Any]]
    places: list[dict[str, Any]]


async def get_order_row_with_related(work: UnitOfWork, id: int, places: PlacesColumn) -> OrderDetailRow | None:
    """An order with its `packages`, `steps` and `places`, plain and in no order."""
    return await work.first(_order_with_related(places), OrderDetailRow, order=id)


@lru_cache
def _order_with_related(places: PlacesColumn) -> Select[Any]:
    return select(
        orders,
        json_agg(packages, "id", *PACKAGE_COLUMNS, of=packages.c.order_id == orders.c.id, label="packages"),
        json_agg(items, "id", *ITEM_COLUMNS, of=items.c.order_id == orders.c.id, label="items"),
        json_agg(changes, "id", *STEP_COLUMNS, of=changes.c.order_id == orders.c.id, label="steps"),
        places(orders.c.id),
    ).where(orders.c.id == bindparam("order"))


class OrderExceptionRow(OrderRow):
    """An order that needs attention, with a member for each kind of problem."""

    window_start: datetime | None
    window_end: datetime | None


class OrderProblemCountRow(Row):
    """Number of orders that need attention, with a member for each kind of problem."""

    total: int


def _problem_conditions(now: datetime, today: date) -> dict[OrderProblemKind, ColumnElement[bool]]:
    """Return the condition for each kind of problem; see `OrderProblemKind`."""
    is_over = (orders.c.window_end < now) | (orders.c.window_end.is_(None) & (orders.c.scheduled_date < today))
    disabled = select(users.c.id).where(users.c.active.is_(False))
    kind, status = OrderProblemKind, orders.c.status
    return {
        kind.LATE: status.in_(sorted(LOADED_STATUSES)) & is_over,
        kind.UNPLANNED: (status == OrderStatus.NEW_ORDER) & is_over,
        kind.FAILED: status == OrderStatus.FAILED,
        kind.HELD: status == OrderStatus.HOLD,
        kind.NO_COORDINATES: status.in_(sorted(UNLOADED_STATUSES))
        & (orders.c.lat.is_(None) | orders.c.lng.is_(None))
        & (orders.c.fulfilment == "self_delivery"),
        kind.STOCK_SHORT: status.in_(sorted(UNLOADED_STATUSES)) & orders.c.stock_short.is_(True),
        kind.CONTRACTOR_DISABLED: status.in_(sorted(ORDER_PROBLEM_STATUSES)) & orders.c.contractor_id.in_(disabled),
        **{each: orders.c.id.in_(_with_open_pieces({each})) for each in sorted(PIECE_PROBLEMS)},
    }


def _with_open_pieces(kinds: Collection[OrderProblemKind]) -> Select[int]:
    open_ones = piece_exceptions.c.resolved_at.is_(None)
    kind = piece_exceptions.c.kind.in_(sorted(each.value for each in kinds))
    return select(piece_exceptions.c.order_id).where(open_ones, kind)


async def count_order_problem_rows(
    work: UnitOfWork, filters: Mapping[str, Any], *, now: datetime, today: date, most: int
) -> OrderProblemCountRow:
    """Count orders that need attention, at most `most` per status.

    The limit keeps the cost constant. It applies to each status, because under a common limit one status could leave no
    room for the others.
    """
    conditions = _problem_conditions(now, today)
    flags = [condition.is_(True).label(kind.value) for kind, condition in conditions.items()]
    where = [or_(*conditions.values()), *order_conditions(filters)]
    some = [
        select(*flags).where(orders.c.status == literal(int(status)), *where).limit(literal(most)).subquery()
        for status in sorted(ORDER_PROBLEM_STATUSES)
    ]
    over = [orders.c.status.not_in(sorted(ORDER_PROBLEM_STATUSES)), orders.c.id.in_(_with_open_pieces(PIECE_PROBLEMS))]
    some.append(select(*flags).where(*over, *order_conditions(filters)).limit(literal(most)).subquery())
    return await _sum_flags(work, union_all(*(select(each) for each in some)).subquery())


async def _count(work: UnitOfWork, flags: Sequence[Any], where: Sequence[ColumnElement[bool]]) -> OrderProblemCountRow:
    return await _sum_flags(work, select(*flags).where(*where).limit(MAX_COUNT + 1).subquery())


async def _sum_flags(work: UnitOfWork, counted: Subquery) -> OrderProblemCountRow:
    sums = [func.count().filter(counted.c[kind.value]).label(kind.value) for kind in OrderProblemKind]
    counts = await work.first(select(func.count().label("total"), *sums).select_from(counted), OrderProblemCountRow)
    assert counts is not None  # a count has a row
    return counts


def _candidates(kinds: Collection[OrderProblemKind]) -> ColumnElement[bool]:
    """Return the orders that can have these problems, found by an index.

    Those under way, and those with open packages.
    """
    about_pieces = PIECE_PROBLEMS & set(kinds)
    under_way = orders.c.status.in_(sorted(ORDER_PROBLEM_STATUSES))
    if not about_pieces:
        return under_way
    with_pieces = orders.c.id.in_(_with_open_pieces(about_pieces))
    return or_(under_way, with_pieces) if set(kinds) - PIECE_PROBLEMS else with_pieces


async def list_order_exception_rows(
    work: UnitOfWork,
    filters: Mapping[str, Any],
    *,
    kinds: Collection[OrderProblemKind],
    now: datetime,
    today: date,
    offset: int,
    limit: int,
) -> tuple[OrderProblemCountRow, list[OrderExceptionRow]]:
    """Return the number of orders with these problems, and a page of them.

    Newest first. They are counted like lists of orders.
    """
    conditions = _problem_conditions(now, today)
    flags = [condition.is_(True).label(kind.value) for kind, condition in conditions.items()]
    where = [_candidates(kinds), or_(*(conditions[kind] for kind in kinds)), *order_conditions(filters)]
    counts = await _count(work, flags, where)
    rows = select(orders, *flags).where(*where).order_by(orders.c.id.desc()).offset(offset).limit(limit)
    return counts, await work.all(rows, OrderExceptionRow) if counts.total > min(offset, MAX_COUNT) else []


class OrdersOfDayRow(Row):
    """Number of orders of a day."""

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


class CustomerOpenRow(Row):
    """Number of open orders of a customer."""

    customer_id: int
    orders: int


class NewestOrderRow(Row):
    """Newest order of a customer."""

    id: int
    customer_id: int
    created_at: datetime


# Compared as an expression: the orders are found by status, as a customer may have far more that are over.
_customer = func.coalesce(orders.c.customer_id, 0)
_open_of_customers = (
    select(_customer.label("customer_id"), func.count().label("orders"))
    .where(orders.c.status.in_(sorted(set(OrderStatus) - TERMINAL_STATUSES)), in_param(_customer, "customers"))
    .group_by(_customer)
)
_same = orders.alias("same")
_newest_of_customers = select(orders.c.id, orders.c.customer_id, orders.c.created_at).where(
    orders.c.id.in_(
        select(func.max(_same.c.id)).where(in_param(_same.c.customer_id, "customers")).group_by(_same.c.customer_id)
    )
)


async def count_open_orders(work: UnitOfWork, customer_ids: Collection[int]) -> dict[int, int]:
    """Return the number of open orders by customer, in one statement."""
    rows = await work.all(_open_of_customers, CustomerOpenRow, customers=sorted(customer_ids))
    return {row.customer_id: row.orders for row in rows}


async def list_newest_orders(work: UnitOfWork, customer_ids: Collection[int]) -> dict[int, NewestOrderRow]:
    """Return the newest order by customer, in one statement."""
    rows = await work.all(_newest_of_customers, NewestOrderRow, customers=sorted(customer_ids))
    return {row.customer_id: row for row in rows}


_low_ratings = (
    select(orders.c.id)
    .where(orders.c.rated_at >= bindparam("since", type_=orders.c.rated_at.type), orders.c.rating <= LOW_RATING_MAX)
    .limit(MAX_COUNT + 1)
    .subquery()
)
_count_low_ratings = select(func.count()).select_from(_low_ratings)


async def count_low_ratings(work: UnitOfWork, since: datetime) -> int:
    """Count low ratings since a time, at most `MAX_COUNT` + 1."""
    return int(await work.value(_count_low_ratings, since=since))


async def list_open_order_ids(work: UnitOfWork, contractor_id: int) -> list[int]:
    """The orders that a contractor holds and that are not over, oldest first."""
    return [row.id for row in await work.all(_open_of_contractor, HeldOrderRow, contractor=contractor_id)]


async def count_orders_of_days(work: UnitOfWork, contractor_id: int, days: Collection[date]) -> dict[date, int]:
    """Return a contractor's number of orders per day, including finished ones."""
    rows = await work.all(_of_days, OrdersOfDayRow, contractor=contractor_id, days=sorted(days)) if days else []
    return {row.scheduled_date: row.count for row in rows}


_BETWEEN: Any = literal_column(f"'{DELIMITER}'", Text())
"""Stands between the steps of an order, which are a set: the database joins them in any order."""
_SUMMARY_COLUMNS = tuple(orders.c[name] for name in sorted(OrderSummaryRow.column_names()))


async def list_order_rows_page(
    work: UnitOfWork,
    filters: Mapping[str, Any],
    offset: int,
    limit: int,
    known_total: int | None = None,
    *,
    before: int | None = None,
) -> tuple[int, list[ListedOrderRow]]:
    """Return a page of matching orders, newest first, with their number.

    The number is at most `MAX_COUNT` + 1, and is not computed if the total is known. With `before`, the page has orders
    with smaller ids.
    """
    given = {name: value for name, value in filters.items() if value is not None}
    counted = known_total is None
    first = None if offset else limit
    window = {"page_size": limit, "skipped": offset} if offset else {}
    window |= {"before_id": before} if before else {}
    shape: dict[str, Any] = {"counted": counted, "first": first, "older": before is not None}
    if given.keys() & {"search", "custom_fields", "attempts"}:  # the conditions depend on the values
        (page, count), given = _page_statements(order_conditions(given), **shape), {}
    else:
        page, count = _known_page_statements(tuple(given), **shape)
    rows = await work.all(page, ListedOrderRow, **given, **window)
    if known_total is not None:
        return known_total, rows
    if not rows and (offset or before):
        return await work.value(count, **given), rows
    return rows[0].total if rows else 0, rows


async def list_order_rows_before(
    work: UnitOfWork, filters: Mapping[str, Any], *, before: int, limit: int
) -> Sequence[OrderSummaryRow]:
    """Orders with ids below one that fit the filters, newest first."""
    fitting = select(*_SUMMARY_COLUMNS).where(*order_conditions(filters), orders.c.id < bindparam("before_id"))
    return await work.all(fitting.order_by(orders.c.id.desc()).limit(limit), OrderSummaryRow, before_id=before)


@lru_cache(maxsize=256)
def _known_page_statements(
    names: tuple[str, ...], *, counted: bool, first: int | None, older: bool
) -> tuple[Executable, Executable]:
    """Return the statements of a list whose filter values are parameters.

    The parameters have the names of the filters.
    """
    return _page_statements(conditions_of_parameters(names), counted=counted, first=first, older=older)


def _page_statements(
    conditions: Sequence[ColumnElement[bool]], *, counted: bool, first: int | None, older: bool
) -> tuple[Executable, Executable]:
    """Return the statements for a page with its total, and for the total alone.

    One exchange with the database, except beyond the end. The length of the `first` page is part of the text, so that
    PostgreSQL reuses one plan.
    """
    matching = select(orders.c.id).where(*conditions).limit(MAX_COUNT + 1).subquery()
    count = select(func.count()).select_from(matching)
    total: ColumnElement[int] = count.scalar_subquery() if counted else literal_column("0", Integer())
    after_cursor = [orders.c.id < bindparam("before_id")] if older else []
    newest = select(*_SUMMARY_COLUMNS).where(*conditions, *after_cursor).order_by(orders.c.id.desc())
    # A separate subquery: PostgreSQL computes every column of the rows that an offset skips.
    skipping = newest.offset(bindparam("skipped")).limit(bindparam("page_size"))
    shown = (skipping if first is None else newest.limit(literal_column(str(first)))).subquery("shown")
    steps = select(func.aggregate_strings(changes.c.step, _BETWEEN)).where(changes.c.order_id == shown.c.id)
    columns = (steps.scalar_subquery().label("steps_taken"), total.label("total"))
    return select(*shown.c, *columns).order_by(shown.c.id.desc()), count
