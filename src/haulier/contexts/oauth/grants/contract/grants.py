"""Authorisation requests, consent and tokens: requests and answers."""

from typing import Annotated, Literal

from pydantic import Field, SecretStr

from haulier.contexts.oauth.grants.contract.fields import AgentId, Resource, ScopeList, Secret, Uri
from haulier.kernel.operations.answers import Answer, doc
from haulier.kernel.operations.declaration import Request
from haulier.kernel.operations.enums import Scope
from haulier.kernel.operations.fields import EachOnce

EXAMPLE_CHALLENGE = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"


class ReadAgentRequest(Request):
    """The authorisation request of an agent (RFC 6749, section 4.1.1, with RFC 7636 and RFC 8707)."""

    client_id: AgentId
    redirect_uri: Uri | None = None
    """Where the answer shall be sent; may be absent when the agent registered one address only."""
    response_type: Literal["code"]
    """Always `code`."""
    code_challenge: Annotated[str, Field(pattern=r"^[A-Za-z0-9_-]{43}$", max_length=43, examples=[EXAMPLE_CHALLENGE])]
    """The SHA-256 of a secret that the agent shows later, base64url without padding."""
    code_challenge_method: Annotated[Literal["S256"], Field(examples=["S256"])]
    """Always `S256`."""
    scope: ScopeList | None = None
    """Scopes and profiles, with spaces between; without any, those of `ops-readonly`."""
    resource: Resource | None = None
    """The address of the MCP server that the agent wants to use; else the first one."""


class RequestedScope(Answer):
    """One right that an agent asks for."""

    scope: str
    means: Annotated[str, doc("In the caller's language", "See orders and where they are")]
    changes: Annotated[bool, doc("Whether the agent could change something with it")]
    yours: Annotated[bool, doc("Whether the caller has it; only own scopes can be granted")]


class AgentAccessRequest(Answer):
    """What an agent asks for, as people are shown it."""

    result: bool = True
    server: Annotated[str, doc("The MCP server: user or developer", "user")]
    scopes: list[RequestedScope]


class GrantAgentAccess(ReadAgentRequest):
    """What an agent asked for, and what of it the caller gives."""

    scopes: Annotated[
        frozenset[Scope], EachOnce, Field(min_length=1, max_length=len(Scope), examples=[["orders:read"]])
    ]
    """What the agent may do: among those that it asked for and the caller has."""


class AgentAuthorizationCode(Answer):
    """The authorisation code, which the agent exchanges for its tokens."""

    result: bool = True
    code: Annotated[str, doc("Works once, for 60 seconds; only its digest is kept")]
    redirect_uri: str


class ExchangeAgentCode(Request):
    """A code, and the secret behind the challenge that was sent ahead."""

    client_id: AgentId
    code: Secret
    """The code, from the address that the person's browser was sent to."""
    code_verifier: Annotated[SecretStr, Field(min_length=43, max_length=128)]
    """The secret: 43 to 128 letters, digits and `-._~`."""
    redirect_uri: Uri | None = None
    """The same as in the request, where that had one."""
    resource: Resource | None = None
    """The same server as in the request."""


class RefreshAgentTokens(Request):
    """A refresh token. It works once."""

    client_id: AgentId
    refresh_token: Secret
    """The newest refresh token."""
    scope: ScopeList | None = None
    """Fewer scopes than were given, for this access token."""
    resource: Resource | None = None
    """The same server as in the request."""


class AgentTokens(Answer):
    """An access token for one MCP server, and what the next one is got with."""

    result: bool = True
    access_token: Annotated[str, doc("Only its digest is kept")]
    token_type: str = "Bearer"
    expires_in: Annotated[int, doc("In seconds", 3600)]
    refresh_token: Annotated[str, doc("Works once; only its digest is kept")]
    scope: Annotated[str, doc("What the token may be used for, with spaces between")]


class RevokeAgentToken(Request):
    """A token that an agent gives back (RFC 7009)."""

    client_id: AgentId
    token: Secret
    """An access token or a refresh token."""
