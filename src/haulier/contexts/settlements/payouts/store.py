"""Tables of payouts and their lines."""

from collections.abc import Collection, Mapping, Sequence
from datetime import date, datetime
from typing import Annotated, Any

from sqlalchemy import (
    ColumnElement,
    Date,
    Index,
    String,
    UniqueConstraint,
    bindparam,
    delete,
    exists,
    func,
    select,
    update,
)

from haulier.contexts.settlements.pay.rules import PayeeKind
from haulier.contexts.settlements.pay.store import earnings
from haulier.contexts.settlements.payouts.rules import (
    PAYOUT_NUMBER_MAX,
    PAYOUT_REFERENCE_MAX,
    DisputeState,
    UnpaidSum,
)
from haulier.kernel.data.personal_data import PersonKey, RecordKind, personal_data
from haulier.kernel.data.records import BigInt, Record, Reference
from haulier.kernel.data.statements import Row, in_param
from haulier.kernel.data.unit_of_work import UnitOfWork
from haulier.kernel.operations.fields import REASON_MAX
from haulier.kernel.values.pagination import MAX_COUNT

STATE = String(10)
LINES_SHOWN_MAX = 20_000


class PayoutCounterRow(Record, table="payout_counter", items=[UniqueConstraint("client_id")]):
    """Last assigned payout number of a business.

    The row is locked while payouts are created, so numbers have no gaps and no earning is on two payouts.
    """

    payouts: int


class PayoutRow(
    Record,
    table="payout",
    items=[
        UniqueConstraint("client_id", "number"),
        Index("ix_payout_payee", "client_id", "payee_kind", "payee_id", "id"),
        Index("ix_payout_status", "client_id", "status", "id"),
    ],
):
    """Numbered pay statement of a contractor or driver.

    `open_disputes`, `lines` and `total_minor` sum up its lines; a cancelled payout keeps its last sums.
    """

    number: Annotated[str, String(PAYOUT_NUMBER_MAX)]
    payee_kind: Annotated[str, STATE]
    payee_id: Reference
    status: Annotated[str, STATE]
    open_disputes: int
    date_from: date
    date_to: date
    lines: int
    total_minor: BigInt
    currency: Annotated[str, String(3)]
    paid_on: date | None
    payment_reference: Annotated[str, String(PAYOUT_REFERENCE_MAX)] | None
    reason: Annotated[str, String(REASON_MAX)] | None
    created_at: datetime
    created_by: Reference | None
    updated_at: datetime


class PayoutLineRow(
    Record,
    table="payout_line",
    items=[
        UniqueConstraint("client_id", "earning_id"),
        Index("ix_payout_line_payout", "client_id", "payout_id", "id"),
    ],
):
    """Earning on a payout, with the state of its dispute."""

    payout_id: Reference
    earning_id: Reference
    dispute: Annotated[str, STATE] | None
    dispute_reason: Annotated[str, String(REASON_MAX)] | None
    disputed_at: datetime | None
    disputed_by: Reference | None
    dispute_answer: Annotated[str, String(REASON_MAX)] | None
    resolved_at: datetime | None
    resolved_by: Reference | None


payouts, lines = PayoutRow.table, PayoutLineRow.table
personal_data(
    payouts,
    RecordKind.DRIVERS,
    by={"payee_id": PersonKey.DRIVER},
    matches=lambda row, keys: row.payee_kind == PayeeKind.DRIVER,
    erased={"reason": None},
    plain=("number", "payee_kind", "status", "currency", "payment_reference"),
)
personal_data(
    lines,
    RecordKind.DRIVERS,
    by={"disputed_by": PersonKey.USER},
    erased={"dispute_reason": None, "dispute_answer": None},
    plain=("dispute",),
)


class PayoutEarningRow(Row):
    """Line of a payout with its earning."""

    earning_id: int
    kind: str
    day: date
    route_id: int | None
    stop_id: int | None
    order_id: int | None
    quantity: int
    rate_minor: int
    amount_minor: int
    currency: str
    reason: str | None
    corrects_id: int | None
    dispute: str | None
    dispute_reason: str | None
    dispute_answer: str | None


class PayoutLineSum(Row):
    """Sums of the lines of a payout."""

    payout_id: int
    lines: int
    total_minor: int
    date_from: date
    open_disputes: int


class _DueRow(Row):
    payout_id: int
    earning_id: int


class _UnpaidRow(Row):
    payee_kind: str
    payee_id: int
    currency: str
    lines: int
    amount_minor: int


_e, _l, _p = earnings.c, lines.c, payouts.c
_FREE = ~exists(select(_l.id).where(_l.earning_id == _e.id))
_DUE = (_e.day <= bindparam("until", type_=Date()), _FREE)
_EARNED = (
    *("kind", "day", "route_id", "stop_id", "order_id", "quantity", "rate_minor", "amount_minor", "currency"),
    *("reason", "corrects_id"),
)
_lines_shown = (
    select(_l.earning_id, *(_e[name] for name in _EARNED), _l.dispute, _l.dispute_reason, _l.dispute_answer)
    .join_from(lines, earnings, _e.id == _l.earning_id)
    .where(_l.payout_id == bindparam("payout"))
    .order_by(_e.day, _e.id)
    .limit(LINES_SHOWN_MAX)
)
_line_sums = (
    select(
        _l.payout_id,
        func.count().label("lines"),
        func.sum(_e.amount_minor).label("total_minor"),
        func.min(_e.day).label("date_from"),
        func.count().filter(_l.dispute == DisputeState.OPEN.value).label("open_disputes"),
    )
    .join_from(lines, earnings, _e.id == _l.earning_id)
    .where(in_param(_l.payout_id, "payouts"))
    .group_by(_l.payout_id)
)
_due_of_payouts = (
    select(_p.id.label("payout_id"), _e.id.label("earning_id"))
    .join_from(
        payouts,
        earnings,
        (_e.payee_kind == _p.payee_kind) & (_e.payee_id == _p.payee_id) & (_e.currency == _p.currency),
    )
    .where(in_param(_p.id, "payouts"), *_DUE)
)
_release = delete(lines).where(_l.payout_id == bindparam("payout"))
_set_sums = (
    update(payouts)
    .where(_p.id == bindparam("payout"))
    .values({name: bindparam(f"new_{name}", type_=_p[name].type) for name in ("lines", "total_minor", "date_from")})
    .values(open_disputes=bindparam("new_open_disputes", type_=_p.open_disputes.type))
)
_set_status = (
    update(payouts)
    .where(in_param(_p.id, "payouts"))
    .values(
        {
            name: bindparam(f"new_{name}", type_=_p[name].type)
            for name in ("status", "paid_on", "payment_reference", "reason", "updated_at")
        }
    )
)
_DISPUTE_VALUES = ("dispute", "dispute_reason", "disputed_at", "disputed_by")
_ANSWER_VALUES = ("dispute", "dispute_answer", "resolved_at", "resolved_by")


def _set_lines(names: Sequence[str]) -> Any:
    return (
        update(lines)
        .where(_l.payout_id == bindparam("payout"), in_param(_l.earning_id, "earnings"))
        .values({name: bindparam(f"new_{name}", type_=_l[name].type) for name in names})
    )


_dispute, _answer = _set_lines(_DISPUTE_VALUES), _set_lines(_ANSWER_VALUES)


async def lock_counter(work: UnitOfWork) -> PayoutCounterRow:
    """Lock the payout numbers of the business until the transaction ends."""
    return await PayoutCounterRow.lock_or_insert(work, {"payouts": 0})


async def sum_unpaid(work: UnitOfWork, until: date, kind: str | None, payee_id: int | None) -> list[UnpaidSum]:
    """Return the earnings up to a day that are on no payout, by payee and currency."""
    given = [column == value for column, value in ((_e.payee_kind, kind), (_e.payee_id, payee_id)) if value is not None]
    statement = (
        select(
            *(_e.payee_kind, _e.payee_id, _e.currency),
            func.count().label("lines"),
            func.sum(_e.amount_minor).label("amount_minor"),
        )
        .where(*_DUE, *given)
        .group_by(_e.payee_kind, _e.payee_id, _e.currency)
    )
    return [
        UnpaidSum(
            payee_kind=PayeeKind(row.payee_kind),
            payee_id=row.payee_id,
            currency=row.currency,
            lines=row.lines,
            amount_minor=int(row.amount_minor),
        )
        for row in await work.all(statement, _UnpaidRow, until=until)
    ]


async def insert_due_lines(work: UnitOfWork, payout_ids: Collection[int], until: date) -> None:
    """Put the unpaid earnings of the payees up to a day on their new payouts."""
    due = await work.all(_due_of_payouts, _DueRow, payouts=sorted(payout_ids), until=until)
    # Rows and not INSERT … SELECT, so that dry runs and approvals list the new lines.
    await PayoutLineRow.insert_many(work, [{"payout_id": row.payout_id, "earning_id": row.earning_id} for row in due])


async def update_sums(work: UnitOfWork, payout_ids: Collection[int]) -> None:
    """Set the sums of payouts to those of their lines."""
    sums = await work.all(_line_sums, PayoutLineSum, payouts=sorted(payout_ids))
    names = ("lines", "total_minor", "date_from", "open_disputes")
    rows = [{"payout": each.payout_id, **{f"new_{name}": getattr(each, name) for name in names}} for each in sums]
    await work.run_many(_set_sums, [{**row, "new_total_minor": int(row["new_total_minor"])} for row in rows])


async def list_line_rows(work: UnitOfWork, payout_id: int) -> list[PayoutEarningRow]:
    """Return the lines of a payout, by day."""
    return await work.all(_lines_shown, PayoutEarningRow, payout=payout_id)


async def release_lines(work: UnitOfWork, payout_id: int) -> None:
    """Remove the lines of a payout, so that a later one takes their earnings."""
    await work.run(_release, payout=payout_id)


async def set_status(work: UnitOfWork, payout_ids: Collection[int], values: Mapping[str, Any]) -> None:
    """Set status, payment and reason of payouts."""
    await work.run(_set_status, payouts=sorted(payout_ids), **{f"new_{name}": each for name, each in values.items()})


async def dispute_lines(work: UnitOfWork, payout_id: int, earning_ids: Collection[int], values: Sequence[Any]) -> None:
    """Set state, reason, time and user of disputes."""
    given = {f"new_{name}": each for name, each in zip(_DISPUTE_VALUES, values, strict=True)}
    await work.run(_dispute, payout=payout_id, earnings=sorted(earning_ids), **given)


async def answer_lines(work: UnitOfWork, payout_id: int, earning_ids: Collection[int], values: Sequence[Any]) -> None:
    """Set state, answer, time and user of decisions."""
    given = {f"new_{name}": each for name, each in zip(_ANSWER_VALUES, values, strict=True)}
    await work.run(_answer, payout=payout_id, earnings=sorted(earning_ids), **given)


async def list_payout_rows(
    work: UnitOfWork, wanted: Mapping[str, Any], disputed: bool | None, *, limit: int, offset: int
) -> tuple[list[PayoutRow], int]:
    """Return a page of matching payouts, newest first, and their count.

    Counting stops one above `MAX_COUNT`.
    """
    where: list[ColumnElement[bool]] = [_p[name] == value for name, value in wanted.items()]
    if disputed is not None:
        where.append(_p.open_disputes > 0 if disputed else _p.open_disputes == 0)
    page = select(payouts).where(*where).order_by(_p.id.desc()).limit(limit).offset(offset)
    counted = select(_p.id).where(*where).limit(MAX_COUNT + 1).subquery()
    return await work.all(page, PayoutRow), await work.value(select(func.count()).select_from(counted))
