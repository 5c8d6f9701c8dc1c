"""Job of a turn, which calls the model and tools outside transactions as its user.

A turn whose worker died is not run again: a second run could propose other writes than those already under review. It
ends as interrupted, and the user asks again.
"""

from msgspec import Struct
from msgspec.structs import replace

from haulier.contexts.control_tower.agent import store
from haulier.contexts.control_tower.agent.actions import (
    PUSH_JOB,
    PushAgentSession,
    TurnLoop,
    TurnProgress,
    end_turn,
    push_session,
)
from haulier.contexts.control_tower.agent.rules.conversation import HISTORY_TURNS, SYSTEM
from haulier.contexts.control_tower.agent.rules.lifecycle import TurnAction, TurnEnd, TurnStatus
from haulier.contexts.control_tower.agent.rules.limits import AgentLimits
from haulier.contexts.control_tower.agent.store import AgentTurnRow
from haulier.contexts.control_tower.ports import AgentTools, Message, Prompt, ToolDefinition
from haulier.contexts.identity.public import get_absent_principal
from haulier.kernel.background.jobs import job
from haulier.kernel.call import Call
from haulier.kernel.job_run import JobRun
from haulier.kernel.operations.enums import Feature, Scope
from haulier.kernel.principal import Principal

TURN_JOB = "agent.turn"


class RunAgentTurn(Struct, frozen=True):
    """Job arguments: a turn."""

    agent_turn_id: int


class BegunTurn(Struct, frozen=True):
    """A running turn."""

    turn: AgentTurnRow
    principal: Principal
    limits: AgentLimits
    prompt: Prompt


@job(TURN_JOB, RunAgentTurn, queue="outside", max_attempts=2)
async def run_agent_turn(run: JobRun, args: RunAgentTurn) -> None:
    """Answer a turn. Ended ones are skipped; one of a dead worker ends as interrupted."""
    begun = await _begin(run, args.agent_turn_id)
    if begun is None:
        return
    progress = TurnProgress(run, begun.turn.id)
    loop = TurnLoop(run.app, begun.principal, progress, begun.limits, begun.turn)
    tools = [
        ToolDefinition(name=name, description=description, schema=schema, writes=writes)
        for name, description, schema, writes in run.app.adapter(AgentTools).listed(run.app, begun.principal)
    ]
    await progress.end(*await loop.run(replace(begun.prompt, tools=tools)))


@job(PUSH_JOB, PushAgentSession, queue="outside", max_attempts=20)
async def push_changed_session(run: JobRun, args: PushAgentSession) -> None:
    """Push outstanding events of a conversation. An unavailable broker is retried."""
    await push_session(run, args.agent_session_id)


async def _begin(run: JobRun, turn_id: int) -> BegunTurn | None:
    async with run.call() as call:
        turn = await store.get_turn(call.work, turn_id, lock=True)
        if turn is None:
            return None
        if turn.status != TurnStatus.QUEUED.value:
            await end_turn(call, turn, TurnAction.FAIL, TurnEnd.INTERRUPTED)
            return None
        scopes = [Scope(scope) for scope in turn.scopes]
        principal = await get_absent_principal(call.work, call.business, turn.user_id, turn.token_id, scopes)
        if principal is None or Feature.OPERATIONS_AI_AGENT not in call.business.features:
            await end_turn(call, turn, TurnAction.FAIL, TurnEnd.RIGHTS)
            return None
        await store.update_turn(call.work, turn.id, status=TurnStatus.RUNNING.value, started_at=call.now)
        prompt = await _make_prompt(call, turn, principal)
        return BegunTurn(turn, principal, await store.get_limits(call.work), prompt)


async def _make_prompt(call: Call, turn: AgentTurnRow, principal: Principal) -> Prompt:
    rows, _ = await store.list_turn_rows(call.work, turn.agent_session_id, limit=HISTORY_TURNS + 1, offset=0)
    messages: list[Message] = []
    for row in reversed(rows):
        if row.id != turn.id and row.status == TurnStatus.DONE.value:
            messages += [Message(role="person", text=row.question), Message(role="agent", text=row.reply)]
    messages.append(Message(role="person", text=turn.question))
    facts = {"name": principal.name or "", "account": principal.account.value, "language": turn.language}
    times = {"now": call.local_time(call.now).isoformat(timespec="minutes"), "today": call.today.isoformat()}
    zone = call.business.time_zone
    return Prompt(
        system=SYSTEM.format(**facts, **times, time_zone=zone),
        messages=messages,
        tools=(),
        language=turn.language,
        today=call.today.isoformat(),
        time_zone=zone,
    )
