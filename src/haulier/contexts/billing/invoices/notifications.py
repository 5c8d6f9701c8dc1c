"""Emails about invoices, credit notes and reminders, with the signed PDF."""

from babel.dates import format_date
from msgspec import Struct

from haulier.contexts.billing.invoices import store
from haulier.contexts.billing.invoices.queries import family_hidden_in_document
from haulier.contexts.billing.invoices.rules import SEND_INVOICE_JOB, InvoiceKind, InvoiceStatus, SendInvoice
from haulier.contexts.billing.invoices.store import InvoiceRow, left_minor
from haulier.contexts.documents.public import get_issued_file
from haulier.contexts.identity.public import (
    MailAttachment,
    get_customer_principal,
    get_mail_recipient,
    send_mail_to_address,
)
from haulier.kernel.background.jobs import job
from haulier.kernel.call import Call
from haulier.kernel.job_run import JobRun
from haulier.kernel.values.money import Money

LAST_TEXT = 3
"""Highest reminder level with its own text. Later reminders reuse it."""


class InvoiceEmail(Struct, frozen=True, kw_only=True):
    """Email that is ready to send."""

    to: str
    subject: str
    text: str
    attachments: tuple[MailAttachment, ...]


@job(SEND_INVOICE_JOB, SendInvoice, max_attempts=6)
async def send_invoice_email(run: JobRun, args: SendInvoice) -> None:
    """Send an invoice or a reminder. Customers without an account get none."""
    async with run.call() as call:
        letter = await _write(call, args)
    if letter is None:
        return
    await send_mail_to_address(
        run.app, run.client_id, to=letter.to, subject=letter.subject, text=letter.text, attachments=letter.attachments
    )
    async with run.call() as call:
        await store.update_invoice(call.work, args.invoice_id, {"sent_at": call.now})


async def _write(call: Call, args: SendInvoice) -> InvoiceEmail | None:
    row = await store.get_invoice_row(call.work, args.invoice_id)
    if row is None or row.status == InvoiceStatus.VOID or (args.level and row.status != InvoiceStatus.OPEN):
        return None
    to = await get_mail_recipient(call.work, call.client_id, row.customer_id)
    principal = await get_customer_principal(call.work, call.business, row.customer_id)
    if to is None or principal is None:
        return None
    terms = await store.get_terms_row(call.work, row.customer_id)
    hidden = family_hidden_in_document(principal, row) is not None
    said = {
        "name": row.billing_name or to.name,
        "client": to.client,
        "number": row.number,
        "total": Money(row.total_minor, row.currency).format(to.language),
        "due": Money(left_minor(row), row.currency).format(to.language),
        "due_on": format_date(row.due_on, "long", locale=to.language.replace("-", "_")),
        "days": (call.today - row.due_on).days,
        "payment": row.payment_instructions,
    }
    message = _message(row, args.level, hidden=hidden)
    text = call.app.catalogues.translate(to.language, f"{message}_text", **said)
    if args.level and not hidden and (fee := await _fee(call, row, args.level)):
        amount = Money(fee, row.currency).format(to.language)
        text += "\n\n" + call.app.catalogues.translate(to.language, "dunning_fee", fee=amount)
    file = None if hidden or row.document_id is None else await get_issued_file(call, row.document_id)
    return InvoiceEmail(
        to=(terms.email if terms else None) or to.email,
        subject=call.app.catalogues.translate(to.language, f"{message}_subject", **said),
        text=text,
        attachments=(
            MailAttachment(name=f"{row.number}.pdf".replace("/", "-"), media_type="application/pdf", content=file[1]),
        )
        if file
        else (),
    )


def _message(row: InvoiceRow, level: int, *, hidden: bool) -> str:
    """Return the catalogue key of an email.

    Recipients from whom prices are hidden get a text without amounts.
    """
    kind = f"dunning_{min(level, LAST_TEXT)}" if level else _invoice_message(row, hidden=hidden)
    return f"{kind}_hidden" if hidden else kind


def _invoice_message(row: InvoiceRow, *, hidden: bool) -> str:
    if row.kind == InvoiceKind.CREDIT_NOTE:
        return "credit_note_letter"
    if row.status == InvoiceStatus.PAID:
        return "invoice_paid_letter"
    return "invoice_letter" if hidden or left_minor(row) == row.total_minor else "invoice_part_letter"


async def _fee(call: Call, row: InvoiceRow, level: int) -> int:
    """Return the reminder fee in minor units."""
    return next((each.fee_minor for each in await store.list_email_rows(call.work, row.id) if each.level == level), 0)
