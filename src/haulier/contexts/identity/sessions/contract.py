"""Sign-in and sessions: requests and answers."""

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
    """An e-mail address and its password."""

    email: Annotated[str, StringConstraints(strip_whitespace=True, to_lower=True, min_length=1, max_length=254)]
    """The user's e-mail address; capital letters do not matter."""
    password: Password
    """The user's password."""
    device: Annotated[str, Field(max_length=191)] | None = None
    """A name for the device, shown in the list of sessions."""


class SessionUser(Answer):
    """Who signed in."""

    id: int
    name: str
    email: str
    account: Annotated[str, doc("client_admin, employee, contractor, driver, customer or provider", "client_admin")]


class SessionClient(Answer):
    """The business that the user belongs to."""

    code: str
    name: str


class LoginSession(Answer):
    """A new session. The token goes into the header `Authorization: Bearer …` of REST, GraphQL and MCP calls."""

    result: bool = True
    access_token: Annotated[str, doc("Shown once; only its digest is kept")]
    token_type: str = "Bearer"
    expires_at: Annotated[datetime, doc("When the token stops working")]
    user: SessionUser
    client: SessionClient


class CurrentUser(Answer):
    """The caller."""

    result: bool = True
    user: SessionUser
    driver_id: Annotated[DriverId | None, doc("The driver who signs in with this account; null for everybody else.")]
    client: ClientFacts
    language: Annotated[str, doc("Of e-mails to the caller, BCP 47", "fr")]
    time_zone: Annotated[str, doc("In which the caller reads times, an IANA name", "America/Toronto")]
    scopes: Annotated[list[str], doc("What this token may be used for", ["orders:read"])]
    hidden_prices: Annotated[list[str], doc("Order families whose prices are not shown to this caller")]


class SessionRecord(Answer):
    """A place where the user is signed in."""

    id: int
    device: str | None
    created_at: datetime
    expires_at: datetime
    last_used_at: Annotated[datetime | None, doc("To the hour; null when not used since sign-in")]
    current: Annotated[bool, doc("Whether this call came with it")]
    state: Annotated[TokenState, doc("Whether it is still signed in")]
    revoked_at: Annotated[datetime | None, doc("When it was signed out; null before")]


class ListSessions(ListTokens):
    """Which sessions, and which page of them."""


class ListUserSessions(ListSessions):
    """Whose sessions."""

    user_id: UserId
    """The user's id."""


class SessionList(PagedAnswer):
    """A page of sessions, newest first."""

    sessions: list[SessionRecord]


class SessionRef(Request):
    """Which session."""

    session_id: Annotated[int, Field(ge=1, le=2**53 - 1)]
    """The session's id."""


class RevokedTokens(Answer):
    """How many tokens stopped working."""

    result: bool = True
    revoked: int
    message: str
