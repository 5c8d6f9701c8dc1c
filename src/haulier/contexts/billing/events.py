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
