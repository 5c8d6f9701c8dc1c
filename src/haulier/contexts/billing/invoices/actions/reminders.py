"""Reminders about overdue invoices.

Available credit is used first. A reminder is due afterwards, with a fee if one is set.
"""

from haulier.contexts.billing.events import InvoiceDunned
from haulier.contexts.billing.invoices.actions.locks import lock_invoice, reload_invoice
from haulier.contexts.billing.invoices.actions.settle import settle_from_credit
from haulier.contexts.billing.invoices.queries.settings import dunning_levels, load_settings
from haulier.contexts.billing.invoices.rules.invoices import INVOICE_SUBJECT, InvoiceStatus, letter_due
from haulier.contexts.billing.invoices.rules.work import SEND_INVOICE_JOB, SendInvoice
from haulier.contexts.billing.invoices.store import invoices as store
from haulier.contexts.billing.invoices.store.tables import InvoiceRow
from haulier.contexts.billing.ledger.actions.postings import charge
from haulier.contexts.billing.ledger.rules import CREDIT_INSUFFICIENT, MoneySubject
from haulier.kernel.call import Call
from haulier.kernel.operations.errors import OperationError
from haulier.kernel.values.money import Money


async def remind(call: Call, invoice_id: int) -> bool:
    """Send the next reminder about an unpaid invoice if it is due.

    Repeated runs send one reminder.
    """
    row = await lock_invoice(call, invoice_id)
    if not row.dunning or row.status != InvoiceStatus.OPEN:
        return False
    await settle_from_credit(call, row.customer_id, row.currency)
    row = await reload_invoice(call, invoice_id)
    levels = dunning_levels(await load_settings(call))
    step = letter_due(levels, row.dunning_level, row.due_on, call.today)
    if step is None or row.status != InvoiceStatus.OPEN:
        return False
    level = row.dunning_level + 1
    if step.fee_minor and not await _charge_fee(call, row, level, step.fee_minor):
        step = type(step)(days_overdue=step.days_overdue)
    await store.insert_letter(call.work, row.id, level, step, call.now)
    await store.update_invoice(call.work, row.id, {"dunning_level": level})
    call.add_audit_subjects("invoice", row.id)
    await call.publish(InvoiceDunned(invoice_id=row.id, customer_id=row.customer_id, level=level))
    await call.enqueue(SEND_INVOICE_JOB, SendInvoice(invoice_id=row.id, level=level))
    return True


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
        )
    except OperationError as fault:
        if fault.error_type is not CREDIT_INSUFFICIENT:
            raise
        return False
    return True
