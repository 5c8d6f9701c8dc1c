"""Request and response models of grants."""

from datetime import datetime
from typing import Annotated, ClassVar, Literal

from msgspec import UNSET, UnsetType
from pydantic import Field, SecretStr

from haulier.kernel.operations.answers import Answer, doc
from haulier.kernel.operations.declaration import Request
from haulier.kernel.operations.enums import Scope
from haulier.kernel.operations.fields import EachOnce, OneLine
from haulier.kernel.operations.ids import ForeignId, UserId
from haulier.kernel.values.pagination import PagedAnswer, PageRequest

URI_MAX = 2000
AGENT_ID_MAX = 500
NAME_MAX = 100

AgentId = Annotated[
    ForeignId,
    Field(
        min_length=1,
        max_length=AGENT_ID_MAX,
        pattern=r"^[\x21-\x7e]+$",
        description="The agent's `client_id`.",
        examples=["agent-6f1c1b0e3a5d4c7f9b2d8e1a0c3f5b7d"],
    ),
]
Uri = Annotated[
    str,
    Field(min_length=1, max_length=URI_MAX, pattern=r"^[\x21-\x7e]+$", examples=["http://127.0.0.1:33418/callback"]),
]
Secret = Annotated[SecretStr, Field(min_length=1, max_length=200)]
ScopeList = Annotated[str, Field(max_length=2000, pattern=r"^[\x20-\x7e]*$", examples=["orders:read routes:read"])]
Resource = Annotated[
    str, Field(min_length=1, max_length=URI_MAX, pattern=r"^[\x21-\x7e]+$", examples=["https://freight.example/mcp"])
]


AgentName = Annotated[str, Field(min_length=1, max_length=NAME_MAX, examples=["Desktop assistant"]), OneLine]
Word = Annotated[str, Field(min_length=1, max_length=100)]


class RegisterAgent(Request):
    """Metadata of an agent (RFC 7591). It is unverified, which users are shown."""

    # An address is stored as sent or rejected; with a character less it would be another.
    raw_text_fields: ClassVar[frozenset[str]] = frozenset({"redirect_uris", "client_uri"})

    redirect_uris: Annotated[list[Uri], Field(min_length=1, max_length=10)]
    """Redirect addresses: https, or plain http to the agent's own machine with any port."""
    client_name: AgentName | None = None
    """Name shown to users."""
    client_uri: Uri | None = None
    """A page about the agent; https."""
    grant_types: Annotated[list[Word], Field(max_length=10)] = ["authorization_code", "refresh_token"]
    """Grant types that it uses, including `authorization_code`."""
    response_types: Annotated[list[Word], Field(max_length=10)] = ["code"]
    """Response types that it uses, including `code`."""


class RegisteredAgent(Answer):
    """A registration.

    There is no client secret, which anyone could get; PKCE is used instead.
    """

    result: bool = True
    client_id: Annotated[str, doc("Assigned `client_id` of the agent.")]
    client_id_issued_at: Annotated[int, doc("Seconds since 1970 UTC.")]
    client_name: str
    client_uri: str | UnsetType = UNSET
    redirect_uris: list[str]
    grant_types: list[str]
    response_types: list[str]
    token_endpoint_auth_method: str = "none"


class ResolveAgentMetadata(Request):
    """An agent whose `client_id` is the address of a document about it."""

    client_id: Annotated[AgentId, Field(examples=["https://agents.example/about.json"])]
    """The address of the document; https."""


class ResolvedAgent(Answer):
    """A known agent."""

    result: bool = True
    client_id: str
    name: str


class FindAgent(Request):
    """An agent, and its redirect address."""

    client_id: AgentId
    redirect_uri: Uri | None = None
    """Redirect address. Optional if the agent registered one only."""


class AgentDetail(Answer):
    """An agent, as shown to users."""

    result: bool = True
    client_id: str
    name: str
    uri: str | UnsetType = UNSET
    redirect_uri: Annotated[str, doc("Redirect address.")]
    destination: Annotated[str, doc("Host of the redirect address.", "127.0.0.1")]
    on_this_machine: Annotated[bool, doc("True if the redirect address is on the user's own machine.")]
    published: Annotated[bool, doc("True if a document at the address in `client_id` states these facts.")]


class ListConnectedAgents(PageRequest):
    """Filters for connected agents."""

    user_id: UserId | None = None
    """Client admins only: the user whose agents are listed, instead of the caller."""


class ConnectedAgent(Answer):
    """An agent that acts for a user."""

    id: int
    name: str
    server: Annotated[str, doc("MCP server that it may use: user or developer.", "user")]
    scopes: list[str]
    connected_at: datetime
    refreshed_at: Annotated[datetime, doc("Time when it last got a new access token.")]
    expires_at: Annotated[datetime, doc("Time when it ends if the agent is not used.")]


class ConnectedAgentList(PagedAnswer):
    """A page of connected agents, newest first."""

    agents: list[ConnectedAgent]


class AgentConnectionRef(Request):
    """Reference to a connected agent."""

    connection_id: Annotated[int, Field(ge=1, le=2**53 - 1)]
    """Its `id` in the list of connected agents."""


EXAMPLE_CHALLENGE = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"


class ReadAgentRequest(Request):
    """Authorisation request of an agent (RFC 6749, 4.1.1; RFC 7636; RFC 8707)."""

    client_id: AgentId
    redirect_uri: Uri | None = None
    """Redirect address. Optional if the agent registered one only."""
    response_type: Literal["code"]
    """Always `code`."""
    code_challenge: Annotated[str, Field(pattern=r"^[A-Za-z0-9_-]{43}$", max_length=43, examples=[EXAMPLE_CHALLENGE])]
    """The SHA-256 of a secret that the agent shows later, base64url without padding."""
    code_challenge_method: Annotated[Literal["S256"], Field(examples=["S256"])]
    """Always `S256`."""
    scope: ScopeList | None = None
    """Scopes and profiles, separated by spaces. Default: those of `ops-readonly`."""
    resource: Resource | None = None
    """Address of the requested MCP server. Default: the first one."""


class RequestedScope(Answer):
    """A right that an agent requests."""

    scope: str
    means: Annotated[str, doc("Description in the caller's language.", "See orders and where they are")]
    changes: Annotated[bool, doc("True if the agent could change data with it.")]
    yours: Annotated[bool, doc("True if the caller has it; only own scopes can be granted.")]


class AgentAccessRequest(Answer):
    """Requested rights of an agent, as shown to users."""

    result: bool = True
    server: Annotated[str, doc("MCP server: user or developer.", "user")]
    scopes: list[RequestedScope]


class GrantAgentAccess(ReadAgentRequest):
    """A request of an agent, and the granted scopes."""

    scopes: Annotated[
        frozenset[Scope], EachOnce, Field(min_length=1, max_length=len(Scope), examples=[["orders:read"]])
    ]
    """Granted scopes, among those that it requested and the caller has."""


class AgentAuthorizationCode(Answer):
    """Authorisation code, which the agent exchanges for its tokens."""

    result: bool = True
    code: Annotated[str, doc("Works once, for 60 seconds. Only its digest is stored.")]
    redirect_uri: str


class ExchangeAgentCode(Request):
    """A code, and the secret behind the earlier challenge."""

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
    """An access token for one MCP server, and the refresh token."""

    result: bool = True
    access_token: Annotated[str, doc("Only its digest is stored.")]
    token_type: str = "Bearer"
    expires_in: Annotated[int, doc("Lifetime in seconds.", 3600)]
    refresh_token: Annotated[str, doc("Works once. Only its digest is stored.")]
    scope: Annotated[str, doc("Scopes of the token, separated by spaces.")]


class RevokeAgentToken(Request):
    """A token that an agent revokes (RFC 7009)."""

    client_id: AgentId
    token: Secret
    """An access token or a refresh token."""
