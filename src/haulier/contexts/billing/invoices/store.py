"""Tables and statements of invoices."""

from collections.abc import Mapping, Sequence
from datetime import date, datetime
from typing import Annotated, Any

import msgspec
from sqlalchemy import (
    BigInteger,
    CheckConstraint,
    ColumnElement,
    Index,
    SmallInteger,
    String,
    UniqueConstraint,
    and_,
    bindparam,
    cast,
    func,
    or_,
    select,
    text,
    update,
)

from haulier.contexts.billing.invoices.rules import NUMBER_MAX, PREFIX_MAX, DunningLevel, InvoiceKind, InvoiceStatus
from haulier.contexts.billing.ledger.rules import CHARGED_REFERENCE_MAX, ITEM_MAX, RECIPIENT_MAX, SUBJECT_KIND_MAX
from haulier.contexts.billing.taxes.rules import CERTIFICATE_MAX
from haulier.kernel.data.personal_data import (
    PersonKey,
    PersonKeys,
    RecordKind,
    key_in,
    personal_data,
    plain_columns,
)
from haulier.kernel.data.records import BigInt, Record, Reference
from haulier.kernel.data.statements import Row, in_param
from haulier.kernel.data.unit_of_work import UnitOfWork
from haulier.kernel.operations.fields import NAME_MAX, NOTE_MAX, REASON_MAX
from haulier.kernel.values.pagination import MAX_COUNT
from haulier.kernel.values.taxes import Tax


class SettingsRow(Record, table="invoicing_setting", items=[UniqueConstraint("client_id")]):
    """Invoicing settings of a business.

    One row per business. `invoices` and `credit_notes` are the last assigned numbers. Numbers are taken in the issuing
    transaction so that there are no gaps.
    """

    invoice_prefix: Annotated[str, String(PREFIX_MAX)]
    credit_note_prefix: Annotated[str, String(PREFIX_MAX)]
    issuer_lines: list[str]
    tax_name: Annotated[str, String(40)]
    tax_rate_bp: int
    payment_terms_days: int
    payment_instructions: Annotated[str, String(NOTE_MAX)]
    dunning: list[dict[str, int]]
    invoices: int
    credit_notes: int
    updated_at: datetime


settings = SettingsRow.table
plain_columns(
    settings,
    *("invoice_prefix", "credit_note_prefix", "issuer_lines", "tax_name", "payment_instructions", "dunning"),
)


class TermsRow(
    Record,
    table="billing_terms",
    items=[
        UniqueConstraint("client_id", "customer_id"),
        Index("ix_billing_terms_next", "client_id", "next_invoice_on"),
    ],
):
    """Billing terms of a customer.

    Changes to the customer's invoices lock this row. `automatic` is false for a customer who is billed by invoice runs
    alone.
    """

    customer_id: Reference
    period: Annotated[str, String(10)] | None
    currency: Annotated[str, String(3)]
    payment_terms_days: int | None
    tax_rate_bp: int | None
    billing_name: Annotated[str, String(NAME_MAX)]
    address_lines: list[str]
    email: Annotated[str, String(254)] | None
    dunning: bool
    next_invoice_on: date | None
    billing_day: Annotated[int, SmallInteger] | None
    automatic: bool | None
    updated_at: datetime


terms = TermsRow.table
personal_data(
    terms,
    RecordKind.ORDER_CONTACTS,
    by={"customer_id": PersonKey.USER, "billing_name": PersonKey.NAME, "email": PersonKey.EMAIL},
    erased={"billing_name": "", "address_lines": lambda row, keys: [], "email": None},
    plain=("period", "currency"),
)


_OF_RUN = text("invoice_run_id IS NOT NULL")


class InvoiceRow(
    Record,
    table="invoice",
    items=[
        UniqueConstraint("client_id", "kind", "number"),
        Index("ix_invoice_customer", "client_id", "customer_id", "id"),
        Index("ix_invoice_run", "client_id", "invoice_run_id", "id", sqlite_where=_OF_RUN, postgresql_where=_OF_RUN),
        Index("ix_invoice_status", "client_id", "status", "dunning_level", "due_on"),
        CheckConstraint("total_minor > 0 AND credited_minor BETWEEN 0 AND total_minor", name="amount"),
    ],
):
    """An invoice or credit note.

    `last_seq` is the newest wallet entry that an invoice covers; the next invoice starts after it. `covered_minor` is
    the paid part that was in the wallet at issue. Printed values are stored as issued. `email_held` delays the email of an
    invoice run until it is sent.
    """

    number: Annotated[str, String(NUMBER_MAX)]
    kind: Annotated[str, String(12)]
    status: Annotated[str, String(10)]
    customer_id: Reference
    currency: Annotated[str, String(3)]
    issued_on: date
    due_on: date
    until: date
    last_seq: BigInt | None
    total_minor: BigInt
    tax_minor: BigInt
    covered_minor: BigInt
    paid_minor: BigInt
    credited_minor: BigInt
    tax_name: Annotated[str, String(40)]
    tax_rate_bp: int
    price_families: list[str]
    billing_name: Annotated[str, String(NAME_MAX)]
    address_lines: list[str]
    issuer_lines: list[str]
    payment_instructions: Annotated[str, String(NOTE_MAX)]
    refers_to: Reference | None
    reason: Annotated[str, String(REASON_MAX)] | None
    dunning: bool
    dunning_level: Annotated[int, SmallInteger]
    document_id: Reference | None
    invoice_run_id: Reference | None
    email_held: bool | None
    sent_at: datetime | None
    paid_at: datetime | None
    voided_at: datetime | None
    created_at: datetime
    created_by: Reference | None


invoices = InvoiceRow.table
personal_data(
    invoices,
    RecordKind.ORDER_CONTACTS,
    by={"customer_id": PersonKey.USER, "created_by": PersonKey.USER, "billing_name": PersonKey.NAME},
    erased={"billing_name": "", "address_lines": lambda row, keys: [], "reason": None},
    plain=(
        *("number", "kind", "status", "currency", "tax_name", "price_families", "issuer_lines"),
        "payment_instructions",
    ),
)


class LineRow(
    Record,
    table="invoice_line",
    items=[
        UniqueConstraint("client_id", "invoice_id", "position"),
        Index("ix_invoice_line_transfer", "client_id", "transfer_id"),
    ],
):
    """Line of an invoice.

    Charge on an invoice, or amount of a credit note. `charge_id` is the charge that a credit note refunds.
    """

    invoice_id: Reference
    position: int
    transfer_id: Reference | None
    charge_id: Reference | None
    kind: Annotated[str, String(20)]
    at: datetime
    amount_minor: BigInt
    subject_kind: Annotated[str, String(SUBJECT_KIND_MAX)] | None
    subject_id: Reference | None
    price_family: Annotated[str, String(20)] | None
    item: Annotated[str, String(ITEM_MAX)] | None
    reference: Annotated[str, String(CHARGED_REFERENCE_MAX)] | None
    recipient: Annotated[str, String(RECIPIENT_MAX)] | None
    serviced_on: date | None
    taxes: list[dict[str, Any]] | None
    exemption_kind: Annotated[str, String(20)] | None
    exemption_number: Annotated[str, String(CERTIFICATE_MAX)] | None
    reason: Annotated[str, String(REASON_MAX)] | None


lines = LineRow.table


def _lines_of_person(keys: PersonKeys) -> ColumnElement[bool] | None:
    whose = key_in(invoices.c.customer_id, PersonKey.USER, keys)
    return None if whose is None else lines.c.invoice_id.in_(select(invoices.c.id).where(whose))


personal_data(
    lines,
    RecordKind.ORDER_CONTACTS,
    find=_lines_of_person,
    erased={"reason": None, "recipient": None, "exemption_number": None},
    plain=("kind", "subject_kind", "price_family", "item", "reference", "taxes", "exemption_kind"),
)


class LetterRow(Record, table="dunning_letter", items=[UniqueConstraint("client_id", "invoice_id", "level")]):
    """Reminder about an unpaid invoice."""

    invoice_id: Reference
    level: Annotated[int, SmallInteger]
    days_overdue: int
    fee_minor: BigInt
    written_at: datetime


letters = LetterRow.table


_i, _l, _d = invoices.c, lines.c, letters.c
_by_id = select(invoices).where(_i.id == bindparam("invoice"))
_by_id_locked = _by_id.with_for_update()
_left = _i.total_minor - _i.paid_minor - _i.credited_minor
_of_customer = (
    _i.customer_id == bindparam("customer"),
    _i.currency == bindparam("currency"),
    _i.kind == InvoiceKind.INVOICE.value,
)
_due_of_customers = (
    select(
        _i.customer_id,
        _i.currency,
        func.count().label("invoices"),
        cast(func.sum(_left), BigInteger).label("due_minor"),
        func.count().filter(_i.due_on < bindparam("today", type_=_i.due_on.type)).label("overdue"),
        cast(
            func.coalesce(func.sum(_left).filter(_i.due_on < bindparam("today", type_=_i.due_on.type)), 0), BigInteger
        ).label("overdue_minor"),
    )
    .where(
        in_param(_i.customer_id, "customers"),
        _i.kind == InvoiceKind.INVOICE.value,
        _i.status == InvoiceStatus.OPEN.value,
    )
    .group_by(_i.customer_id, _i.currency)
    .order_by(_i.customer_id, _i.currency)
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
_billed = (
    select(_l.transfer_id)
    .join(invoices, _i.id == _l.invoice_id)
    .where(
        in_param(_l.transfer_id, "ids"),
        or_(_i.kind == InvoiceKind.CREDIT_NOTE.value, _i.status != InvoiceStatus.VOID.value),
    )
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
_first = bindparam("first", type_=_i.issued_on.type)
_last = bindparam("last", type_=_i.issued_on.type)
_of_period = (
    select(invoices)
    .where(
        _i.id > bindparam("after"),
        or_(
            and_(_i.issued_on >= _first, _i.issued_on <= _last),
            and_(
                _i.status == InvoiceStatus.VOID.value,
                _i.voided_at >= bindparam("since", type_=_i.voided_at.type),
                _i.voided_at < bindparam("until", type_=_i.voided_at.type),
            ),
        ),
    )
    .order_by(_i.id)
    .limit(bindparam("most"))
)
_lines_of_many = select(lines).where(in_param(_l.invoice_id, "ids")).order_by(_l.invoice_id, _l.position)


def taxes_within(row: LineRow) -> list[Tax] | None:
    """Return the taxes within a line. None for the default tax of the invoice."""
    return msgspec.convert(row.taxes, list[Tax] | None)


def left_minor(row: InvoiceRow) -> int:
    """Return the remaining amount of an invoice in minor units."""
    return max(0, row.total_minor - row.paid_minor - row.credited_minor)


class LatestRow(Row):
    """A customer's newest valid invoice, and the last entry it covers."""

    id: int
    last_seq: int


class CustomerDueRow(Row):
    """Unpaid invoices of a customer in a currency."""

    customer_id: int
    currency: str
    invoices: int
    due_minor: int
    overdue: int
    overdue_minor: int


async def list_due_rows(work: UnitOfWork, customer_ids: Sequence[int], today: date) -> Sequence[CustomerDueRow]:
    """Return the unpaid invoices of customers, summed by currency."""
    return await work.all(_due_of_customers, CustomerDueRow, customers=list(customer_ids), today=today)


async def insert_invoice(work: UnitOfWork, values: Mapping[str, Any], rows: Sequence[Mapping[str, Any]]) -> int:
    """Insert an invoice with its lines. Return its id."""
    invoice_id = await work.insert(invoices, **values)
    numbered = [{**row, "invoice_id": invoice_id, "position": place} for place, row in enumerate(rows, 1)]
    await work.insert_many(lines, numbered)
    return invoice_id


async def update_invoice(work: UnitOfWork, invoice_id: int, values: Mapping[str, Any]) -> None:
    """Update columns of an invoice."""
    await work.run(update(invoices).where(_i.id == bindparam("invoice")).values(**values), invoice=invoice_id)


async def release_emails(work: UnitOfWork, invoice_ids: Sequence[int]) -> None:
    """Let the emails of invoices be sent."""
    await work.run(update(invoices).where(in_param(_i.id, "ids")).values(email_held=False), ids=list(invoice_ids))


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


async def list_documents_of_period(
    work: UnitOfWork, days: tuple[date, date], moments: tuple[datetime, datetime], after: int, limit: int
) -> Sequence[InvoiceRow]:
    """Return a page of the documents that were issued or voided in a period."""
    period: dict[str, Any] = {"first": days[0], "last": days[1], "since": moments[0], "until": moments[1]}
    return await work.all(_of_period, InvoiceRow, **period, after=after, most=limit)


async def list_lines_of_documents(work: UnitOfWork, invoice_ids: Sequence[int]) -> dict[int, list[LineRow]]:
    """Return the lines of documents by document, in one statement."""
    found: dict[int, list[LineRow]] = {id: [] for id in invoice_ids}
    for row in await work.all(_lines_of_many, LineRow, ids=list(invoice_ids)) if invoice_ids else ():
        found[row.invoice_id].append(row)
    return found


async def get_invoice_of_charge(work: UnitOfWork, transfer_id: int) -> InvoiceRow | None:
    """Return the invoice of a charge, or None. Void invoices do not count."""
    return await work.first(_billing, InvoiceRow, transfer=transfer_id)


async def list_billed_transfers(work: UnitOfWork, transfer_ids: Sequence[int]) -> set[int]:
    """Return the transfers that appear on a valid invoice or a credit note."""
    return {row.transfer_id for row in await work.all(_billed, ids=transfer_ids)} if transfer_ids else set()


async def list_email_rows(work: UnitOfWork, invoice_id: int) -> Sequence[LetterRow]:
    """Return the reminders about an invoice."""
    return await work.all(_letters_of, LetterRow, invoice=invoice_id)


async def insert_email(work: UnitOfWork, invoice_id: int, level: int, step: DunningLevel, now: datetime) -> None:
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
    work: UnitOfWork,
    wanted: Mapping[str, Any],
    *,
    overdue_on: date | None,
    due: tuple[date | None, date | None],
    limit: int,
    offset: int,
) -> tuple[Sequence[InvoiceRow], int]:
    """Return a page of matching invoices, newest first, and a count up to one more."""
    conditions = [_i[name] == value for name, value in wanted.items()]
    if overdue_on is not None:
        conditions += [_i.status == InvoiceStatus.OPEN.value, _i.due_on < overdue_on]
    conditions += [_i.due_on >= day for day in due[:1] if day] + [_i.due_on <= day for day in due[1:] if day]
    page = select(invoices).where(*conditions).order_by(_i.id.desc()).limit(limit).offset(offset)
    counted = select(_i.id).where(*conditions).limit(MAX_COUNT + 1).subquery()
    return await work.all(page, InvoiceRow), await work.value(select(func.count()).select_from(counted))


_s, _t = settings.c, terms.c
_settings = select(settings)
_due = (
    select(_t.customer_id)
    .where(
        _t.next_invoice_on <= bindparam("today", type_=_t.next_invoice_on.type),
        or_(_t.automatic.is_(None), _t.automatic.is_(True)),
    )
    .order_by(_t.next_invoice_on, _t.customer_id)
    .limit(bindparam("most"))
)
COUNTERS = {InvoiceKind.INVOICE: _s.invoices, InvoiceKind.CREDIT_NOTE: _s.credit_notes}


async def get_settings_row(work: UnitOfWork) -> SettingsRow | None:
    """Return the invoicing settings, or None if none are set."""
    return await work.first(_settings, SettingsRow)


async def lock_settings(work: UnitOfWork, first: Mapping[str, Any]) -> SettingsRow:
    """Lock and return the invoicing settings. Insert `first` if none are set."""
    return await SettingsRow.lock_or_insert(work, first)


async def update_settings(work: UnitOfWork, values: Mapping[str, Any]) -> None:
    """Update the invoicing settings."""
    await work.run(update(settings).values(**values))


async def get_terms_row(work: UnitOfWork, customer_id: int) -> TermsRow | None:
    """Return a customer's billing terms, or None if none are set."""
    return await TermsRow.find_by(work, customer_id=customer_id)


async def lock_terms(work: UnitOfWork, customer_id: int, *, currency: str, now: datetime) -> TermsRow:
    """Lock and return a customer's billing terms.

    All changes to the customer's invoices wait for this lock.
    """
    first = {
        "currency": currency,
        "billing_name": "",
        "address_lines": [],
        "dunning": True,
        "updated_at": now,
    }
    return await TermsRow.lock_or_insert(work, first, customer_id=customer_id)


async def update_terms(work: UnitOfWork, customer_id: int, values: Mapping[str, Any]) -> None:
    """Update a customer's billing terms."""
    await work.run(update(terms).where(_t.customer_id == bindparam("customer")).values(**values), customer=customer_id)


async def list_customers_to_bill(work: UnitOfWork, today: date, most: int) -> Sequence[int]:
    """Return customers to bill by today, longest due first."""
    return [row.customer_id for row in await work.all(_due, today=today, most=most)]
