"""Status of an invitation, and its lifetime."""

from datetime import datetime, timedelta
from enum import StrEnum
from typing import Protocol

from haulier.kernel.operations.errors import declare_error

INVITATION_INVALID = declare_error("invitation_invalid", 410)
INVITATION_ACCEPTED = declare_error("invitation_accepted", 409)
ALREADY_INVITED = declare_error("already_invited", 409)

INVITATION_LIFETIME = timedelta(days=7)


class InvitationStatus(StrEnum):
    """The status of an invitation."""

    PENDING = "pending"
    ACCEPTED = "accepted"
    WITHDRAWN = "withdrawn"
    EXPIRED = "expired"


class InvitationDates(Protocol):
    """The dates that decide the status of an invitation."""

    @property
    def accepted_at(self) -> datetime | None: ...

    @property
    def withdrawn_at(self) -> datetime | None: ...

    @property
    def expires_at(self) -> datetime: ...


def invitation_status(invitation: InvitationDates, now: datetime) -> InvitationStatus:
    """Return the status of an invitation. Actions take precedence over expiry."""
    if invitation.accepted_at:
        return InvitationStatus.ACCEPTED
    if invitation.withdrawn_at:
        return InvitationStatus.WITHDRAWN
    return InvitationStatus.EXPIRED if invitation.expires_at <= now else InvitationStatus.PENDING


def require_invitation_open(invitation: InvitationDates) -> None:
    """Require that an invitation is not accepted. Raises `INVITATION_ACCEPTED`."""
    if invitation.accepted_at:
        raise INVITATION_ACCEPTED()
