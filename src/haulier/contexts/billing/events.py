"""Events of the billing context."""

from haulier.kernel.background.events import DomainEvent


class CreditChanged(DomainEvent, frozen=True, kw_only=True):
    """A customer's wallet was topped up, corrected or refunded.

    The amount is available in the statement.
    """

    customer_id: int
    transfer_id: int
    reason_kind: str
    """Reason, such as `top_up`, `adjustment` or `refund`."""


class CreditLimitSet(DomainEvent, frozen=True, kw_only=True):
    """A customer's credit limit was changed."""

    customer_id: int
    credit_currency: str


class InvoiceIssued(DomainEvent, frozen=True, kw_only=True):
    """An invoice or credit note was issued. The amount is available in the document."""

    invoice_id: int
    customer_id: int
    kind: str
    """`invoice` or `credit_note`."""


class InvoiceChanged(DomainEvent, frozen=True, kw_only=True):
    """An invoice was paid, in whole or in part, credited or voided."""

    invoice_id: int
    customer_id: int
    status: str


class InvoiceDunned(DomainEvent, frozen=True, kw_only=True):
    """A reminder about an overdue invoice was sent."""

    invoice_id: int
    customer_id: int
    level: int


class PaymentReturned(DomainEvent, frozen=True, kw_only=True):
    """A payment of a purchase, booking, rental or fee was returned as credit.

    Money paid through a payment link is then refunded to its card.
    """

    purpose: str
    """Purpose: `shop_purchase`, `luggage`, `locker_lease` or `no_show_fee`."""
    subject_id: int
    amount_minor: int
    occasion: str
    """Key that distinguishes this return from others of the same item."""
