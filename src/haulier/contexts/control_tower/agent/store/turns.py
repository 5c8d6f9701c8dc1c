"""Turns and their events."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import bindparam, func, select, update

from haulier.contexts.control_tower.agent.rules.lifecycle import ACTIVE_TURNS, EventKind, TurnStatus
from haulier.contexts.control_tower.agent.store.tables import events, turns
from haulier.kernel.data.statements import Row, in_param
from haulier.kernel.data.unit_of_work import UnitOfWork


class AgentTurnRow(Row):
    """A turn."""

    id: int
    agent_session_id: int
    user_id: int
    number: int
    question: str
    reply: str
    status: str
    ended_by: str | None
    model: str | None
    language: str
    token_id: int | None
    scopes: list[str]
    steps: int
    input_tokens: int
    output_tokens: int
    cost_micro_usd: int
    asked_at: datetime
    started_at: datetime | None
    ended_at: datetime | None


class AgentEventRow(Row):
    """A piece of a turn."""

    id: int
    agent_session_id: int
    agent_turn_id: int
    kind: str
    text: str | None
    data: dict[str, Any] | None
    at: datetime


_active = sorted(status.value for status in ACTIVE_TURNS)
_one = select(turns).where(turns.c.id == bindparam("turn"))
_locked = _one.with_for_update()
_of_session = turns.c.agent_session_id == bindparam("session")
_listed = select(turns).where(_of_session).order_by(turns.c.number.desc())
_counted = select(func.count()).select_from(turns).where(_of_session)
_running = select(turns.c.id).where(_of_session, turns.c.status.in_(_active)).limit(1)
_last_number = select(func.coalesce(func.max(turns.c.number), 0)).where(_of_session)
_status = select(turns.c.status).where(turns.c.id == bindparam("turn"))
_change = update(turns).where(turns.c.id == bindparam("turn"))
_after = (
    select(events)
    .where(events.c.agent_session_id == bindparam("session"), events.c.id > bindparam("after"))
    .order_by(events.c.id)
    .limit(bindparam("most"))
)
_of_turns = (
    select(events)
    .where(
        events.c.agent_session_id == bindparam("session"),
        in_param(events.c.agent_turn_id, "turns"),
        events.c.kind.in_((EventKind.TOOL_CALL.value, EventKind.TOOL_RESULT.value, EventKind.PROPOSAL.value)),
    )
    .order_by(events.c.id)
)


async def insert_turn(work: UnitOfWork, session_id: int, **values: Any) -> int:
    """Write a turn as the next of its session, which is locked. Returns its id."""
    number = 1 + await work.value(_last_number, session=session_id)
    begun = {"status": TurnStatus.QUEUED.value, "reply": "", "steps": 0}
    none = {"input_tokens": 0, "output_tokens": 0, "cost_micro_usd": 0}
    return await work.insert(turns, agent_session_id=session_id, number=number, **begun, **none, **values)


async def get_turn(work: UnitOfWork, id: int, *, lock: bool = False) -> AgentTurnRow | None:
    """A turn of this client, or None."""
    return await work.first(_locked if lock else _one, AgentTurnRow, turn=id)


async def has_running_turn(work: UnitOfWork, session_id: int) -> bool:
    """Whether a turn of the session waits or runs."""
    return await work.value(_running, session=session_id) is not None


async def get_turn_status(work: UnitOfWork, id: int) -> str | None:
    """The status of a turn; None where there is none."""
    return await work.value(_status, turn=id)


async def list_turn_rows(
    work: UnitOfWork, session_id: int, *, limit: int, offset: int
) -> tuple[Sequence[AgentTurnRow], int]:
    """A page of a session's turns, newest first, and how many there are."""
    page = _listed.limit(bindparam("page_size")).offset(bindparam("skipped"))
    rows = await work.all(page, AgentTurnRow, session=session_id, page_size=limit, skipped=offset)
    return rows, await work.value(_counted, session=session_id)


async def update_turn(work: UnitOfWork, id: int, **values: Any) -> None:
    """Change a turn that is locked."""
    await work.run(_change.values(**values), turn=id)


async def insert_event(work: UnitOfWork, turn: AgentTurnRow, kind: EventKind, at: datetime, **values: Any) -> int:
    """Write a piece of a turn that is locked, so that ids follow each other in the order of what happened."""
    of = {"agent_session_id": turn.agent_session_id, "agent_turn_id": turn.id, "user_id": turn.user_id}
    return await work.insert(events, **of, kind=kind.value, at=at, **values)


async def list_event_rows(work: UnitOfWork, session_id: int, after: int, most: int) -> Sequence[AgentEventRow]:
    """The events of a session after an id, in order."""
    return await work.all(_after, AgentEventRow, session=session_id, after=after, most=most)


async def list_tool_rows(work: UnitOfWork, rows: Sequence[AgentTurnRow]) -> dict[int, list[AgentEventRow]]:
    """What was called and proposed in some turns of one session, in order, by turn."""
    found: dict[int, list[AgentEventRow]] = {row.id: [] for row in rows}
    if not rows:
        return found
    for event in await work.all(_of_turns, AgentEventRow, session=rows[0].agent_session_id, turns=list(found)):
        found[event.agent_turn_id].append(event)
    return found
