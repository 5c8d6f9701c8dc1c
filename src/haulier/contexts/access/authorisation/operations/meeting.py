"""An agent is met whose makers publish who it is."""

import logging

from haulier.contexts.access.authorisation.contract.agents import KnownAgent, MeetAgent
from haulier.contexts.access.authorisation.operations.agents import PATH, known_agent
from haulier.contexts.access.authorisation.rules.documents import (
    AGENT_DOCUMENT_REFUSED,
    Said,
    demand_document_address,
    is_stale,
    read_document,
)
from haulier.contexts.access.authorisation.rules.grants import AGENT_UNKNOWN
from haulier.contexts.access.authorisation.store import agents as agent_store
from haulier.contexts.access.ports import AgentDocuments, DocumentRefused
from haulier.kernel.call import Call
from haulier.kernel.declarations import SIGNED_IN, Scope
from haulier.kernel.doorstep import Doorstep
from haulier.kernel.operation import Limit, Rest, writes

log = logging.getLogger("haulier.authorisation")


async def fetch(doorstep: Doorstep, request: MeetAgent) -> Said | None:
    """What the document says; None while what we know of it is fresh."""
    demand_document_address(request.client_id)
    house = doorstep.house
    async with house.database.read(None) as work:
        known = await agent_store.agent(work, request.client_id)
    if known and not is_stale(known.fetched_at, house.clock()):
        return None
    try:
        document = await house.adapter(AgentDocuments).fetch(request.client_id)
    except DocumentRefused as refused:
        log.info("the document of an agent was refused: %s", refused)
        raise AGENT_DOCUMENT_REFUSED() from None
    return read_document(request.client_id, document)


@writes(
    "meet_agent",
    keeps_answer=False,
    audience=SIGNED_IN,
    scopes={Scope.ACCOUNT_WRITE},
    doors=(Rest("POST", f"{PATH}/agents/meet"),),
    limits=(Limit(20, 60, ("user",)),),
    errors=(AGENT_DOCUMENT_REFUSED, AGENT_UNKNOWN),
    prepare=fetch,
)
async def meet_agent(call: Call, request: MeetAgent) -> KnownAgent:
    """Get to know an agent by the document at the address that is its `client_id`. It is fetched once an hour at most."""
    said: Said | None = call.prepared
    known = await agent_store.agent(call.work, request.client_id)
    if said is not None:
        words = {"name": said.client_name, "uri": said.client_uri, "redirect_uris": said.redirect_uris}
        if known is None:
            await agent_store.add_agent(
                call.work, key=request.client_id, created_at=call.now, fetched_at=call.now, **words
            )
        else:
            await agent_store.change_agent(call.work, known.id, fetched_at=call.now, **words)
    agent = await known_agent(call, request.client_id)
    return KnownAgent(client_id=agent.key, name=agent.name)
