"""Request and response models of sign-in and sessions."""

from datetime import datetime
from typing import Annotated

from pydantic import Field, StringConstraints

from haulier.contexts.identity.accounts.contract import ClientFacts, ListTokens
from haulier.contexts.identity.accounts.rules import TokenState
from haulier.contexts.identity.fields import Password
from haulier.kernel.operations.answers import Answer, doc
from haulier.kernel.operations.declaration import Request
from haulier.kernel.operations.ids import DriverId, UserId
from haulier.kernel.values.pagination import PagedAnswer


class Login(Request):
    """Sign-in credentials."""

    email: Annotated[str, StringConstraints(strip_whitespace=True, to_lower=True, min_length=1, max_length=254)]
    """Email address of the user, ignoring case."""
    password: Password
    """Password of the user."""
    device: Annotated[str, Field(max_length=191)] | None = None
    """A name for the device, shown in the list of sessions."""


class SessionUser(Answer):
    """The signed-in user."""

    id: int
    name: str
    email: str
    account: Annotated[
        str, doc("Account: client_admin, employee, contractor, driver, customer or provider.", "client_admin")
    ]


class SessionClient(Answer):
    """The business that the user belongs to."""

    code: str
    name: str


class LoginSession(Answer):
    """A new session. Send its token as `Authorization: Bearer …` in all interfaces."""

    result: bool = True
    access_token: Annotated[str, doc("Token text, shown once. Only its digest is stored.")]
    token_type: str = "Bearer"
    expires_at: Annotated[datetime, doc("Time when the token expires.")]
    user: SessionUser
    client: SessionClient


class CurrentUser(Answer):
    """The caller."""

    result: bool = True
    user: SessionUser
    driver_id: Annotated[DriverId | None, doc("Driver of this account, or null.")]
    client: ClientFacts
    language: Annotated[str, doc("Language of emails to the caller, BCP 47.", "fr")]
    time_zone: Annotated[str, doc("Time zone of the caller, an IANA name.", "America/Toronto")]
    scopes: Annotated[list[str], doc("Scopes of this token.", ["orders:read"])]
    hidden_prices: Annotated[list[str], doc("Order families whose prices are hidden from this caller.")]


class SessionRecord(Answer):
    """A session of the user."""

    id: int
    device: str | None
    created_at: datetime
    expires_at: datetime
    last_used_at: Annotated[datetime | None, doc("Time of last use, to the hour; null if not used since sign-in.")]
    current: Annotated[bool, doc("True if this call uses it.")]
    state: Annotated[TokenState, doc("State of the session.")]
    revoked_at: Annotated[datetime | None, doc("Time when it was signed out; null before.")]


class ListSessions(ListTokens):
    """Filters and paging for sessions."""


class ListUserSessions(ListSessions):
    """A user, and filters for their sessions."""

    user_id: UserId
    """ID of the user."""


class SessionList(PagedAnswer):
    """A page of sessions, newest first."""

    sessions: list[SessionRecord]


class SessionRef(Request):
    """Reference to a session."""

    session_id: Annotated[int, Field(ge=1, le=2**53 - 1)]
    """ID of the session."""


class RevokedTokens(Answer):
    """Number of revoked tokens."""

    result: bool = True
    revoked: int
    message: str
