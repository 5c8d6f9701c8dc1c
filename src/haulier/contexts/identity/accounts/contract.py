"""API tokens: requests and answers."""

from datetime import datetime
from typing import Annotated

from pydantic import Field

from haulier.contexts.identity.accounts.rules.tokens import TokenState, TokenStateFilter
from haulier.contexts.identity.fields import Name
from haulier.kernel.operations.answers import Answer, doc
from haulier.kernel.operations.declaration import Request
from haulier.kernel.operations.enums import Scope
from haulier.kernel.operations.fields import EachOnce, RecordId
from haulier.kernel.operations.ids import UserId
from haulier.kernel.operations.scope_profiles import PROFILES
from haulier.kernel.values.pagination import PagedAnswer, PageRequest


class IssueApiToken(Request):
    """A new token for a program. Scopes are named one by one or by profile; without either it may read operations only."""

    name: Name
    """What the token is for; shown in the list."""
    profile: Annotated[str, Field(max_length=40, json_schema_extra={"enum": list(PROFILES)})] | None = None
    """A named set of scopes; the token gets those of them that the caller has."""
    scopes: Annotated[frozenset[Scope], EachOnce, Field(min_length=1, max_length=len(Scope))] | None = None
    """Scopes, each of which the caller must have. They count before the profile."""
    expires_in_days: Annotated[int, Field(ge=1, le=730)] = 90
    """How long the token works, in days; never longer than the token that issues it."""
    provider_id: RecordId | None = None
    """Client admins only: the provider account that the token is for, instead of the caller."""


class IssuedApiToken(Answer):
    """A new token."""

    result: bool = True
    id: int
    access_token: Annotated[str, doc("Shown once; only its digest is kept")]
    token_type: str = "Bearer"
    scopes: list[str]
    expires_at: datetime


class ListTokens(PageRequest):
    """Which tokens, and which page of them."""

    state: TokenStateFilter = TokenStateFilter.ACTIVE
    """Those that work, those that have expired, those that were revoked, or any."""
    search: Annotated[str, Field(min_length=1, max_length=120)] | None = None
    """Part of a name."""


class ListApiTokens(ListTokens):
    """Whose tokens, and which."""

    user_id: UserId | None = None
    """Client admins only: the user whose tokens are listed, instead of the caller."""
    all_users: bool = False
    """Client admins only: the tokens of every user of the client."""
    scope: Scope | None = None
    """Only tokens that hold this scope."""
    profile: Annotated[str, Field(max_length=40, json_schema_extra={"enum": list(PROFILES)})] | None = None
    """Only tokens that hold every scope of this profile."""


class ApiToken(Answer):
    """A token for a program."""

    id: int
    user_id: Annotated[UserId, doc("In whose name the program acts")]
    user_name: str
    name: str | None
    state: Annotated[TokenState, doc("Whether it works")]
    parent_id: Annotated[
        int | None, doc("The token that issued it, with which it ends; null when a person did, signed in")
    ]
    scopes: list[str]
    created_at: datetime
    expires_at: datetime
    revoked_at: Annotated[datetime | None, doc("Null while it is not revoked")]
    last_used_at: Annotated[datetime | None, doc("To the hour; null when never used")]


class ApiTokenList(PagedAnswer):
    """A page of tokens, newest first."""

    tokens: list[ApiToken]


class ApiTokenRef(Request):
    """Which token."""

    token_id: Annotated[int, Field(ge=1, le=2**53 - 1)]
    """The token's id."""


class RotateApiToken(ApiTokenRef):
    """Which token gets a new text, and how long the old one goes on working."""

    overlap_minutes: Annotated[int, Field(ge=0, le=1440)] = 0
    """For how many minutes the old text works beside the new one; 0 ends it at once."""
    expires_in_days: Annotated[int, Field(ge=1, le=730)] = 90
    """How long the new text works, in days; with an API token never longer than that token, nor than the one it came from."""
