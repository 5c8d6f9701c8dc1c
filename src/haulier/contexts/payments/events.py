"""The events of payments."""

from haulier.kernel.background.events import DomainEvent


class PaymentSucceeded(DomainEvent, frozen=True, kw_only=True):
    """A customer paid online. The money is credited, or paid their order."""

    payment_id: int
    customer_id: int
    purpose: str
    subject_id: int | None
    order_paid: bool


class PaymentRefunded(DomainEvent, frozen=True, kw_only=True):
    """Part of an online payment is refunded to its source."""

    payment_id: int
    customer_id: int
    refund_id: int


class PaymentDisputed(DomainEvent, frozen=True, kw_only=True):
    """A payer's bank reversed a payment, or decided about it."""

    payment_id: int
    customer_id: int
    dispute_status: str
    """open, won, lost."""
