"""What happens to jobs, as statements: claimed, extended, finished, swept, purged.

Whoever changes a running job says `owner = me` and which attempt it was, so a worker that was believed dead cannot overwrite
what another one did since.
"""

from collections.abc import Collection, Sequence
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any

from msgspec import Struct
from sqlalchemy import ColumnElement, bindparam, case, delete, func, or_, select, update

from haulier.kernel.data.statement import among
from haulier.kernel.data.work import Work
from haulier.kernel.jobs.table import IS_READY, IS_RUNNING, jobs

PURGE_BATCH = 1000
DONE_KEPT, DEAD_KEPT = timedelta(days=7), timedelta(days=90)


class State(StrEnum):
    """Where a job stands. Dead means that it will not be tried again."""

    READY = "ready"
    RUNNING = "running"
    DONE = "done"
    DEAD = "dead"


class Job(Struct, frozen=True, kw_only=True):
    """A claimed job, as its handler sees it. `attempts` counts this one."""

    id: int
    client_id: int | None
    kind: str
    args: Any
    lane: str
    attempts: int
    max_attempts: int


class Outcome(Struct, frozen=True, kw_only=True):
    """How an attempt ended: the job's next state, and when it is due when that is `ready`."""

    job: Job
    state: State
    at: datetime
    error: str | None = None
    attempts: int


def _claiming(lane: ColumnElement[bool]) -> Any:
    due = (
        select(jobs.c.id)
        .where(lane, IS_READY, jobs.c.run_at <= bindparam("now"), among(jobs.c.kind, "kinds"))
        .order_by(jobs.c.run_at)
        .limit(bindparam("room"))
        .with_for_update(skip_locked=True)
        .cte("due")
        .prefix_with("MATERIALIZED")
    )
    return (
        update(jobs)
        .where(jobs.c.id == due.c.id)
        .values(state="running", owner=bindparam("me"), lease_until=bindparam("lease"), attempts=jobs.c.attempts + 1)
        .returning(*(jobs.c[name] for name in Job.__struct_fields__))
    )


_in_lane = jobs.c.lane == bindparam("lane_name")
_elsewhere = ~among(jobs.c.lane, "lanes")
_claim_in_lane, _claim_elsewhere = _claiming(_in_lane), _claiming(_elsewhere)
_mine = (IS_RUNNING, jobs.c.owner == bindparam("me"))
_extend = (
    update(jobs).where(among(jobs.c.id, "ids"), *_mine).values(lease_until=bindparam("lease")).returning(jobs.c.id)
)
_finish = (
    update(jobs)
    .where(jobs.c.id == bindparam("job_id"), jobs.c.attempts == bindparam("attempt"), *_mine)
    .values(
        state=bindparam("next_state"),
        run_at=func.coalesce(bindparam("due_at", type_=jobs.c.run_at.type), jobs.c.run_at),
        finished_at=bindparam("ended_at"),
        last_error=func.coalesce(bindparam("error", type_=jobs.c.last_error.type), jobs.c.last_error),
        attempts=bindparam("counted"),
        lease_until=None,
        owner=None,
    )
)
_exhausted = jobs.c.attempts >= jobs.c.max_attempts
_sweep = (
    update(jobs)
    .where(IS_RUNNING, jobs.c.lease_until < bindparam("now"))
    .values(
        state=case((_exhausted, "dead"), else_="ready"),
        finished_at=case((_exhausted, bindparam("now")), else_=None),
        last_error="the worker fell silent",
        lease_until=None,
        owner=None,
    )
)
_expired = select(jobs.c.id).where(IS_RUNNING, jobs.c.lease_until < bindparam("now")).limit(1)
_old = or_(
    (jobs.c.state == "done") & (jobs.c.finished_at < bindparam("done_before")),
    (jobs.c.state == "dead") & (jobs.c.finished_at < bindparam("dead_before")),
)
_purge = delete(jobs).where(jobs.c.id.in_(select(jobs.c.id).where(_old).limit(PURGE_BATCH)))
_look = select(jobs).where(jobs.c.id == bindparam("job_id"))
_progress = update(jobs).where(jobs.c.id == bindparam("job_id")).values(progress=bindparam("document"))


class Claimant(Struct, frozen=True, kw_only=True):
    """A worker as the ledger knows it: its name, the kinds it can run, and how long it may be silent."""

    me: str
    kinds: Sequence[str]
    lease: timedelta


async def claim(work: Work, who: Claimant, now: datetime, lane: str, room: int) -> list[Job]:
    """Take up to `room` due jobs of one lane."""
    words = {"me": who.me, "kinds": who.kinds, "lease": now + who.lease, "now": now, "room": room}
    return [Job(**row._asdict()) for row in await work.all(_claim_in_lane, lane_name=lane, **words)]


async def claim_elsewhere(work: Work, who: Claimant, now: datetime, lanes: Collection[str], room: int) -> list[Job]:
    """Take up to `room` due jobs of all lanes but these."""
    words = {"me": who.me, "kinds": who.kinds, "lease": now + who.lease, "now": now, "room": room}
    return [Job(**row._asdict()) for row in await work.all(_claim_elsewhere, lanes=lanes, **words)]


async def extend(work: Work, who: Claimant, now: datetime, ids: Collection[int]) -> set[int]:
    """Go on holding these jobs. Returns those that are still ours."""
    return {row.id for row in await work.all(_extend, ids=ids, me=who.me, lease=now + who.lease)}


async def finish(work: Work, who: Claimant, outcomes: Sequence[Outcome], now: datetime) -> None:
    """Write how attempts ended; those that are no longer ours are left alone."""
    await work.run_many(
        _finish,
        [
            {
                "me": who.me,
                "job_id": outcome.job.id,
                "attempt": outcome.job.attempts,
                "next_state": outcome.state.value,
                "due_at": outcome.at if outcome.state is State.READY else None,
                "ended_at": None if outcome.state is State.READY else now,
                "error": outcome.error,
                "counted": outcome.attempts,
            }
            for outcome in outcomes
        ],
    )


async def anything_expired(work: Work, now: datetime) -> bool:
    """Whether a worker has fallen silent."""
    return await work.first(_expired, now=now) is not None


async def sweep(work: Work, now: datetime) -> int:
    """Free the jobs of workers that fell silent; those that were tried often enough die. Returns how many."""
    return await work.run(_sweep, now=now)


async def purge(work: Work, now: datetime) -> int:
    """Forget up to `PURGE_BATCH` jobs that ended long ago. Returns how many."""
    return await work.run(_purge, done_before=now - DONE_KEPT, dead_before=now - DEAD_KEPT)


async def look(work: Work, job_id: int) -> Any | None:
    """A job's row, or None."""
    return await work.first(_look, job_id=job_id)


async def note_progress(work: Work, job_id: int, document: Any) -> None:
    """Keep how far a job has come, for whoever looks."""
    await work.run(_progress, job_id=job_id, document=document)
