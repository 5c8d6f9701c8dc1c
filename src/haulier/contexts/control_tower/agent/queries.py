"""Conversations of the caller."""

from haulier.contexts.control_tower.agent import store
from haulier.contexts.control_tower.agent.store import AgentSessionRow, AgentTurnRow
from haulier.kernel.call import Call
from haulier.kernel.operations.errors import NOT_FOUND


async def get_own_session(call: Call, session_id: int, *, lock: bool = False) -> AgentSessionRow:
    """Return a conversation of the caller. Raises `NOT_FOUND`, also for others'."""
    row = await store.get_session(call.work, session_id, call.actor or 0, lock=lock)
    if row is None:
        raise NOT_FOUND()
    return row


async def get_own_turn(call: Call, turn_id: int, *, lock: bool = False) -> AgentTurnRow:
    """Return a turn of the caller. Raises `NOT_FOUND`, also for others'."""
    row = await store.get_turn(call.work, turn_id, lock=lock)
    if row is None or row.user_id != call.actor:
        raise NOT_FOUND()
    return row
