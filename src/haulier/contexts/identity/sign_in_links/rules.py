"""Lifetime and state of sign-in links, and the error of invalid ones."""

from datetime import datetime, timedelta
from enum import StrEnum
from typing import Protocol

from haulier.kernel.operations.errors import declare_error

SIGN_IN_LINK_INVALID = declare_error("sign_in_link_invalid", 410)
"""One error for unknown, used, revoked and expired links."""

LINK_LIFETIME = timedelta(minutes=15)
LINK_MINUTES_MAX = 60


class SignInLinkState(StrEnum):
    """State of a link. Actions take precedence over expiry."""

    WAITING = "waiting"
    USED = "used"
    REVOKED = "revoked"
    EXPIRED = "expired"


class SignInLinkDates(Protocol):
    """The dates that decide the state of a link."""

    @property
    def used_at(self) -> datetime | None: ...

    @property
    def revoked_at(self) -> datetime | None: ...

    @property
    def expires_at(self) -> datetime: ...


def sign_in_link_state(link: SignInLinkDates, now: datetime) -> SignInLinkState:
    """Return the state of a link now."""
    if link.used_at:
        return SignInLinkState.USED
    if link.revoked_at:
        return SignInLinkState.REVOKED
    return SignInLinkState.EXPIRED if link.expires_at <= now else SignInLinkState.WAITING
