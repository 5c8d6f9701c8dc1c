"""Payments, credit notes, voids and reminders of invoices."""

from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any

from haulier.contexts.billing.events import CreditChanged, InvoiceDunned
from haulier.contexts.billing.invoices import store
from haulier.contexts.billing.invoices.actions.new_invoices import (
    DESCRIBED,
    common_values,
    lock_invoice,
    lock_settings,
    lock_terms,
    reload_invoice,
    taxed,
    write_invoice,
)
from haulier.contexts.billing.invoices.actions.payments import (
    change_invoice,
    pay_from_credit,
    publish_changed,
    release_allocations,
)
from haulier.contexts.billing.invoices.queries import dunning_levels, load_settings
from haulier.contexts.billing.invoices.rules import (
    INVOICE_AMOUNT_TOO_LARGE,
    INVOICE_NOT_LATEST,
    INVOICE_NOT_OPEN,
    INVOICE_NOT_OVERDUE,
    INVOICE_SUBJECT,
    REMINDER_SENT_TODAY,
    REMINDERS_PAUSED,
    SEND_INVOICE_JOB,
    AskedCredit,
    CreditPart,
    DunningLevel,
    InvoiceKind,
    InvoiceStatus,
    SendInvoice,
    credit_charges,
    distribute_credit,
    document_tax,
    email_due,
)
from haulier.contexts.billing.invoices.store import InvoiceRow, LineRow, taxes_within
from haulier.contexts.billing.ledger.actions import (
    Refund,
    charge,
    count_refunded,
    lock_refunded,
    post,
    wallet_of,
)
from haulier.contexts.billing.ledger.rules import (
    CREDIT_INSUFFICIENT,
    AccountKey,
    AccountKind,
    ChargeDetails,
    MoneySubject,
    TransferKind,
    make_posting,
)
from haulier.contexts.documents.public import (
    withdraw_document_of,
)
from haulier.kernel.call import Call
from haulier.kernel.operations.errors import OperationError
from haulier.kernel.values.money import Money
from haulier.kernel.values.taxes import taxes_of_part


async def void_invoice(call: Call, row: InvoiceRow, reason: str) -> InvoiceRow:
    """Void an unpaid invoice and revoke its document.

    The number remains in use and the charges move to the next invoice. Raises `INVOICE_NOT_OPEN`, also if something
    was paid or credited, and `INVOICE_NOT_LATEST`.
    """
    untouched = row.paid_minor <= row.covered_minor and not row.credited_minor
    if row.kind != InvoiceKind.INVOICE or row.status == InvoiceStatus.VOID or not untouched:
        raise INVOICE_NOT_OPEN(number=row.number)
    latest = await store.get_latest_invoice(call.work, row.customer_id, row.currency)
    if latest is None or latest.id != row.id:
        raise INVOICE_NOT_LATEST(number=row.number)
    if row.document_id is not None:
        await withdraw_document_of(call, row.document_id, "cancelled")
    await release_allocations(call, row, row.paid_minor)
    values = {"status": InvoiceStatus.VOID.value, "voided_at": call.now, "reason": reason, "paid_at": None}
    return await publish_changed(call, row, {**values, "paid_minor": 0})


_OF_INVOICE = ("currency", "until", "tax_name", "tax_rate_bp", "price_families", "billing_name", "address_lines")


async def credit_invoice(call: Call, row: InvoiceRow, asked: AskedCredit, reason: str) -> InvoiceRow:
    """Credit a locked invoice in part, in full, or by charge.

    Returns the credit note. Raises `INVOICE_NOT_OPEN` if nothing can be credited, `INVOICE_AMOUNT_TOO_LARGE`,
    `NOT_FOUND` for a charge of another invoice, and the errors of `post`.
    """
    if row.kind != InvoiceKind.INVOICE or row.status == InvoiceStatus.VOID:
        raise INVOICE_NOT_OPEN(number=row.number)
    lines = await _list_charge_lines(call, row)
    for each in asked.charges:
        if each.charge_id not in lines:
            raise each.not_found()
    named = {each.charge_id for each in asked.charges}
    locked = await lock_refunded(call, [id for id in lines if not named or id in named])
    left = {charge_id: locked[charge_id] for charge_id in lines if charge_id in locked}
    uncredited = row.total_minor - row.credited_minor
    if named:
        parts = credit_charges(left, asked.charges, uncredited, row.currency)
    else:
        parts = _distribute_amount(row, left, asked.amount_minor, uncredited)
    minor = sum(part.minor for part in parts)
    note = await _insert_credit_note(call, row, minor, reason, _lines_of_parts(call, lines, parts, left, reason))
    # A note of the whole invoice closes its charges: credits on the same invoice paid the difference.
    closed = left if minor == uncredited and not named else {part.charge_id: part.minor for part in parts}
    await count_refunded(call, closed)
    await _post_credit(call, row, note, minor, reason)
    await change_invoice(call, row, credited_minor=row.credited_minor + minor)
    return note


def _distribute_amount(
    row: InvoiceRow, left: Mapping[int, int], amount_minor: int | None, uncredited: int
) -> Sequence[CreditPart]:
    """Divide an amount, or all that is left, over the charges in order."""
    rest = min(uncredited, sum(left.values()))
    if not rest:
        raise INVOICE_NOT_OPEN(number=row.number)
    if (amount_minor or rest) > rest:
        raise INVOICE_AMOUNT_TOO_LARGE(left=str(Money(rest, row.currency)))
    return distribute_credit(left, amount_minor or rest)


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
    left = (await lock_refunded(call, [charge_id]))[charge_id] + refund.minor
    named = _line(call, line, CreditPart(charge_id=charge_id, minor=minor), left, reason) | {
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
    call: Call, lines: dict[int, LineRow], parts: Sequence[CreditPart], left: Mapping[int, int], reason: str
) -> list[dict[str, Any]]:
    return [_line(call, lines[part.charge_id], part, left[part.charge_id], reason) for part in parts]


def _line(call: Call, line: LineRow, part: CreditPart, left: int, reason: str | None) -> dict[str, Any]:
    """Return the credit note line for a part of what was left of a charge."""
    taxes, minor = taxes_within(line), part.minor
    return {
        "transfer_id": None,
        "charge_id": part.charge_id,
        "kind": TransferKind.ADJUSTMENT.value,
        "at": call.now,
        "amount_minor": minor,
        "subject_kind": line.subject_kind,
        "subject_id": line.subject_id,
        "price_family": line.price_family,
        **{name: getattr(line, name) for name in DESCRIBED},
        "taxes": None if taxes is None else taxes_of_part(taxes, line.amount_minor - left, minor, line.amount_minor),
        "reason": reason,
    }


async def _insert_credit_note(
    call: Call, row: InvoiceRow, minor: int, reason: str | None, lines: Sequence[dict[str, Any]]
) -> InvoiceRow:
    """Insert a credit note for part of an invoice, with the taxes of its charges."""
    terms = await lock_terms(call, row.customer_id)
    values = await common_values(call, InvoiceKind.CREDIT_NOTE, terms, minor)
    values |= {name: getattr(row, name) for name in _OF_INVOICE}
    values |= {
        "status": InvoiceStatus.PAID.value,
        "last_seq": None,
        "tax_minor": document_tax(taxed(lines), row.tax_rate_bp),
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


async def remind(call: Call, invoice_id: int) -> bool:
    """Send the next reminder about an unpaid invoice if it is due.

    Repeated runs send one reminder.
    """
    row = await lock_invoice(call, invoice_id)
    if not row.dunning or row.status != InvoiceStatus.OPEN:
        return False
    await pay_from_credit(call, row.customer_id, row.currency)
    row = await reload_invoice(call, invoice_id)
    levels = dunning_levels(await load_settings(call))
    step = email_due(levels, row.dunning_level, row.due_on, call.today, await _last_reminded_on(call, row.id))
    if step is None or row.status != InvoiceStatus.OPEN:
        return False
    await _write_reminder(call, row, step)
    return True


async def send_reminder(call: Call, row: InvoiceRow, *, skip_paused: bool) -> InvoiceRow:
    """Send the next reminder about a locked invoice now, at most one a day.

    Credit pays first, and an invoice that it pays gets no reminder. A reminder after the last level has no fee. Raises
    `INVOICE_NOT_OPEN`, `INVOICE_NOT_OVERDUE`, `REMINDER_SENT_TODAY`, and with `skip_paused` also `REMINDERS_PAUSED`.
    """
    if row.status != InvoiceStatus.OPEN:
        raise INVOICE_NOT_OPEN(number=row.number)
    if row.due_on >= call.today:
        raise INVOICE_NOT_OVERDUE(number=row.number)
    if skip_paused and not row.dunning:
        raise REMINDERS_PAUSED(number=row.number)
    if await _last_reminded_on(call, row.id) == call.today:
        raise REMINDER_SENT_TODAY(number=row.number)
    await pay_from_credit(call, row.customer_id, row.currency)
    row = await reload_invoice(call, row.id)
    if row.status == InvoiceStatus.OPEN:
        levels = dunning_levels(await load_settings(call))[row.dunning_level :]
        fee_minor = levels[0].fee_minor if levels else 0
        await _write_reminder(call, row, DunningLevel(days_overdue=(call.today - row.due_on).days, fee_minor=fee_minor))
    return await reload_invoice(call, row.id)


async def _last_reminded_on(call: Call, invoice_id: int) -> date | None:
    """Return the day of the newest reminder in the time zone of the business."""
    written = await store.list_email_rows(call.work, invoice_id)
    return call.local_time(written[-1].written_at).date() if written else None


async def _write_reminder(call: Call, row: InvoiceRow, step: DunningLevel) -> None:
    level = row.dunning_level + 1
    if step.fee_minor and not await _charge_fee(call, row, level, step.fee_minor):
        step = type(step)(days_overdue=step.days_overdue)
    await store.insert_email(call.work, row.id, level, step, call.now)
    await store.update_invoice(call.work, row.id, {"dunning_level": level})
    call.add_audit_subjects("invoice", row.id)
    await call.publish(InvoiceDunned(invoice_id=row.id, customer_id=row.customer_id, level=level))
    await call.enqueue(SEND_INVOICE_JOB, SendInvoice(invoice_id=row.id, level=level))


async def _charge_fee(call: Call, row: InvoiceRow, level: int, fee_minor: int) -> bool:
    """Charge a reminder fee to the next invoice.

    Return False if the credit limit forbids it.
    """
    try:
        await charge(
            call,
            row.customer_id,
            Money(fee_minor, row.currency),
            key=f"invoice:{row.id}:letter:{level}",
            subject=MoneySubject(INVOICE_SUBJECT, row.id),
            reason=row.number,
            line=ChargeDetails(
                item=call.translate("charged_reminder"), reference=row.number, serviced_on=call.today, taxes=()
            ),
        )
    except OperationError as fault:
        if fault.error_type is not CREDIT_INSUFFICIENT:
            raise
        return False
    return True
