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
