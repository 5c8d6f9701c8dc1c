"""The events of billing."""

from haulier.kernel.background.events import DomainEvent


class CreditChanged(DomainEvent, frozen=True, kw_only=True):
    """Money came to a customer's wallet, or was corrected or given back. How much, the statement tells."""

    customer_id: int
    transfer_id: int
    reason_kind: str
    """top_up, adjustment, refund, …"""


class CreditLimitSet(DomainEvent, frozen=True, kw_only=True):
    """A customer may owe another amount from now on."""

    customer_id: int
    credit_currency: str


class InvoiceIssued(DomainEvent, frozen=True, kw_only=True):
    """An invoice or credit note was issued. How much, itself tells."""

    invoice_id: int
    customer_id: int
    kind: str
    """invoice or credit_note."""


class InvoiceChanged(DomainEvent, frozen=True, kw_only=True):
    """An invoice was paid, in whole or in part, credited or voided."""

    invoice_id: int
    customer_id: int
    status: str


class InvoiceDunned(DomainEvent, frozen=True, kw_only=True):
    """A letter was written about an invoice that was not paid."""

    invoice_id: int
    customer_id: int
    level: int


class PaymentReturned(DomainEvent, frozen=True, kw_only=True):
    """Money that paid a purchase, booking, lease or fee is credit again; what a link brought goes on to its card."""

    purpose: str
    """shop_purchase, luggage, locker_lease or no_show_fee."""
    subject_id: int
    amount_minor: int
    occasion: str
    """Tells this return from every other of the same thing."""
