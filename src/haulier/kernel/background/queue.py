"""Statements on jobs: claim, extend, finish, release, purge.

Every change of a running job checks its owner and attempt, so a worker that was considered dead cannot overwrite the
progress of another.
"""

from collections.abc import Collection, Sequence
from datetime import datetime, timedelta
from typing import Any

from msgspec import Struct
from sqlalchemy import CTE, ColumnElement, FromClause, Integer, bindparam, case, delete, func, or_, select, update

from haulier.kernel.background.job_table import IS_READY, IS_RUNNING, is_ready, is_running, job_table
from haulier.kernel.data.statements import in_correlated, in_param
from haulier.kernel.data.unit_of_work import UnitOfWork
from haulier.kernel.values.job_states import JobState

PURGE_BATCH = 1000
NO_QUOTA = 2**31 - 1
FEWEST_OF_A_SHARE = 2
"""A claim considers about twice as many jobs as it has room for, and at least this many of each share."""
DONE_KEPT, DEAD_KEPT = timedelta(days=7), timedelta(days=90)


class ClaimedJob(Struct, frozen=True, kw_only=True):
    """A claimed job as passed to its handler. `attempts` includes the current one."""

    id: int
    client_id: int | None
    kind: str
    args: Any
    lane: str
    attempts: int
    max_attempts: int


class JobAttemptOutcome(Struct, frozen=True, kw_only=True):
    """Outcome of an attempt: the job's next state and, if `ready`, its due time."""

    job: ClaimedJob
    state: JobState
    at: datetime
    error: str | None = None
    attempts: int


_CLAIMED_COLUMNS = [job_table.c[name] for name in ClaimedJob.__struct_fields__]


def _in_queue(jobs: FromClause, state: ColumnElement[bool]) -> tuple[ColumnElement[bool], ...]:
    return jobs.c.lane == bindparam("lane_name"), state


def _waiting_shares() -> CTE:
    """Return the shares with waiting jobs in a lane.

    They are found by index skips, regardless of the number of jobs.
    """
    due = select(job_table.c.id).where(*_in_queue(job_table, IS_READY), job_table.c.run_at <= bindparam("now"))
    first = select(func.min(job_table.c.share).label("share")).where(*_in_queue(job_table, IS_READY), due.exists())
    shares = first.cte("waiting", recursive=True)
    further = job_table.alias("further")
    following = select(func.min(further.c.share)).where(
        *_in_queue(further, is_ready(further)), further.c.share > shares.c.share
    )
    return shares.union_all(select(following.scalar_subquery()).where(shares.c.share.is_not(None)))


def _next_jobs_statement() -> Any:
    """Return the oldest jobs of each share in turn.

    The share with the fewest running jobs comes first.
    """
    waiting = _waiting_shares()
    running, own, job = job_table.alias("running"), job_table.alias("own"), job_table.alias("candidate")
    share_count = select(func.count()).select_from(waiting).scalar_subquery()  # including a final null row
    held = (
        select(
            running.c.share,
            func.count().label("everywhere"),
            func.count().filter(running.c.owner == bindparam("me")).label("here"),
        )
        .where(*_in_queue(running, is_running(running)))
        .group_by(running.c.share)
        .cte("held")
    )
    oldest = (
        select(own.c.id)
        .where(*_in_queue(own, is_ready(own)), own.c.share == waiting.c.share, own.c.run_at <= bindparam("now"))
        .where(in_param(own.c.kind, "kinds"))
        .order_by(
            own.c.run_at
        )  # not also by id: many jobs of a day share one moment, and all of them would be read and sorted
        .limit(bindparam("most", type_=Integer()) // share_count + FEWEST_OF_A_SHARE)
        .correlate(waiting)
    )
    place = func.row_number().over(partition_by=job.c.share, order_by=(job.c.run_at, job.c.id))
    ranked = (
        select(
            *(job.c.id, job.c.run_at),
            (func.coalesce(held.c.everywhere, 0) + place).label("turn"),
            (func.coalesce(held.c.here, 0) + place).label("turn_here"),
        )
        .select_from(waiting.join(job, in_correlated(job.c.id, oldest)).outerjoin(held, held.c.share == job.c.share))
        .subquery("ranked")
    )
    return (
        select(ranked.c.id)
        .where(ranked.c.turn_here <= bindparam("quota"))
        .order_by(ranked.c.turn, ranked.c.run_at, ranked.c.id)
        .limit(bindparam("room"))
    )


_next_jobs = _next_jobs_statement()
_free = (
    select(job_table.c.id)
    # Hide the state in a function: otherwise PostgreSQL scans all waiting jobs by a partial index (578 ms for 16
    # ids).
    .where(in_param(job_table.c.id, "ids"), func.coalesce(job_table.c.state, "") == JobState.READY.value)
    .with_for_update(skip_locked=True)
    .cte("free")
    .prefix_with("MATERIALIZED")
)
_claim = (
    update(job_table)
    .where(job_table.c.id.in_(select(_free.c.id)))
    .values(state="running", owner=bindparam("me"), lease_until=bindparam("lease"), attempts=job_table.c.attempts + 1)
    .returning(*_CLAIMED_COLUMNS)
)
_still_owned = (IS_RUNNING, job_table.c.owner == bindparam("me"))
_extend = (
    update(job_table)
    .where(in_param(job_table.c.id, "ids"), *_still_owned)
    .values(lease_until=bindparam("lease"))
    .returning(job_table.c.id)
)
_finish = (
    update(job_table)
    .where(job_table.c.id == bindparam("job_id"), job_table.c.attempts == bindparam("attempt"), *_still_owned)
    .values(
        state=bindparam("next_state"),
        run_at=func.coalesce(bindparam("due_at", type_=job_table.c.run_at.type), job_table.c.run_at),
        finished_at=bindparam("ended_at"),
        last_error=func.coalesce(bindparam("error", type_=job_table.c.last_error.type), job_table.c.last_error),
        attempts=bindparam("counted"),
        lease_until=None,
        owner=None,
    )
)
_exhausted = job_table.c.attempts >= job_table.c.max_attempts
_release_expired = (
    update(job_table)
    .where(IS_RUNNING, job_table.c.lease_until < bindparam("now"))
    .values(
        state=case((_exhausted, "dead"), else_="ready"),
        finished_at=case((_exhausted, bindparam("now")), else_=None),
        last_error="the worker stopped responding",
        lease_until=None,
        owner=None,
    )
)
_expired_lease = select(job_table.c.id).where(IS_RUNNING, job_table.c.lease_until < bindparam("now")).limit(1)
_finished_long_ago = or_(
    (job_table.c.state == "done") & (job_table.c.finished_at < bindparam("done_before")),
    (job_table.c.state == "dead") & (job_table.c.finished_at < bindparam("dead_before")),
)
_purge = delete(job_table).where(
    job_table.c.id.in_(select(job_table.c.id).where(_finished_long_ago).limit(PURGE_BATCH))
)
_get_job = select(job_table).where(job_table.c.id == bindparam("job_id"))
_progress = update(job_table).where(job_table.c.id == bindparam("job_id")).values(progress=bindparam("document"))


class ClaimingWorker(Struct, frozen=True, kw_only=True):
    """A worker as known to the job table: name, job kinds and lease."""

    me: str
    kinds: Sequence[str]
    lease: timedelta


async def claim_jobs(
    work: UnitOfWork, worker: ClaimingWorker, now: datetime, lane: str, room: int, quota: int = NO_QUOTA
) -> list[ClaimedJob]:
    """Claim up to `room` due jobs of a lane, in turn between shares.

    At most `quota` jobs per share run on this worker.

    Runs two statements, whose cost grows with the number of waiting shares, not with that of their jobs. May return
    fewer jobs than available if other workers claim at the same moment.
    """
    chosen = await work.all(
        _next_jobs,
        me=worker.me,
        kinds=worker.kinds,
        now=now,
        lane_name=lane,
        room=room,
        quota=quota,
        most=2 * room,
    )
    if not chosen:
        return []
    rows = await work.all(_claim, ids=[row.id for row in chosen], me=worker.me, lease=now + worker.lease)
    return [ClaimedJob(**row._asdict()) for row in rows]


async def extend_leases(work: UnitOfWork, worker: ClaimingWorker, now: datetime, ids: Collection[int]) -> set[int]:
    """Extend the leases of jobs and return the ids that this worker still holds."""
    return {row.id for row in await work.all(_extend, ids=ids, me=worker.me, lease=now + worker.lease)}


async def finish_attempts(
    work: UnitOfWork, worker: ClaimingWorker, outcomes: Sequence[JobAttemptOutcome], now: datetime
) -> None:
    """Store the outcomes of attempts; skips jobs that this worker no longer holds."""
    await work.run_many(
        _finish,
        [
            {
                "me": worker.me,
                "job_id": outcome.job.id,
                "attempt": outcome.job.attempts,
                "next_state": outcome.state.value,
                "due_at": outcome.at if outcome.state is JobState.READY else None,
                "ended_at": None if outcome.state is JobState.READY else now,
                "error": outcome.error,
                "counted": outcome.attempts,
            }
            for outcome in outcomes
        ],
    )


async def has_expired_leases(work: UnitOfWork, now: datetime) -> bool:
    """Return True if a worker's lease has expired."""
    return await work.first(_expired_lease, now=now) is not None


async def release_expired_jobs(work: UnitOfWork, now: datetime) -> int:
    """Release the jobs of silent workers and return their number.

    Jobs without attempts left become dead.
    """
    return await work.run(_release_expired, now=now)


async def purge_finished_jobs(work: UnitOfWork, now: datetime) -> int:
    """Delete up to `PURGE_BATCH` old finished jobs and return their number."""
    return await work.run(_purge, done_before=now - DONE_KEPT, dead_before=now - DEAD_KEPT)


async def get_job(work: UnitOfWork, job_id: int) -> Any | None:
    """Return a job's row, or None."""
    return await work.first(_get_job, job_id=job_id)


async def record_job_progress(work: UnitOfWork, job_id: int, document: Any) -> None:
    """Store the progress of a job, for display."""
    await work.run(_progress, job_id=job_id, document=document)
