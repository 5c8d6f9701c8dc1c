"""Rows to answers."""

from haulier.contexts.control_tower.agent.contract import AgentEvent, AgentProposal, AgentSession, AgentTurn
from haulier.contexts.control_tower.agent.rules.lifecycle import SessionStatus, TurnStatus
from haulier.contexts.control_tower.agent.store.sessions import AgentSessionRow
from haulier.contexts.control_tower.agent.store.turns import AgentEventRow, AgentTurnRow
from haulier.kernel.operations.records import record


def serialize_session(row: AgentSessionRow) -> AgentSession:
    """A conversation."""
    return record(AgentSession, row, status=SessionStatus(row.status))


def serialize_turn(row: AgentTurnRow) -> AgentTurn:
    """A turn."""
    return record(AgentTurn, row, text=row.question, status=TurnStatus(row.status))


def serialize_event(row: AgentEventRow) -> AgentEvent:
    """A piece of a turn."""
    return record(AgentEvent, row)


def serialize_proposal(row: AgentEventRow) -> AgentProposal:
    """A proposal from the event that tells of it."""
    data = row.data or {}
    return AgentProposal(
        approval_id=data.get("approval_id", 0), operation=data.get("operation", ""), summary=data.get("summary", "")
    )
