"""Events that the control tower publishes."""

from haulier.kernel.background.events import DomainEvent


class WriteProposed(DomainEvent, frozen=True, kw_only=True):
    """A write was queued for a human to look at."""

    approval_id: int
    operation: str
    proposed_by: int


class WriteDecided(DomainEvent, frozen=True, kw_only=True):
    """A waiting write was executed or rejected, or its time passed; `status` says which."""

    approval_id: int
    operation: str
    status: str
