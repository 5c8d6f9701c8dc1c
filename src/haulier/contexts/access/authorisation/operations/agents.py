"""Agents make themselves known, and are found again."""

import secrets
from typing import Any
from urllib.parse import urlsplit

from msgspec import UNSET

from haulier.contexts.access.authorisation.contract.agents import Agent, FindAgent, RegisterAgent, RegisteredAgent
from haulier.contexts.access.authorisation.rules.grants import AGENT_UNKNOWN, UNUSED_AGENTS_KEPT
from haulier.contexts.access.authorisation.rules.redirects import (
    REDIRECT_URI_REFUSED,
    REDIRECT_URI_UNKNOWN,
    demand_registered,
    destination,
    on_this_machine,
)
from haulier.contexts.access.authorisation.rules.registration import (
    AGENT_METADATA_REFUSED,
    GRANT_TYPES,
    RESPONSE_TYPES,
    demand_metadata,
    granted_of,
)
from haulier.contexts.access.authorisation.store import agents as agent_store
from haulier.kernel.call import Call
from haulier.kernel.declarations import Account
from haulier.kernel.operation import Limit, Rest, reads, writes

PATH = "/v1/oauth"


@writes(
    "register_agent",
    keeps_answer=False,
    audience={Account.PUBLIC},
    doors=(Rest("POST", f"{PATH}/agents", status=201),),
    limits=(Limit(20, 3600, ("address",)),),
    errors=(REDIRECT_URI_REFUSED, AGENT_METADATA_REFUSED),
)
async def register_agent(call: Call, request: RegisterAgent) -> RegisteredAgent:
    """Make an agent known, so that people can connect it (RFC 7591).

    A registration that nobody uses is forgotten after 90 days. At `/oauth/register` the same in the words of OAuth.
    """
    name = request.client_name or urlsplit(request.redirect_uris[0]).hostname or ""
    demand_metadata(
        redirect_uris=request.redirect_uris,
        name=name,
        uri=request.client_uri,
        grant_types=request.grant_types,
        response_types=request.response_types,
    )
    await agent_store.forget_agents(call.work, before=call.now - UNUSED_AGENTS_KEPT)
    key = f"agent-{secrets.token_hex(16)}"
    await agent_store.add_agent(
        call.work,
        key=key,
        name=name,
        uri=request.client_uri,
        redirect_uris=request.redirect_uris,
        created_at=call.now,
    )
    return RegisteredAgent(
        client_id=key,
        client_id_issued_at=int(call.now.timestamp()),
        client_name=name,
        client_uri=request.client_uri or UNSET,
        redirect_uris=request.redirect_uris,
        grant_types=granted_of(request.grant_types, GRANT_TYPES),
        response_types=granted_of(request.response_types, RESPONSE_TYPES),
    )


@reads(
    "find_agent",
    audience={Account.PUBLIC},
    doors=(Rest("GET", f"{PATH}/agents"),),
    errors=(AGENT_UNKNOWN, REDIRECT_URI_UNKNOWN),
)
async def find_agent(call: Call, request: FindAgent) -> Agent:
    """An agent that is known, where the address to answer at is one of its own. Nothing is ever sent anywhere else."""
    found = await known_agent(call, request.client_id)
    redirect_uri = the_address(found, request.redirect_uri)
    return Agent(
        client_id=found.key,
        name=found.name,
        uri=found.uri or UNSET,
        redirect_uri=redirect_uri,
        destination=destination(redirect_uri),
        on_this_machine=on_this_machine(redirect_uri),
        published=found.fetched_at is not None,
    )


async def known_agent(call: Call, key: str) -> Any:
    """The agent with a `client_id`. Raises `AGENT_UNKNOWN`."""
    found = await agent_store.agent(call.work, key)
    if found is None:
        raise AGENT_UNKNOWN()
    return found


def the_address(agent: Any, asked: str | None) -> str:
    """Where an agent is answered: where it asked, or at its one address. Raises `REDIRECT_URI_UNKNOWN`."""
    if asked is None:
        if len(agent.redirect_uris) != 1:
            raise REDIRECT_URI_UNKNOWN(redirect_uri="")
        return str(agent.redirect_uris[0])
    demand_registered(asked, agent.redirect_uris)
    return asked
