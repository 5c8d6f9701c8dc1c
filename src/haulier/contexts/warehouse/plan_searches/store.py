"""The tables of plan searches and of the steps by which their plans got better."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Annotated, Any

from sqlalchemy import BigInteger, Boolean, Column, Index, Integer, Select, String, bindparam, func, select, update

from haulier.kernel.background import job_table
from haulier.kernel.data.personal_data import RecordKind, plain_columns, retained
from haulier.kernel.data.records import Record, Reference
from haulier.kernel.data.statements import Row
from haulier.kernel.data.tables import VOLATILE, Id, Json, UTCDateTime, tenant_table
from haulier.kernel.data.unit_of_work import UnitOfWork

plan_searches = tenant_table(
    "plan_search",
    Column("kind", String(10), nullable=False),
    Column("state", String(12), nullable=False),
    Column("request", Json, nullable=False),
    Column("problem", Json, nullable=False),
    Column("codes", Json, nullable=False),
    Column("input_hash", String(64), nullable=False),
    Column("pieces", Integer, nullable=False),
    Column("seconds", Integer, nullable=False),
    Column("steps", Integer),
    Column("seed", Integer, nullable=False),
    Column("plan", Json),
    Column("score", Json),
    Column("steps_done", BigInteger, nullable=False),
    Column("improvements", Integer, nullable=False),
    Column("cut_short", Boolean, nullable=False),
    Column("attempt", Integer, nullable=False),
    Column("job_id", Id, info=VOLATILE),
    Column("fault", String(40)),
    Column("created_at", UTCDateTime, nullable=False),
    Column("created_by", Id),
    Column("started_at", UTCDateTime),
    Column("updated_at", UTCDateTime, nullable=False),
    Column("finished_at", UTCDateTime),
    Index("ix_plan_search_kind", "client_id", "kind", "id"),
    Index("ix_plan_search_state", "client_id", "state", "id"),
)
"""`request` is what was asked, `problem` and `plan` are the solver's own documents, `codes` names its cartons or spaces."""


class SearchStepRow(
    Record,
    table="plan_search_step",
    items=[Index("ix_plan_search_step_search", "client_id", "plan_search_id", "number")],
):
    """A step by which a plan got better."""

    plan_search_id: Reference
    number: int
    at: datetime
    state: Annotated[str, String(12)]
    score: dict[str, Any] | None


plan_search_steps = SearchStepRow.table
plain_columns(plan_searches, "kind", "state", "request", "problem", "codes", "input_hash", "plan", "score", "fault")
plain_columns(plan_search_steps, "state", "score")
retained(
    RecordKind.PLAN_SEARCHES,
    plan_searches.c.created_at,
    children=(plan_search_steps.c.plan_search_id,),
    default_days=30,
)


class SearchHeadRow(Row):
    """A search without its question and plan, with the state of its job."""

    id: int
    kind: str
    state: str
    pieces: int
    seconds: int
    steps: int | None
    seed: int
    score: dict[str, Any] | None
    steps_done: int
    improvements: int
    cut_short: bool
    attempt: int
    job_id: int | None
    fault: str | None
    created_at: datetime
    created_by: int | None
    started_at: datetime | None
    updated_at: datetime
    finished_at: datetime | None
    job_state: str | None


class SearchRow(SearchHeadRow):
    """A search."""

    request: dict[str, Any]
    problem: dict[str, Any]
    codes: dict[str, str]
    input_hash: str
    plan: dict[str, Any] | None


_WIDE = ("request", "problem", "codes", "input_hash", "plan")
_job_state = job_table.c.state.label("job_state")
_joined = plan_searches.outerjoin(job_table, job_table.c.id == plan_searches.c.job_id)
_search = select(plan_searches, _job_state).select_from(_joined).where(plan_searches.c.id == bindparam("plan_search"))
_locked = select(plan_searches.c.id).where(plan_searches.c.id == bindparam("plan_search")).with_for_update()
_state = select(plan_searches.c.state).where(plan_searches.c.id == bindparam("plan_search"))
_listed = select(*(column for column in plan_searches.c if column.name not in _WIDE), _job_state).select_from(_joined)
_counted = select(func.count()).select_from(plan_searches)
_FILTERS = {
    "of_kind": plan_searches.c.kind == bindparam("of_kind"),
    "standing": plan_searches.c.state == bindparam("standing"),
}
_running = update(plan_searches).where(
    plan_searches.c.id == bindparam("plan_search"),
    plan_searches.c.state == "running",
    plan_searches.c.attempt == bindparam("this_attempt"),
)
_steps = (
    select(plan_search_steps)
    .where(
        plan_search_steps.c.plan_search_id == bindparam("plan_search"), plan_search_steps.c.number > bindparam("after")
    )
    .order_by(plan_search_steps.c.number)
    .limit(bindparam("most"))
)


async def insert_search(work: UnitOfWork, **values: Any) -> int:
    """Write a search. Returns the id."""
    return await work.insert(
        plan_searches, attempt=0, steps_done=0, improvements=0, cut_short=False, state="queued", **values
    )


async def update_search(work: UnitOfWork, plan_search_id: int, **values: Any) -> None:
    """Change columns of a search."""
    changed = update(plan_searches).where(plan_searches.c.id == bindparam("plan_search")).values(**values)
    await work.run(changed, plan_search=plan_search_id)


async def update_running(work: UnitOfWork, plan_search_id: int, attempt: int, **values: Any) -> bool:
    """Update a search while this attempt runs. Return False if it no longer does."""
    return bool(await work.run(_running.values(**values), plan_search=plan_search_id, this_attempt=attempt))


async def get_search(work: UnitOfWork, plan_search_id: int, *, lock: bool = False) -> SearchRow | None:
    """Return a search of this client with the state of its job, or None."""
    if lock:
        await work.all(_locked, plan_search=plan_search_id)
    return await work.first(_search, SearchRow, plan_search=plan_search_id)


async def get_search_state(work: UnitOfWork, plan_search_id: int) -> str | None:
    """Return the state of a search."""
    return await work.value(_state, plan_search=plan_search_id)


async def list_searches(
    work: UnitOfWork, filters: Mapping[str, Any], *, limit: int, offset: int
) -> tuple[Sequence[SearchHeadRow], int]:
    """Return a page of searches, newest first, without requests and plans.

    Filters: the keys of `_FILTERS`.
    """
    page = _filtered(_listed, filters).order_by(plan_searches.c.id.desc())
    page = page.limit(bindparam("page_size")).offset(bindparam("skipped"))
    rows = await work.all(page, SearchHeadRow, **filters, page_size=limit, skipped=offset)
    return rows, await work.value(_filtered(_counted, filters), **filters)


async def list_steps(work: UnitOfWork, plan_search_id: int, after: int, most: int) -> Sequence[SearchStepRow]:
    """Return the steps of a search after a number, in order."""
    return await work.all(_steps, SearchStepRow, plan_search=plan_search_id, after=after, most=most)


def _filtered(statement: Select[Any], filters: Mapping[str, Any]) -> Select[Any]:
    return statement.where(*(_FILTERS[name] for name in filters))
