"""An agent is met whose makers publish who it is."""

import logging

from msgspec import Struct

from haulier.contexts.access.authorisation.contract.agents import KnownAgent, MeetAgent
from haulier.contexts.access.authorisation.operations.agents import PATH
from haulier.contexts.access.authorisation.rules.documents import (
    AGENT_DOCUMENT_REFUSED,
    Said,
    demand_document_address,
    is_stale,
    read_document,
)
from haulier.contexts.access.authorisation.store import agents as agent_store
from haulier.contexts.access.ports import AgentDocuments, DocumentRefused
from haulier.kernel.call import Call
from haulier.kernel.declarations import SIGNED_IN, Scope
from haulier.kernel.doorstep import Doorstep
from haulier.kernel.operation import Limit, Rest, writes

log = logging.getLogger("haulier.authorisation")


class Met(Struct, frozen=True):
    """The agent's name, and what its document says; None while what we know of it is fresh."""

    name: str
    said: Said | None


async def fetch(doorstep: Doorstep, request: MeetAgent) -> Met:
    """Who the agent is, by its document, which is fetched only when what we know of it is not fresh."""
    demand_document_address(request.client_id)
    house = doorstep.house
    async with house.database.read(None) as work:
        known = await agent_store.agent(work, request.client_id)
    if known and not is_stale(known.fetched_at, house.clock()):
        return Met(known.name, None)
    try:
        document = await house.adapter(AgentDocuments).fetch(request.client_id)
    except DocumentRefused as refused:
        log.info("the document of an agent was refused: %s", refused)
        raise AGENT_DOCUMENT_REFUSED() from None
    said = read_document(request.client_id, document)
    return Met(said.client_name, said)


@writes(
    "meet_agent",
    keeps_answer=False,
    audience=SIGNED_IN,
    scopes={Scope.ACCOUNT_WRITE},
    doors=(Rest("POST", f"{PATH}/agents/meet"),),
    limits=(Limit(20, 60, ("user",)),),
    errors=(AGENT_DOCUMENT_REFUSED,),
    prepare=fetch,
)
async def meet_agent(call: Call, request: MeetAgent) -> KnownAgent:
    """Get to know an agent by the document at the address that is its `client_id`. It is fetched once an hour at most."""
    met: Met = call.prepared
    if met.said is not None:
        await _keep(call, request.client_id, met.said)
    return KnownAgent(client_id=request.client_id, name=met.name)


async def _keep(call: Call, key: str, said: Said) -> None:
    words = {"name": said.client_name, "uri": said.client_uri, "redirect_uris": said.redirect_uris}
    known = await agent_store.agent(call.work, key)
    if known is None:
        await agent_store.add_agent(call.work, key=key, created_at=call.now, fetched_at=call.now, **words)
    else:
        await agent_store.change_agent(call.work, known.id, fetched_at=call.now, **words)
