"""Whatever changes a customer's invoices waits for each other at one row, and sees them as they are then."""

from haulier.contexts.billing.invoices.rules.invoices import InvoiceKind
from haulier.contexts.billing.invoices.store import invoices as store
from haulier.contexts.billing.invoices.store import settings as settings_store
from haulier.contexts.billing.invoices.store.invoices import InvoiceRow
from haulier.contexts.billing.invoices.store.settings import SettingsRow, TermsRow
from haulier.kernel.call import Call
from haulier.kernel.operations.errors import record_not_found


async def lock_terms(call: Call, customer_id: int) -> TermsRow:
    """How a customer is billed, locked until the end of the transaction."""
    return await settings_store.lock_terms(call.work, customer_id, currency=call.business.currency, now=call.now)


async def lock_settings(call: Call) -> SettingsRow:
    """How the business bills, locked: numbers are given one after the other."""
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
    """The next number: given back with the transaction, so that none is left out."""
    row, name = await lock_settings(call), settings_store.COUNTERS[kind].name
    number: int = getattr(row, name) + 1
    await settings_store.update_settings(call.work, {name: number})
    return number


async def lock_invoice(call: Call, invoice_id: int) -> InvoiceRow:
    """An invoice, after its customer's terms were locked. Raises `NOT_FOUND`."""
    row = await store.get_invoice_row(call.work, invoice_id)
    if row is None:
        raise record_not_found(invoice_id=invoice_id)
    await lock_terms(call, row.customer_id)
    return await reload_invoice(call, invoice_id, lock=True)


async def reload_invoice(call: Call, invoice_id: int, *, lock: bool = False) -> InvoiceRow:
    """An invoice as it is now. Raises `NOT_FOUND`."""
    row = await store.get_invoice_row(call.work, invoice_id, lock=lock)
    if row is None:
        raise record_not_found(invoice_id=invoice_id)
    return row
