"""The worker: claims and runs jobs.

In each turn it stores outcomes and claims due jobs in one transaction, then waits to be woken.
"""

import asyncio
import logging
import os
import random
import secrets
import socket
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from datetime import datetime, timedelta

from prometheus_client import Counter as Metric
from prometheus_client import Histogram

from haulier.kernel.background import queue
from haulier.kernel.background.job_table import DEFAULT_QUEUE, JOB_CHANNEL
from haulier.kernel.background.queue import ClaimedJob, ClaimingWorker, JobAttemptOutcome, JobState
from haulier.kernel.data.unit_of_work import Database, UnitOfWork

JobHandler = Callable[[ClaimedJob], Awaitable[None]]

LEASE_S = 30.0
"""Seconds of silence after which other workers take over a worker's jobs."""
POLL_S = 0.5
"""Seconds between two polls for due jobs. Polling is needed for jobs that become due later and for lost notices."""
ERROR_PAUSE_S = 1.0
"""Seconds to wait after a database error."""
PURGE_EVERY_S = 600.0
FIRST_DELAY_S, LONGEST_DELAY_S = 0.5, 3600.0
"""Delays after the first failed attempt, and the longest one."""
ERROR_CHARACTERS = 2000
"""Maximum length of an error that is stored with its job."""
QUEUES: Mapping[str, int] = {DEFAULT_QUEUE: 16}
KEPT_FREE = 4
"""Fraction of a lane's slots (one of 4) that stays free for other clients when one client holds the rest."""
log = logging.getLogger("haulier.jobs")
run_log = logging.getLogger("haulier.job")
"""One line for each attempt; in console logs only failures are shown."""
_ATTEMPTS = Metric("haulier_job_attempts_total", "Attempts at background jobs", ("kind", "outcome"))
_SECONDS = Histogram(
    "haulier_job_seconds",
    "Duration of attempts at background jobs in seconds",
    ("lane",),
    buckets=(0.01, 0.05, 0.1, 0.5, 1, 5, 10, 60, 300, 1800),
)


def _record_attempt(job: ClaimedJob, attempt: JobAttemptOutcome | None, seconds: float) -> None:
    """Count and log an attempt.

    Its outcome is the next state, `failed` for a retry, or `released`.
    """
    if attempt is None or attempt.attempts < job.attempts:
        outcome = "released"
    else:
        outcome = "failed" if attempt.state is JobState.READY else attempt.state.value
    _ATTEMPTS.labels(job.kind, outcome).inc()
    _SECONDS.labels(job.lane).observe(seconds)
    facts = {"job": job.id, "lane": job.lane, "client": job.client_id, "attempt": job.attempts, "outcome": outcome}
    run_log.info("%s", job.kind, extra={**facts, "ms": round(seconds * 1000)})


class PermanentJobFailure(Exception):
    """Raised by a handler if a retry is pointless: the job becomes dead immediately."""


def backoff_s(attempts: int, jitter: float) -> float:
    """Return the delay after failed attempts.

    It doubles with each attempt and varies by ±20 % with a `jitter` between -1 and 1.
    """
    return min(FIRST_DELAY_S * 2.0 ** min(attempts - 1, 20), LONGEST_DELAY_S) * (1 + 0.2 * jitter)


def share_quota(slots: int) -> int:
    """Return how many slots of a lane one client may hold on a worker.

    A lane of one slot reserves none.
    """
    return slots if slots < 2 else slots - max(1, slots // KEPT_FREE)


def make_worker_name() -> str:
    """Return a unique name for a worker."""
    return f"{socket.gethostname()[:60]}:{os.getpid()}:{secrets.token_hex(4)}"


class Worker:
    """Runs the jobs that it has handlers for, in the lanes that it serves.

    `queues` gives the number of parallel jobs by lane. Jobs of other lanes are left to other workers, and so are all
    jobs while `may_claim` returns False.
    """

    def __init__(
        self,
        database: Database,
        handlers: Mapping[str, JobHandler],
        clock: Callable[[], datetime],
        *,
        queues: Mapping[str, int] = QUEUES,
        owner: str | None = None,
        lease_s: float = LEASE_S,
        poll_s: float = POLL_S,
        may_claim: Callable[[], bool] = lambda: True,
    ) -> None:
        self._database = database
        self._handlers = handlers
        self._clock = clock
        self._queues = dict(queues)
        self._claiming_worker = ClaimingWorker(
            me=owner or make_worker_name(), kinds=tuple(handlers), lease=timedelta(seconds=lease_s)
        )
        self._lease_s = lease_s
        self._poll_s = poll_s
        self._may_claim = may_claim
        self._wake = asyncio.Event()
        self._turn_lock = asyncio.Lock()
        self._running: dict[int, tuple[ClaimedJob, asyncio.Task[None]]] = {}
        self._ended: list[JobAttemptOutcome] = []
        self._stopping = False
        self._grace_is_over = False
        self.last_turn_s = time.monotonic()
        """Time of the last turn that used the database, for health checks."""

    async def run(self) -> None:
        """Run jobs until `stop`. Waits while the database is unavailable."""
        unlisten = [
            await self._database.listen(JOB_CHANNEL, self._on_notice, queue_name) for queue_name in self._queues
        ]
        lease_task = asyncio.create_task(self._maintain_leases(), name="job-leases")
        try:
            while not self._finished:
                self._wake.clear()
                if not await self._log_errors(self._turn) and self._grace_is_over:
                    break
                if not self._finished:
                    await self._wait_for_wake()
        finally:
            for end in unlisten:
                end()
            lease_task.cancel()
            await asyncio.gather(lease_task, return_exceptions=True)

    def _on_notice(self, _queues: str) -> None:
        """Wake up for a lane that is served here, whatever else the notice names."""
        self._wake.set()

    @property
    def _finished(self) -> bool:
        return self._stopping and not self._running and not self._ended

    async def _wait_for_wake(self) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(self._poll_s):
                await self._wake.wait()

    async def stop(self, grace_s: float = 30.0) -> None:
        """Stop claiming and let running jobs finish for `grace_s`.

        The rest is released without counting an attempt.
        """
        self._stopping = True
        self._wake.set()
        with suppress(TimeoutError):
            async with asyncio.timeout(grace_s):
                async with self._turn_lock:  # the current turn may still claim jobs
                    tasks = [task for _, task in self._running.values()]
                if tasks:
                    await asyncio.wait(tasks)
        self._grace_is_over = True
        for _, task in self._running.values():
            task.cancel()
        self._wake.set()

    async def run_due(self) -> int:
        """Run all due jobs and those that they enqueue, and return the number of attempts."""
        count = 0
        while True:
            await self._turn()
            if not self._running:
                return count
            count += len(self._running)
            await asyncio.wait([task for _, task in self._running.values()])

    async def _turn(self) -> None:
        async with self._turn_lock:
            await self._write_and_claim()
        self.last_turn_s = time.monotonic()

    async def _write_and_claim(self) -> None:
        """Store outcomes and claim jobs for the free slots in one transaction."""
        now = self._clock()
        room = self._free_slots() if self._may_claim() and not self._stopping else {}
        if not room and not self._ended:
            return
        ended, self._ended = self._ended, []
        try:
            async with self._database.write(None) as work:
                await queue.finish_attempts(work, self._claiming_worker, ended, now)
                claimed = await self._claim(work, room, now)
        except BaseException:
            self._ended = ended + self._ended
            raise
        if self._grace_is_over:
            return
        for job in claimed:
            self._running[job.id] = job, asyncio.create_task(self._attempt(job), name=f"job-{job.id}")

    def _free_slots(self) -> dict[str, int]:
        """Return the number of free slots by lane, omitting full lanes."""
        busy = Counter(job.lane for job, _ in self._running.values())
        free = {name: limit - busy[name] for name, limit in self._queues.items()}
        return {name: room for name, room in free.items() if room > 0}

    async def _claim(self, work: UnitOfWork, room: Mapping[str, int], now: datetime) -> list[ClaimedJob]:
        claimed: list[ClaimedJob] = []
        for queue_name, free in room.items():
            quota = share_quota(self._queues[queue_name])
            claimed += await queue.claim_jobs(work, self._claiming_worker, now, queue_name, free, quota)
        return claimed

    async def _attempt(self, job: ClaimedJob) -> None:
        began = time.monotonic()
        attempt = await self._run_handler(job)
        del self._running[job.id]
        _record_attempt(job, attempt, time.monotonic() - began)
        if attempt:
            self._ended.append(attempt)
        self._wake.set()

    async def _run_handler(self, job: ClaimedJob) -> JobAttemptOutcome | None:
        """Run the handler.

        Returns None if another worker took over the job, which then finishes it.
        """
        try:
            await self._handlers[job.kind](job)
        except asyncio.CancelledError:
            if not self._grace_is_over:
                return None
            return JobAttemptOutcome(job=job, state=JobState.READY, at=self._clock(), attempts=job.attempts - 1)
        except Exception as error:
            return self._failed(job, error)
        return JobAttemptOutcome(job=job, state=JobState.DONE, at=self._clock(), attempts=job.attempts)

    def _failed(self, job: ClaimedJob, error: Exception) -> JobAttemptOutcome:
        is_final = isinstance(error, PermanentJobFailure) or job.attempts >= job.max_attempts
        log.log(
            logging.ERROR if is_final else logging.WARNING,
            "job %d (%s) failed in attempt %d of %d",
            *(job.id, job.kind, job.attempts, job.max_attempts),
            exc_info=error,
        )
        delay = timedelta(seconds=backoff_s(job.attempts, random.uniform(-1, 1)))
        return JobAttemptOutcome(
            job=job,
            state=JobState.DEAD if is_final else JobState.READY,
            at=self._clock() + delay,
            error=f"{type(error).__name__}: {error}"[:ERROR_CHARACTERS],
            attempts=job.attempts,
        )

    async def _maintain_leases(self) -> None:
        """Extend leases, release the jobs of silent workers, and delete old finished jobs."""
        loop = asyncio.get_running_loop()
        purge_at = loop.time()
        while True:
            await self._log_errors(self._extend_leases)
            if loop.time() >= purge_at and await self._log_errors(self._purge):
                purge_at = loop.time() + PURGE_EVERY_S
            await asyncio.sleep(self._lease_s / 3)

    async def _extend_leases(self) -> None:
        now, held = self._clock(), set(self._running)
        if held:
            async with self._database.write(None) as work:
                still_held = await queue.extend_leases(work, self._claiming_worker, now, held)
            for lost in held - still_held:
                if lost in self._running:
                    self._running[lost][1].cancel()
        async with self._database.read(None) as work:
            expired = await queue.has_expired_leases(work, now)
        if expired:
            async with self._database.write(None) as work:
                await queue.release_expired_jobs(work, now)
            self._wake.set()

    async def _purge(self) -> None:
        while True:
            async with self._database.write(None) as work:
                if await queue.purge_finished_jobs(work, self._clock()) < queue.PURGE_BATCH:
                    return

    async def _log_errors(self, step: Callable[[], Awaitable[None]]) -> bool:
        """Run a step and log its errors. Returns True if it succeeded."""
        try:
            await step()
        except Exception:
            log.exception("the worker cannot use its database")
            await asyncio.sleep(ERROR_PAUSE_S)
            return False
        return True
