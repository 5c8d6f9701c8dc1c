"""Request and response models of invitations."""

from datetime import datetime
from typing import Annotated, Literal

from pydantic import Field, SecretStr

from haulier.contexts.identity.fields import (
    Email,
    Language,
    Name,
    Password,
    TimeZone,
)
from haulier.contexts.identity.invitations.rules import InvitationStatus
from haulier.contexts.identity.members.contract import Role
from haulier.kernel.operations.answers import Answer, doc
from haulier.kernel.operations.declaration import Request
from haulier.kernel.operations.enums import Account
from haulier.kernel.operations.fields import RecordId
from haulier.kernel.operations.ids import UserId
from haulier.kernel.values.pagination import PagedAnswer, PageRequest

LinkToken = Annotated[SecretStr, Field(min_length=1, max_length=100)]


class InviteUser(Request):
    """An invitation. The invited user chooses the password."""

    name: Name
    """Display name. The user can change it."""
    email: Email
    """Email address that receives the invitation and is used to sign in. Unique on the platform."""
    account: Literal[Account.CLIENT_ADMIN, Account.EMPLOYEE, Account.CONTRACTOR, Account.DRIVER, Account.CUSTOMER]
    """The kind of account."""
    role: Role | None = None
    """Role of the user. Defaults to all permissions of the account type."""
    language: Language | None = None
    """Language of the email. Defaults to the language of the business."""


class InvitationRef(Request):
    """Reference to an invitation."""

    invitation_id: RecordId
    """ID of the invitation."""


class ListInvitations(PageRequest):
    """Filters for invitations."""

    status: InvitationStatus | None = None
    """Filter by status."""


class InvitationRecord(Answer):
    """An invitation."""

    id: int
    user_id: Annotated[UserId, doc("Invited user, who already exists and can be assigned work.")]
    name: str
    email: str
    account: Annotated[str, doc("Kind of account.", Account.DRIVER.value)]
    status: Annotated[str, doc("Status: pending, accepted, withdrawn or expired.", InvitationStatus.PENDING.value)]
    invited_by: int | None
    invited_at: datetime
    expires_at: datetime
    sent_at: Annotated[datetime | None, doc("Time when the email was sent; null before.")]
    accepted_at: datetime | None


class InvitationDetail(Answer):
    """One invitation."""

    result: bool = True
    invitation: InvitationRecord


class InvitationList(PagedAnswer):
    """A page of invitations, newest first."""

    invitations: list[InvitationRecord]


class ReadInvitation(Request):
    """The token of the link in the e-mail."""

    token: LinkToken
    """The token."""


class InvitationPreview(Answer):
    """An invitation as the invited user sees it."""

    result: bool = True
    client_name: str
    name: str
    email: str
    account: str
    expires_at: datetime


class AcceptInvitation(ReadInvitation):
    """The password and preferences that an invited user chooses."""

    password: Password
    """At least ten characters."""
    name: Name | None = None
    """Name that others see. Replaces the name in the invitation."""
    language: Language | None = None
    """Language of emails."""
    time_zone: TimeZone | None = None
    """Time zone of displayed times (IANA name)."""
