"""Invoices that a caller may see."""

from haulier.contexts.billing.invoices.store import invoices as store
from haulier.contexts.billing.invoices.store.tables import InvoiceRow
from haulier.kernel.call import Call
from haulier.kernel.operations.enums import Account, PriceFamily
from haulier.kernel.operations.errors import record_not_found
from haulier.kernel.principal import Principal


async def get_visible_invoice(call: Call, invoice_id: int) -> InvoiceRow:
    """Return an invoice or credit note. Customers see their own.

    Raises `NOT_FOUND`.
    """
    row = await store.get_invoice_row(call.work, invoice_id)
    if row is None or (call.principal.account is Account.CUSTOMER and row.customer_id != call.actor):
        raise record_not_found(invoice_id=invoice_id)
    return row


def hidden_family(principal: Principal, row: InvoiceRow) -> PriceFamily | None:
    """Return a price family of the invoice that is hidden from the caller, or None.

    The sums of such an invoice would reveal its prices.
    """
    return next((family for family in map(PriceFamily, row.price_families) if principal.hides(family)), None)


def family_hidden_in_document(principal: Principal, row: InvoiceRow) -> PriceFamily | None:
    """Return a hidden family that the printed amounts of an invoice reveal, or None.

    A partial payment depends on what other charges left of the credit, so any hidden family counts there.
    """
    if 0 < row.paid_minor < row.total_minor:
        return min(principal.hidden_prices, default=None)
    return hidden_family(principal, row)
