"""Operations on the agent."""

from collections.abc import Sequence
from typing import Any

from haulier.contexts.control_tower.agent import store
from haulier.contexts.control_tower.agent.actions import AGENT_CHANNEL, end_turn, enqueue_broker_push, open_channel
from haulier.contexts.control_tower.agent.contract import (
    TITLE_MAX,
    AgentChannel,
    AgentEventList,
    AgentPolicy,
    AgentSessionAnswer,
    AgentSessionList,
    AgentSessionRef,
    AgentTurn,
    AgentTurnAnswer,
    AgentTurnList,
    AgentTurnRef,
    AgentUsage,
    ListAgentEvents,
    ListAgentSessions,
    ListAgentTurns,
    SendAgentTurn,
    SentAgentTurn,
    SetAgentPolicy,
    StartAgentSession,
)
from haulier.contexts.control_tower.agent.errors import (
    AGENT_SESSION_ENDED,
    AGENT_TURN_OVER,
    AGENT_TURN_RUNNING,
    DAILY_CAP_REACHED,
)
from haulier.contexts.control_tower.agent.jobs import TURN_JOB, RunAgentTurn
from haulier.contexts.control_tower.agent.queries import get_own_session, get_own_turn
from haulier.contexts.control_tower.agent.rules.conversation import without_secrets
from haulier.contexts.control_tower.agent.rules.lifecycle import (
    TURN_LIFE,
    SessionStatus,
    TurnAction,
    TurnEnd,
    TurnStatus,
)
from haulier.contexts.control_tower.agent.rules.limits import AgentLimits
from haulier.contexts.control_tower.agent.serializers import (
    proposal_id,
    serialize_event,
    serialize_session,
    serialize_turn,
)
from haulier.contexts.control_tower.agent.store import AgentTurnRow, has_running_turn
from haulier.contexts.control_tower.approvals.queries import get_approval_statuses
from haulier.contexts.control_tower.ports import AgentModel
from haulier.kernel.call import Call
from haulier.kernel.operations.answers import Done
from haulier.kernel.operations.declaration import EmptyRequest, EventStream, GraphQL, RateLimit, Rest, reads, writes
from haulier.kernel.operations.enums import OFFICE, Account, Feature, Risk, Scope
from haulier.kernel.operations.errors import NOT_FOUND
from haulier.kernel.operations.records import record
from haulier.kernel.values.pagination import make_cursor, parse_cursor

SESSIONS_PATH = "/v1/agent/sessions"
ONE = f"{SESSIONS_PATH}/{{agent_session_id}}"
OPTIONS: dict[str, Any] = {"audience": OFFICE, "scopes": {Scope.APPROVALS_READ}, "feature": Feature.OPERATIONS_AI_AGENT}
"""The agent is open to those who may propose writes, which is all that it can do."""


@writes("start_agent_session", interfaces=(Rest("POST", SESSIONS_PATH), GraphQL("startAgentSession")), **OPTIONS)
async def start_agent_session(call: Call, request: StartAgentSession) -> AgentSessionAnswer:
    """Start a conversation with the agent."""
    title = request.title or call.translate("agent_session_untitled")
    times = {"created_at": call.now, "updated_at": call.now}
    session_id = await store.insert_session(call.work, user_id=call.actor, title=title, **times)
    call.add_audit_subjects("agent_session", session_id)
    return AgentSessionAnswer(session=serialize_session(await get_own_session(call, session_id)))


@reads(
    "list_agent_sessions", interfaces=(Rest("GET", SESSIONS_PATH), GraphQL("agentSessions")), replica=False, **OPTIONS
)
async def list_agent_sessions(call: Call, request: ListAgentSessions) -> AgentSessionList:
    """List your agent conversations, latest used first."""
    rows, total = await store.list_session_rows(
        call.work, call.actor or 0, request.status, limit=request.per_page, offset=request.offset
    )
    sessions = [serialize_session(row) for row in rows]
    return AgentSessionList(total=total, page=request.page, per_page=request.per_page, sessions=sessions)


@reads("get_agent_session", interfaces=(Rest("GET", ONE), GraphQL("agentSession")), errors=(NOT_FOUND,), **OPTIONS)
async def get_agent_session(call: Call, request: AgentSessionRef) -> AgentSessionAnswer:
    """Get one of your agent conversations.

    Its turns are listed separately.
    """
    return AgentSessionAnswer(session=serialize_session(await get_own_session(call, request.agent_session_id)))


@writes(
    "end_agent_session",
    available_when={"status": SessionStatus.OPEN.value},
    interfaces=(Rest("POST", f"{ONE}/end"), GraphQL("endAgentSession")),
    errors=(NOT_FOUND, AGENT_SESSION_ENDED, AGENT_TURN_RUNNING),
    **OPTIONS,
)
async def end_agent_session(call: Call, request: AgentSessionRef) -> AgentSessionAnswer:
    """End an agent conversation.

    It can still be read, but takes no further messages.
    """
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
    interfaces=(Rest("DELETE", ONE), GraphQL("deleteAgentSession")),
    errors=(NOT_FOUND, AGENT_TURN_RUNNING),
    **OPTIONS,
)
async def delete_agent_session(call: Call, request: AgentSessionRef) -> Done:
    """Delete an agent conversation with its turns.

    Its proposals keep waiting, and its usage stays counted.
    """
    row = await get_own_session(call, request.agent_session_id, lock=True)
    if await has_running_turn(call.work, row.id):
        raise AGENT_TURN_RUNNING()
    await store.delete_session(call.work, row.id)
    await enqueue_broker_push(call, row.id)
    call.add_audit_subjects("agent_session", row.id)
    return Done(message=call.translate("agent_session_deleted"))


@writes(
    "open_agent_channel",
    replayable=False,
    limits=(RateLimit(60, 3600, ("user", "agent_session_id")),),
    errors=(NOT_FOUND,),
    interfaces=(Rest("POST", f"{ONE}/channel"), GraphQL("openAgentChannel")),
    **OPTIONS,
)
async def open_agent_channel(call: Call, request: AgentSessionRef) -> AgentChannel:
    """Open a broker channel for a conversation.

    Returns a ticket of some minutes for listening to the topic of one of your conversations by MQTT. Users who leave
    the staff are disconnected.
    """
    session = await get_own_session(call, request.agent_session_id)
    call.add_audit_subjects("agent_session", session.id)
    return await open_channel(call, session.id)


SETTINGS_PATH = "/v1/agent/policy"


@reads("get_agent_usage", interfaces=(Rest("GET", "/v1/agent/usage"), GraphQL("agentUsage")), **OPTIONS)
async def get_agent_usage(call: Call, request: EmptyRequest) -> AgentUsage:
    """Get the usage of the agent.

    Returns the remaining turns of today, and the cost of this month.
    """
    cap = (await store.get_limits(call.work)).daily_turns
    today = await store.sum_usage(call.work, call.today, call.today)
    month = await store.sum_usage(call.work, call.today.replace(day=1), call.today)
    return AgentUsage(
        day=call.today,
        daily_turns=cap,
        turns=int(today.turns),
        remaining=max(0, cap - int(today.turns)),
        input_tokens=int(today.input_tokens),
        output_tokens=int(today.output_tokens),
        cost_micro_usd=int(today.cost_micro_usd),
        month_turns=int(month.turns),
        month_cost_micro_usd=int(month.cost_micro_usd),
        model=call.adapter(AgentModel).name,
    )


@reads("get_agent_policy", interfaces=(Rest("GET", SETTINGS_PATH), GraphQL("agentPolicy")), **OPTIONS)
async def get_agent_policy(call: Call, request: EmptyRequest) -> AgentPolicy:
    """Get the spending limits of the agent.

    Turns per day; steps, tokens, seconds and cost per turn.
    """
    return record(AgentPolicy, await store.get_limits(call.work))


@writes(
    "set_agent_policy",
    audience={Account.CLIENT_ADMIN},
    scopes={Scope.APPROVALS_WRITE},
    risk=Risk.HIGH,
    feature=Feature.OPERATIONS_AI_AGENT,
    interfaces=(Rest("PUT", SETTINGS_PATH), GraphQL("setAgentPolicy")),
)
async def set_agent_policy(call: Call, request: SetAgentPolicy) -> AgentPolicy:
    """Set the spending limits of the agent.

    Running turns keep their limits. 0 turns per day stops the agent.
    """
    limits = AgentLimits(**request.model_dump())
    await store.save_limits(call.work, limits)
    return record(AgentPolicy, limits)


TURNS = f"{ONE}/turns"
TURN = "/v1/agent/turns/{agent_turn_id}"
EVENTS_PER_PAGE = 200
EVENT_STREAM = EventStream(f"{ONE}/stream", AGENT_CHANNEL, "agent_session_id", "events", of_client=True)


@writes(
    "send_agent_turn",
    interfaces=(Rest("POST", TURNS, status=202), GraphQL("sendAgentTurn")),
    errors=(NOT_FOUND, AGENT_SESSION_ENDED, AGENT_TURN_RUNNING, DAILY_CAP_REACHED),
    **OPTIONS,
)
async def send_agent_turn(call: Call, request: SendAgentTurn) -> SentAgentTurn:
    """Send a question or request to the agent.

    It answers in the background, within the caller's rights. Follow the conversation's events, or get the
    turn until it is over. Every change becomes a proposal that must be approved.
    """
    session = await get_own_session(call, request.agent_session_id, lock=True)
    if session.status == SessionStatus.ENDED.value:
        raise AGENT_SESSION_ENDED()
    if await store.has_running_turn(call.work, session.id):
        raise AGENT_TURN_RUNNING()
    cap = (await store.get_limits(call.work)).daily_turns
    taken = await store.claim_turn(call.work, call.today, cap)
    if taken is None:
        raise DAILY_CAP_REACHED(cap=cap)
    question = without_secrets(request.text)
    turn_id = await store.insert_turn(
        call.work,
        session.id,
        user_id=call.actor,
        question=question,
        language=call.language,
        token_id=call.principal.token_id,
        scopes=sorted(scope.value for scope in call.principal.scopes),
        asked_at=call.now,
    )
    untitled = session.title == call.translate("agent_session_untitled")
    named = {"title": " ".join(question.split())[:TITLE_MAX] or session.title} if untitled else {}
    await store.update_session(call.work, session.id, updated_at=call.now, **named)
    await call.enqueue(TURN_JOB, RunAgentTurn(turn_id))
    call.add_audit_subjects("agent_session", session.id)
    return SentAgentTurn(turn=serialize_turn(await get_own_turn(call, turn_id)), remaining=max(0, cap - taken))


@reads(
    "list_agent_turns",
    interfaces=(Rest("GET", TURNS), GraphQL("agentTurns")),
    errors=(NOT_FOUND,),
    replica=False,
    **OPTIONS,
)
async def list_agent_turns(call: Call, request: ListAgentTurns) -> AgentTurnList:
    """List the turns of a conversation, newest first."""
    session = await get_own_session(call, request.agent_session_id)
    rows, total = await store.list_turn_rows(call.work, session.id, limit=request.per_page, offset=request.offset)
    turns = await _with_tools(call, rows)
    return AgentTurnList(total=total, page=request.page, per_page=request.per_page, turns=turns)


@reads("get_agent_turn", interfaces=(Rest("GET", TURN), GraphQL("agentTurn")), errors=(NOT_FOUND,), **OPTIONS)
async def get_agent_turn(call: Call, request: AgentTurnRef) -> AgentTurnAnswer:
    """Get an agent turn.

    Returns its answer so far, its proposals, and its cost.
    """
    row = await get_own_turn(call, request.agent_turn_id)
    return await _turn_answer(call, row)


@reads(
    "list_agent_events",
    interfaces=(Rest("GET", f"{ONE}/events", event_stream=EVENT_STREAM), GraphQL("agentEvents")),
    errors=(NOT_FOUND,),
    replica=False,
    **OPTIONS,
)
async def list_agent_events(call: Call, request: ListAgentEvents) -> AgentEventList:
    """List the events of a conversation.

    Text pieces, tools, proposals and ends, as a list that can be continued. `/stream` instead of `/events` pushes them
    as server-sent events.
    """
    session = await get_own_session(call, request.agent_session_id)
    after = parse_cursor(request.cursor, tuple[int])[0] if request.cursor else 0
    rows = await store.list_event_rows(call.work, session.id, after, EVENTS_PER_PAGE + 1)
    page = rows[:EVENTS_PER_PAGE]
    return AgentEventList(
        events=[serialize_event(row) for row in page],
        next_cursor=make_cursor(page[-1].id) if page else request.cursor,
        more=len(rows) > len(page),
    )


@writes(
    "stop_agent_turn",
    interfaces=(Rest("POST", f"{TURN}/stop"), GraphQL("stopAgentTurn")),
    errors=(NOT_FOUND, AGENT_TURN_OVER),
    **OPTIONS,
)
async def stop_agent_turn(call: Call, request: AgentTurnRef) -> AgentTurnAnswer:
    """Stop an agent turn.

    Its proposals keep waiting for approval.
    """
    row = await get_own_turn(call, request.agent_turn_id, lock=True)
    TURN_LIFE.next_status_or_raise(TurnAction.STOP, TurnStatus(row.status))
    await end_turn(call, row, TurnAction.STOP, TurnEnd.PERSON)
    call.add_audit_subjects("agent_session", row.agent_session_id)
    return await _turn_answer(call, await get_own_turn(call, row.id))


async def _turn_answer(call: Call, row: AgentTurnRow) -> AgentTurnAnswer:
    (turn,) = await _with_tools(call, [row])
    return AgentTurnAnswer(turn=turn, proposals=[tool.proposal for tool in turn.tools if tool.proposal])


async def _with_tools(call: Call, rows: Sequence[AgentTurnRow]) -> list[AgentTurn]:
    """Return turns with their tools and the current status of their proposals."""
    events = await store.list_tool_rows(call.work, rows)
    proposed = {id for each in events.values() for event in each if (id := proposal_id(event))}
    standing = await get_approval_statuses(call, proposed)
    return [serialize_turn(row, events[row.id], standing) for row in rows]
