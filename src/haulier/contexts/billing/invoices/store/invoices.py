"""Queries for invoices, their lines and reminders."""

from collections.abc import Mapping, Sequence
from datetime import date, datetime
from typing import Any

from sqlalchemy import BigInteger, bindparam, cast, func, select, update

from haulier.contexts.billing.invoices.rules.invoices import DunningLevel, InvoiceKind, InvoiceStatus
from haulier.contexts.billing.invoices.store.tables import InvoiceRow, LetterRow, LineRow, invoices, letters, lines
from haulier.kernel.data.statements import Row, in_param
from haulier.kernel.data.unit_of_work import UnitOfWork
from haulier.kernel.values.pagination import MAX_COUNT

_i, _l, _d = invoices.c, lines.c, letters.c
_by_id = select(invoices).where(_i.id == bindparam("invoice"))
_by_id_locked = _by_id.with_for_update()
_left = _i.total_minor - _i.paid_minor - _i.credited_minor
_of_customer = (
    _i.customer_id == bindparam("customer"),
    _i.currency == bindparam("currency"),
    _i.kind == InvoiceKind.INVOICE.value,
)
_latest = select(_i.id, _i.last_seq).where(*_of_customer, _i.status != InvoiceStatus.VOID.value).order_by(_i.id.desc())
_open_sum = select(cast(func.coalesce(func.sum(_left), 0), BigInteger)).where(
    *_of_customer, _i.status == InvoiceStatus.OPEN.value
)
_open = (
    select(invoices)
    .where(*_of_customer, _i.status == InvoiceStatus.OPEN.value)
    .order_by(_i.due_on, _i.id)
    .limit(bindparam("most"))
)
_lines_of = select(lines).where(_l.invoice_id == bindparam("invoice")).order_by(_l.position)
_billing = (
    select(invoices)
    .join(lines, _l.invoice_id == _i.id)
    .where(
        _l.transfer_id == bindparam("transfer"),
        _i.kind == InvoiceKind.INVOICE.value,
        _i.status != InvoiceStatus.VOID.value,
    )
    .order_by(_i.id.desc())
    .limit(1)
)
_noted = (
    select(_l.transfer_id)
    .join(invoices, _i.id == _l.invoice_id)
    .where(in_param(_l.transfer_id, "ids"), _i.kind == InvoiceKind.CREDIT_NOTE.value)
)
_letters_of = select(letters).where(_d.invoice_id == bindparam("invoice")).order_by(_d.level)
_unpaid = (
    select(_i.id)
    .where(
        _i.status == InvoiceStatus.OPEN.value,
        _i.dunning_level == bindparam("level"),
        _i.due_on <= bindparam("day", type_=_i.due_on.type),
        _i.dunning.is_(True),
    )
    .order_by(_i.due_on, _i.id)
    .limit(bindparam("most"))
)


def left_minor(row: InvoiceRow) -> int:
    """Return the remaining amount of an invoice in minor units."""
    return max(0, row.total_minor - row.paid_minor - row.credited_minor)


class LatestRow(Row):
    """A customer's newest valid invoice, and the last entry it covers."""

    id: int
    last_seq: int


async def insert_invoice(work: UnitOfWork, values: Mapping[str, Any], rows: Sequence[Mapping[str, Any]]) -> int:
    """Insert an invoice with its lines. Return its id."""
    invoice_id = await work.insert(invoices, **values)
    numbered = [{**row, "invoice_id": invoice_id, "position": place} for place, row in enumerate(rows, 1)]
    await work.insert_many(lines, numbered)
    return invoice_id


async def update_invoice(work: UnitOfWork, invoice_id: int, values: Mapping[str, Any]) -> None:
    """Update columns of an invoice."""
    await work.run(update(invoices).where(_i.id == bindparam("invoice")).values(**values), invoice=invoice_id)


async def set_dunning_of_customer(work: UnitOfWork, customer_id: int, dunning: bool) -> None:
    """Enable or disable reminders for all invoices of a customer."""
    change = update(invoices).where(_i.customer_id == bindparam("customer")).values(dunning=dunning)
    await work.run(change, customer=customer_id)


async def get_invoice_row(work: UnitOfWork, invoice_id: int, *, lock: bool = False) -> InvoiceRow | None:
    """Return an invoice, or None."""
    return await work.first(_by_id_locked if lock else _by_id, InvoiceRow, invoice=invoice_id)


async def get_latest_invoice(work: UnitOfWork, customer_id: int, currency: str) -> LatestRow | None:
    """Return the newest invoice of a customer in a currency that is not void, or None."""
    return await work.first(_latest.limit(1), LatestRow, customer=customer_id, currency=currency)


async def sum_open_invoices(work: UnitOfWork, customer_id: int, currency: str) -> int:
    """Return a customer's open invoice amounts in minor units."""
    return await work.value(_open_sum, customer=customer_id, currency=currency)


async def list_open_invoices(work: UnitOfWork, customer_id: int, currency: str, most: int) -> Sequence[InvoiceRow]:
    """Return a customer's open invoices, longest due first."""
    return await work.all(_open, InvoiceRow, customer=customer_id, currency=currency, most=most)


async def list_line_rows(work: UnitOfWork, invoice_id: int) -> Sequence[LineRow]:
    """Return the lines of an invoice."""
    return await work.all(_lines_of, LineRow, invoice=invoice_id)


async def get_invoice_of_charge(work: UnitOfWork, transfer_id: int) -> InvoiceRow | None:
    """Return the invoice of a charge, or None. Void invoices do not count."""
    return await work.first(_billing, InvoiceRow, transfer=transfer_id)


async def list_noted_transfers(work: UnitOfWork, transfer_ids: Sequence[int]) -> set[int]:
    """Return the transfers that appear on a credit note."""
    return {row.transfer_id for row in await work.all(_noted, ids=transfer_ids)} if transfer_ids else set()


async def list_letter_rows(work: UnitOfWork, invoice_id: int) -> Sequence[LetterRow]:
    """Return the reminders about an invoice."""
    return await work.all(_letters_of, LetterRow, invoice=invoice_id)


async def insert_letter(work: UnitOfWork, invoice_id: int, level: int, step: DunningLevel, now: datetime) -> None:
    """Record a reminder. Raises `UniqueConflict` if it was already recorded."""
    await work.insert(
        letters,
        invoice_id=invoice_id,
        level=level,
        days_overdue=step.days_overdue,
        fee_minor=step.fee_minor,
        written_at=now,
    )


async def list_unpaid_invoices(work: UnitOfWork, *, level: int, day: date, most: int) -> Sequence[int]:
    """Return open invoices with this many reminders, due by a day, longest due first."""
    return [row.id for row in await work.all(_unpaid, level=level, day=day, most=most)]


async def list_invoice_rows(
    work: UnitOfWork, wanted: Mapping[str, Any], *, overdue_on: date | None, limit: int, offset: int
) -> tuple[Sequence[InvoiceRow], int]:
    """Return a page of matching invoices, newest first, and a count up to one more."""
    conditions = [_i[name] == value for name, value in wanted.items()]
    if overdue_on is not None:
        conditions += [_i.status == InvoiceStatus.OPEN.value, _i.due_on < overdue_on]
    page = select(invoices).where(*conditions).order_by(_i.id.desc()).limit(limit).offset(offset)
    counted = select(_i.id).where(*conditions).limit(MAX_COUNT + 1).subquery()
    return await work.all(page, InvoiceRow), await work.value(select(func.count()).select_from(counted))
