"""Events that the control tower publishes."""

from haulier.kernel.background.events import DomainEvent


class WriteProposed(DomainEvent, frozen=True, kw_only=True):
    """A write was proposed for human review."""

    approval_id: int
    operation: str
    proposed_by: int


class WriteDecided(DomainEvent, frozen=True, kw_only=True):
    """A pending write was executed or rejected, or expired; `status` says which."""

    approval_id: int
    operation: str
    status: str
