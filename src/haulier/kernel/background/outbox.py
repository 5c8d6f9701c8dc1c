"""Enqueueing of jobs in the caller's transaction.

A job exists if and only if its cause does.
"""

from collections.abc import Collection, Mapping
from datetime import datetime
from typing import Any

import msgspec
from sqlalchemy import bindparam, select
from sqlalchemy.dialects.postgresql import insert

from haulier.kernel.background.job_table import DEFAULT_QUEUE, JOB_CHANNEL, job_table
from haulier.kernel.data.unit_of_work import UnitOfWork

MAX_ATTEMPTS = 8
"""Default number of attempts. With delays that double from half a second, they take about a minute."""

_COLUMNS = ("client_id", "share", "kind", "args", "lane", "run_at", "max_attempts", "idempotency_key", "created_at")
_insert_once = (
    insert(job_table)
    .values(state="ready", attempts=0, **{name: bindparam(name, type_=job_table.c[name].type) for name in _COLUMNS})
    .on_conflict_do_nothing(index_elements=["idempotency_key"])
    .returning(job_table.c.id)
)
_find_by_key = select(job_table.c.id).where(job_table.c.idempotency_key == bindparam("key"))


async def enqueue_job(
    work: UnitOfWork,
    kind: str,
    args: Mapping[str, Any],
    *,
    client_id: int | None,
    run_at: datetime,
    lane: str = DEFAULT_QUEUE,
    max_attempts: int = MAX_ATTEMPTS,
    idempotency_key: str | None = None,
) -> int:
    """Enqueue a job to run at or after `run_at`, and return its id.

    With a known `idempotency_key`, returns the id of the existing job. Keys are unique within a client and kind.
    `args` is anything that msgspec encodes.
    """
    key = None if idempotency_key is None else f"{client_id or ''}/{kind}/{idempotency_key}"
    job_id = await work.value(
        _insert_once,
        client_id=client_id,
        share=client_id or 0,
        kind=kind,
        args=args,
        lane=lane,
        run_at=run_at,
        max_attempts=max_attempts,
        idempotency_key=key,
        created_at=run_at,
    )
    if job_id is None:
        return await work.value(_find_by_key, key=key)
    work.notify(JOB_CHANNEL, lane)
    return job_id


async def enqueue_jobs(
    work: UnitOfWork, kinds: Collection[str], args: Mapping[str, Any], *, client_id: int | None, run_at: datetime
) -> None:
    """Enqueue a job of each kind with the same arguments in one statement."""
    common = {
        "client_id": client_id,
        "share": client_id or 0,
        "args": msgspec.Raw(msgspec.json.encode(args)),
        "lane": DEFAULT_QUEUE,
        "state": "ready",
        "run_at": run_at,
        "attempts": 0,
        "max_attempts": MAX_ATTEMPTS,
        "created_at": run_at,
    }
    await work.insert_later(job_table, [{**common, "kind": kind} for kind in kinds])
    work.notify(JOB_CHANNEL, DEFAULT_QUEUE)
