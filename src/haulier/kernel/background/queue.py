"""The statements on jobs: claim, extend, finish, sweep, purge.

Every change of a running job names its owner and its attempt, so a worker that was believed dead cannot overwrite what another
one did since.
"""

from collections.abc import Collection, Sequence
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any

from msgspec import Struct
from sqlalchemy import ColumnElement, bindparam, case, delete, func, or_, select, update

from haulier.kernel.background.job_table import IS_READY, IS_RUNNING, job_table
from haulier.kernel.data.statements import in_param
from haulier.kernel.data.unit_of_work import UnitOfWork

PURGE_BATCH = 1000
DONE_KEPT, DEAD_KEPT = timedelta(days=7), timedelta(days=90)


class JobState(StrEnum):
    """The state of a job. Dead means that it will not be tried again."""

    READY = "ready"
    RUNNING = "running"
    DONE = "done"
    DEAD = "dead"


class ClaimedJob(Struct, frozen=True, kw_only=True):
    """A claimed job, as its handler sees it. `attempts` counts this one."""

    id: int
    client_id: int | None
    kind: str
    args: Any
    queue: str
    attempts: int
    max_attempts: int


class JobAttemptOutcome(Struct, frozen=True, kw_only=True):
    """How an attempt ended: the job's next state, and when it is due when that is `ready`."""

    job: ClaimedJob
    state: JobState
    at: datetime
    error: str | None = None
    attempts: int


_CLAIMED_COLUMNS = [
    job_table.c.lane.label("queue") if name == "queue" else job_table.c[name] for name in ClaimedJob.__struct_fields__
]


def _claim_statement(in_queue: ColumnElement[bool]) -> Any:
    due = (
        select(job_table.c.id)
        .where(in_queue, IS_READY, job_table.c.run_at <= bindparam("now"), in_param(job_table.c.kind, "kinds"))
        .order_by(job_table.c.run_at)
        .limit(bindparam("room"))
        .with_for_update(skip_locked=True)
        .cte("due")
        .prefix_with("MATERIALIZED")
    )
    return (
        update(job_table)
        .where(job_table.c.id == due.c.id)
        .values(
            state="running", owner=bindparam("me"), lease_until=bindparam("lease"), attempts=job_table.c.attempts + 1
        )
        .returning(*_CLAIMED_COLUMNS)
    )


_claim_in_queue = _claim_statement(job_table.c.lane == bindparam("queue_name"))
_claim_in_other_queues = _claim_statement(~in_param(job_table.c.lane, "queues"))
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
        last_error="the worker fell silent",
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
    """A worker as the table of jobs knows it: its name, the kinds it can run, and how long it may be silent."""

    me: str
    kinds: Sequence[str]
    lease: timedelta


async def claim_jobs(
    work: UnitOfWork, worker: ClaimingWorker, now: datetime, queue: str, room: int
) -> list[ClaimedJob]:
    """Claim up to `room` due jobs of one queue."""
    params = {"me": worker.me, "kinds": worker.kinds, "lease": now + worker.lease, "now": now, "room": room}
    return [ClaimedJob(**row._asdict()) for row in await work.all(_claim_in_queue, queue_name=queue, **params)]


async def claim_jobs_of_other_queues(
    work: UnitOfWork, worker: ClaimingWorker, now: datetime, queues: Collection[str], room: int
) -> list[ClaimedJob]:
    """Claim up to `room` due jobs of all queues but these."""
    params = {"me": worker.me, "kinds": worker.kinds, "lease": now + worker.lease, "now": now, "room": room}
    return [ClaimedJob(**row._asdict()) for row in await work.all(_claim_in_other_queues, queues=queues, **params)]


async def extend_leases(work: UnitOfWork, worker: ClaimingWorker, now: datetime, ids: Collection[int]) -> set[int]:
    """Extend the leases of these jobs. Returns those that this worker still holds."""
    return {row.id for row in await work.all(_extend, ids=ids, me=worker.me, lease=now + worker.lease)}


async def finish_attempts(
    work: UnitOfWork, worker: ClaimingWorker, outcomes: Sequence[JobAttemptOutcome], now: datetime
) -> None:
    """Write how attempts ended; jobs that this worker no longer holds are left alone."""
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
    """Whether a worker has fallen silent."""
    return await work.first(_expired_lease, now=now) is not None


async def release_expired_jobs(work: UnitOfWork, now: datetime) -> int:
    """Release the jobs of silent workers; those out of attempts become dead. Returns how many."""
    return await work.run(_release_expired, now=now)


async def purge_finished_jobs(work: UnitOfWork, now: datetime) -> int:
    """Delete up to `PURGE_BATCH` jobs that ended long ago. Returns how many."""
    return await work.run(_purge, done_before=now - DONE_KEPT, dead_before=now - DEAD_KEPT)


async def get_job(work: UnitOfWork, job_id: int) -> Any | None:
    """A job's row, or None."""
    return await work.first(_get_job, job_id=job_id)


async def record_job_progress(work: UnitOfWork, job_id: int, document: Any) -> None:
    """Store the progress of a job, for display."""
    await work.run(_progress, job_id=job_id, document=document)
