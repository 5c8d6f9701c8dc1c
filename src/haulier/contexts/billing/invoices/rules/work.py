"""Background work on invoices: sending, billing and reminding."""

from msgspec import Struct

SEND_INVOICE_JOB = "billing.send_invoice"
BILL_CUSTOMER_JOB = "billing.bill_customer"
REMIND_JOB = "billing.remind"


class SendInvoice(Struct, frozen=True, kw_only=True):
    """Email of an invoice. `level` is the reminder level, 0 for the invoice itself."""

    invoice_id: int
    level: int = 0


class BillCustomer(Struct, frozen=True):
    """Automatic invoice of a customer."""

    customer_id: int


class RemindCustomer(Struct, frozen=True):
    """Reminder about an unpaid invoice."""

    invoice_id: int
