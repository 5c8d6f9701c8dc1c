"""Tables and statements of sums."""

from collections.abc import Mapping, Sequence
from datetime import date
from functools import lru_cache
from typing import Any

from sqlalchemy import (
    BigInteger,
    Column,
    ColumnElement,
    Date,
    Index,
    Integer,
    Select,
    String,
    UniqueConstraint,
    bindparam,
    cast,
    delete,
    extract,
    func,
    literal,
    or_,
    select,
    union_all,
)
from sqlalchemy.dialects.postgresql import insert

from haulier.contexts.analytics.sums.rules import AMOUNTS, Dimension, SumQuestion
from haulier.kernel.data.personal_data import plain_columns
from haulier.kernel.data.statements import Row, in_param
from haulier.kernel.data.tables import VOLATILE, Id, tenant_table
from haulier.kernel.data.unit_of_work import UnitOfWork

STATUS_MAX = 20
SUM_REASON_MAX = 60


def _word_columns() -> tuple[Column[str], ...]:
    return (
        Column("measure", String(10), nullable=False),
        Column("status", String(STATUS_MAX), nullable=False),
        Column("reason", String(SUM_REASON_MAX), nullable=False),
        Column("currency", String(3), nullable=False),
    )


def _amount_columns() -> tuple[Column[int], ...]:
    return (
        Column("count", Integer, nullable=False),
        Column("judged", Integer, nullable=False),
        Column("on_time", Integer, nullable=False),
        Column("minor", BigInteger, nullable=False),
    )


sum_entries = tenant_table(
    "sum_entry",
    Column("day", Date, nullable=False, info=VOLATILE),
    Column("customer_id", Id, nullable=False),
    Column("driver_id", Id, nullable=False),
    Column("contractor_id", Id, nullable=False),
    Column("hour_id", Integer, nullable=False, server_default="0", info=VOLATILE),
    *_word_columns(),
    *_amount_columns(),
    Index("ix_sum_entry_oldest", "client_id", "id"),
)
"""Entries that are not folded yet. Rows are inserted, and deleted when folded."""
daily_sums = tenant_table(
    "daily_sum",
    Column("dimension", String(10), nullable=False),
    Column("day", Date, nullable=False),
    Column("subject_id", Id, nullable=False),
    *_word_columns(),
    *_amount_columns(),
    UniqueConstraint(
        "client_id",
        "dimension",
        "day",
        "subject_id",
        "measure",
        "status",
        "reason",
        "currency",
        name="uq_daily_sum_words",
    ),
    Index("ix_daily_sum_subject", "client_id", "dimension", "subject_id", "day"),
)
plain_columns(sum_entries, "measure", "status", "reason", "currency")
plain_columns(daily_sums, "dimension", "measure", "status", "reason", "currency")
# Derived: entries repeat what orders and pay say, so a dry run does not show them.
for _table in (sum_entries, daily_sums):
    _table.info["derived"] = True


KEPT_WORDS = ("dimension", "day", "subject_id", "measure", "status", "reason", "currency")
_WORDS = ("measure", "status", "reason", "currency")


class SumEntryRow(Row):
    """Contribution of one change."""

    id: int
    measure: str
    day: date
    status: str
    reason: str
    customer_id: int
    driver_id: int
    contractor_id: int
    hour_id: int
    currency: str
    count: int
    judged: int
    on_time: int
    minor: int


class DaySumRow(Row):
    """Total of entries.

    `day` is None for a whole period, and any such day for a weekday.
    """

    day: date | None
    subject_id: int
    measure: str
    status: str
    reason: str
    currency: str
    count: int
    judged: int
    on_time: int
    minor: int


_entries = sum_entries.c
_oldest = select(_entries.id).order_by(_entries.id).limit(bindparam("most"))
_take = delete(sum_entries).where(_entries.id.in_(_oldest)).returning(*sum_entries.c)
_first = insert(daily_sums).values(
    {name: bindparam(name, type_=daily_sums.c[name].type) for name in (*KEPT_WORDS, *AMOUNTS)}
)
_add = _first.on_conflict_do_update(
    index_elements=["client_id", *KEPT_WORDS],
    set_={name: daily_sums.c[name] + _first.excluded[name] for name in AMOUNTS},
)
_any_entry = select(_entries.id).limit(1)


async def insert_sum_entries(work: UnitOfWork, rows: Sequence[Mapping[str, Any]]) -> None:
    """Append entries."""
    await work.insert_later(sum_entries, rows)


async def has_sum_entries(work: UnitOfWork) -> bool:
    """Return True if the client has entries to fold."""
    return await work.first(_any_entry) is not None


async def claim_sum_entries(work: UnitOfWork, most: int) -> list[SumEntryRow]:
    """Delete and return the oldest entries.

    Those that a concurrent call takes are not included.
    """
    return await work.all(_take, SumEntryRow, most=most)


async def add_to_daily_sums(work: UnitOfWork, rows: Sequence[Mapping[str, Any]]) -> None:
    """Add amounts to daily sums, creating missing ones. Rows must be in a fixed order."""
    await work.run_many(_add, rows)


async def list_sum_rows(work: UnitOfWork, question: SumQuestion) -> list[DaySumRow]:
    """Return daily sums plus unfolded entries, in one statement and so of one moment."""
    statement = _sums(
        question.dimension,
        question.per_day,
        question.per_weekday,
        question.subject_id is not None,
        question.status is not None,
    )
    params: dict[str, Any] = {
        "since": question.since,
        "until": question.until,
        "measures": [measure.value for measure in question.measures],
    }
    if question.subject_id is not None:
        params["subject"] = question.subject_id
    if question.status is not None:
        params["statuses"] = ["", question.status]
    return await work.all(statement, DaySumRow, **params)


@lru_cache(maxsize=64)
def _sums(
    dimension: Dimension, per_day: bool, per_weekday: bool, of_one: bool, of_status: bool
) -> Select[*tuple[Any, ...]]:
    kept = daily_sums.c
    both = union_all(
        _chosen(kept, kept.subject_id, of_one, of_status).where(kept.dimension == literal(dimension.value)),
        _chosen(_entries, _of_dimension(_entries, dimension), of_one, of_status),
    ).subquery("both")
    words = [both.c.subject_id, *(both.c[name] for name in _WORDS)]
    day: ColumnElement[Any] = cast(literal(None), sum_entries.c.day.type)
    grouped = words
    if per_day:
        day, grouped = both.c.day, [both.c.day, *words]
    elif per_weekday:
        day, grouped = func.min(both.c.day, type_=sum_entries.c.day.type), [extract("dow", both.c.day), *words]
    sums = {name: cast(func.sum(both.c[name]), BigInteger) for name in AMOUNTS}
    summed = select(day.label("day"), *words, *(value.label(name) for name, value in sums.items())).group_by(*grouped)
    return summed.having(or_(*(value != 0 for value in sums.values()))).order_by(*grouped)


def _chosen(columns: Any, subject: ColumnElement[int], of_one: bool, of_status: bool) -> Select[*tuple[Any, ...]]:
    chosen = select(
        columns.day,
        subject.label("subject_id"),
        *(columns[name] for name in _WORDS),
        *(columns[name] for name in AMOUNTS),
    ).where(
        columns.day >= bindparam("since", type_=sum_entries.c.day.type),
        columns.day <= bindparam("until", type_=sum_entries.c.day.type),
        in_param(columns.measure, "measures"),
    )
    if of_status:
        chosen = chosen.where(in_param(columns.status, "statuses"))
    return chosen.where(subject == bindparam("subject")) if of_one else chosen


def _wide(columns: Any, subject: ColumnElement[int], sign: int) -> Select[*tuple[Any, ...]]:
    amounts = [(columns[name] * sign).label(name) for name in AMOUNTS]
    return select(columns.day, subject.label("subject_id"), *(columns[name] for name in _WORDS), *amounts)


def _of_dimension(columns: Any, dimension: Dimension) -> ColumnElement[int]:
    return literal(0, BigInteger()) if dimension is Dimension.ALL else columns[f"{dimension.value}_id"]


async def list_sum_differences(
    work: UnitOfWork, dimension: Dimension, measure: str, truth: Select[*tuple[Any, ...]]
) -> list[DaySumRow]:
    """Return differences between a measure's sums and its correct entries.

    Missing amounts are positive, excess ones negative. One statement, and so of one moment: concurrent calls change
    both sides alike.
    """
    should, kept = truth.subquery("should"), daily_sums.c
    sides = union_all(
        _wide(should.c, _of_dimension(should.c, dimension), 1),
        _wide(kept, kept.subject_id, -1).where(
            kept.dimension == literal(dimension.value), kept.measure == literal(measure)
        ),
        _wide(_entries, _of_dimension(_entries, dimension), -1).where(_entries.measure == literal(measure)),
    ).subquery("sides")
    words = [sides.c.day, sides.c.subject_id, *(sides.c[name] for name in _WORDS)]
    sums = {name: cast(func.sum(sides.c[name]), BigInteger) for name in AMOUNTS}
    statement = (
        select(*words, *(value.label(name) for name, value in sums.items()))
        .group_by(*words)
        .having(or_(*(value != 0 for value in sums.values())))
        .order_by(*words)
    )
    return await work.all(statement, DaySumRow)
