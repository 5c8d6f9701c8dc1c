"""Orders that need somebody: the conditions of each kind of problem, and the list of such orders."""

from collections.abc import Collection, Mapping, Sequence
from datetime import date, datetime
from typing import Any

from sqlalchemy import ColumnElement, Select, Subquery, func, literal, or_, select, union_all

from haulier.contexts.identity.accounts.store.tables import users
from haulier.contexts.orders.delivery_orders.rules.exceptions import (
    LOADED_STATUSES,
    ORDER_PROBLEM_STATUSES,
    PIECE_PROBLEMS,
    UNLOADED_STATUSES,
    OrderProblemKind,
)
from haulier.contexts.orders.delivery_orders.rules.lifecycle import OrderStatus
from haulier.contexts.orders.delivery_orders.store.orders import OrderRow, order_conditions
from haulier.contexts.orders.delivery_orders.store.tables import orders, piece_exceptions
from haulier.kernel.data.statements import Row
from haulier.kernel.data.unit_of_work import UnitOfWork
from haulier.kernel.values.pagination import MAX_COUNT


class OrderExceptionRow(OrderRow):
    """An order that needs somebody, with a member for each kind of problem: whether it has it."""

    window_start: datetime | None
    window_end: datetime | None


class OrderProblemCountRow(Row):
    """How many orders need somebody, with a member for each kind of problem: how many have it."""

    total: int


def _problem_conditions(now: datetime, today: date) -> dict[OrderProblemKind, ColumnElement[bool]]:
    """Which orders have which problem; see `OrderProblemKind`."""
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
    """How many orders need somebody: of each status at most `most`, so that what it costs does not grow with orders.

    # Why by status: of one limit for all of them, a status with many such orders would leave nothing for the others.
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
    """The orders that can have these problems, by an index: those under way, and those with open pieces."""
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
    """How many orders have these problems, counted as lists of orders are, and a page of them, newest first."""
    conditions = _problem_conditions(now, today)
    flags = [condition.is_(True).label(kind.value) for kind, condition in conditions.items()]
    where = [_candidates(kinds), or_(*(conditions[kind] for kind in kinds)), *order_conditions(filters)]
    counts = await _count(work, flags, where)
    rows = select(orders, *flags).where(*where).order_by(orders.c.id.desc()).offset(offset).limit(limit)
    return counts, await work.all(rows, OrderExceptionRow) if counts.total > min(offset, MAX_COUNT) else []
