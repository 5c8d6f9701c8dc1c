"""What a running turn writes down, each time in a transaction of its own: pieces of text, tools, proposals, its end."""

from collections.abc import Mapping
from typing import Any

from haulier.contexts.control_tower.agent.actions.channel import tell_broker
from haulier.contexts.control_tower.agent.rules.lifecycle import (
    TURN_LIFE,
    EventKind,
    TurnAction,
    TurnEnd,
    TurnStatus,
)
from haulier.contexts.control_tower.agent.store import sessions as session_store
from haulier.contexts.control_tower.agent.store import turns as turn_store
from haulier.contexts.control_tower.agent.store.turns import AgentTurnRow
from haulier.contexts.control_tower.ports import Usage
from haulier.kernel.call import Call
from haulier.kernel.data.notices import client_subject
from haulier.kernel.job_run import JobRun
from haulier.kernel.operations.enums import Feature

AGENT_CHANNEL = "haulier_agent"
"""The channel of notices that a conversation has a new event; a subject is a client and the session's id."""
REPLY_MAX = 40_000


class TurnOver(Exception):
    """The turn was stopped, or ended otherwise, while it ran."""


async def tell_event(call: Call, turn: AgentTurnRow, kind: EventKind, **values: Any) -> None:
    """Write a piece of a locked turn and notify those who follow the conversation."""
    await turn_store.insert_event(call.work, turn, kind, call.now, **values)
    call.work.notify(AGENT_CHANNEL, client_subject(call.client_id, turn.agent_session_id))
    await tell_broker(call, turn.agent_session_id)


async def end_turn(
    call: Call, turn: AgentTurnRow, action: TurnAction, ended_by: TurnEnd | None = None
) -> TurnStatus | None:
    """End a locked turn, unless it is over. Returns its status, or None where it had ended before."""
    status = TURN_LIFE.next_status(action, TurnStatus(turn.status))
    if status is None:
        return None
    await turn_store.update_turn(
        call.work, turn.id, status=status.value, ended_by=ended_by and ended_by.value, ended_at=call.now
    )
    await tell_event(
        call, turn, EventKind.END, text=status.value, data={"ended_by": ended_by.value} if ended_by else None
    )
    return status


class TurnProgress:
    """Writes what happens in one running turn. Each method raises `TurnOver` once the turn is no longer running."""

    def __init__(self, run: JobRun, turn_id: int) -> None:
        self._run, self._turn_id = run, turn_id

    async def text(self, piece: str) -> None:
        """The next piece of the answer."""
        async with self._run.call() as call:
            turn = await self._running(call)
            await turn_store.update_turn(call.work, turn.id, reply=(turn.reply + piece)[:REPLY_MAX])
            await tell_event(call, turn, EventKind.TEXT, text=piece)

    async def happened(self, kind: EventKind, data: Mapping[str, Any]) -> None:
        """A tool is called, gave something, or a write was proposed."""
        async with self._run.call() as call:
            await tell_event(call, await self._running(call), kind, data=dict(data))

    async def used(self, model: str, usage: Usage) -> None:
        """Add what one answer of the model cost, to the turn and to the day."""
        async with self._run.call() as call:
            turn = await turn_store.get_turn(call.work, self._turn_id, lock=True)
            if turn is None:
                raise TurnOver
            day = turn.asked_at.astimezone(call.time_zone).date()
            spent = {"input_tokens": usage.input_tokens, "output_tokens": usage.output_tokens}
            await session_store.add_usage(call.work, day, **spent, cost_micro_usd=usage.cost_micro_usd)
            await turn_store.update_turn(
                call.work,
                turn.id,
                model=model[:100],
                steps=turn.steps + 1,
                input_tokens=turn.input_tokens + usage.input_tokens,
                output_tokens=turn.output_tokens + usage.output_tokens,
                cost_micro_usd=turn.cost_micro_usd + usage.cost_micro_usd,
            )

    async def is_running(self) -> bool:
        """Whether nobody stopped it."""
        async with self._run.app.database.read(self._run.client_id) as work:
            return await turn_store.get_turn_status(work, self._turn_id) == TurnStatus.RUNNING.value

    async def end(self, action: TurnAction, ended_by: TurnEnd | None = None) -> None:
        """End it; nothing happens where it is over already."""
        async with self._run.call() as call:
            turn = await turn_store.get_turn(call.work, self._turn_id, lock=True)
            if turn is not None:
                await end_turn(call, turn, action, ended_by)

    async def _running(self, call: Call) -> AgentTurnRow:
        turn = await turn_store.get_turn(call.work, self._turn_id, lock=True)
        is_on = Feature.OPERATIONS_AI_AGENT in call.business.features
        if turn is None or turn.status != TurnStatus.RUNNING.value or not is_on:
            raise TurnOver
        return turn
