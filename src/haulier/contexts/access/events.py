"""What access announces."""

from haulier.kernel.declarations import Account
from haulier.kernel.events import Event


class UserCreated(Event, frozen=True, kw_only=True):
    """A user was created."""

    user_id: int
    account: Account


class UserDisabled(Event, frozen=True, kw_only=True):
    """A user was disabled; every token of theirs is revoked."""

    user_id: int
    account: Account


class WriteProposed(Event, frozen=True, kw_only=True):
    """A write was queued for a human to look at."""

    approval_id: int
    operation: str
    proposed_by: int


class WriteDecided(Event, frozen=True, kw_only=True):
    """A waiting write was executed or rejected, or its time passed; `status` says which."""

    approval_id: int
    operation: str
    status: str
