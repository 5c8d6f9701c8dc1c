"""Invoices that a caller may see."""

from haulier.contexts.billing.invoices.store import invoices as store
from haulier.contexts.billing.invoices.store.invoices import InvoiceRow
from haulier.kernel.call import Call
from haulier.kernel.operations.enums import Account, PriceFamily
from haulier.kernel.operations.errors import record_not_found
from haulier.kernel.principal import Principal


async def get_visible_invoice(call: Call, invoice_id: int) -> InvoiceRow:
    """An invoice or credit note; customers see their own. Raises `NOT_FOUND`."""
    row = await store.get_invoice_row(call.work, invoice_id)
    if row is None or (call.principal.account is Account.CUSTOMER and row.customer_id != call.actor):
        raise record_not_found(invoice_id=invoice_id)
    return row


def hidden_family(principal: Principal, row: InvoiceRow) -> PriceFamily | None:
    """A family of an invoice whose prices somebody may not see: then its sums would tell them; None where there is none."""
    return next((family for family in map(PriceFamily, row.price_families) if principal.hides(family)), None)
