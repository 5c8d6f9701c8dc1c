"""Agents register themselves, and are looked up."""

import secrets
from urllib.parse import urlsplit

from msgspec import UNSET

from haulier.contexts.oauth.grants.contract.agents import AgentDetail, FindAgent, RegisterAgent, RegisteredAgent
from haulier.contexts.oauth.grants.rules.agent_metadata import (
    AGENT_METADATA_REFUSED,
    GRANT_TYPES,
    RESPONSE_TYPES,
    require_agent_metadata,
    supported_among,
)
from haulier.contexts.oauth.grants.rules.grants import AGENT_UNKNOWN, UNUSED_AGENTS_KEPT
from haulier.contexts.oauth.grants.rules.redirect_uris import (
    REDIRECT_URI_REFUSED,
    REDIRECT_URI_UNKNOWN,
    is_loopback_uri,
    redirect_host,
    require_registered_redirect_uri,
)
from haulier.contexts.oauth.grants.store import agents as agent_store
from haulier.contexts.oauth.grants.store.tables import AgentRow
from haulier.kernel.call import Call
from haulier.kernel.operations.declaration import RateLimit, Rest, reads, writes
from haulier.kernel.operations.enums import Account

PATH = "/v1/oauth"


@writes(
    "register_agent",
    replayable=False,
    audience={Account.PUBLIC},
    doors=(Rest("POST", f"{PATH}/agents", status=201),),
    limits=(RateLimit(20, 3600, ("address",)),),
    errors=(REDIRECT_URI_REFUSED, AGENT_METADATA_REFUSED),
)
async def register_agent(call: Call, request: RegisterAgent) -> RegisteredAgent:
    """Register an agent, so that people can connect it (RFC 7591).

    A registration that nobody uses is deleted after 90 days. At `/oauth/register` the same in the words of OAuth.
    """
    name = request.client_name or urlsplit(request.redirect_uris[0]).hostname or ""
    require_agent_metadata(
        redirect_uris=request.redirect_uris,
        name=name,
        uri=request.client_uri,
        grant_types=request.grant_types,
        response_types=request.response_types,
    )
    await agent_store.delete_unused_agents(call.work, before=call.now - UNUSED_AGENTS_KEPT)
    key = f"agent-{secrets.token_hex(16)}"
    await AgentRow.insert(
        call.work, key=key, name=name, uri=request.client_uri, redirect_uris=request.redirect_uris, created_at=call.now
    )
    return RegisteredAgent(
        client_id=key,
        client_id_issued_at=int(call.now.timestamp()),
        client_name=name,
        client_uri=request.client_uri or UNSET,
        redirect_uris=request.redirect_uris,
        grant_types=supported_among(request.grant_types, GRANT_TYPES),
        response_types=supported_among(request.response_types, RESPONSE_TYPES),
    )


@reads(
    "find_agent",
    audience={Account.PUBLIC},
    doors=(Rest("GET", f"{PATH}/agents"),),
    errors=(AGENT_UNKNOWN, REDIRECT_URI_UNKNOWN),
)
async def find_agent(call: Call, request: FindAgent) -> AgentDetail:
    """A registered agent, with the redirect address, which must be one of its own."""
    agent = await get_known_agent(call, request.client_id)
    redirect_uri = resolve_redirect_uri(agent, request.redirect_uri)
    return AgentDetail(
        client_id=agent.key,
        name=agent.name,
        uri=agent.uri or UNSET,
        redirect_uri=redirect_uri,
        destination=redirect_host(redirect_uri),
        on_this_machine=is_loopback_uri(redirect_uri),
        published=agent.fetched_at is not None,
    )


async def get_known_agent(call: Call, key: str) -> AgentRow:
    """The agent with a `client_id`. Raises `AGENT_UNKNOWN`."""
    agent = await AgentRow.find_by(call.work, key=key)
    if agent is None:
        raise AGENT_UNKNOWN()
    return agent


def resolve_redirect_uri(agent: AgentRow, redirect_uri: str | None) -> str:
    """The redirect address: the requested one, or the only one of the agent. Raises `REDIRECT_URI_UNKNOWN`."""
    if redirect_uri is None:
        if len(agent.redirect_uris) != 1:
            raise REDIRECT_URI_UNKNOWN(redirect_uri="")
        return agent.redirect_uris[0]
    require_registered_redirect_uri(redirect_uri, agent.redirect_uris)
    return redirect_uri
