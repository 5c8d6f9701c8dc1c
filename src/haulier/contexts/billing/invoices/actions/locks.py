"""Locks that serialise changes to a customer's invoices."""

from haulier.contexts.billing.invoices.rules.invoices import InvoiceKind
from haulier.contexts.billing.invoices.store import invoices as store
from haulier.contexts.billing.invoices.store import settings as settings_store
from haulier.contexts.billing.invoices.store.tables import InvoiceRow, SettingsRow, TermsRow
from haulier.kernel.call import Call
from haulier.kernel.operations.errors import record_not_found


async def lock_terms(call: Call, customer_id: int) -> TermsRow:
    """Lock a customer's billing terms until the end of the transaction."""
    return await settings_store.lock_terms(call.work, customer_id, currency=call.business.currency, now=call.now)


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
    return await settings_store.lock_settings(call.work, first)


async def take_number(call: Call, kind: InvoiceKind) -> int:
    """Take the next number. A rollback returns it, so there are no gaps."""
    row, name = await lock_settings(call), settings_store.COUNTERS[kind].name
    number: int = getattr(row, name) + 1
    await settings_store.update_settings(call.work, {name: number})
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
