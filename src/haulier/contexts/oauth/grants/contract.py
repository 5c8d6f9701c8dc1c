"""Agents: how they make themselves known, and where they are connected."""

from datetime import datetime
from typing import Annotated, ClassVar

from msgspec import UNSET, UnsetType
from pydantic import Field

from haulier.contexts.oauth.grants.contract.fields import NAME_MAX, AgentId, Uri
from haulier.kernel.operations.answers import Answer, doc
from haulier.kernel.operations.declaration import Request
from haulier.kernel.operations.fields import OneLine
from haulier.kernel.operations.ids import UserId
from haulier.kernel.values.pagination import PagedAnswer, PageRequest

AgentName = Annotated[str, Field(min_length=1, max_length=NAME_MAX, examples=["Desktop assistant"]), OneLine]
Word = Annotated[str, Field(min_length=1, max_length=100)]


class RegisterAgent(Request):
    """The metadata of an agent (RFC 7591). It is not verified, and people are told so."""

    # Why: an address is taken as it was sent or refused; with a character less it would be another.
    raw_text_fields: ClassVar[frozenset[str]] = frozenset({"redirect_uris", "client_uri"})

    redirect_uris: Annotated[list[Uri], Field(min_length=1, max_length=10)]
    """Where answers may be sent: https, or plain http to the agent's own machine, where any port will do."""
    client_name: AgentName | None = None
    """The name that people are shown."""
    client_uri: Uri | None = None
    """A page about the agent; https."""
    grant_types: Annotated[list[Word], Field(max_length=10)] = ["authorization_code", "refresh_token"]
    """The grant types that it uses; `authorization_code` has to be among them."""
    response_types: Annotated[list[Word], Field(max_length=10)] = ["code"]
    """The response types that it uses; `code` has to be among them."""


class RegisteredAgent(Answer):
    """A registration. There is no client secret: anyone could get one, so it would prove nothing. PKCE does instead."""

    result: bool = True
    client_id: Annotated[str, doc("The agent's `client_id` from now on")]
    client_id_issued_at: Annotated[int, doc("Seconds since 1970 UTC")]
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
    """An agent that is known now."""

    result: bool = True
    client_id: str
    name: str


class FindAgent(Request):
    """An agent, and where it wants to be answered."""

    client_id: AgentId
    redirect_uri: Uri | None = None
    """Where the answer shall be sent; may be absent when the agent registered one address only."""


class AgentDetail(Answer):
    """An agent, as people are shown it."""

    result: bool = True
    client_id: str
    name: str
    uri: str | UnsetType = UNSET
    redirect_uri: Annotated[str, doc("Where the answer goes")]
    destination: Annotated[str, doc("The host that the answer goes to", "127.0.0.1")]
    on_this_machine: Annotated[bool, doc("Whether that is the person's own machine")]
    published: Annotated[bool, doc("Whether a document at the address in `client_id` says what is shown here")]


class ListConnectedAgents(PageRequest):
    """Which user's agents."""

    user_id: UserId | None = None
    """Client admins only: the user whose agents are listed, instead of the caller."""


class ConnectedAgent(Answer):
    """An agent that acts for somebody."""

    id: int
    name: str
    server: Annotated[str, doc("The MCP server that it may use: user or developer", "user")]
    scopes: list[str]
    connected_at: datetime
    refreshed_at: Annotated[datetime, doc("When it last got a new access token")]
    expires_at: Annotated[datetime, doc("When it ends if the agent is not used any more")]


class ConnectedAgentList(PagedAnswer):
    """A page of connected agents, newest first."""

    agents: list[ConnectedAgent]


class AgentConnectionRef(Request):
    """Which connected agent."""

    connection_id: Annotated[int, Field(ge=1, le=2**53 - 1)]
    """Its `id` in the list of connected agents."""
