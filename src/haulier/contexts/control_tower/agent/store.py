"""Tables and statements of the agent."""

from collections.abc import Sequence
from datetime import date, datetime
from typing import Any

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    ColumnElement,
    Date,
    Index,
    Integer,
    String,
    Table,
    Text,
    bindparam,
    cast,
    delete,
    func,
    or_,
    select,
    update,
)
from sqlalchemy import UniqueConstraint as Unique

from haulier.contexts.control_tower.agent.contract import TITLE_MAX
from haulier.contexts.control_tower.agent.rules.lifecycle import ACTIVE_TURNS, EventKind, SessionStatus, TurnStatus
from haulier.contexts.control_tower.agent.rules.limits import AgentLimits
from haulier.kernel.data.personal_data import (
    ERASED,
    Find,
    PersonKey,
    PersonKeys,
    RecordKind,
    any_of,
    key_in,
    personal_data,
    plain_columns,
    redacted,
    retained,
)
from haulier.kernel.data.statements import Row, in_param
from haulier.kernel.data.tables import Id, Json, UTCDateTime, partial_unique_index, tenant_table
from haulier.kernel.data.unit_of_work import UnitOfWork
from haulier.kernel.operations.enums import Feature

sessions = tenant_table(
    "agent_session",
    Column("user_id", Id, nullable=False),
    Column("title", String(TITLE_MAX), nullable=False),
    Column("status", String(10), nullable=False, info={"enum": SessionStatus}),
    Column("created_at", UTCDateTime, nullable=False),
    Column("updated_at", UTCDateTime, nullable=False),
    Column("ended_at", UTCDateTime),
    Column("pushed_up_to", Id),
    Index("ix_agent_session_user", "client_id", "user_id", "updated_at"),
)
turns = tenant_table(
    "agent_turn",
    Column("agent_session_id", Id, nullable=False),
    Column("user_id", Id, nullable=False),
    Column("number", Integer, nullable=False),
    Column("question", Text, nullable=False),
    Column("reply", Text, nullable=False),
    Column("status", String(10), nullable=False, info={"enum": TurnStatus}),
    Column("ended_by", String(20)),
    Column("model", String(100)),
    Column("language", String(10), nullable=False),
    Column("token_id", Id),
    Column("scopes", Json, nullable=False),
    Column("steps", Integer, nullable=False),
    Column("input_tokens", BigInteger, nullable=False),
    Column("output_tokens", BigInteger, nullable=False),
    Column("cost_micro_usd", BigInteger, nullable=False),
    Column("asked_at", UTCDateTime, nullable=False),
    Column("started_at", UTCDateTime),
    Column("ended_at", UTCDateTime),
    Unique("client_id", "agent_session_id", "number"),
)
"""`scopes` and `token_id` are the caller's rights at the time: a turn never has more."""
partial_unique_index(
    "ux_agent_turn_active",
    turns.c.status.in_(sorted(status.value for status in ACTIVE_TURNS)),
    turns.c.agent_session_id,
)
events = tenant_table(
    "agent_event",
    Column("agent_session_id", Id, nullable=False),
    Column("agent_turn_id", Id, nullable=False),
    Column("user_id", Id, nullable=False),
    Column("kind", String(20), nullable=False, info={"enum": EventKind}),
    Column("text", Text),
    Column("data", Json),
    Column("at", UTCDateTime, nullable=False),
    Index("ix_agent_event_session", "client_id", "agent_session_id", "id"),
)
usage = tenant_table(
    "agent_usage",
    Column("day", Date, nullable=False),
    Column("turns", Integer, nullable=False),
    Column("input_tokens", BigInteger, nullable=False),
    Column("output_tokens", BigInteger, nullable=False),
    Column("cost_micro_usd", BigInteger, nullable=False),
    Unique("client_id", "day"),
)
policies = tenant_table(
    "agent_policy",
    Column("daily_turns", Integer, nullable=False),
    Column("max_steps", Integer, nullable=False),
    Column("max_tokens", Integer, nullable=False),
    Column("max_seconds", Integer, nullable=False),
    Column("max_cost_micro_usd", BigInteger, nullable=False),
    Column("shows_prices", Boolean, nullable=False),
    Unique("client_id"),
)
for table in (sessions, turns, events, usage, policies):
    table.info["feature"] = Feature.OPERATIONS_AI_AGENT.value


def _written_by(table: Table) -> Find:
    """Return the condition for conversations of a person, or with their data."""

    def find(keys: PersonKeys) -> ColumnElement[bool] | None:
        columns = table.c
        texts = [columns[name] for name in ("title", "question", "reply", "text") if name in columns]
        texts += [cast(columns.data, Text)] if "data" in columns else []
        known = [text for key in _TEXT_KEYS for text in sorted(keys.get(key, ()))]
        named = [func.lower(column).contains(text.lower(), autoescape=True) for column in texts for text in known]
        return any_of([key_in(columns.user_id, PersonKey.USER, keys), or_(*named) if named else None])

    return find


_TEXT_KEYS = (PersonKey.EMAIL, PersonKey.PHONE, PersonKey.NAME)
_PLAIN = ("status", "ended_by", "model", "language", "scopes")
personal_data(
    sessions,
    RecordKind.AGENT_CONVERSATIONS,
    find=_written_by(sessions),
    erased={"title": ERASED},
    plain=("status",),
)
personal_data(
    turns,
    RecordKind.AGENT_CONVERSATIONS,
    find=_written_by(turns),
    erased={"question": ERASED, "reply": ERASED},
    plain=_PLAIN,
)
personal_data(
    events,
    RecordKind.AGENT_CONVERSATIONS,
    find=_written_by(events),
    erased={"text": ERASED, "data": lambda row, keys: redacted(row.data)},
    plain=("kind",),
)
plain_columns(usage)
retained(
    RecordKind.AGENT_CONVERSATIONS,
    sessions.c.updated_at,
    children=(turns.c.agent_session_id, events.c.agent_session_id),
    default_days=90,
    minimum_days=1,
)


class AgentSessionRow(Row):
    """A conversation."""

    id: int
    user_id: int
    title: str
    status: str
    created_at: datetime
    updated_at: datetime
    ended_at: datetime | None


class PushedSessionRow(Row):
    """Broker progress of a conversation."""

    id: int
    user_id: int
    pushed_up_to: int | None


class AgentUsageRow(Row):
    """Usage of one or several days."""

    turns: int
    input_tokens: int
    output_tokens: int
    cost_micro_usd: int


class AgentLimitsRow(Row):
    """Spending limits of a business."""

    daily_turns: int
    max_steps: int
    max_tokens: int
    max_seconds: int
    max_cost_micro_usd: int
    shows_prices: bool


_session_by_id = select(sessions).where(
    sessions.c.id == bindparam("session"), sessions.c.user_id == bindparam("person")
)
_session_locked = _session_by_id.with_for_update()
_any = select(sessions.c.id, sessions.c.user_id, sessions.c.pushed_up_to).where(sessions.c.id == bindparam("session"))
_pushed = (
    update(sessions)
    .where(
        sessions.c.id == bindparam("session"),
        or_(sessions.c.pushed_up_to.is_(None), sessions.c.pushed_up_to < bindparam("last")),
    )
    .values(pushed_up_to=bindparam("last"))
)
_touch = update(sessions).where(sessions.c.id == bindparam("session"))
_of_person = sessions.c.user_id == bindparam("person")
_wait_for_turn = (
    update(usage)
    .where(usage.c.day == bindparam("on_day"), usage.c.turns < bindparam("cap"))
    .values(turns=usage.c.turns + 1)
)
_turns_of_day = select(usage.c.turns).where(usage.c.day == bindparam("on_day"))
_add_usage = (
    update(usage)
    .where(usage.c.day == bindparam("on_day"))
    .values(
        input_tokens=usage.c.input_tokens + bindparam("more_input"),
        output_tokens=usage.c.output_tokens + bindparam("more_output"),
        cost_micro_usd=usage.c.cost_micro_usd + bindparam("more_cost"),
    )
)
_sums = select(
    func.coalesce(func.sum(usage.c.turns), 0).label("turns"),
    func.coalesce(func.sum(usage.c.input_tokens), 0).label("input_tokens"),
    func.coalesce(func.sum(usage.c.output_tokens), 0).label("output_tokens"),
    func.coalesce(func.sum(usage.c.cost_micro_usd), 0).label("cost_micro_usd"),
).where(usage.c.day >= bindparam("first"), usage.c.day <= bindparam("last"))
_limits = select(policies)


async def insert_session(work: UnitOfWork, **values: Any) -> int:
    """Write a session. Returns its id."""
    return await work.insert(sessions, **values, status=SessionStatus.OPEN.value)


async def get_session(work: UnitOfWork, id: int, user_id: int, *, lock: bool = False) -> AgentSessionRow | None:
    """Return a session of this person, or None."""
    return await work.first(_session_locked if lock else _session_by_id, AgentSessionRow, session=id, person=user_id)


async def find_pushed(work: UnitOfWork, id: int) -> PushedSessionRow | None:
    """Return the owner and broker progress of a session, or None."""
    return await work.first(_any, PushedSessionRow, session=id)


async def set_pushed(work: UnitOfWork, id: int, event_id: int) -> None:
    """Record that the broker has all events up to one; never back."""
    await work.run(_pushed, session=id, last=event_id)


async def list_session_rows(
    work: UnitOfWork, user_id: int, status: str | None, *, limit: int, offset: int
) -> tuple[Sequence[AgentSessionRow], int]:
    """Return a page of a person's sessions, the latest used first, and the total."""
    listed, counted = select(sessions).where(_of_person), select(func.count()).select_from(sessions).where(_of_person)
    params: dict[str, Any] = {"person": user_id}
    if status:
        chosen = sessions.c.status == bindparam("standing")
        listed, counted, params["standing"] = listed.where(chosen), counted.where(chosen), status
    ordered = listed.order_by(sessions.c.updated_at.desc(), sessions.c.id.desc())
    page = ordered.limit(bindparam("page_size")).offset(bindparam("skipped"))
    rows = await work.all(page, AgentSessionRow, **params, page_size=limit, skipped=offset)
    return rows, await work.value(counted, **params)


async def update_session(work: UnitOfWork, id: int, **values: Any) -> None:
    """Change a session."""
    await work.run(_touch.values(**values), session=id)


async def delete_session(work: UnitOfWork, id: int) -> None:
    """Delete a session with its turns and events."""
    for table, column in ((events, events.c.agent_session_id), (turns, turns.c.agent_session_id)):
        await work.run(delete(table).where(column == bindparam("session")), session=id)
    await work.run(delete(sessions).where(sessions.c.id == bindparam("session")), session=id)


async def claim_turn(work: UnitOfWork, day: date, cap: int) -> int | None:
    """Count a turn of a day. Return the new count; None if the cap is reached.

    Comparison and count are one statement, so that no two calls take the last turn.
    """
    await work.insert_new(usage, [{"day": day, "turns": 0, "input_tokens": 0, "output_tokens": 0, "cost_micro_usd": 0}])
    if not await work.run(_wait_for_turn, on_day=day, cap=cap):
        return None
    return await work.value(_turns_of_day, on_day=day)


async def add_usage(work: UnitOfWork, day: date, *, input_tokens: int, output_tokens: int, cost_micro_usd: int) -> None:
    """Add what a turn used to its day."""
    await work.run(_add_usage, on_day=day, more_input=input_tokens, more_output=output_tokens, more_cost=cost_micro_usd)


async def sum_usage(work: UnitOfWork, first: date, last: date) -> AgentUsageRow:
    """Return the usage of a period."""
    row = await work.first(_sums, AgentUsageRow, first=first, last=last)
    assert row is not None
    return row


async def get_limits(work: UnitOfWork) -> AgentLimits:
    """Return this business's limits of the agent."""
    row = await work.first(_limits, AgentLimitsRow)
    if row is None:
        return AgentLimits()
    return AgentLimits(**{name: getattr(row, name) for name in AgentLimits.__struct_fields__})


async def save_limits(work: UnitOfWork, limits: AgentLimits) -> None:
    """Store the limits."""
    await work.upsert(policies, (), **{name: getattr(limits, name) for name in AgentLimits.__struct_fields__})


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
_turn_by_id = select(turns).where(turns.c.id == bindparam("turn"))
_turn_locked = _turn_by_id.with_for_update()
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
    """Insert the next turn of a locked session. Return its id."""
    number = 1 + await work.value(_last_number, session=session_id)
    begun = {"status": TurnStatus.QUEUED.value, "reply": "", "steps": 0}
    none = {"input_tokens": 0, "output_tokens": 0, "cost_micro_usd": 0}
    return await work.insert(turns, agent_session_id=session_id, number=number, **begun, **none, **values)


async def get_turn(work: UnitOfWork, id: int, *, lock: bool = False) -> AgentTurnRow | None:
    """Return a turn of this client, or None."""
    return await work.first(_turn_locked if lock else _turn_by_id, AgentTurnRow, turn=id)


async def has_running_turn(work: UnitOfWork, session_id: int) -> bool:
    """Return True if a turn of the session is waiting or running."""
    return await work.value(_running, session=session_id) is not None


async def get_turn_status(work: UnitOfWork, id: int) -> str | None:
    """Return the status of a turn; None where there is none."""
    return await work.value(_status, turn=id)


async def list_turn_rows(
    work: UnitOfWork, session_id: int, *, limit: int, offset: int
) -> tuple[Sequence[AgentTurnRow], int]:
    """Return a page of a session's turns, newest first, and the total."""
    page = _listed.limit(bindparam("page_size")).offset(bindparam("skipped"))
    rows = await work.all(page, AgentTurnRow, session=session_id, page_size=limit, skipped=offset)
    return rows, await work.value(_counted, session=session_id)


async def update_turn(work: UnitOfWork, id: int, **values: Any) -> None:
    """Change a turn that is locked."""
    await work.run(_change.values(**values), turn=id)


async def insert_event(work: UnitOfWork, turn: AgentTurnRow, kind: EventKind, at: datetime, **values: Any) -> int:
    """Insert a piece of a locked turn, so that ids follow the order of events."""
    of = {"agent_session_id": turn.agent_session_id, "agent_turn_id": turn.id, "user_id": turn.user_id}
    return await work.insert(events, **of, kind=kind.value, at=at, **values)


async def list_event_rows(work: UnitOfWork, session_id: int, after: int, most: int) -> Sequence[AgentEventRow]:
    """Return the events of a session after an id, in order."""
    return await work.all(_after, AgentEventRow, session=session_id, after=after, most=most)


async def list_tool_rows(work: UnitOfWork, rows: Sequence[AgentTurnRow]) -> dict[int, list[AgentEventRow]]:
    """Return tool calls and proposals by turn, in order."""
    found: dict[int, list[AgentEventRow]] = {row.id: [] for row in rows}
    if not rows:
        return found
    for event in await work.all(_of_turns, AgentEventRow, session=rows[0].agent_session_id, turns=list(found)):
        found[event.agent_turn_id].append(event)
    return found
