"""How an invitation stands, and how long it waits."""

from datetime import datetime, timedelta
from enum import StrEnum
from typing import Protocol

from haulier.kernel.errors import problem

INVITATION_INVALID = problem("invitation_invalid", 410)
INVITATION_ACCEPTED = problem("invitation_accepted", 409)

LIFETIME = timedelta(days=7)


class Status(StrEnum):
    """Where an invitation stands."""

    PENDING = "pending"
    ACCEPTED = "accepted"
    WITHDRAWN = "withdrawn"
    EXPIRED = "expired"


class Invited(Protocol):
    """What the status of an invitation is read from."""

    @property
    def accepted_at(self) -> datetime | None: ...

    @property
    def withdrawn_at(self) -> datetime | None: ...

    @property
    def expires_at(self) -> datetime: ...


def status(invitation: Invited, now: datetime) -> Status:
    """The status of an invitation: what was done last to it, and then the time."""
    if invitation.accepted_at:
        return Status.ACCEPTED
    if invitation.withdrawn_at:
        return Status.WITHDRAWN
    return Status.EXPIRED if invitation.expires_at <= now else Status.PENDING


def demand_open(invitation: Invited) -> None:
    """An invitation that was accepted is neither sent again nor withdrawn. Raises `INVITATION_ACCEPTED`."""
    if invitation.accepted_at:
        raise INVITATION_ACCEPTED()
