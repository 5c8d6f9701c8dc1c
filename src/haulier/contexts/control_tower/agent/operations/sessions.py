"""Conversations: start, list, show, end, delete. Each is of one person, and nobody else reads it."""

from typing import Any

from haulier.contexts.control_tower.agent.actions.channel import tell_broker
from haulier.contexts.control_tower.agent.contract import (
    AgentSessionAnswer,
    AgentSessionList,
    AgentSessionRef,
    ListAgentSessions,
    StartAgentSession,
)
from haulier.contexts.control_tower.agent.errors import AGENT_SESSION_ENDED, AGENT_TURN_RUNNING
from haulier.contexts.control_tower.agent.queries import get_own_session
from haulier.contexts.control_tower.agent.rules.lifecycle import SessionStatus
from haulier.contexts.control_tower.agent.serializers import serialize_session
from haulier.contexts.control_tower.agent.store import sessions as store
from haulier.contexts.control_tower.agent.store.turns import has_running_turn
from haulier.kernel.call import Call
from haulier.kernel.operations.answers import Done
from haulier.kernel.operations.declaration import GraphQL, Rest, reads, writes
from haulier.kernel.operations.enums import OFFICE, Feature, Scope
from haulier.kernel.operations.errors import NOT_FOUND

PATH = "/v1/agent/sessions"
ONE = f"{PATH}/{{agent_session_id}}"
OPTIONS: dict[str, Any] = {"audience": OFFICE, "scopes": {Scope.APPROVALS_READ}, "feature": Feature.OPERATIONS_AI_AGENT}
"""Whoever may propose writes may talk to the agent, which can do no more."""


@writes("start_agent_session", doors=(Rest("POST", PATH), GraphQL("startAgentSession")), **OPTIONS)
async def start_agent_session(call: Call, request: StartAgentSession) -> AgentSessionAnswer:
    """Begin a conversation with the operations agent."""
    title = request.title or call.translate("agent_session_untitled")
    times = {"created_at": call.now, "updated_at": call.now}
    session_id = await store.insert_session(call.work, user_id=call.actor, title=title, **times)
    call.add_audit_subjects("agent_session", session_id)
    return AgentSessionAnswer(session=serialize_session(await get_own_session(call, session_id)))


@reads("list_agent_sessions", doors=(Rest("GET", PATH), GraphQL("agentSessions")), replica=False, **OPTIONS)
async def list_agent_sessions(call: Call, request: ListAgentSessions) -> AgentSessionList:
    """List one's own conversations, the latest used first."""
    rows, total = await store.list_session_rows(
        call.work, call.actor or 0, request.status, limit=request.per_page, offset=request.offset
    )
    sessions = [serialize_session(row) for row in rows]
    return AgentSessionList(total=total, page=request.page, per_page=request.per_page, sessions=sessions)


@reads("get_agent_session", doors=(Rest("GET", ONE), GraphQL("agentSession")), errors=(NOT_FOUND,), **OPTIONS)
async def get_agent_session(call: Call, request: AgentSessionRef) -> AgentSessionAnswer:
    """Show one of one's own conversations; its turns are a list of their own."""
    return AgentSessionAnswer(session=serialize_session(await get_own_session(call, request.agent_session_id)))


@writes(
    "end_agent_session",
    allowed_where={"status": SessionStatus.OPEN.value},
    doors=(Rest("POST", f"{ONE}/end"), GraphQL("endAgentSession")),
    errors=(NOT_FOUND, AGENT_SESSION_ENDED, AGENT_TURN_RUNNING),
    **OPTIONS,
)
async def end_agent_session(call: Call, request: AgentSessionRef) -> AgentSessionAnswer:
    """End a conversation: it can be read, and no more turns are sent to it."""
    row = await get_own_session(call, request.agent_session_id, lock=True)
    if row.status == SessionStatus.ENDED.value:
        raise AGENT_SESSION_ENDED()
    if await has_running_turn(call.work, row.id):
        raise AGENT_TURN_RUNNING()
    ended = {"status": SessionStatus.ENDED.value, "ended_at": call.now, "updated_at": call.now}
    await store.update_session(call.work, row.id, **ended)
    call.add_audit_subjects("agent_session", row.id)
    return AgentSessionAnswer(session=serialize_session(await get_own_session(call, row.id)))


@writes(
    "delete_agent_session",
    doors=(Rest("DELETE", ONE), GraphQL("deleteAgentSession")),
    errors=(NOT_FOUND, AGENT_TURN_RUNNING),
    **OPTIONS,
)
async def delete_agent_session(call: Call, request: AgentSessionRef) -> Done:
    """Delete a conversation with all its turns. What it proposed goes on waiting; what it used stays counted."""
    row = await get_own_session(call, request.agent_session_id, lock=True)
    if await has_running_turn(call.work, row.id):
        raise AGENT_TURN_RUNNING()
    await store.delete_session(call.work, row.id)
    await tell_broker(call, row.id)
    call.add_audit_subjects("agent_session", row.id)
    return Done(message=call.translate("agent_session_deleted"))
