"""The events of identity."""

from haulier.kernel.background.events import DomainEvent
from haulier.kernel.operations.enums import Account


class UserCreated(DomainEvent, frozen=True, kw_only=True):
    """A user was created."""

    user_id: int
    account: Account


class UserDisabled(DomainEvent, frozen=True, kw_only=True):
    """A user was disabled; every token of theirs is revoked."""

    user_id: int
    account: Account
