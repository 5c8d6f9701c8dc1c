"""The events of payments."""

from haulier.kernel.background.events import DomainEvent


class PaymentSucceeded(DomainEvent, frozen=True, kw_only=True):
    """A customer has paid online. The money is in their credit, or has paid their order."""

    payment_id: int
    customer_id: int
    purpose: str
    subject_id: int | None
    order_paid: bool


class PaymentRefunded(DomainEvent, frozen=True, kw_only=True):
    """Money of an online payment goes back by the way it came."""

    payment_id: int
    customer_id: int
    refund_id: int


class PaymentDisputed(DomainEvent, frozen=True, kw_only=True):
    """A payer's bank has taken a payment back, or has decided about it."""

    payment_id: int
    customer_id: int
    dispute_status: str
    """open, won, lost."""
