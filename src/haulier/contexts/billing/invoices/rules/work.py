"""The work on invoices that is done after a call: letters are sent, customers billed, those reminded who do not pay."""

from msgspec import Struct

SEND_INVOICE_JOB = "billing.send_invoice"
BILL_CUSTOMER_JOB = "billing.bill_customer"
REMIND_JOB = "billing.remind"


class SendInvoice(Struct, frozen=True, kw_only=True):
    """Which invoice is sent by e-mail; `level` is of a letter about one that was not paid, 0 of the invoice itself."""

    invoice_id: int
    level: int = 0


class BillCustomer(Struct, frozen=True):
    """Which customer's day has come."""

    customer_id: int


class RemindCustomer(Struct, frozen=True):
    """Which invoice was not paid."""

    invoice_id: int
