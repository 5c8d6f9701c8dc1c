"""Turns: send, follow, read, stop."""

from collections.abc import Sequence

from haulier.contexts.control_tower.agent.actions.progress import AGENT_CHANNEL, end_turn
from haulier.contexts.control_tower.agent.contract import (
    TITLE_MAX,
    AgentEventList,
    AgentTurn,
    AgentTurnAnswer,
    AgentTurnList,
    AgentTurnRef,
    ListAgentEvents,
    ListAgentTurns,
    SendAgentTurn,
    SentAgentTurn,
)
from haulier.contexts.control_tower.agent.errors import (
    AGENT_SESSION_ENDED,
    AGENT_TURN_OVER,
    AGENT_TURN_RUNNING,
    DAILY_CAP_REACHED,
)
from haulier.contexts.control_tower.agent.jobs import TURN_JOB, RunAgentTurn
from haulier.contexts.control_tower.agent.operations.sessions import ONE, OPTIONS
from haulier.contexts.control_tower.agent.queries import get_own_session, get_own_turn
from haulier.contexts.control_tower.agent.rules.conversation import without_secrets
from haulier.contexts.control_tower.agent.rules.lifecycle import (
    TURN_LIFE,
    SessionStatus,
    TurnAction,
    TurnEnd,
    TurnStatus,
)
from haulier.contexts.control_tower.agent.serializers import proposal_id, serialize_event, serialize_turn
from haulier.contexts.control_tower.agent.store import sessions as session_store
from haulier.contexts.control_tower.agent.store import turns as store
from haulier.contexts.control_tower.agent.store.turns import AgentTurnRow
from haulier.contexts.control_tower.approvals.queries import get_approval_statuses
from haulier.kernel.call import Call
from haulier.kernel.operations.declaration import EventStream, GraphQL, Rest, reads, writes
from haulier.kernel.operations.errors import NOT_FOUND
from haulier.kernel.values.pagination import make_cursor, parse_cursor

TURNS = f"{ONE}/turns"
TURN = "/v1/agent/turns/{agent_turn_id}"
EVENTS_PER_PAGE = 200
EVENT_STREAM = EventStream(f"{ONE}/stream", AGENT_CHANNEL, "agent_session_id", "events", of_client=True)


@writes(
    "send_agent_turn",
    doors=(Rest("POST", TURNS, status=202), GraphQL("sendAgentTurn")),
    errors=(NOT_FOUND, AGENT_SESSION_ENDED, AGENT_TURN_RUNNING, DAILY_CAP_REACHED),
    **OPTIONS,
)
async def send_agent_turn(call: Call, request: SendAgentTurn) -> SentAgentTurn:
    """Ask the agent something. It answers in the background, with no more rights than the caller has now.

    Follow the conversation's events, or read the turn until it is over. Whatever the agent would change becomes a proposal
    that somebody has to approve.
    """
    session = await get_own_session(call, request.agent_session_id, lock=True)
    if session.status == SessionStatus.ENDED.value:
        raise AGENT_SESSION_ENDED()
    if await store.has_running_turn(call.work, session.id):
        raise AGENT_TURN_RUNNING()
    cap = (await session_store.get_limits(call.work)).daily_turns
    taken = await session_store.take_turn(call.work, call.today, cap)
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
    await session_store.update_session(call.work, session.id, updated_at=call.now, **named)
    await call.enqueue(TURN_JOB, RunAgentTurn(turn_id))
    call.add_audit_subjects("agent_session", session.id)
    return SentAgentTurn(turn=serialize_turn(await get_own_turn(call, turn_id)), remaining=max(0, cap - taken))


@reads(
    "list_agent_turns",
    doors=(Rest("GET", TURNS), GraphQL("agentTurns")),
    errors=(NOT_FOUND,),
    replica=False,
    **OPTIONS,
)
async def list_agent_turns(call: Call, request: ListAgentTurns) -> AgentTurnList:
    """The transcript of one of one's own conversations, newest turn first."""
    session = await get_own_session(call, request.agent_session_id)
    rows, total = await store.list_turn_rows(call.work, session.id, limit=request.per_page, offset=request.offset)
    turns = await _with_tools(call, rows)
    return AgentTurnList(total=total, page=request.page, per_page=request.per_page, turns=turns)


@reads("get_agent_turn", doors=(Rest("GET", TURN), GraphQL("agentTurn")), errors=(NOT_FOUND,), **OPTIONS)
async def get_agent_turn(call: Call, request: AgentTurnRef) -> AgentTurnAnswer:
    """Show a turn: its answer so far, what it proposed, and what it cost."""
    row = await get_own_turn(call, request.agent_turn_id)
    return await _turn_answer(call, row)


@reads(
    "list_agent_events",
    doors=(Rest("GET", f"{ONE}/events", event_stream=EVENT_STREAM), GraphQL("agentEvents")),
    errors=(NOT_FOUND,),
    replica=False,
    **OPTIONS,
)
async def list_agent_events(call: Call, request: ListAgentEvents) -> AgentEventList:
    """What happens in a conversation, as a list that can be continued: text as it is written, tools, proposals, ends.

    At `/stream` instead of `/events` it is pushed as server-sent events.
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
    doors=(Rest("POST", f"{TURN}/stop"), GraphQL("stopAgentTurn")),
    errors=(NOT_FOUND, AGENT_TURN_OVER),
    **OPTIONS,
)
async def stop_agent_turn(call: Call, request: AgentTurnRef) -> AgentTurnAnswer:
    """Stop a turn. What it proposed by then goes on waiting for approval."""
    row = await get_own_turn(call, request.agent_turn_id, lock=True)
    TURN_LIFE.next_status_or_raise(TurnAction.STOP, TurnStatus(row.status))
    await end_turn(call, row, TurnAction.STOP, TurnEnd.PERSON)
    call.add_audit_subjects("agent_session", row.agent_session_id)
    return await _turn_answer(call, await get_own_turn(call, row.id))


async def _turn_answer(call: Call, row: AgentTurnRow) -> AgentTurnAnswer:
    (turn,) = await _with_tools(call, [row])
    return AgentTurnAnswer(turn=turn, proposals=[tool.proposal for tool in turn.tools if tool.proposal])


async def _with_tools(call: Call, rows: Sequence[AgentTurnRow]) -> list[AgentTurn]:
    """Turns of one session with what was called for them, and how what they proposed stands."""
    events = await store.list_tool_rows(call.work, rows)
    proposed = {id for each in events.values() for event in each if (id := proposal_id(event))}
    standing = await get_approval_statuses(call, proposed)
    return [serialize_turn(row, events[row.id], standing) for row in rows]
