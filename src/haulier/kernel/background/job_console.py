"""Jobs for operators: list, show, retry and cancel."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import (
    ColumnElement,
    String,
    and_,
    bindparam,
    func,
    literal_column,
    select,
    union_all,
    update,
)

from haulier.kernel.background.job_table import JOB_CHANNEL, job_table
from haulier.kernel.background.queue import JobState
from haulier.kernel.data.statements import Row
from haulier.kernel.data.unit_of_work import UnitOfWork

CANCELLED = "cancelled by the operator"


class JobRow(Row):
    """A job as operators see it.

    The arguments are left out, because they hold personal data.
    """

    id: int
    client_id: int | None
    kind: str
    lane: str
    state: str
    run_at: datetime
    attempts: int
    max_attempts: int
    owner: str | None
    last_error: str | None
    created_at: datetime
    finished_at: datetime | None


class JobCount(Row):
    """The number of jobs of a kind in a state, and the due time of the oldest."""

    lane: str
    kind: str
    state: str
    jobs: int
    oldest: datetime


_COLUMNS = ("id", "client_id", "kind", "lane", "state", "run_at", "attempts", "max_attempts", "owner", "last_error")
_listed = [job_table.c[name] for name in (*_COLUMNS, "created_at", "finished_at")]
_one = select(*_listed).where(job_table.c.id == bindparam("job"))


def _count_of(state: JobState) -> Any:
    """Return the count of a state; the literal lets planners use its partial index."""
    condition = job_table.c.state == literal_column(f"'{state.value}'")
    named = literal_column(f"'{state.value}'", String).label("state")
    columns = (job_table.c.lane, job_table.c.kind, named)
    figures = (func.count().label("jobs"), func.min(job_table.c.run_at).label("oldest"))
    return select(*columns, *figures).where(condition).group_by(job_table.c.lane, job_table.c.kind)


_counts = union_all(*map(_count_of, (JobState.READY, JobState.RUNNING, JobState.DEAD)))
_retry = (
    update(job_table)
    .where(job_table.c.id == bindparam("job"), job_table.c.state == JobState.DEAD.value)
    .values(state=JobState.READY.value, run_at=bindparam("now"), attempts=0, finished_at=None)
    .returning(job_table.c.lane)
)
_cancel = (
    update(job_table)
    .where(job_table.c.id == bindparam("job"), job_table.c.state == JobState.READY.value)
    .values(state=JobState.DEAD.value, finished_at=bindparam("now"), last_error=CANCELLED)
)


async def list_jobs(
    work: UnitOfWork, *, state: JobState | None, kind: str | None, lane: str | None, limit: int
) -> Sequence[JobRow]:
    """Return jobs, newest first."""
    wanted = {"state": state and state.value, "kind": kind, "lane": lane}
    given = {name: value for name, value in wanted.items() if value is not None}
    conditions: list[ColumnElement[bool]] = [job_table.c[name] == bindparam(f"wanted_{name}") for name in given]
    statement = select(*_listed).order_by(job_table.c.id.desc()).limit(bindparam("most"))
    values: dict[str, Any] = {f"wanted_{name}": value for name, value in given.items()}
    return await work.all(statement.where(and_(*conditions)) if conditions else statement, JobRow, most=limit, **values)


async def find_job(work: UnitOfWork, job_id: int) -> JobRow | None:
    """Return a job, or None."""
    return await work.first(_one, JobRow, job=job_id)


async def count_jobs(work: UnitOfWork) -> Sequence[JobCount]:
    """Return the number of unfinished and dead jobs by lane, kind and state."""
    return await work.all(_counts, JobCount)


async def retry_job(work: UnitOfWork, job_id: int, now: datetime) -> bool:
    """Run a dead job again, with all its attempts. Return False for any other job."""
    lane = await work.value(_retry, job=job_id, now=now)
    if lane is not None:
        work.notify(JOB_CHANNEL, lane)
    return lane is not None


async def cancel_job(work: UnitOfWork, job_id: int, now: datetime) -> bool:
    """Cancel a waiting job: it becomes dead. Return False for any other job."""
    return await work.run(_cancel, job=job_id, now=now) > 0
