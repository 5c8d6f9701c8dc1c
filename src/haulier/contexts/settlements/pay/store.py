"""Tables of pay rates and of immutable earnings."""

from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import date, datetime
from typing import Annotated, Any

from sqlalchemy import (
    ColumnElement,
    Date,
    Index,
    Integer,
    Select,
    String,
    UniqueConstraint,
    bindparam,
    case,
    func,
    literal,
    or_,
    select,
    update,
)

from haulier.contexts.analytics.sums.rules import NOBODY, Measure
from haulier.contexts.settlements.pay.rules import PayeeKind
from haulier.kernel.data.personal_data import PersonKey, RecordKind, personal_data, plain_columns
from haulier.kernel.data.records import BigInt, Record, Reference
from haulier.kernel.data.statements import in_param
from haulier.kernel.data.tables import Id
from haulier.kernel.data.unit_of_work import UnitOfWork
from haulier.kernel.operations.fields import REASON_MAX

EARNING_KEY_MAX = 80
STATEMENT_LINES_MAX = 20_000


class PayRateRow(Record, table="pay_rate", items=[Index(None, "client_id", "payee_kind", "payee_id")]):
    """Pay rate."""

    payee_kind: Annotated[str, String(10)]
    payee_id: Reference | None
    valid_from: date
    valid_to: date | None
    per_route_minor: BigInt
    per_stop_minor: BigInt
    per_failed_stop_minor: BigInt
    per_km_minor: BigInt
    currency: Annotated[str, String(3)]
    created_at: datetime
    created_by: Reference | None


pay_rates = PayRateRow.table


class EarningRow(
    Record,
    table="earning",
    items=[
        UniqueConstraint("client_id", "earning_key"),
        UniqueConstraint("client_id", "corrects_id"),
        Index(None, "client_id", "payee_kind", "payee_id", "day"),
        Index(None, "client_id", "day"),
    ],
):
    """Earning.

    `earning_key` identifies the paid stop or route so that it is paid once.

    Rows are inserted and never changed, except that an erasure request removes the reason; the amounts stay.
    """

    earning_key: Annotated[str, String(EARNING_KEY_MAX)] | None
    payee_kind: Annotated[str, String(10)]
    payee_id: Reference
    kind: Annotated[str, String(12)]
    day: date
    route_id: Reference | None
    stop_id: Reference | None
    order_id: Reference | None
    rate_id: Reference | None
    quantity: BigInt
    rate_minor: BigInt
    amount_minor: BigInt
    currency: Annotated[str, String(3)]
    reason: Annotated[str, String(REASON_MAX)] | None
    corrects_id: Reference | None
    at: datetime
    recorded_at: datetime
    by_user_id: Reference | None


earnings = EarningRow.table
plain_columns(pay_rates, "payee_kind", "currency")
personal_data(
    earnings,
    RecordKind.DRIVERS,
    by={"payee_id": PersonKey.DRIVER},
    matches=lambda row, keys: row.payee_kind == PayeeKind.DRIVER,
    erased={"reason": None},
    plain=("earning_key", "payee_kind", "kind", "currency"),
)


_rates_for = select(pay_rates).where(
    pay_rates.c.payee_kind == bindparam("kind"),
    or_(pay_rates.c.payee_id.is_(None), pay_rates.c.payee_id == bindparam("payee")),
)
_end_rate = (
    update(pay_rates).where(pay_rates.c.id == bindparam("rate")).values(valid_to=bindparam("last", type_=Date()))
)
_by_keys = select(earnings).where(in_param(earnings.c.earning_key, "keys")).order_by(earnings.c.id)
_corrections = select(earnings).where(in_param(earnings.c.corrects_id, "ids"))
_of_payee = (
    select(earnings)
    .where(
        earnings.c.payee_kind == bindparam("kind"),
        earnings.c.payee_id == bindparam("payee"),
        earnings.c.day >= bindparam("since"),
        earnings.c.day <= bindparam("until"),
    )
    .order_by(earnings.c.day, earnings.c.id)
    .limit(STATEMENT_LINES_MAX)
)
_FILTERS: Mapping[str, Callable[[Any], ColumnElement[bool]]] = {
    "since": earnings.c.day.__ge__,
    "until": earnings.c.day.__le__,
    "kind": earnings.c.payee_kind.__eq__,
    "payee": earnings.c.payee_id.__eq__,
}


async def list_rates_for(work: UnitOfWork, kind: str, payee_id: int) -> list[PayRateRow]:
    """Return the rates of a payee and the general rates of the kind."""
    return await work.all(_rates_for, PayRateRow, kind=kind, payee=payee_id)


async def update_rate_end(work: UnitOfWork, rate_id: int, last_day: date) -> None:
    """Update the last day of a rate."""
    await work.run(_end_rate, rate=rate_id, last=last_day)


async def list_pay_rates_page(
    work: UnitOfWork, kind: str | None, payee_id: int | None, *, limit: int, offset: int
) -> tuple[int, list[PayRateRow]]:
    """Return the number of matching rates and a page of them, latest start first."""
    given = ((pay_rates.c.payee_kind, kind), (pay_rates.c.payee_id, payee_id))
    matching = select(pay_rates).where(*(column == value for column, value in given if value is not None))
    total = await work.value(select(func.count()).select_from(matching.subquery()))
    newest_first = matching.order_by(pay_rates.c.valid_from.desc(), pay_rates.c.id.desc())
    return total, await work.all(newest_first.offset(offset).limit(limit), PayRateRow)


async def insert_earnings_once(work: UnitOfWork, rows: Sequence[Mapping[str, Any]]) -> bool:
    """Insert earnings that have a key. Return False if they already exist."""
    return await work.insert_many_once(earnings, rows)


def pay_sum_truths() -> dict[Measure, Select[*tuple[Any, ...]]]:
    """Return the expected values of the pay sums."""
    nothing = literal(0, Integer())
    by_kind = {
        kind: case((earnings.c.payee_kind == kind.value, earnings.c.payee_id), else_=NOBODY) for kind in PayeeKind
    }
    truth: Select[*tuple[Any, ...]] = select(
        earnings.c.day,
        literal(Measure.PAY.value).label("measure"),
        literal("").label("status"),
        literal("").label("reason"),
        literal(NOBODY, Id).label("customer_id"),
        by_kind[PayeeKind.DRIVER].label("driver_id"),
        by_kind[PayeeKind.CONTRACTOR].label("contractor_id"),
        nothing.label("hour_id"),
        earnings.c.currency,
        literal(1, Integer()).label("count"),
        nothing.label("judged"),
        nothing.label("on_time"),
        earnings.c.amount_minor.label("minor"),
    )
    return {Measure.PAY: truth}


async def list_earnings_by_key(work: UnitOfWork, keys: Collection[str]) -> list[EarningRow]:
    """Return the earnings with these keys, oldest first."""
    return await work.all(_by_keys, EarningRow, keys=list(keys))


async def get_corrections(work: UnitOfWork, earning_ids: Collection[int]) -> dict[int, EarningRow]:
    """Return the corrections of earnings, by corrected id."""
    rows = await work.all(_corrections, EarningRow, ids=list(earning_ids)) if earning_ids else []
    return {row.corrects_id: row for row in rows if row.corrects_id is not None}


async def list_earnings_page(
    work: UnitOfWork, filters: Mapping[str, Any], *, limit: int, offset: int
) -> tuple[int, list[EarningRow]]:
    """Return the number of matching earnings and a page of them, oldest first."""
    matching = select(earnings).where(*(_FILTERS[name](value) for name, value in filters.items() if value is not None))
    total = await work.value(select(func.count()).select_from(matching.subquery()))
    return total, await work.all(matching.order_by(earnings.c.id).offset(offset).limit(limit), EarningRow)


async def list_earnings_between(
    work: UnitOfWork, kind: str, payee_id: int, since: date, until: date
) -> list[EarningRow]:
    """Return a payee's earnings of a period, by day."""
    return await work.all(_of_payee, EarningRow, kind=kind, payee=payee_id, since=since, until=until)
