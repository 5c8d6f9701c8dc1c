"""Invoices for wallet charges since the last invoice."""

from collections.abc import Sequence
from datetime import date, datetime, time, timedelta
from typing import Any

from msgspec import Struct

from haulier.contexts.billing.events import InvoiceIssued
from haulier.contexts.billing.invoices.actions.locks import lock_settings, lock_terms, reload_invoice, take_number
from haulier.contexts.billing.invoices.rules.invoices import (
    BILLED_KINDS,
    INVOICE_SUBJECT,
    LINES_MAX,
    NOTHING_TO_INVOICE,
    InvoiceKind,
    InvoiceStatus,
    covered_by_credit,
    document_number,
    tax_within,
)
from haulier.contexts.billing.invoices.rules.work import SEND_INVOICE_JOB, SendInvoice
from haulier.contexts.billing.invoices.store import invoices as store
from haulier.contexts.billing.invoices.store.tables import InvoiceRow, TermsRow
from haulier.contexts.billing.ledger.queries import StatementRow, get_wallet, list_wallet_entries, newest_seq_before
from haulier.contexts.billing.ledger.rules import TransferKind
from haulier.contexts.documents.public import DocumentKind, DocumentSubject, can_issue_documents, queue_document
from haulier.contexts.identity.public import get_client_language, get_mail_recipient, require_client, require_customer
from haulier.kernel.call import Call

ENTRIES_AT_ONCE = 1_000
_KEPT = ("transfer_id", "kind", "at", "subject_kind", "subject_id", "price_family", "reason")


class Charges(Struct, frozen=True, kw_only=True):
    """Charges since the last invoice, and the number of the newest entry examined."""

    rows: Sequence[StatementRow]
    last_seq: int
    balance_minor: int
    """Current wallet balance."""

    @property
    def total_minor(self) -> int:
        """Return the total in minor units."""
        return -sum(row.amount_minor for row in self.rows)


async def issue_invoice(call: Call, customer_id: int, currency: str, until: date | None) -> InvoiceRow:
    """Invoice a customer's unbilled charges up to a day. Raises `NOTHING_TO_INVOICE`.

    If refunds exceed charges, they wait for the next invoice.
    """
    terms = await lock_terms(call, customer_id)
    charges = await _find_charges(call, customer_id, currency, until)
    total = charges.total_minor
    if total <= 0:
        raise NOTHING_TO_INVOICE()
    covered = covered_by_credit(
        charges.balance_minor, await store.sum_open_invoices(call.work, customer_id, currency), total
    )
    paid = covered == total
    values = await common_values(call, InvoiceKind.INVOICE, terms, total) | {
        "status": (InvoiceStatus.PAID if paid else InvoiceStatus.OPEN).value,
        "currency": currency,
        "until": until or call.today,
        "last_seq": charges.last_seq,
        "covered_minor": covered,
        "paid_minor": covered,
        "price_families": sorted({row.price_family for row in charges.rows if row.price_family}),
        "paid_at": call.now if paid else None,
        "dunning": terms.dunning,
    }
    rows = [{name: getattr(row, name) for name in _KEPT} | {"amount_minor": -row.amount_minor} for row in charges.rows]
    return await write_invoice(call, values, rows)


async def _find_charges(call: Call, customer_id: int, currency: str, until: date | None) -> Charges:
    wallet = await get_wallet(call, customer_id, currency)
    if wallet is None:
        raise NOTHING_TO_INVOICE()
    end = datetime.combine(until + timedelta(days=1), time.min, tzinfo=call.time_zone) if until else None
    last = await newest_seq_before(call, wallet, end)
    latest = await store.get_latest_invoice(call.work, customer_id, currency)
    seen, found = latest.last_seq if latest else 0, list[StatementRow]()
    while seen < last and len(found) < LINES_MAX:
        page = await list_wallet_entries(call, wallet, after=seen, last=last, limit=ENTRIES_AT_ONCE)
        noted = await store.list_noted_transfers(
            call.work, [row.transfer_id for row in page if row.kind == TransferKind.REFUND]
        )
        for row in page:
            if len(found) == LINES_MAX:
                break
            seen = row.seq
            if _is_billed(row) and row.transfer_id not in noted:
                found.append(row)
    return Charges(rows=found, last_seq=seen, balance_minor=wallet.balance_minor)


def _is_billed(row: StatementRow) -> bool:
    """Return True if invoices include the entry.

    Credit note amounts are already on them.
    """
    credited = row.kind == TransferKind.ADJUSTMENT and row.subject_kind == INVOICE_SUBJECT
    return row.kind in BILLED_KINDS and not credited


async def common_values(call: Call, kind: InvoiceKind, terms: TermsRow, total: int) -> dict[str, Any]:
    """Return the values shared by invoices and credit notes, with the next number.

    The terms must be locked.
    """
    settings = await lock_settings(call)
    rate = settings.tax_rate_bp if terms.tax_rate_bp is None else terms.tax_rate_bp
    days = settings.payment_terms_days if terms.payment_terms_days is None else terms.payment_terms_days
    prefix = settings.invoice_prefix if kind is InvoiceKind.INVOICE else settings.credit_note_prefix
    customer = await require_customer(call.work, terms.customer_id)
    return {
        "number": document_number(prefix, await take_number(call, kind)),
        "kind": kind.value,
        "customer_id": terms.customer_id,
        "issued_on": call.today,
        "due_on": call.today + timedelta(days=days),
        "total_minor": total,
        "tax_minor": tax_within(total, rate),
        "credited_minor": 0,
        "tax_name": settings.tax_name,
        "tax_rate_bp": rate,
        "billing_name": terms.billing_name or customer.name,
        "address_lines": terms.address_lines,
        "issuer_lines": settings.issuer_lines,
        "payment_instructions": settings.payment_instructions,
        "dunning_level": 0,
        "created_at": call.now,
        "created_by": call.actor,
    }


async def write_invoice(call: Call, values: dict[str, Any], rows: Sequence[dict[str, Any]]) -> InvoiceRow:
    """Insert an invoice or credit note with its lines, and issue its document."""
    invoice_id = await store.insert_invoice(call.work, values, rows)
    await _issue_document(call, invoice_id, values["customer_id"])
    call.add_audit_subjects("invoice", invoice_id)
    await call.publish(InvoiceIssued(invoice_id=invoice_id, customer_id=values["customer_id"], kind=values["kind"]))
    return await reload_invoice(call, invoice_id)


async def _issue_document(call: Call, invoice_id: int, customer_id: int) -> None:
    """Enqueue the signed document, which is then sent.

    If the business does not sign documents, only an email is sent.
    """
    if not can_issue_documents(call):
        await call.enqueue(SEND_INVOICE_JOB, SendInvoice(invoice_id=invoice_id))
        return
    client = await require_client(call.work, call.client_id)
    to = await get_mail_recipient(call.work, call.client_id, customer_id)
    document_id = await queue_document(
        call,
        DocumentKind.INVOICE,
        DocumentSubject.INVOICE,
        [invoice_id],
        issuer=client.name,
        language=to.language if to else get_client_language(client),
        invoice_id=invoice_id,
    )
    await store.update_invoice(call.work, invoice_id, {"document_id": document_id})
