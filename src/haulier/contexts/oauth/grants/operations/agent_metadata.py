"""Agents that publish a metadata document at the address that is their `client_id`."""

import logging

from msgspec import Struct

from haulier.contexts.oauth.grants.contract.agents import ResolveAgentMetadata, ResolvedAgent
from haulier.contexts.oauth.grants.operations.agents import PATH
from haulier.contexts.oauth.grants.rules.metadata_documents import (
    AGENT_DOCUMENT_REFUSED,
    AgentDocument,
    is_document_stale,
    parse_agent_document,
    require_document_url,
)
from haulier.contexts.oauth.grants.store.tables import AgentRow
from haulier.contexts.oauth.ports import AgentDocumentFetcher, AgentDocumentRefused
from haulier.kernel.call import Call
from haulier.kernel.operations.declaration import RateLimit, Rest, writes
from haulier.kernel.operations.enums import SIGNED_IN, Scope
from haulier.kernel.request_context import RequestContext

log = logging.getLogger("haulier.oauth")


class FetchedAgent(Struct, frozen=True):
    """The agent's name, and its document; None while the stored facts are fresh."""

    name: str
    agent_document: AgentDocument | None


async def fetch_agent_metadata(context: RequestContext, request: ResolveAgentMetadata) -> FetchedAgent:
    """The facts of an agent. Its document is fetched only when the stored facts are stale."""
    require_document_url(request.client_id)
    app = context.app
    async with app.database.read(None) as work:
        agent = await AgentRow.find_by(work, key=request.client_id)
    if agent and not is_document_stale(agent.fetched_at, app.clock()):
        return FetchedAgent(agent.name, None)
    try:
        document = await app.adapter(AgentDocumentFetcher).fetch(request.client_id)
    except AgentDocumentRefused as error:
        log.info("the document of an agent was refused: %s", error)
        raise AGENT_DOCUMENT_REFUSED() from None
    agent_document = parse_agent_document(request.client_id, document)
    return FetchedAgent(agent_document.client_name, agent_document)


@writes(
    "resolve_agent_metadata",
    replayable=False,
    audience=SIGNED_IN,
    scopes={Scope.ACCOUNT_WRITE},
    doors=(Rest("POST", f"{PATH}/agents/meet"),),
    limits=(RateLimit(20, 60, ("user",)),),
    errors=(AGENT_DOCUMENT_REFUSED,),
    prepare=fetch_agent_metadata,
)
async def resolve_agent_metadata(call: Call, request: ResolveAgentMetadata) -> ResolvedAgent:
    """Read the facts of an agent from the document at its `client_id`, fetched at most once an hour."""
    fetched: FetchedAgent = call.prepared
    if fetched.agent_document is not None:
        await _save_agent(call, request.client_id, fetched.agent_document)
    return ResolvedAgent(client_id=request.client_id, name=fetched.name)


async def _save_agent(call: Call, key: str, agent_document: AgentDocument) -> None:
    columns = {
        "name": agent_document.client_name,
        "uri": agent_document.client_uri,
        "redirect_uris": agent_document.redirect_uris,
    }
    agent = await AgentRow.find_by(call.work, key=key)
    if agent is None:
        await AgentRow.insert(call.work, key=key, created_at=call.now, fetched_at=call.now, **columns)
    else:
        await AgentRow.update(call.work, agent.id, {"fetched_at": call.now, **columns})
