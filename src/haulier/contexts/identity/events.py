"""The events of identity."""

from haulier.kernel.background.events import DomainEvent
from haulier.kernel.operations.enums import Account


class UserCreated(DomainEvent, frozen=True, kw_only=True):
    """A user was created."""

    user_id: int
    account: Account


class UserDisabled(DomainEvent, frozen=True, kw_only=True):
    """A user was disabled, and all their tokens were revoked."""

    user_id: int
    account: Account


class ClientCountrySet(DomainEvent, frozen=True, kw_only=True):
    """The country of the business was set."""

    country: str
