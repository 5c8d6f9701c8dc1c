"""Tables and statements of invoice runs."""

from collections.abc import Collection, Sequence
from datetime import date, datetime
from typing import Any

from sqlalchemy import BigInteger, Boolean, Column, Date, String, and_, bindparam, cast, func, or_, select

from haulier.contexts.billing.invoices.rules import BILLED_KINDS, INVOICE_SUBJECT, InvoiceKind, InvoiceStatus
from haulier.contexts.billing.invoices.store import invoices, terms
from haulier.contexts.billing.invoices.store import lines as invoice_lines
from haulier.contexts.billing.ledger.rules import AccountKind, TransferKind
from haulier.contexts.billing.ledger.store.tables import accounts, charge_lines, entries, transfers
from haulier.contexts.billing.taxes.store import exemptions
from haulier.kernel.data.personal_data import plain_columns
from haulier.kernel.data.statements import Row, in_param
from haulier.kernel.data.tables import tenant_table
from haulier.kernel.data.unit_of_work import UnitOfWork
from haulier.kernel.row_imports import RowImport, RowImports, import_columns, row_columns

runs = tenant_table(
    "invoice_run",
    *import_columns("invoice_run"),
    Column("cycle", String(10)),
    Column("until", Date, nullable=False),
    Column("send", Boolean, nullable=False),
)
"""Invoice runs. Each of their rows is a customer."""
run_rows = tenant_table("invoice_run_row", *row_columns("invoice_run_row"))
plain_columns(runs, "kind", "encoding", "cycle")
plain_columns(run_rows, "document", "state", "record", "fault")


class RunHeader(RowImport):
    """Invoice run."""

    cycle: str | None
    until: date
    send: bool


invoice_runs = RowImports(runs, run_rows, RunHeader)


class UnbilledSumRow(Row):
    """Unbilled charges of a wallet."""

    customer_id: int
    currency: str
    lines: int
    total_minor: int
    balance_minor: int


class UnbilledRow(Row):
    """Unbilled charge, or refund of a charge."""

    customer_id: int
    currency: str
    amount_minor: int
    charged_minor: int
    has_line: int | None
    taxes: list[dict[str, Any]] | None


class RunSumRow(Row):
    """Invoices of a run in one currency."""

    invoice_run_id: int
    currency: str
    invoices: int
    sent: int
    tax_minor: int
    total_minor: int


class RunInvoiceRow(Row):
    """Invoice of a run."""

    id: int
    number: str
    customer_id: int
    document_id: int | None


class PreviewTermsRow(Row):
    """Billing terms that a preview needs."""

    customer_id: int
    tax_rate_bp: int | None
    address_lines: list[str]


class OpenSumRow(Row):
    """Open invoice amounts of a customer in one currency."""

    customer_id: int
    currency: str
    open_minor: int


class ExemptionEndRow(Row):
    """Last day of the newest exemption of a customer."""

    customer_id: int
    valid_until: date | None


class CycleRow(Row):
    """Cycle of a customer."""

    customer_id: int
    period: str | None


_a, _e, _t, _i, _l = accounts.c, entries.c, transfers.c, invoices.c, invoice_lines.c
_latest = (
    select(_i.customer_id, _i.currency, func.max(_i.last_seq).label("last_seq"))
    .where(_i.kind == InvoiceKind.INVOICE.value, _i.status != InvoiceStatus.VOID.value)
    .group_by(_i.customer_id, _i.currency)
    .subquery("latest")
)
_is_billed = (
    select(_l.id)
    .join(invoices, _i.id == _l.invoice_id)
    .where(
        _l.transfer_id == _t.id,
        or_(_i.kind == InvoiceKind.CREDIT_NOTE.value, _i.status != InvoiceStatus.VOID.value),
    )
    .exists()
)
_wallets = (
    accounts.outerjoin(_latest, and_(_latest.c.customer_id == _a.owner_id, _latest.c.currency == _a.currency))
    .join(entries, and_(_e.account_id == _a.id, _e.seq > func.coalesce(_latest.c.last_seq, 0)))
    .join(transfers, _t.id == _e.transfer_id)
)
_unbilled = (
    _a.kind == AccountKind.WALLET.value,
    _a.seq > func.coalesce(_latest.c.last_seq, 0),
    _e.at < bindparam("end", type_=_e.at.type),
    _t.kind.in_(sorted(kind.value for kind in BILLED_KINDS)),
    or_(_t.kind != TransferKind.ADJUSTMENT.value, _t.subject_kind.is_(None), _t.subject_kind != INVOICE_SUBJECT),
    ~_is_billed,
)
_sums = (
    select(
        _a.owner_id.label("customer_id"),
        _a.currency,
        func.count().label("lines"),
        cast(-func.sum(_e.amount_minor), BigInteger).label("total_minor"),
        func.max(_a.balance_minor).label("balance_minor"),
    )
    .select_from(_wallets)
    .where(*_unbilled)
    .group_by(_a.owner_id, _a.currency)
)
_charged = transfers.alias("charged")
_parts = (
    select(
        _a.owner_id.label("customer_id"),
        _a.currency,
        (-_e.amount_minor).label("amount_minor"),
        _charged.c.amount_minor.label("charged_minor"),
        charge_lines.c.id.label("has_line"),
        charge_lines.c.taxes,
    )
    .select_from(
        _wallets.join(_charged, _charged.c.id == func.coalesce(_t.refund_of, _t.id)).outerjoin(
            charge_lines, charge_lines.c.transfer_id == _charged.c.id
        )
    )
    .where(*_unbilled, in_param(_a.owner_id, "customers"))
    .order_by(_a.owner_id, _e.seq)
)
_cycles = select(terms.c.customer_id, terms.c.period).where(terms.c.period.is_not(None))
_terms = select(terms.c.customer_id, terms.c.tax_rate_bp, terms.c.address_lines).where(
    in_param(terms.c.customer_id, "customers")
)
_open = (
    select(
        _i.customer_id,
        _i.currency,
        cast(func.sum(_i.total_minor - _i.paid_minor - _i.credited_minor), BigInteger).label("open_minor"),
    )
    .where(
        in_param(_i.customer_id, "customers"),
        _i.kind == InvoiceKind.INVOICE.value,
        _i.status == InvoiceStatus.OPEN.value,
    )
    .group_by(_i.customer_id, _i.currency)
)
_exemptions = (
    select(exemptions.c.customer_id, exemptions.c.valid_until)
    .where(in_param(exemptions.c.customer_id, "customers"))
    .order_by(exemptions.c.customer_id, exemptions.c.valid_until)
)
_run_sums = (
    select(
        _i.invoice_run_id,
        _i.currency,
        func.count().label("invoices"),
        func.count(_i.sent_at).label("sent"),
        cast(func.sum(_i.tax_minor), BigInteger).label("tax_minor"),
        cast(func.sum(_i.total_minor), BigInteger).label("total_minor"),
    )
    .where(in_param(_i.invoice_run_id, "runs"), _i.status != InvoiceStatus.VOID.value)
    .group_by(_i.invoice_run_id, _i.currency)
    .order_by(_i.invoice_run_id, _i.currency)
)
_of_run = select(_i.id, _i.number, _i.customer_id, _i.document_id).where(_i.invoice_run_id == bindparam("run"))
_of_customers = _of_run.where(in_param(_i.customer_id, "customers")).order_by(_i.id)
_unsent = (
    _of_run.where(_i.sent_at.is_(None), _i.status != InvoiceStatus.VOID.value, _i.id > bindparam("after"))
    .order_by(_i.id)
    .limit(bindparam("most"))
)


async def sum_unbilled(work: UnitOfWork, end: datetime) -> Sequence[UnbilledSumRow]:
    """Return the unbilled charges before a moment, by wallet. One statement."""
    return await work.all(_sums, UnbilledSumRow, end=end)


async def list_unbilled(work: UnitOfWork, customer_ids: Collection[int], end: datetime) -> Sequence[UnbilledRow]:
    """Return the unbilled charges of customers before a moment, with their taxes."""
    return await work.all(_parts, UnbilledRow, customers=list(customer_ids), end=end)


async def load_cycles(work: UnitOfWork) -> dict[int, str | None]:
    """Return the periods of customers who have one."""
    return {row.customer_id: row.period for row in await work.all(_cycles, CycleRow)}


async def list_preview_terms(work: UnitOfWork, customer_ids: Collection[int]) -> dict[int, PreviewTermsRow]:
    """Return the billing terms of customers."""
    found = await work.all(_terms, PreviewTermsRow, customers=list(customer_ids))
    return {row.customer_id: row for row in found}


async def sum_open(work: UnitOfWork, customer_ids: Collection[int]) -> dict[tuple[int, str], int]:
    """Return the open invoice amounts of customers, by customer and currency."""
    found = await work.all(_open, OpenSumRow, customers=list(customer_ids))
    return {(row.customer_id, row.currency): row.open_minor for row in found}


async def find_expired_exemptions(work: UnitOfWork, customer_ids: Collection[int], day: date) -> set[int]:
    """Return the customers whose exemptions have all ended before a day."""
    found = await work.all(_exemptions, ExemptionEndRow, customers=list(customer_ids))
    valid = {row.customer_id for row in found if row.valid_until is None or row.valid_until >= day}
    return {row.customer_id for row in found} - valid


async def sum_runs(work: UnitOfWork, run_ids: Collection[int]) -> Sequence[RunSumRow]:
    """Return the invoices of runs that are not void, by run and currency."""
    return await work.all(_run_sums, RunSumRow, runs=list(run_ids)) if run_ids else []


async def list_run_invoices(work: UnitOfWork, run_id: int, customer_ids: Collection[int]) -> Sequence[RunInvoiceRow]:
    """Return the invoices of some customers of a run."""
    return await work.all(_of_customers, RunInvoiceRow, run=run_id, customers=list(customer_ids))


async def list_unsent(work: UnitOfWork, run_id: int, *, after: int, most: int) -> Sequence[RunInvoiceRow]:
    """Return invoices of a run that were not sent, after an id."""
    return await work.all(_unsent, RunInvoiceRow, run=run_id, after=after, most=most)
