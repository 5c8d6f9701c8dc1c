"""Jobs of many forms, and their rows. A row keeps what was asked only until it is its turn."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Column, ColumnElement, Index, Integer, String, bindparam, func, select, update

from haulier.kernel.data.personal_data import RecordKind, personal_data, plain_columns, retained
from haulier.kernel.data.statements import Row, in_param
from haulier.kernel.data.tables import Id, Json, UTCDateTime, tenant_table
from haulier.kernel.data.unit_of_work import UnitOfWork
from haulier.kernel.values.pagination import MAX_COUNT

jobs = tenant_table(
    "uniorder_job",
    Column("purpose", String(10), nullable=False),
    Column("total", Integer, nullable=False),
    Column("created_by", Id),
    Column("account", String(20), nullable=False),
    Column("created_at", UTCDateTime, nullable=False),
    Column("cancelled_at", UTCDateTime),
    Column("finished_at", UTCDateTime),
    Index("ix_uniorder_job_made", "client_id", "created_by", "id"),
)
plain_columns(jobs, "purpose", "account")
job_rows = tenant_table(
    "uniorder_job_row",
    Column("job_id", Id, nullable=False),
    Column("number", Integer, nullable=False),
    Column("reference", String(100)),
    Column("request", Json, nullable=False),
    Column("state", String(20), nullable=False),
    Column("uniorder_id", Id),
    Column("quote_id", Id),
    Column("fault", Json),
    Index("ix_uniorder_job_row_job", "client_id", "job_id", "number"),
)
# Why find nothing: what was asked is forgotten when it was done, and what came of it is found under the order.
personal_data(
    job_rows,
    RecordKind.ORDER_IMPORTS,
    find=lambda keys: None,
    erased={"request": {}, "fault": None},
    plain=("reference", "state"),
)
retained(
    RecordKind.ORDER_IMPORTS,
    jobs.c.finished_at,
    children=(job_rows.c.job_id,),
    default_days=90,
    minimum_days=7,
)
_job = select(jobs).where(jobs.c.id == bindparam("job"))
_locked_job = _job.with_for_update()
_counts = (
    select(job_rows.c.job_id, job_rows.c.state, func.count().label("count"))
    .where(in_param(job_rows.c.job_id, "jobs"))
    .group_by(job_rows.c.job_id, job_rows.c.state)
)
_page = (
    select(job_rows)
    .where(job_rows.c.job_id == bindparam("job"))
    .where(job_rows.c.number >= bindparam("first"), job_rows.c.number < bindparam("last"))
    .order_by(job_rows.c.number)
)
_settle_row = (
    update(job_rows)
    .where(job_rows.c.id == bindparam("row"))
    .values(
        request={},
        state=bindparam("new_state"),
        uniorder_id=bindparam("new_uniorder"),
        quote_id=bindparam("new_quote"),
        fault=bindparam("new_fault", type_=Json),
    )
)
_finish = update(jobs).where(jobs.c.id == bindparam("job")).values(finished_at=bindparam("now"))
_cancel = (
    update(jobs)
    .where(jobs.c.id == bindparam("job"))
    .values(cancelled_at=bindparam("now"), finished_at=bindparam("now"))
)
_cancel_rows = (
    update(job_rows)
    .where(job_rows.c.job_id == bindparam("job"), job_rows.c.state == "queued")
    .values(state="cancelled", request={})
)


class UniorderJobRow(Row):
    """A job."""

    id: int
    purpose: str
    total: int
    created_by: int | None
    account: str
    created_at: datetime
    cancelled_at: datetime | None
    finished_at: datetime | None


class JobItemRow(Row):
    """A form of a job, and what came of it."""

    id: int
    number: int
    reference: str | None
    request: dict[str, Any]
    state: str
    uniorder_id: int | None
    quote_id: int | None
    fault: dict[str, Any] | None


class JobStateCount(Row):
    """How many forms of a job are in a state."""

    job_id: int
    state: str
    count: int


async def insert_job(work: UnitOfWork, job: Mapping[str, Any], rows: Sequence[Mapping[str, Any]]) -> int:
    """Write a job with its rows: each a `reference`, a `request`, a `state` and a `fault`. Returns the id of the job."""
    id = await work.insert(jobs, **job)
    await work.insert_many(job_rows, [{"job_id": id, "number": number, **row} for number, row in enumerate(rows)])
    return id


async def get_job_row(work: UnitOfWork, id: int, *, lock: bool = False) -> UniorderJobRow | None:
    """A job, or None."""
    return await work.first(_locked_job if lock else _job, UniorderJobRow, job=id)


async def list_job_rows(
    work: UnitOfWork, wanted: Mapping[str, Any], *, finished: bool | None, limit: int, offset: int
) -> tuple[Sequence[UniorderJobRow], int]:
    """A page of jobs whose columns have these values, newest first, and how many there are, counted to one too many."""
    conditions: list[ColumnElement[bool]] = [jobs.c[name] == value for name, value in wanted.items()]
    if finished is not None:
        conditions.append(jobs.c.finished_at.is_not(None) if finished else jobs.c.finished_at.is_(None))
    page = select(jobs).where(*conditions).order_by(jobs.c.id.desc()).limit(limit).offset(offset)
    rows = await work.all(page, UniorderJobRow)
    counted = select(jobs.c.id).where(*conditions).limit(MAX_COUNT + 1).subquery()
    return rows, await work.value(select(func.count()).select_from(counted))


async def count_rows_by_state(work: UnitOfWork, job_ids: Collection[int]) -> dict[int, dict[str, int]]:
    """How many rows of some jobs are in which state, in one statement."""
    counts: dict[int, dict[str, int]] = {id: {} for id in job_ids}
    for row in await work.all(_counts, JobStateCount, jobs=list(job_ids)) if job_ids else []:
        counts[row.job_id][row.state] = row.count
    return counts


async def list_rows_page(work: UnitOfWork, id: int, first: int, count: int) -> list[JobItemRow]:
    """Rows by number, from `first`."""
    return await work.all(_page, JobItemRow, job=id, first=first, last=first + count)


async def settle_rows(work: UnitOfWork, outcomes: Sequence[Mapping[str, Any]]) -> None:
    """Write what came of rows, and forget what was asked."""
    await work.run_many(_settle_row, outcomes)


async def finish_job(work: UnitOfWork, id: int, now: datetime) -> None:
    """Mark a job as finished."""
    await work.run(_finish, job=id, now=now)


async def cancel_job(work: UnitOfWork, id: int, now: datetime) -> None:
    """Cancel a job and what is still queued of it."""
    await work.run(_cancel, job=id, now=now)
    await work.run(_cancel_rows, job=id)
