"""Table of cash-on-delivery entries and its sums."""

from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import date, datetime
from typing import Annotated, Any

from sqlalchemy import (
    BigInteger,
    ColumnElement,
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

from haulier.contexts.settlements.cash_on_delivery.rules import CodEntryKind, CodMethod
from haulier.kernel.data.personal_data import PersonKey, RecordKind, personal_data
from haulier.kernel.data.records import BigInt, Record, Reference
from haulier.kernel.data.statements import Row, in_param
from haulier.kernel.data.unit_of_work import UnitOfWork
from haulier.kernel.operations.fields import REASON_MAX

ENTRY_KEY_MAX = 80


class CodEntryRow(
    Record,
    table="cod_entry",
    items=[
        UniqueConstraint("client_id", "entry_key"),
        UniqueConstraint("client_id", "reverses_id"),
        Index(None, "client_id", "order_id"),
        Index(None, "client_id", "driver_id", "day"),
        Index(None, "client_id", "kind", "day"),
    ],
):
    """Cash-on-delivery entry.

    `entry_key` identifies the subject of an entry so that it is written once. Entries requested by a user have no key.

    Customer and contractor of an order's entries are those at the time of delivery. Rows are inserted and never
    changed, except that an erasure request removes the reason; the amounts stay.
    """

    entry_key: Annotated[str, String(ENTRY_KEY_MAX)] | None
    kind: Annotated[str, String(12)]
    order_id: Reference | None
    stop_id: Reference | None
    customer_id: Reference | None
    contractor_id: Reference | None
    driver_id: Reference | None
    day: date
    method: Annotated[str, String(10)] | None
    amount_minor: BigInt
    currency: Annotated[str, String(3)]
    reason: Annotated[str, String(REASON_MAX)] | None
    reverses_id: Reference | None
    at: datetime
    recorded_at: datetime
    by_user_id: Reference | None


cod_entries = CodEntryRow.table
personal_data(
    cod_entries,
    RecordKind.ORDER_CONTACTS,
    by={"order_id": PersonKey.ORDER, "driver_id": PersonKey.DRIVER},
    erased={"reason": None},
    plain=("entry_key", "kind", "method", "currency"),
)


class DriverCashRow(Row):
    """Sums of a driver's cash."""

    driver_id: int
    collected: int
    handed_in: int
    difference: int


class CodLineRow(Row):
    """Sums of a report line."""

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
    """Return a sum as an integer. PostgreSQL sums integers to a decimal."""
    return cast(func.sum(amount), BigInteger)


def _sum_of(condition: ColumnElement[bool]) -> ColumnElement[int]:
    return _whole_sum(case((condition, _e.amount_minor), else_=0))


_of_orders = select(cod_entries).where(in_param(_e.order_id, "ids")).order_by(_e.id)
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


async def insert_cod_entries_once(work: UnitOfWork, rows: Sequence[Mapping[str, Any]]) -> bool:
    """Insert entries that have a key. Return False if they already exist."""
    return await work.insert_many_once(cod_entries, rows)


async def list_entries_of_orders(work: UnitOfWork, order_ids: Collection[int]) -> list[CodEntryRow]:
    """Return every entry about these orders, oldest first."""
    return await work.all(_of_orders, CodEntryRow, ids=sorted(order_ids)) if order_ids else []


async def list_entries_of_stop(work: UnitOfWork, stop_id: int) -> list[CodEntryRow]:
    """Return every entry about a stop, oldest first."""
    return await work.all(_of_stop, CodEntryRow, stop=stop_id)


async def list_driver_cash_rows(work: UnitOfWork) -> list[DriverCashRow]:
    """Return the cash of every driver who has ever collected any."""
    return await work.all(_driver_sums, DriverCashRow)


async def get_driver_cash_rows(work: UnitOfWork, driver_ids: Collection[int]) -> dict[int, DriverCashRow]:
    """Return the cash of these drivers. Drivers who never collected any are absent."""
    return {row.driver_id: row for row in await work.all(_sums_of_drivers, DriverCashRow, ids=sorted(driver_ids))}


async def list_entries_of_driver_day(work: UnitOfWork, driver_id: int, day: date) -> list[CodEntryRow]:
    """Return the cash entries of a driver on a day, oldest first."""
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
    """Return the amount due of each matching order with its delivery day and driver."""
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
    """Return the sums of lines grouped by the selected keys. Other keys are null."""
    keys = [lines.c[name] if name in kept else null().label(name) for name in _KEYS]
    sums = [_whole_sum(lines.c[name]).label(name) for name in _AMOUNTS]
    return select(*keys, func.count().label("orders"), *sums).group_by(*(lines.c[name] for name in kept))


async def list_cod_lines(
    work: UnitOfWork, filters: Mapping[str, Any], by: str, *, limit: int, offset: int
) -> tuple[int, list[CodLineRow], CodLineRow | None]:
    """Return the number of lines by a column, a sorted page and the total sum."""
    lines = _order_lines(filters)
    # A line about an order also carries its day and driver, which are the same for all its entries.
    grouped = _grouped(lines, *(_KEYS if by == "order_id" else (by,)))
    total = await work.value(select(func.count()).select_from(grouped.subquery()))
    page = await work.all(grouped.order_by(lines.c[by]).offset(offset).limit(limit), CodLineRow)
    return total, page, await work.first(_grouped(lines), CodLineRow)


async def list_cod_entries_page(
    work: UnitOfWork, filters: Mapping[str, Any], *, limit: int, offset: int
) -> tuple[int, list[CodEntryRow]]:
    """Return the number of matching entries and a page of them, oldest first."""
    matching = select(cod_entries).where(*_conditions(filters))
    total = await work.value(select(func.count()).select_from(matching.subquery()))
    return total, await work.all(matching.order_by(_e.id).offset(offset).limit(limit), CodEntryRow)
