"""Credit notes for charges of an invoice, issued by staff or by a refund."""

from collections.abc import Sequence
from typing import Any

from haulier.contexts.billing.events import CreditChanged
from haulier.contexts.billing.invoices.actions.issue import common_values, write_invoice
from haulier.contexts.billing.invoices.actions.locks import lock_settings, lock_terms, reload_invoice
from haulier.contexts.billing.invoices.actions.settle import change_invoice
from haulier.contexts.billing.invoices.rules.credits import CreditPart, distribute_credit
from haulier.contexts.billing.invoices.rules.invoices import (
    INVOICE_AMOUNT_TOO_LARGE,
    INVOICE_NOT_OPEN,
    INVOICE_SUBJECT,
    InvoiceKind,
    InvoiceStatus,
    tax_within,
)
from haulier.contexts.billing.invoices.store import invoices as store
from haulier.contexts.billing.invoices.store.tables import InvoiceRow as InvoiceRow
from haulier.contexts.billing.invoices.store.tables import LineRow
from haulier.contexts.billing.ledger.actions.postings import (
    Refund,
    count_given_back,
    lock_given_back,
    post,
    wallet_of,
)
from haulier.contexts.billing.ledger.rules import AccountKey, AccountKind, MoneySubject, TransferKind, make_posting
from haulier.kernel.call import Call
from haulier.kernel.operations.errors import record_not_found
from haulier.kernel.values.money import Money

_OF_INVOICE = ("currency", "until", "tax_name", "tax_rate_bp", "price_families", "billing_name", "address_lines")


async def credit_invoice(
    call: Call, row: InvoiceRow, amount_minor: int | None, reason: str, *, transfer_id: int | None = None
) -> InvoiceRow:
    """Credit a locked invoice in part, in full, or for one charge.

    Returns the credit note. Raises `INVOICE_NOT_OPEN` if nothing can be credited, `INVOICE_AMOUNT_TOO_LARGE`,
    `NOT_FOUND` for a charge of another invoice, and the errors of `post`.
    """
    if row.kind != InvoiceKind.INVOICE or row.status == InvoiceStatus.VOID:
        raise INVOICE_NOT_OPEN(number=row.number)
    lines = await _list_charge_lines(call, row)
    if transfer_id is not None:
        lines = {id: line for id, line in lines.items() if id == transfer_id}
        if not lines:
            raise record_not_found(transfer_id=transfer_id)
    locked = await lock_given_back(call, list(lines))
    left = {charge_id: locked[charge_id] for charge_id in lines}
    uncredited = row.total_minor - row.credited_minor
    rest = min(uncredited, sum(left.values()))
    minor = amount_minor or rest
    if not rest and transfer_id is None:
        raise INVOICE_NOT_OPEN(number=row.number)
    if not rest or minor > rest:
        raise INVOICE_AMOUNT_TOO_LARGE(left=str(Money(rest, row.currency)))
    parts = distribute_credit(left, minor)
    note = await _insert_credit_note(call, row, minor, reason, _lines_of_parts(call, lines, parts, reason))
    # A note of the whole invoice closes its charges: credits on the same invoice paid the difference.
    closed = left if minor == uncredited and transfer_id is None else {part.charge_id: part.minor for part in parts}
    await count_given_back(call, closed)
    await _post_credit(call, row, note, minor, reason)
    await change_invoice(call, row, credited_minor=row.credited_minor + minor)
    return note


async def lock_billing(call: Call, customer_id: int, transfer_id: int) -> InvoiceRow | None:
    """Lock the customer's terms and the charge's invoice, if any, for a refund."""
    await lock_terms(call, customer_id)
    found = await store.get_invoice_of_charge(call.work, transfer_id)
    if found is None:
        return None
    row = await reload_invoice(call, found.id, lock=True)
    await lock_settings(call)  # before any account: every credit note locks in this order
    return row


async def credit_refund(call: Call, row: InvoiceRow, charge_id: int, refund: Refund, reason: str | None) -> None:
    """Insert the credit note of a refunded charge on its locked invoice."""
    minor = min(refund.minor, row.total_minor - row.credited_minor)
    if minor <= 0:
        return
    line = (await _list_charge_lines(call, row))[charge_id]
    named = _line(call, line, charge_id, minor, reason) | {
        "transfer_id": refund.transfer_id,
        "kind": TransferKind.REFUND.value,
    }
    await _insert_credit_note(call, row, minor, reason, [named])
    await change_invoice(call, row, credited_minor=row.credited_minor + minor)


async def _list_charge_lines(call: Call, row: InvoiceRow) -> dict[int, LineRow]:
    """Return the charge lines of an invoice by transfer."""
    lines = await store.list_line_rows(call.work, row.id)
    return {line.transfer_id: line for line in lines if line.transfer_id is not None and line.amount_minor > 0}


def _lines_of_parts(
    call: Call, lines: dict[int, LineRow], parts: Sequence[CreditPart], reason: str
) -> list[dict[str, Any]]:
    return [_line(call, lines[part.charge_id], part.charge_id, part.minor, reason) for part in parts]


def _line(call: Call, line: LineRow, charge_id: int, minor: int, reason: str | None) -> dict[str, Any]:
    return {
        "transfer_id": None,
        "charge_id": charge_id,
        "kind": TransferKind.ADJUSTMENT.value,
        "at": call.now,
        "amount_minor": minor,
        "subject_kind": line.subject_kind,
        "subject_id": line.subject_id,
        "price_family": line.price_family,
        "reason": reason,
    }


async def _insert_credit_note(
    call: Call, row: InvoiceRow, minor: int, reason: str | None, lines: Sequence[dict[str, Any]]
) -> InvoiceRow:
    """Insert a credit note for part of an invoice, at the invoice's tax rate."""
    terms = await lock_terms(call, row.customer_id)
    values = await common_values(call, InvoiceKind.CREDIT_NOTE, terms, minor)
    values |= {name: getattr(row, name) for name in _OF_INVOICE}
    values |= {
        "status": InvoiceStatus.PAID.value,
        "last_seq": None,
        "tax_minor": tax_within(minor, row.tax_rate_bp),
        "covered_minor": 0,
        "paid_minor": minor,
        "paid_at": call.now,
        "due_on": call.today,
        "refers_to": row.id,
        "reason": reason,
        "dunning": False,
    }
    return await write_invoice(call, values, lines)


async def _post_credit(call: Call, row: InvoiceRow, note: InvoiceRow, minor: int, reason: str) -> None:
    """Add the amount of a credit note to the customer's credit."""
    given = make_posting(
        TransferKind.ADJUSTMENT,
        f"invoice:{note.id}:credited",
        AccountKey(AccountKind.ADJUSTMENTS),
        wallet_of(row.customer_id),
        Money(minor, row.currency),
        subject=MoneySubject(INVOICE_SUBJECT, row.id),
        reason=reason,
    )
    posted = await post(call, given)
    kind = TransferKind.ADJUSTMENT.value
    await call.publish(CreditChanged(customer_id=row.customer_id, transfer_id=posted.transfer_id, reason_kind=kind))
