"""The table of entries of cash on delivery, and what they add up to."""

from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import date, datetime
from typing import Any

from sqlalchemy import (
    BigInteger,
    Column,
    ColumnElement,
    Date,
    Index,
    Select,
    String,
    Subquery,
    UniqueConstraint,
    bindparam,
    case,
    cast,
    func,
    null,
    select,
)

from haulier.contexts.settlements.cash_on_delivery.rules.entries import CodEntryKind, CodMethod
from haulier.kernel.data.personal_data import PersonKey, RecordKind, personal_data
from haulier.kernel.data.statements import Row, in_param
from haulier.kernel.data.tables import Id, UTCDateTime, tenant_table
from haulier.kernel.data.unit_of_work import UnitOfWork
from haulier.kernel.operations.fields import REASON_MAX

ENTRY_KEY_MAX = 80

cod_entries = tenant_table(
    "cod_entry",
    Column("entry_key", String(ENTRY_KEY_MAX)),
    Column("kind", String(12), nullable=False),
    Column("order_id", Id),
    Column("stop_id", Id),
    Column("customer_id", Id),
    Column("contractor_id", Id),
    Column("driver_id", Id),
    Column("day", Date, nullable=False),
    Column("method", String(10)),
    Column("amount_minor", BigInteger, nullable=False),
    Column("currency", String(3), nullable=False),
    Column("reason", String(REASON_MAX)),
    Column("reverses_id", Id),
    Column("at", UTCDateTime, nullable=False),
    Column("recorded_at", UTCDateTime, nullable=False),
    Column("by_user_id", Id),
    UniqueConstraint("client_id", "entry_key"),
    UniqueConstraint("client_id", "reverses_id"),
    Index(None, "client_id", "order_id"),
    Index(None, "client_id", "driver_id", "day"),
    Index(None, "client_id", "kind", "day"),
)
"""`entry_key` names what an entry is about, so that it is written once; an entry that a person asks for has none.

Of an entry about an order, customer and contractor are those of the time of delivery. Rows are inserted and never changed,
but for a reason that somebody's erasure takes out of them: the money stays.
"""
personal_data(
    cod_entries,
    RecordKind.ORDER_CONTACTS,
    by={"order_id": PersonKey.ORDER, "driver_id": PersonKey.DRIVER},
    erased={"reason": None},
    plain=("entry_key", "kind", "method", "currency"),
)


class CodEntryRow(Row):
    """An entry."""

    id: int
    entry_key: str | None
    kind: str
    order_id: int | None
    stop_id: int | None
    customer_id: int | None
    contractor_id: int | None
    driver_id: int | None
    day: date
    method: str | None
    amount_minor: int
    currency: str
    reason: str | None
    reverses_id: int | None
    at: datetime
    recorded_at: datetime


class DriverCashRow(Row):
    """The sums of a driver's cash."""

    driver_id: int
    collected: int
    handed_in: int
    difference: int


class CodLineRow(Row):
    """The sums of a line of the report."""

    driver_id: int | None
    day: date | None
    order_id: int | None
    orders: int
    due: int
    cash: int
    card: int
    other: int
    written_off: int


_e = cod_entries.c


def _whole_sum(amount: ColumnElement[Any]) -> ColumnElement[int]:
    """A sum as a whole number: PostgreSQL adds up whole numbers to a decimal one."""
    return cast(func.sum(amount), BigInteger)


def _sum_of(condition: ColumnElement[bool]) -> ColumnElement[int]:
    return _whole_sum(case((condition, _e.amount_minor), else_=0))


_of_orders = select(cod_entries).where(in_param(_e.order_id, "ids")).order_by(_e.id)
_by_id = select(cod_entries).where(_e.id == bindparam("entry"))
_of_stop = select(cod_entries).where(_e.stop_id == bindparam("stop")).order_by(_e.id)
_cash = _e.method == CodMethod.CASH.value
_driver_sums = (
    select(
        _e.driver_id,
        _sum_of((_e.kind == CodEntryKind.COLLECTED.value) & _cash).label("collected"),
        _sum_of(_e.kind == CodEntryKind.HANDED_IN.value).label("handed_in"),
        _sum_of(_e.kind == CodEntryKind.DIFFERENCE.value).label("difference"),
    )
    .where(_e.driver_id.is_not(None), _e.kind != CodEntryKind.DUE.value)
    .group_by(_e.driver_id)
    .order_by(_e.driver_id)
)
_sums_of_drivers = _driver_sums.where(in_param(_e.driver_id, "ids"))
_day_of_driver = (
    select(cod_entries)
    .where(_e.driver_id == bindparam("driver"), _e.day == bindparam("on_day"), _e.kind != CodEntryKind.DUE.value)
    .order_by(_e.id)
)


async def insert_cod_entries(work: UnitOfWork, rows: Sequence[Mapping[str, Any]]) -> list[int]:
    """Write entries. Raises `UniqueConflict` where one with the same key, or that reverses the same, was written before."""
    return await work.insert_many(cod_entries, rows)


async def insert_cod_entries_once(work: UnitOfWork, rows: Sequence[Mapping[str, Any]]) -> bool:
    """Write entries that have a key. False where they were written before."""
    return await work.insert_many_once(cod_entries, rows)


async def list_entries_of_orders(work: UnitOfWork, order_ids: Collection[int]) -> list[CodEntryRow]:
    """Every entry about these orders, oldest first."""
    return await work.all(_of_orders, CodEntryRow, ids=sorted(order_ids)) if order_ids else []


async def list_entries_of_stop(work: UnitOfWork, stop_id: int) -> list[CodEntryRow]:
    """Every entry about what happened at a stop, oldest first."""
    return await work.all(_of_stop, CodEntryRow, stop=stop_id)


async def get_cod_entry(work: UnitOfWork, entry_id: int) -> CodEntryRow | None:
    """An entry, or None."""
    return await work.first(_by_id, CodEntryRow, entry=entry_id)


async def list_driver_cash_rows(work: UnitOfWork) -> list[DriverCashRow]:
    """The cash of every driver who ever took any."""
    return await work.all(_driver_sums, DriverCashRow)


async def get_driver_cash_rows(work: UnitOfWork, driver_ids: Collection[int]) -> dict[int, DriverCashRow]:
    """The cash of these drivers; one who never took any is absent."""
    return {row.driver_id: row for row in await work.all(_sums_of_drivers, DriverCashRow, ids=sorted(driver_ids))}


async def list_entries_of_driver_day(work: UnitOfWork, driver_id: int, day: date) -> list[CodEntryRow]:
    """What happened to a driver's cash on a day, oldest first."""
    return await work.all(_day_of_driver, CodEntryRow, driver=driver_id, on_day=day)


_CONDITIONS: Mapping[str, Callable[[Any], ColumnElement[bool]]] = {
    "since": _e.day.__ge__,
    "until": _e.day.__le__,
    "driver": _e.driver_id.__eq__,
    "order": _e.order_id.__eq__,
    "contractor": _e.contractor_id.__eq__,
    "customer": _e.customer_id.__eq__,
}


def _conditions(filters: Mapping[str, Any]) -> list[ColumnElement[bool]]:
    return [_CONDITIONS[name](value) for name, value in filters.items() if value is not None]


def _dues(filters: Mapping[str, Any]) -> Subquery:
    """What was due of each order that fits, on which day and by whom it was delivered."""
    return (
        select(
            _e.order_id,
            func.max(_e.day).label("day"),
            func.max(_e.driver_id).label("driver_id"),
            _whole_sum(_e.amount_minor).label("due"),
        )
        .where(_e.kind == CodEntryKind.DUE.value, *_conditions(filters))
        .group_by(_e.order_id)
        .subquery()
    )


def _order_lines(filters: Mapping[str, Any]) -> Subquery:
    dues = _dues(filters)
    collected = _e.kind == CodEntryKind.COLLECTED.value
    return (
        select(
            dues.c.driver_id,
            dues.c.day,
            dues.c.order_id,
            dues.c.due,
            *(_sum_of(collected & (_e.method == method.value)).label(method.value) for method in CodMethod),
            _sum_of(_e.kind == CodEntryKind.WRITTEN_OFF.value).label("written_off"),
        )
        .join(dues, dues.c.order_id == _e.order_id)
        .group_by(dues.c.driver_id, dues.c.day, dues.c.order_id, dues.c.due)
        .subquery()
    )


_AMOUNTS = ("due", "cash", "card", "other", "written_off")


_KEYS = ("driver_id", "day", "order_id")


def _grouped(lines: Subquery, *kept: str) -> Select[Any]:
    """The sums over all lines that are equal in the kept keys; the other keys are null."""
    keys = [lines.c[name] if name in kept else null().label(name) for name in _KEYS]
    sums = [_whole_sum(lines.c[name]).label(name) for name in _AMOUNTS]
    return select(*keys, func.count().label("orders"), *sums).group_by(*(lines.c[name] for name in kept))


async def list_cod_lines(
    work: UnitOfWork, filters: Mapping[str, Any], by: str, *, limit: int, offset: int
) -> tuple[int, list[CodLineRow], CodLineRow | None]:
    """How many lines there are by a column, a page of them in its order, and the sum over all."""
    lines = _order_lines(filters)
    # Why: a line about an order also says its day and driver, which are the same for all its entries.
    grouped = _grouped(lines, *(_KEYS if by == "order_id" else (by,)))
    total = await work.value(select(func.count()).select_from(grouped.subquery()))
    page = await work.all(grouped.order_by(lines.c[by]).offset(offset).limit(limit), CodLineRow)
    return total, page, await work.first(_grouped(lines), CodLineRow)


async def list_cod_entries_page(
    work: UnitOfWork, filters: Mapping[str, Any], *, limit: int, offset: int
) -> tuple[int, list[CodEntryRow]]:
    """How many entries fit, and a page of them, oldest first."""
    matching = select(cod_entries).where(*_conditions(filters))
    total = await work.value(select(func.count()).select_from(matching.subquery()))
    return total, await work.all(matching.order_by(_e.id).offset(offset).limit(limit), CodEntryRow)
