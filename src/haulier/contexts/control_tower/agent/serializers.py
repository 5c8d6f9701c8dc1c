"""Answers about the agent."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
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
from haulier.contexts.control_tower.agent.store import AgentEventRow, AgentSessionRow, AgentTurnRow
from haulier.contexts.control_tower.approvals.rules import ApprovalStatus
from haulier.kernel.operations.records import record

Standing = Mapping[int, ApprovalStatus]
"""How proposed writes stand, by number."""
NOTHING_PROPOSED: Standing = MappingProxyType({})


def serialize_session(row: AgentSessionRow) -> AgentSession:
    """Return a conversation."""
    return record(AgentSession, row, status=SessionStatus(row.status))


def serialize_turn(
    row: AgentTurnRow, events: Sequence[AgentEventRow] = (), standing: Standing = NOTHING_PROPOSED
) -> AgentTurn:
    """Return a turn from its row, events, and the status of its proposals."""
    tools = serialize_tools(events, standing)
    return record(AgentTurn, row, text=row.question, status=TurnStatus(row.status), tools=tools)


def serialize_event(row: AgentEventRow) -> AgentEvent:
    """Return a piece of a turn."""
    return record(AgentEvent, row)


def serialize_tools(events: Sequence[AgentEventRow], standing: Standing) -> list[AgentToolUse]:
    """Return the tools of a turn from its events: call, outcome, perhaps a proposal."""
    used: list[AgentToolUse] = []
    for event in events:
        data = event.data or {}
        if event.kind == EventKind.TOOL_CALL.value:
            used.append(_called(data))
        elif event.kind == EventKind.TOOL_RESULT.value and used:
            used[-1] = replace(used[-1], **_outcome(data))
        elif event.kind == EventKind.PROPOSAL.value and used:
            used[-1] = replace(used[-1], proposal=_proposal(data, standing))
    return used


def _called(data: dict[str, Any]) -> AgentToolUse:
    arguments: dict[str, Any] = data.get("arguments") or {}
    tool: str = data.get("tool", "")
    return AgentToolUse(tool=tool, arguments=arguments, code=None, message=None, records=[], proposal=None)


def _outcome(data: dict[str, Any]) -> dict[str, Any]:
    records = [AgentRecord(**each) for each in data.get("records", ())]
    return {"code": data.get("code"), "message": data.get("message"), "records": records}


def proposal_id(event: AgentEventRow) -> int | None:
    """Return the proposed write of an event, or None."""
    return (event.data or {}).get("approval_id") if event.kind == EventKind.PROPOSAL.value else None


def _proposal(data: dict[str, Any], standing: Standing) -> AgentProposal:
    approval_id = data.get("approval_id", 0)
    told = {name: data.get(name, "") for name in ("operation", "summary")}
    return AgentProposal(approval_id=approval_id, **told, status=standing.get(approval_id))
