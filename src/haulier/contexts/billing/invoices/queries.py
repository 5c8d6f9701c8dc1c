"""Reads of invoices for other families."""

from collections.abc import Collection, Sequence
from datetime import date

import msgspec
from babel.dates import format_date

from haulier.contexts.billing.identities.queries import load_printed_lines
from haulier.contexts.billing.invoices import store
from haulier.contexts.billing.invoices.contract import BillingTerms, DunningStepRecord, InvoicingSettings
from haulier.contexts.billing.invoices.rules import (
    SEND_INVOICE_JOB,
    DunningLevel,
    InvoiceKind,
    InvoicePeriod,
    SendInvoice,
    document_taxes,
)
from haulier.contexts.billing.invoices.store import CustomerDueRow as CustomerDueRow
from haulier.contexts.billing.invoices.store import InvoiceRow as InvoiceRow
from haulier.contexts.billing.invoices.store import LineRow, left_minor, taxes_within
from haulier.contexts.billing.ledger.queries import get_wallet
from haulier.contexts.billing.received_payments.queries import sum_waiting
from haulier.contexts.documents.public import (
    DocumentDraft,
    DocumentKind,
    DocumentPlan,
    DocumentSubject,
    paper_head,
    register_document_maker,
)
from haulier.contexts.identity.public import require_client
from haulier.kernel.call import Call
from haulier.kernel.operations.enums import OFFICE, Account, PriceFamily
from haulier.kernel.operations.errors import record_not_found
from haulier.kernel.operations.records import record
from haulier.kernel.principal import Principal
from haulier.kernel.values.money import Money
from haulier.kernel.values.taxes import Tax, TaxSum, percent_text
from haulier.rendering.invoices import InvoicePaper, InvoicePaperLine, lay_out_invoice
from haulier.rendering.page import Page


async def get_visible_invoice(call: Call, invoice_id: int) -> InvoiceRow:
    """Return an invoice or credit note. Customers see their own.

    Raises `NOT_FOUND`.
    """
    row = await store.get_invoice_row(call.work, invoice_id)
    if row is None or (call.principal.account is Account.CUSTOMER and row.customer_id != call.actor):
        raise record_not_found(invoice_id=invoice_id)
    return row


async def load_invoice(call: Call, invoice_id: int) -> InvoiceRow | None:
    """Return an invoice or credit note, or None."""
    return await store.get_invoice_row(call.work, invoice_id)


async def load_invoice_numbers(call: Call, invoice_ids: Collection[int]) -> dict[int, str]:
    """Return the numbers of invoices by id."""
    return {id: row.number for id, row in (await InvoiceRow.get_many(call.work, invoice_ids)).items()}


async def list_customer_debts(call: Call, customer_ids: Sequence[int]) -> Sequence[CustomerDueRow]:
    """Return the unpaid invoices of customers, summed by currency."""
    return await store.list_due_rows(call.work, customer_ids, call.today)


async def available_credit_minor(call: Call, customer_id: int, currency: str, *, waiting: bool = False) -> int:
    """Return the credit available for open invoices: the balance plus open amounts.

    The wallet was already charged for the invoices. `waiting` includes payments that wait for staff.
    """
    wallet = await get_wallet(call, customer_id, currency)
    open_minor = await store.sum_open_invoices(call.work, customer_id, currency)
    kept = {} if waiting else await sum_waiting(call, [customer_id])
    return (wallet.balance_minor if wallet else 0) + open_minor - kept.get((customer_id, currency), 0)


async def list_invoice_lines(call: Call, invoice_id: int) -> list[tuple[LineRow, list[Tax] | None]]:
    """Return the lines of an invoice with their taxes."""
    return [(line, taxes_within(line)) for line in await store.list_line_rows(call.work, invoice_id)]


async def list_documents_of_period(
    call: Call, first: date, last: date, *, after: int, limit: int
) -> list[tuple[InvoiceRow, list[LineRow]]]:
    """Return a page of the documents of a period with their lines."""
    rows = await store.list_documents_of_period(call.work, (first, last), call.span_of_days(first, last), after, limit)
    found = await store.list_lines_of_documents(call.work, [row.id for row in rows])
    return [(row, found[row.id]) for row in rows]


def hidden_family(principal: Principal, row: InvoiceRow) -> PriceFamily | None:
    """Return a price family of the invoice that is hidden from the caller, or None.

    The sums of such an invoice would reveal its prices.
    """
    return next((family for family in map(PriceFamily, row.price_families) if principal.hides(family)), None)


def family_hidden_in_document(principal: Principal, row: InvoiceRow) -> PriceFamily | None:
    """Return a hidden family that the printed amounts of an invoice reveal, or None.

    A partial payment depends on what other charges left of the credit, so any hidden family counts there.
    """
    if 0 < row.paid_minor < row.total_minor:
        return min(principal.hidden_prices, default=None)
    return hidden_family(principal, row)


async def plan_invoice(call: Call, invoice_ids: Sequence[int]) -> DocumentPlan:
    """Return the plan of an invoice document."""
    return DocumentPlan(record_ids=invoice_ids, issuer=(await require_client(call.work, call.client_id)).name)


async def draw_invoice(call: Call, draft: DocumentDraft) -> list[Page]:
    """Return the pages of an invoice. Raises `NOT_FOUND`."""
    row = await store.get_invoice_row(call.work, draft.subject_id or 0)
    if row is None:
        raise record_not_found(invoice_id=draft.subject_id)
    original = await store.get_invoice_row(call.work, row.refers_to) if row.refers_to else None
    paid = row.paid_minor if row.kind == InvoiceKind.INVOICE else 0
    lines = await store.list_line_rows(call.work, row.id)
    issuer_lines, customer_lines = await load_printed_lines(
        call, row.id, row.customer_id, row.issuer_lines, row.address_lines
    )
    return lay_out_invoice(
        InvoicePaper(
            head=paper_head(call, draft),
            credit_note=row.kind == InvoiceKind.CREDIT_NOTE,
            number=row.number,
            refers_to=original.number if original else "",
            issuer_lines=issuer_lines,
            customer_lines=[row.billing_name, *customer_lines],
            issued_on=_day(call, row.issued_on),
            due_on=_day(call, row.due_on),
            until=_day(call, row.until),
            lines=[_line(call, row, line) for line in lines],
            total=_amount(call, row, row.total_minor),
            taxes=[
                *(_tax(call, row, each) for each in taxes_of(row, lines) if each.rate_ppm),
                *_exemptions(call, lines),
            ],
            paid=_amount(call, row, paid) if paid else "",
            due=_amount(call, row, left_minor(row)),
            instructions=row.payment_instructions,
        )
    )


def _line(call: Call, row: InvoiceRow, line: LineRow) -> InvoicePaperLine:
    about = f"{line.subject_kind} {line.subject_id}".replace("_", " ") if line.subject_kind else ""
    text = (line.item or call.translate(f"transfer_{line.kind}"), line.reference or about, line.recipient, line.reason)
    return InvoicePaperLine(
        day=_day(call, line.serviced_on or call.local_time(line.at).date()),
        text=" · ".join(part for part in text if part),
        amount=_amount(call, row, line.amount_minor),
    )


def taxes_of(row: InvoiceRow, lines: Sequence[LineRow]) -> list[TaxSum]:
    """Return the taxes of an invoice or credit note by name and rate."""
    taxed = ((line.amount_minor, taxes_within(line)) for line in lines)
    return document_taxes(taxed, row.tax_name, row.tax_rate_bp, row.tax_minor)


def _tax(call: Call, row: InvoiceRow, tax: TaxSum) -> str:
    rate = f"{percent_text(tax.rate_ppm)} %"
    return " ".join(filter(None, (tax.name, rate, _amount(call, row, tax.amount_minor))))


def _exemptions(call: Call, lines: Sequence[LineRow]) -> list[str]:
    """Return the reasons why lines are not taxed."""
    reasons = {(line.exemption_kind, line.exemption_number or "") for line in lines if line.exemption_kind}
    return [call.translate(f"tax_exempt_{kind}", number=number) for kind, number in sorted(reasons)]


def _amount(call: Call, row: InvoiceRow, minor: int) -> str:
    return Money(minor, row.currency).format(call.language)


def _day(call: Call, day: date) -> str:
    return format_date(day, "medium", locale=call.language.replace("-", "_"))


async def send_issued_invoice(call: Call, invoice_id: int) -> None:
    """Enqueue an invoice for sending unless its run holds it."""
    row = await store.get_invoice_row(call.work, invoice_id)
    if row is None or row.email_held:
        return
    await call.enqueue(SEND_INVOICE_JOB, SendInvoice(invoice_id=invoice_id))


register_document_maker(
    DocumentKind.INVOICE,
    DocumentSubject.INVOICE,
    plan=plan_invoice,
    draw=draw_invoice,
    each=False,
    audience=OFFICE,
    issued=send_issued_invoice,
)


async def load_settings(call: Call) -> InvoicingSettings:
    """Return the invoicing settings, or the defaults if none are set."""
    row = await store.get_settings_row(call.work)
    if row is None:
        return InvoicingSettings(
            invoice_prefix="INV-",
            credit_note_prefix="CN-",
            issuer_lines=[],
            tax_name="",
            tax_rate_bp=0,
            payment_terms_days=30,
            payment_instructions="",
            dunning=[],
        )
    return record(InvoicingSettings, row, dunning=msgspec.convert(row.dunning, list[DunningStepRecord]))


def dunning_levels(settings: InvoicingSettings) -> Sequence[DunningLevel]:
    """Return the reminder levels in order."""
    return [DunningLevel(days_overdue=each.days_overdue, fee_minor=each.fee_minor) for each in settings.dunning]


async def load_terms(call: Call, customer_id: int) -> BillingTerms:
    """Return a customer's billing terms, or the defaults if none are set."""
    row = await store.get_terms_row(call.work, customer_id)
    if row is None:
        return BillingTerms(
            customer_id=customer_id,
            period=None,
            credit_currency=call.business.currency,
            payment_terms_days=None,
            tax_rate_bp=None,
            billing_name="",
            address_lines=[],
            email=None,
            dunning=True,
            billing_day=None,
            automatic=True,
            next_invoice_on=None,
        )
    period = InvoicePeriod(row.period) if row.period else None
    automatic = row.automatic is not False
    return record(BillingTerms, row, period=period, credit_currency=row.currency, automatic=automatic)
