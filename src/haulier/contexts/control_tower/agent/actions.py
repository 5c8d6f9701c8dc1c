"""Writes of the agent for other families."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from time import monotonic
from typing import Any

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from haulier.contexts.control_tower.agent import store
from haulier.contexts.control_tower.agent.contract import AgentChannel, AgentTicket, PushedAgentEvent
from haulier.contexts.control_tower.agent.rules.conversation import as_data, without_secrets
from haulier.contexts.control_tower.agent.rules.lifecycle import (
    TURN_LIFE,
    EventKind,
    TurnAction,
    TurnEnd,
    TurnStatus,
)
from haulier.contexts.control_tower.agent.rules.limits import CALLS_MAX, AgentLimits, Spent, used_up
from haulier.contexts.control_tower.agent.rules.records import records_in
from haulier.contexts.control_tower.agent.store import AgentEventRow, AgentTurnRow
from haulier.contexts.control_tower.ports import (
    AgentModel,
    AgentTools,
    Message,
    ModelFailed,
    ModelReply,
    Prompt,
    ToolCall,
    ToolDefinition,
    ToolOutcome,
    Usage,
)
from haulier.contexts.identity.public import get_users_by_id
from haulier.contexts.messaging.public import (
    Channel,
    TicketHolder,
    issue_ticket,
    list_ticket_holders,
    make_topic,
    revoke_lost_tickets,
)
from haulier.kernel.application import Application
from haulier.kernel.call import Call, call_as_system
from haulier.kernel.data.notices import client_subject
from haulier.kernel.job_run import JobRun
from haulier.kernel.operations import codec
from haulier.kernel.operations.enums import OFFICE, Feature
from haulier.kernel.principal import Principal

PUSH_JOB = "agent.push"
ABOUT = "agent_session"
POLL_S = 15
AT_ONCE = 200


class PushAgentSession(Struct, frozen=True, kw_only=True):
    """Job arguments: a conversation with news."""

    agent_session_id: int


async def enqueue_broker_push(call: Call, session_id: int) -> None:
    """Enqueue a broker push of a conversation, if there is a broker."""
    if call.adapter(Channel).configured:
        await call.enqueue(PUSH_JOB, PushAgentSession(agent_session_id=session_id))


async def open_channel(call: Call, session_id: int) -> AgentChannel:
    """Return the caller's ticket for the topic of their conversation."""
    channel, user_id = call.adapter(Channel), call.actor or 0
    topic = session_topic(channel, call.client_id, user_id, session_id)
    if not channel.configured:
        return AgentChannel(topic=topic, ticket=None, poll_s=POLL_S)
    holder = TicketHolder(about=ABOUT, about_id=session_id, holder=_holder(user_id))
    issued = await issue_ticket(call, holder, subscribe=[topic])
    ticket = AgentTicket(
        addresses=list(channel.addresses),
        client_id=issued.username,
        username=issued.username,
        password=issued.password,
        expires_at=call.local_time(issued.expires_at),
    )
    return AgentChannel(topic=topic, ticket=ticket, poll_s=POLL_S)


def session_topic(channel: Channel, client_id: int, user_id: int, session_id: int) -> str:
    """Return a topic: `{prefix}/agent/{business_id}/{user_id}/{agent_session_id}`."""
    return make_topic(channel.prefix, "agent", client_id, user_id, session_id)


async def push_session(run: JobRun, session_id: int) -> None:
    """Push the outstanding events of a conversation to the broker, oldest first.

    Callers without the right are disconnected first. Concurrent runs may push an event twice, but never out of order:
    each starts at the first event not marked as pushed. Raises `ChannelUnavailable`.
    """
    await revoke_lost_tickets(run, ABOUT, session_id, await _authorized_holders(run, session_id), "list_agent_turns")
    channel, more = run.app.adapter(Channel), True
    while more:
        async with run.app.database.read(run.client_id) as work:
            call = await call_as_system(run.app, run.client_id, work)
            session = await store.find_pushed(work, session_id)
            if session is None:
                return
            before = session.pushed_up_to or 0
            rows = await store.list_event_rows(work, session_id, before, AT_ONCE)
        more = len(rows) == AT_ONCE
        if rows:
            topic = session_topic(channel, call.client_id, session.user_id, session_id)
            await channel.publish(topic, *map(msgspec.json.encode, _pushes(call, rows, session.pushed_up_to)))
            async with run.app.database.write(run.client_id) as work:
                await store.set_pushed(work, session_id, rows[-1].id)


async def _authorized_holders(run: JobRun, session_id: int) -> set[str]:
    """Return the ticket holders who may listen: its user, while staff."""
    if not await list_ticket_holders(run, ABOUT, session_id):
        return set()
    async with run.app.database.read(run.client_id) as work:
        call = await call_as_system(run.app, run.client_id, work)
        session = await store.find_pushed(work, session_id)
        if session is None or Feature.OPERATIONS_AI_AGENT not in call.business.features:
            return set()
        users = await get_users_by_id(call, {session.user_id})
    return {_holder(user.id) for user in users.values() if user.active and user.account in OFFICE}


def _holder(user_id: int) -> str:
    return f"user:{user_id}"


def _pushes(call: Call, rows: Sequence[AgentEventRow], before: int | None) -> list[PushedAgentEvent]:
    previous = [before, *(row.id for row in rows)]
    return [
        PushedAgentEvent(
            id=row.id,
            previous_id=previous_id,
            agent_session_id=row.agent_session_id,
            agent_turn_id=row.agent_turn_id,
            kind=row.kind,
            text=row.text,
            data=row.data,
            at=call.local_time(row.at),
        )
        for row, previous_id in zip(rows, previous, strict=False)
    ]


AGENT_CHANNEL = "haulier_agent"
"""Channel of notices that a conversation has a new event; a subject is a client and the session's id."""
REPLY_MAX = 40_000


class TurnOver(Exception):
    """Raised when a turn was stopped or ended while it ran."""


async def record_event(call: Call, turn: AgentTurnRow, kind: EventKind, **values: Any) -> None:
    """Record a piece of a locked turn and notify the conversation's followers."""
    await store.insert_event(call.work, turn, kind, call.now, **values)
    call.work.notify(AGENT_CHANNEL, client_subject(call.client_id, turn.agent_session_id))
    await enqueue_broker_push(call, turn.agent_session_id)


async def end_turn(
    call: Call, turn: AgentTurnRow, action: TurnAction, ended_by: TurnEnd | None = None
) -> TurnStatus | None:
    """End a locked turn. Return its status, or None if it had ended."""
    status = TURN_LIFE.next_status(action, TurnStatus(turn.status))
    if status is None:
        return None
    await store.update_turn(
        call.work, turn.id, status=status.value, ended_by=ended_by and ended_by.value, ended_at=call.now
    )
    await record_event(
        call, turn, EventKind.END, text=status.value, data={"ended_by": ended_by.value} if ended_by else None
    )
    return status


class TurnProgress:
    """Records progress of a running turn. Methods raise `TurnOver` once it has ended."""

    def __init__(self, run: JobRun, turn_id: int) -> None:
        self._run, self._turn_id = run, turn_id

    async def text(self, piece: str) -> None:
        """Record the next piece of the answer."""
        async with self._run.call() as call:
            turn = await self._running(call)
            await store.update_turn(call.work, turn.id, reply=(turn.reply + piece)[:REPLY_MAX])
            await record_event(call, turn, EventKind.TEXT, text=piece)

    async def happened(self, kind: EventKind, data: Mapping[str, Any]) -> None:
        """Record a tool call, its outcome, or a proposed write."""
        async with self._run.call() as call:
            await record_event(call, await self._running(call), kind, data=dict(data))

    async def used(self, model: str, usage: Usage) -> None:
        """Add the usage of one model answer to the turn and the day."""
        async with self._run.call() as call:
            turn = await store.get_turn(call.work, self._turn_id, lock=True)
            if turn is None:
                raise TurnOver
            day = turn.asked_at.astimezone(call.time_zone).date()
            spent = {"input_tokens": usage.input_tokens, "output_tokens": usage.output_tokens}
            await store.add_usage(call.work, day, **spent, cost_micro_usd=usage.cost_micro_usd)
            await store.update_turn(
                call.work,
                turn.id,
                model=model[:100],
                steps=turn.steps + 1,
                input_tokens=turn.input_tokens + usage.input_tokens,
                output_tokens=turn.output_tokens + usage.output_tokens,
                cost_micro_usd=turn.cost_micro_usd + usage.cost_micro_usd,
            )

    async def is_running(self) -> bool:
        """Return True if the turn was not stopped."""
        async with self._run.app.database.read(self._run.client_id) as work:
            return await store.get_turn_status(work, self._turn_id) == TurnStatus.RUNNING.value

    async def end(self, action: TurnAction, ended_by: TurnEnd | None = None) -> None:
        """End the turn, unless it is over."""
        async with self._run.call() as call:
            turn = await store.get_turn(call.work, self._turn_id, lock=True)
            if turn is not None:
                await end_turn(call, turn, action, ended_by)

    async def _running(self, call: Call) -> AgentTurnRow:
        turn = await store.get_turn(call.work, self._turn_id, lock=True)
        is_on = Feature.OPERATIONS_AI_AGENT in call.business.features
        if turn is None or turn.status != TurnStatus.RUNNING.value or not is_on:
            raise TurnOver
        return turn


FLUSH_CHARACTERS = 400
PARAGRAPH = "\n\n"
FLUSH_INTERVAL_S = 0.4
CHECK_INTERVAL_S = 0.5
"""Seconds between checks if a running turn was stopped."""
UNKNOWN_TOOL = {"result": False, "code": "UNKNOWN_TOOL", "message": "There is no such tool for this person."}
TOO_MANY_CALLS = {"result": False, "code": "TOO_MANY_CALLS", "message": "Not called: too many tools at once."}


class LimitReached(Exception):
    """Raised when a turn reached a limit."""

    def __init__(self, limit: TurnEnd) -> None:
        super().__init__(limit.value)
        self.limit = limit


class TurnLoop:
    """Loop of one turn with its model and tools."""

    def __init__(
        self, app: Application, principal: Principal, progress: TurnProgress, limits: AgentLimits, turn: AgentTurnRow
    ) -> None:
        self._app, self._principal, self._progress, self._limits = app, principal, progress, limits
        self._turn_id, self._language = turn.id, turn.language
        self._model, self._tools = app.adapter(AgentModel), app.adapter(AgentTools)
        self._began, self._spent, self._spoke = monotonic(), Spent(), False

    async def run(self, prompt: Prompt) -> tuple[TurnAction, TurnEnd | None]:
        """Run until there is an answer. Return how the turn ends."""
        try:
            await self._run_watched(prompt)
        except TurnOver:
            return TurnAction.STOP, TurnEnd.PERSON
        except LimitReached as reached:
            return TurnAction.FAIL, reached.limit
        except ModelFailed:
            return TurnAction.FAIL, TurnEnd.MODEL
        return TurnAction.FINISH, None

    async def _run_watched(self, prompt: Prompt) -> None:
        """Run, and stop immediately when the user stops the turn or its time is over."""
        work = asyncio.ensure_future(self._rounds(prompt))
        try:
            while not work.done():
                await asyncio.wait({work}, timeout=CHECK_INTERVAL_S)
                if work.done():
                    break
                if monotonic() - self._began >= self._limits.max_seconds:
                    raise LimitReached(TurnEnd.SECONDS)
                if not await self._progress.is_running():
                    raise TurnOver
        finally:
            if not work.done():
                work.cancel()
            await asyncio.wait({work})
        work.result()

    async def _rounds(self, prompt: Prompt) -> None:
        known = {tool.name: tool for tool in prompt.tools}
        while True:
            if limit := used_up(self._limits, self._spent, monotonic() - self._began):
                raise LimitReached(TurnEnd(limit))
            reply = await self._ask(prompt)
            if not reply.calls:
                return
            outcomes = [await self._outcome(known, call, index) for index, call in enumerate(reply.calls)]
            asked = Message(role="agent", text=reply.text, calls=reply.calls)
            told = Message(role="tools", outcomes=outcomes)
            prompt = replace(prompt, messages=[*prompt.messages, asked, told])

    async def _ask(self, prompt: Prompt) -> ModelReply:
        writer = TextWriter(self._progress.text, PARAGRAPH if self._spoke else "")
        reply = await self._model.reply(prompt, writer.add)
        await writer.flush()
        self._spoke = self._spoke or bool(reply.text)
        usage = reply.usage
        self._spent = self._spent.with_step(usage.input_tokens, usage.output_tokens, usage.cost_micro_usd)
        await self._progress.used(self._model.name, usage)
        return reply

    async def _outcome(self, known: dict[str, ToolDefinition], call: ToolCall, index: int) -> ToolOutcome:
        if index >= CALLS_MAX:
            return _refused(call, TOO_MANY_CALLS)
        shown = msgspec.to_builtins(dict(call.arguments))
        await self._progress.happened(EventKind.TOOL_CALL, {"tool": call.name[:100], "arguments": shown})
        if call.name not in known:
            await self._progress.happened(EventKind.TOOL_RESULT, {"tool": call.name[:100], **UNKNOWN_TOOL})
            return _refused(call, UNKNOWN_TOOL)
        document, is_error = await self._tools.call(
            self._app,
            self._principal,
            call.name,
            call.arguments,
            language=self._language,
            request_id=f"agent-turn-{self._turn_id}",
            key=f"agent-turn-{self._turn_id}",
            shows_prices=self._limits.shows_prices,
        )
        await self._note(call.name, document, is_error=is_error)
        approval = document.get("approval") if known[call.name].writes else None
        return ToolOutcome(
            call_id=call.id,
            name=call.name,
            text=as_data(codec.encode_json(document).decode()),
            document=document,
            is_error=is_error,
            approval_id=approval.get("id") if isinstance(approval, dict) else None,
        )

    async def _note(self, tool: str, document: dict[str, Any], *, is_error: bool) -> None:
        """Record an outcome: refusals and proposals in full, answers by their records."""
        if is_error:
            told = {name: document[name] for name in ("code", "message") if name in document}
            await self._progress.happened(EventKind.TOOL_RESULT, {"tool": tool, "result": False, **told})
            return
        records = records_in(document)
        await self._progress.happened(EventKind.TOOL_RESULT, {"tool": tool, "result": True, "records": records})
        approval = document.get("approval")
        if document.get("queued") and isinstance(approval, dict):
            told = {"approval_id": approval["id"], "operation": approval["operation"], "summary": approval["summary"]}
            await self._progress.happened(EventKind.PROPOSAL, told)


def _refused(call: ToolCall, document: dict[str, Any]) -> ToolOutcome:
    text = as_data(codec.encode_json(document).decode())
    return ToolOutcome(call_id=call.id, name=call.name, text=text, document=document, is_error=True)


class TextWriter:
    """Buffer of answer pieces, which avoids a transaction per word."""

    def __init__(self, write: Callable[[str], Awaitable[None]], begins_with: str = "") -> None:
        self._write, self._waiting, self._written_at = write, "", 0.0
        self._begins_with = begins_with

    async def add(self, piece: str) -> None:
        """Add the next piece."""
        self._waiting += self._begins_with + piece
        self._begins_with = ""
        due = monotonic() - self._written_at >= FLUSH_INTERVAL_S
        if due or len(self._waiting) >= FLUSH_CHARACTERS:
            await self.flush()

    async def flush(self) -> None:
        """Write the buffered pieces."""
        if self._waiting:
            piece, self._waiting = without_secrets(self._waiting), ""
            self._written_at = monotonic()
            await self._write(piece)
