"""A way in at the broker that carries what happens in a conversation."""

from haulier.contexts.control_tower.agent.actions.channel import open_channel
from haulier.contexts.control_tower.agent.contract import AgentChannel, AgentSessionRef
from haulier.contexts.control_tower.agent.operations.sessions import ONE, OPTIONS
from haulier.contexts.control_tower.agent.queries import get_own_session
from haulier.kernel.call import Call
from haulier.kernel.operations.declaration import GraphQL, RateLimit, Rest, writes
from haulier.kernel.operations.errors import NOT_FOUND


@writes(
    "open_agent_channel",
    replayable=False,
    limits=(RateLimit(60, 3600, ("user", "agent_session_id")),),
    errors=(NOT_FOUND,),
    doors=(Rest("POST", f"{ONE}/channel"), GraphQL("openAgentChannel")),
    **OPTIONS,
)
async def open_agent_channel(call: Call, request: AgentSessionRef) -> AgentChannel:
    """Get a ticket for the broker of MQTT that carries what happens in one of one's own conversations, for some minutes.

    It opens the topic of this conversation alone, to listen. Whoever leaves the office is cut off.
    """
    session = await get_own_session(call, request.agent_session_id)
    call.add_audit_subjects("agent_session", session.id)
    return await open_channel(call, session.id)
