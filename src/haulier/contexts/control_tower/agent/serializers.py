"""Rows to answers."""

from collections.abc import Sequence
from typing import Any

from msgspec.structs import replace

from haulier.contexts.control_tower.agent.contract import (
    AgentEvent,
    AgentProposal,
    AgentRecord,
    AgentSession,
    AgentToolUse,
    AgentTurn,
)
from haulier.contexts.control_tower.agent.rules.lifecycle import EventKind, SessionStatus, TurnStatus
from haulier.contexts.control_tower.agent.store.sessions import AgentSessionRow
from haulier.contexts.control_tower.agent.store.turns import AgentEventRow, AgentTurnRow
from haulier.kernel.operations.records import record


def serialize_session(row: AgentSessionRow) -> AgentSession:
    """A conversation."""
    return record(AgentSession, row, status=SessionStatus(row.status))


def serialize_turn(row: AgentTurnRow, events: Sequence[AgentEventRow] = ()) -> AgentTurn:
    """A turn, from its row and from what happened in it."""
    return record(AgentTurn, row, text=row.question, status=TurnStatus(row.status), tools=serialize_tools(events))


def serialize_event(row: AgentEventRow) -> AgentEvent:
    """A piece of a turn."""
    return record(AgentEvent, row)


def serialize_proposal(row: AgentEventRow) -> AgentProposal:
    """A proposal from the event that tells of it."""
    data = row.data or {}
    return AgentProposal(
        approval_id=data.get("approval_id", 0), operation=data.get("operation", ""), summary=data.get("summary", "")
    )


def serialize_tools(events: Sequence[AgentEventRow]) -> list[AgentToolUse]:
    """The tools that a turn called, from its events in order: a call, then its outcome, then perhaps a proposal."""
    used: list[AgentToolUse] = []
    for event in events:
        data = event.data or {}
        if event.kind == EventKind.TOOL_CALL.value:
            used.append(_called(data))
        elif event.kind == EventKind.TOOL_RESULT.value and used:
            used[-1] = replace(used[-1], **_outcome(data))
        elif event.kind == EventKind.PROPOSAL.value and used:
            used[-1] = replace(used[-1], proposal=serialize_proposal(event))
    return used


def _called(data: dict[str, Any]) -> AgentToolUse:
    told = {"tool": data.get("tool", ""), "arguments": data.get("arguments") or {}}
    return AgentToolUse(**told, code=None, message=None, records=[], proposal=None)


def _outcome(data: dict[str, Any]) -> dict[str, Any]:
    records = [AgentRecord(**each) for each in data.get("records", ())]
    return {"code": data.get("code"), "message": data.get("message"), "records": records}
