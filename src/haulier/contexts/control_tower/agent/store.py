"""Sessions, and what a business lets its agent spend."""

from collections.abc import Sequence
from datetime import date, datetime
from typing import Any

from sqlalchemy import bindparam, delete, func, or_, select, update

from haulier.contexts.control_tower.agent.rules.lifecycle import SessionStatus
from haulier.contexts.control_tower.agent.rules.limits import AgentLimits
from haulier.contexts.control_tower.agent.store.tables import events, policies, sessions, turns, usage
from haulier.kernel.data.statements import Row
from haulier.kernel.data.unit_of_work import UnitOfWork


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
    """How far the broker has a conversation."""

    id: int
    user_id: int
    pushed_up_to: int | None


class AgentUsageRow(Row):
    """What was used in one day, or several."""

    turns: int
    input_tokens: int
    output_tokens: int
    cost_micro_usd: int


class AgentLimitsRow(Row):
    """What a business chose."""

    daily_turns: int
    max_steps: int
    max_tokens: int
    max_seconds: int
    max_cost_micro_usd: int
    shows_prices: bool


_one = select(sessions).where(sessions.c.id == bindparam("session"), sessions.c.user_id == bindparam("person"))
_locked = _one.with_for_update()
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
_take_turn = (
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
    """A session of this person, or None."""
    return await work.first(_locked if lock else _one, AgentSessionRow, session=id, person=user_id)


async def find_pushed(work: UnitOfWork, id: int) -> PushedSessionRow | None:
    """Whose a session is and how far the broker has it, for the job that pushes; None where there is none."""
    return await work.first(_any, PushedSessionRow, session=id)


async def note_pushed(work: UnitOfWork, id: int, event_id: int) -> None:
    """Note that the broker has everything up to an event; never back."""
    await work.run(_pushed, session=id, last=event_id)


async def list_session_rows(
    work: UnitOfWork, user_id: int, status: str | None, *, limit: int, offset: int
) -> tuple[Sequence[AgentSessionRow], int]:
    """A page of a person's sessions, the latest used first, and how many there are."""
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


async def take_turn(work: UnitOfWork, day: date, cap: int) -> int | None:
    """Count one more turn of a day, and give how many that makes; None where the cap is reached.

    The comparison and the count are one statement, so that no two take the last turn.
    """
    await work.insert_new(usage, [{"day": day, "turns": 0, "input_tokens": 0, "output_tokens": 0, "cost_micro_usd": 0}])
    if not await work.run(_take_turn, on_day=day, cap=cap):
        return None
    return await work.value(_turns_of_day, on_day=day)


async def add_usage(work: UnitOfWork, day: date, *, input_tokens: int, output_tokens: int, cost_micro_usd: int) -> None:
    """Add what a turn used to its day."""
    await work.run(_add_usage, on_day=day, more_input=input_tokens, more_output=output_tokens, more_cost=cost_micro_usd)


async def sum_usage(work: UnitOfWork, first: date, last: date) -> AgentUsageRow:
    """What was used from one day to another."""
    row = await work.first(_sums, AgentUsageRow, first=first, last=last)
    assert row is not None
    return row


async def get_limits(work: UnitOfWork) -> AgentLimits:
    """What this business lets its agent spend."""
    row = await work.first(_limits, AgentLimitsRow)
    if row is None:
        return AgentLimits()
    return AgentLimits(**{name: getattr(row, name) for name in AgentLimits.__struct_fields__})


async def save_limits(work: UnitOfWork, limits: AgentLimits) -> None:
    """Write them."""
    await work.upsert(policies, (), **{name: getattr(limits, name) for name in AgentLimits.__struct_fields__})
