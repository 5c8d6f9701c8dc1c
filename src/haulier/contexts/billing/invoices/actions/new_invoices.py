"""Issuing of invoices and credit notes.

Available credit is used first.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import date, datetime, time, timedelta
from typing import Any

import msgspec
from msgspec import Struct

from haulier.contexts.billing.events import InvoiceIssued
from haulier.contexts.billing.invoices import store
from haulier.contexts.billing.invoices.queries import available_credit_minor
from haulier.contexts.billing.invoices.rules import (
    BILLED_KINDS,
    INVOICE_SUBJECT,
    LINES_MAX,
    NOTHING_TO_INVOICE,
    SEND_INVOICE_JOB,
    InvoiceKind,
    InvoiceStatus,
    SendInvoice,
    covered_by_credit,
    document_number,
    document_tax,
)
from haulier.contexts.billing.invoices.store import InvoiceRow, SettingsRow, TermsRow
from haulier.contexts.billing.ledger.queries import (
    EntryLineRow,
    StatementRow,
    get_wallet,
    list_entries_of_transfers,
    list_wallet_entries,
    load_entry_lines,
    newest_seq_before,
)
from haulier.contexts.billing.ledger.rules import (
    TransferKind,
)
from haulier.contexts.billing.received_payments.actions import draw_credit
from haulier.contexts.billing.taxes.queries import load_rounding
from haulier.contexts.billing.taxes.rules import TaxRounding, round_per_invoice
from haulier.contexts.documents.public import (
    DocumentKind,
    DocumentSubject,
    can_issue_documents,
    queue_document,
)
from haulier.contexts.identity.public import get_client_language, get_mail_recipient, require_client, require_customer
from haulier.kernel.call import Call
from haulier.kernel.operations.errors import record_not_found
from haulier.kernel.values.taxes import Tax, scale_taxes


async def lock_terms(call: Call, customer_id: int) -> TermsRow:
    """Lock a customer's billing terms until the end of the transaction."""
    return await store.lock_terms(call.work, customer_id, currency=call.business.currency, now=call.now)


async def release_emails(call: Call, invoice_ids: Sequence[int]) -> None:
    """Let invoices of a run be sent once their documents exist."""
    await store.release_emails(call.work, invoice_ids)


async def update_terms(call: Call, customer_id: int, values: Mapping[str, Any]) -> None:
    """Update a customer's locked billing terms."""
    await store.update_terms(call.work, customer_id, values)


async def lock_settings(call: Call) -> SettingsRow:
    """Lock the invoicing settings so that numbers are assigned one at a time."""
    first = {
        "invoice_prefix": "INV-",
        "credit_note_prefix": "CN-",
        "issuer_lines": [],
        "tax_name": "",
        "tax_rate_bp": 0,
        "payment_terms_days": 30,
        "payment_instructions": "",
        "dunning": [],
        "invoices": 0,
        "credit_notes": 0,
        "updated_at": call.now,
    }
    return await store.lock_settings(call.work, first)


async def allocate_number(call: Call, kind: InvoiceKind) -> int:
    """Take the next number. A rollback returns it, so there are no gaps."""
    row, name = await lock_settings(call), store.COUNTERS[kind].name
    number: int = getattr(row, name) + 1
    await store.update_settings(call.work, {name: number})
    return number


async def lock_invoice(call: Call, invoice_id: int) -> InvoiceRow:
    """Lock and return an invoice; the customer's terms must be locked first.

    Raises `NOT_FOUND`.
    """
    row = await store.get_invoice_row(call.work, invoice_id)
    if row is None:
        raise record_not_found(invoice_id=invoice_id)
    await lock_terms(call, row.customer_id)
    return await reload_invoice(call, invoice_id, lock=True)


async def reload_invoice(call: Call, invoice_id: int, *, lock: bool = False) -> InvoiceRow:
    """Return the current state of an invoice. Raises `NOT_FOUND`."""
    row = await store.get_invoice_row(call.work, invoice_id, lock=lock)
    if row is None:
        raise record_not_found(invoice_id=invoice_id)
    return row


ENTRIES_AT_ONCE = 1_000
_KEPT = ("transfer_id", "kind", "at", "subject_kind", "subject_id", "price_family", "reason")
DESCRIBED = ("item", "reference", "recipient", "serviced_on", "exemption_kind", "exemption_number")


class Charges(Struct, frozen=True, kw_only=True):
    """Charges since the last invoice, and the number of the newest entry examined."""

    rows: Sequence[StatementRow]
    lines: Mapping[int, EntryLineRow]
    """Descriptions of the charges, by transfer."""
    last_seq: int

    @property
    def total_minor(self) -> int:
        """Return the total in minor units."""
        return -sum(row.amount_minor for row in self.rows)


class IssuedBy(Struct, frozen=True, kw_only=True):
    """Invoice run that issues an invoice."""

    invoice_run_id: int
    email_held: bool


async def issue_invoice(
    call: Call,
    customer_id: int,
    currency: str,
    until: date | None,
    *,
    charged: Collection[int] = (),
    run: IssuedBy | None = None,
) -> InvoiceRow:
    """Invoice a customer's unbilled charges up to a day. Raises `NOTHING_TO_INVOICE`.

    `charged` are later transfers for services until that day. If refunds exceed charges, they wait for the next
    invoice.
    """
    terms = await lock_terms(call, customer_id)
    charges = await _find_charges(call, customer_id, currency, until, charged)
    total = charges.total_minor
    if total <= 0:
        raise NOTHING_TO_INVOICE()
    covered = covered_by_credit(await available_credit_minor(call, customer_id, currency), total)
    paid = covered == total
    rows = [_charge_row(row, charges.lines.get(row.transfer_id)) for row in charges.rows]
    if await load_rounding(call) is TaxRounding.INVOICE:
        for row, taxes in zip(rows, round_per_invoice(taxed(rows)), strict=True):
            row["taxes"] = taxes
    common = await common_values(call, InvoiceKind.INVOICE, terms, total)
    values = common | {
        "tax_minor": document_tax(taxed(rows), common["tax_rate_bp"]),
        "status": (InvoiceStatus.PAID if paid else InvoiceStatus.OPEN).value,
        "currency": currency,
        "until": until or call.today,
        "last_seq": charges.last_seq,
        "covered_minor": covered,
        "paid_minor": covered,
        "price_families": sorted({row.price_family for row in charges.rows if row.price_family}),
        "paid_at": call.now if paid else None,
        "dunning": terms.dunning,
        "invoice_run_id": run and run.invoice_run_id,
        "email_held": run and run.email_held,
    }
    row = await write_invoice(call, values, rows)
    if covered:
        await draw_credit(call, customer_id, currency, row.id, covered)
    return row


def _charge_row(row: StatementRow, line: EntryLineRow | None) -> dict[str, Any]:
    """Return the invoice line of a charge, or of a refund of a charge."""
    amount = -row.amount_minor
    values = {name: getattr(row, name) for name in _KEPT} | {"amount_minor": amount}
    stated = msgspec.convert(line.taxes, list[Tax] | None) if line else None
    taxes = None if line is None or stated is None else scale_taxes(stated, amount, line.charged_minor)
    return {**values, **{name: getattr(line, name, None) for name in DESCRIBED}, "taxes": taxes}


def taxed(rows: Iterable[Mapping[str, Any]]) -> list[tuple[int, Sequence[Tax] | None]]:
    """Return the amounts of new lines with their taxes."""
    return [(row["amount_minor"], row["taxes"]) for row in rows]


async def _find_charges(
    call: Call, customer_id: int, currency: str, until: date | None, charged: Collection[int]
) -> Charges:
    wallet = await get_wallet(call, customer_id, currency)
    if wallet is None:
        raise NOTHING_TO_INVOICE()
    end = datetime.combine(until + timedelta(days=1), time.min, tzinfo=call.time_zone) if until else None
    last = await newest_seq_before(call, wallet, end)
    latest = await store.get_latest_invoice(call.work, customer_id, currency)
    seen, found = latest.last_seq if latest else 0, list[StatementRow]()
    while seen < last and len(found) < LINES_MAX:
        page = await list_wallet_entries(call, wallet, after=seen, last=last, limit=ENTRIES_AT_ONCE)
        billed = await store.list_billed_transfers(call.work, [row.transfer_id for row in page])
        for row in page:
            if len(found) == LINES_MAX:
                break
            seen = row.seq
            if _is_billed(row) and row.transfer_id not in billed:
                found.append(row)
    if charged:
        later = await list_entries_of_transfers(call, wallet, charged, after=last)
        billed = await store.list_billed_transfers(call.work, [row.transfer_id for row in later])
        found += [row for row in later if row.transfer_id not in billed][: LINES_MAX - len(found)]
    lines = await load_entry_lines(call, [row.transfer_id for row in found])
    return Charges(rows=found, lines=lines, last_seq=seen)


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
        "number": document_number(prefix, await allocate_number(call, kind)),
        "kind": kind.value,
        "customer_id": terms.customer_id,
        "issued_on": call.today,
        "due_on": call.today + timedelta(days=days),
        "total_minor": total,
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
    stored = [{**row, "taxes": msgspec.to_builtins(row["taxes"])} for row in rows]
    invoice_id = await store.insert_invoice(call.work, values, stored)
    await _issue_document(call, invoice_id, values["customer_id"], is_held=bool(values.get("email_held")))
    call.add_audit_subjects("invoice", invoice_id)
    await call.publish(InvoiceIssued(invoice_id=invoice_id, customer_id=values["customer_id"], kind=values["kind"]))
    return await reload_invoice(call, invoice_id)


async def _issue_document(call: Call, invoice_id: int, customer_id: int, *, is_held: bool) -> None:
    """Enqueue the signed document, which is then sent.

    If the business does not sign documents, only an email is sent.
    """
    if not can_issue_documents(call):
        if not is_held:
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
