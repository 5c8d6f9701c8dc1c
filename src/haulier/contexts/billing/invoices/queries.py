"""Contents of invoices and credit notes as verifiable documents."""

from collections.abc import Sequence
from datetime import date

from babel.dates import format_date

from haulier.contexts.billing.invoices.rules.invoices import InvoiceKind
from haulier.contexts.billing.invoices.rules.work import SEND_INVOICE_JOB, SendInvoice
from haulier.contexts.billing.invoices.store import invoices as store
from haulier.contexts.billing.invoices.store.invoices import left_minor
from haulier.contexts.billing.invoices.store.tables import InvoiceRow, LineRow
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
from haulier.kernel.operations.enums import OFFICE
from haulier.kernel.operations.errors import record_not_found
from haulier.kernel.values.money import Money
from haulier.rendering.invoices import InvoicePaper, InvoicePaperLine, lay_out_invoice
from haulier.rendering.page import Page


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
    return lay_out_invoice(
        InvoicePaper(
            head=paper_head(call, draft),
            credit_note=row.kind == InvoiceKind.CREDIT_NOTE,
            number=row.number,
            refers_to=original.number if original else "",
            issuer_lines=row.issuer_lines,
            customer_lines=[row.billing_name, *row.address_lines],
            issued_on=_day(call, row.issued_on),
            due_on=_day(call, row.due_on),
            until=_day(call, row.until),
            lines=[_line(call, row, line) for line in await store.list_line_rows(call.work, row.id)],
            total=_amount(call, row, row.total_minor),
            tax=_tax(call, row),
            paid=_amount(call, row, paid) if paid else "",
            due=_amount(call, row, left_minor(row)),
            instructions=row.payment_instructions,
        )
    )


def _line(call: Call, row: InvoiceRow, line: LineRow) -> InvoicePaperLine:
    about = f"{line.subject_kind} {line.subject_id}".replace("_", " ") if line.subject_kind else ""
    said = (call.translate(f"transfer_{line.kind}"), about, line.reason or "")
    return InvoicePaperLine(
        day=_day(call, call.local_time(line.at).date()),
        text=" · ".join(part for part in said if part),
        amount=_amount(call, row, line.amount_minor),
    )


def _tax(call: Call, row: InvoiceRow) -> str:
    if not row.tax_rate_bp:
        return ""
    rate = f"{row.tax_rate_bp / 100:g} %"
    return " ".join(filter(None, (row.tax_name, rate, _amount(call, row, row.tax_minor))))


def _amount(call: Call, row: InvoiceRow, minor: int) -> str:
    return Money(minor, row.currency).format(call.language)


def _day(call: Call, day: date) -> str:
    return format_date(day, "medium", locale=call.language.replace("-", "_"))


async def send_issued_invoice(call: Call, invoice_id: int) -> None:
    """Enqueue an invoice for sending once its document exists."""
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
