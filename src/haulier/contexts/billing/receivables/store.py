"""Statements of receivables."""

from collections.abc import Sequence
from datetime import date
from typing import Any

from sqlalchemy import BigInteger, ColumnElement, Select, and_, bindparam, cast, func, literal, select

from haulier.contexts.billing.invoices.rules import InvoiceKind, InvoiceStatus
from haulier.contexts.billing.invoices.store import invoices
from haulier.contexts.billing.receivables.rules import AGES, age_brackets
from haulier.kernel.data.statements import Row
from haulier.kernel.data.unit_of_work import UnitOfWork
from haulier.kernel.values.pagination import MAX_COUNT

_i = invoices.c
_left = _i.total_minor - _i.paid_minor - _i.credited_minor
_days = [bindparam(f"day_{step}", type_=_i.due_on.type) for step in range(len(AGES) - 1)]
_is_open = and_(_i.kind == InvoiceKind.INVOICE.value, _i.status == InvoiceStatus.OPEN.value)


def _sum_ages(*of: ColumnElement[int]) -> Select[*tuple[Any, ...]]:
    """Sum open invoices by currency and age."""
    since, before = [*_days, None], [None, *_days]
    conditions = [
        and_(*([] if first is None else [_i.due_on >= first]), *([] if end is None else [_i.due_on < end]))
        for first, end in zip(since, before, strict=True)
    ]
    amounts = [
        cast(func.coalesce(func.sum(_left).filter(condition), 0), BigInteger).label(f"{name}_minor")
        for name, condition in zip(AGES, conditions, strict=True)
    ]
    oldest = func.min(_i.due_on).label("oldest_due_on")
    customer = of[0] if of else literal(0, BigInteger())
    return (
        select(customer.label("customer_id"), _i.currency, func.count().label("invoices"), oldest, *amounts)
        .where(_is_open)
        .group_by(*of, _i.currency)
    )


class AgedRow(Row):
    """Open invoices of a customer in a currency by age.

    `customer_id` is 0 for those of all customers.
    """

    customer_id: int
    currency: str
    invoices: int
    oldest_due_on: date
    not_due_minor: int
    days_1_30_minor: int
    days_31_60_minor: int
    days_61_90_minor: int
    days_over_90_minor: int


async def list_aged_rows(
    work: UnitOfWork, today: date, customer_id: int | None, *, limit: int, offset: int
) -> tuple[Sequence[AgedRow], int]:
    """Return open invoices by customer, longest overdue first, and a count."""
    aged = _sum_ages(_i.customer_id).where(*_one_customer(customer_id))
    page = aged.order_by(func.min(_i.due_on), _i.customer_id, _i.currency).limit(limit).offset(offset)
    groups = select(_i.customer_id).where(_is_open, *_one_customer(customer_id)).group_by(_i.customer_id, _i.currency)
    counted = select(func.count()).select_from(groups.limit(MAX_COUNT + 1).subquery())
    return await work.all(page, AgedRow, **_bracket_days(today)), await work.value(counted)


async def sum_aged_rows(work: UnitOfWork, today: date, customer_id: int | None) -> Sequence[AgedRow]:
    """Return the open invoices by currency."""
    aged = _sum_ages().where(*_one_customer(customer_id)).order_by(_i.currency)
    return await work.all(aged, AgedRow, **_bracket_days(today))


def _one_customer(customer_id: int | None) -> list[ColumnElement[bool]]:
    return [] if customer_id is None else [_i.customer_id == customer_id]


def _bracket_days(today: date) -> dict[str, date]:
    starts = (each.due_from for each in age_brackets(today))
    return {f"day_{step}": day for step, day in enumerate(day for day in starts if day is not None)}
