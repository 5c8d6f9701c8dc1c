"""Jobs on both databases, with a clock controlled by the test."""

import asyncio
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import select

from haulier.kernel import background
from haulier.kernel.background import ClaimedJob, JobHandler, PermanentJobFailure, Worker, queue
from haulier.kernel.background.worker import backoff_s
from haulier.kernel.data.unit_of_work import Database

START = datetime(2026, 6, 10, 12, tzinfo=UTC)
ROWS = select(background.job_table).order_by(background.job_table.c.id)


class Shop:
    """A database with workers that record the jobs they ran."""

    def __init__(self, database: Database) -> None:
        self.database = database
        self.now = START
        self.ran: list[Any] = []
        self.news = asyncio.Event()

    def worker(self, handlers: Mapping[str, JobHandler] | None = None, **words: Any) -> Worker:
        return Worker(self.database, handlers or {"note": self.note}, lambda: self.now, **words)

    def write_down(self, what: Any) -> None:
        self.ran.append(what)
        self.news.set()

    async def note(self, job: ClaimedJob) -> None:
        self.write_down(job.args)

    async def put(self, args: Any = "a", kind: str = "note", **words: Any) -> int:
        words.setdefault("run_at", self.now)
        async with self.database.write(None) as work:
            return await background.enqueue_job(work, kind, args, client_id=None, **words)

    async def rows(self) -> list[Any]:
        async with self.database.read(None) as work:
            return await work.all(ROWS)

    async def until(self, count: int) -> None:
        async with asyncio.timeout(60):
            while len(self.ran) < count:
                self.news.clear()
                await self.news.wait()


@pytest.fixture
def shop(database: Database) -> Shop:
    return Shop(database)


async def test_a_job_runs_once_and_is_done(shop: Shop):
    await shop.put({"x": [1]})
    assert await shop.worker().run_due() == 1
    assert await shop.worker().run_due() == 0
    (row,) = await shop.rows()
    assert (shop.ran, row.state, row.attempts, row.finished_at) == ([{"x": [1]}], "done", 1, START)


async def test_a_job_exists_only_if_its_transaction_commits(shop: Shop):
    async def fail() -> None:
        async with shop.database.write(None) as work:
            await background.enqueue_job(work, "note", {}, client_id=None, run_at=START)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        await fail()
    assert await shop.rows() == []


async def test_a_job_waits_for_its_scheduled_time(shop: Shop):
    await shop.put(run_at=START + timedelta(minutes=5))
    assert await shop.worker().run_due() == 0
    shop.now += timedelta(minutes=5)
    assert await shop.worker().run_due() == 1


async def test_a_key_creates_one_job_per_client_and_kind(shop: Shop):
    first = await shop.put(idempotency_key="k")
    assert await shop.put(idempotency_key="k") == first
    assert await shop.put(kind="other", idempotency_key="k") != first
    async with shop.database.write(7) as work:
        assert await background.enqueue_job(work, "note", {}, client_id=7, run_at=START, idempotency_key="k") != first
    assert len(await shop.rows()) == 3


async def test_a_failed_job_is_retried_later_and_finally_abandoned(shop: Shop):
    async def fail(job: ClaimedJob) -> None:
        shop.write_down(job.attempts)
        raise ValueError("no luck")

    await shop.put(max_attempts=3)
    worker = shop.worker({"note": fail})
    for attempt in (1, 2, 3):
        assert await worker.run_due() == 1
        assert await worker.run_due() == 0
        (row,) = await shop.rows()
        assert row.last_error == "ValueError: no luck"
        assert row.state == ("dead" if attempt == 3 else "ready")
        shop.now += timedelta(hours=2)
    assert await worker.run_due() == 0
    assert shop.ran == [1, 2, 3]


async def test_a_handler_that_gives_up_is_not_retried(shop: Shop):
    async def give_up(job: ClaimedJob) -> None:
        raise PermanentJobFailure("wrong number")

    await shop.put()
    await shop.worker({"note": give_up}).run_due()
    (row,) = await shop.rows()
    assert (row.state, row.attempts) == ("dead", 1)


async def test_a_worker_skips_unknown_job_kinds(shop: Shop):
    await shop.put(kind="from a newer release")
    assert await shop.worker().run_due() == 0
    (row,) = await shop.rows()
    assert (row.state, row.attempts) == ("ready", 0)


async def test_jobs_created_by_jobs_run(shop: Shop):
    async def chain(job: ClaimedJob) -> None:
        if job.args < 5:
            await shop.put(job.args + 1)

    await shop.put(0)
    assert await shop.worker({"note": chain}).run_due() == 6


async def test_jobs_of_two_lanes_in_one_transaction_wake_a_worker_that_serves_one(shop: Shop):
    worker = shop.worker(poll_s=3600, queues={"outside": 1})
    running = asyncio.create_task(worker.run())
    await shop.put("first", lane="outside")
    await shop.until(1)
    async with shop.database.write(None) as work:
        for lane in ("default", "outside"):
            await background.enqueue_job(work, "note", {"lane": lane}, client_id=None, run_at=shop.now, lane=lane)
    await shop.until(2)
    assert shop.ran == ["first", {"lane": "outside"}]
    await worker.stop()
    await running


async def test_lanes_have_separate_limits(shop: Shop):
    most: dict[str, int] = {}
    now: dict[str, int] = {}

    async def busy(job: ClaimedJob) -> None:
        now[job.lane] = now.get(job.lane, 0) + 1
        most[job.lane] = max(most.get(job.lane, 0), now[job.lane])
        await asyncio.sleep(0.01)
        now[job.lane] -= 1

    for name in ("narrow", "default", "unserved") * 6:
        await shop.put(lane=name)
    worker = shop.worker({"note": busy}, queues={"narrow": 1, "default": 4})
    assert await worker.run_due() == 12
    assert most["narrow"] == 1
    assert 1 < most["default"] <= 4
    assert {row.lane for row in await shop.rows() if row.state == "ready"} == {"unserved"}


async def test_two_workers_never_run_the_same_job(shop: Shop):
    for number in range(60):
        await shop.put(number)
    workers = [shop.worker(poll_s=0.05) for _ in range(3)]
    running = [asyncio.create_task(worker.run()) for worker in workers]
    await shop.until(60)
    await asyncio.gather(*(worker.stop() for worker in workers))
    await asyncio.gather(*running)
    assert sorted(shop.ran) == list(range(60))
    assert {row.state for row in await shop.rows()} == {"done"}


async def test_a_waiting_worker_is_woken_by_a_new_job(shop: Shop):
    worker = shop.worker(poll_s=3600)
    running = asyncio.create_task(worker.run())
    await asyncio.sleep(0.05)
    await shop.put()
    await shop.until(1)
    await worker.stop()
    await running


async def test_stopping_lets_running_jobs_finish(shop: Shop):
    release = asyncio.Event()

    async def wait(job: ClaimedJob) -> None:
        shop.write_down("started")
        await release.wait()

    await shop.put()
    # One job at a time, because a turn in progress at the stop may still claim jobs for free slots.
    worker = shop.worker({"note": wait}, poll_s=0.01, queues={"default": 1})
    running = asyncio.create_task(worker.run())
    await shop.until(1)
    stopping = asyncio.create_task(worker.stop())
    await asyncio.sleep(0)
    await shop.put("never claimed")
    await asyncio.sleep(0.02)
    assert not running.done()
    release.set()
    await asyncio.gather(stopping, running)
    assert [row.state for row in await shop.rows()] == ["done", "ready"]


async def test_jobs_that_exceed_the_grace_period_are_returned_without_counting_an_attempt(shop: Shop):
    async def for_ever(job: ClaimedJob) -> None:
        shop.write_down("started")
        await asyncio.sleep(3600)

    await shop.put()
    worker = shop.worker({"note": for_ever}, poll_s=0.01)
    running = asyncio.create_task(worker.run())
    await shop.until(1)
    await worker.stop(grace_s=0.02)
    await running
    (row,) = await shop.rows()
    assert (row.state, row.attempts, row.owner) == ("ready", 0, None)


async def test_a_worker_presumed_dead_cannot_overwrite_later_results(shop: Shop):
    await shop.put()
    zombie = queue.ClaimingWorker(me="zombie", kinds=("note",), lease=timedelta(seconds=10))
    async with shop.database.write(None) as work:
        (job,) = await queue.claim_jobs(work, zombie, shop.now, "default", 5)
    shop.now += timedelta(seconds=11)
    async with shop.database.write(None) as work:
        assert await queue.release_expired_jobs(work, shop.now) == 1
    assert await shop.worker().run_due() == 1
    async with shop.database.write(None) as work:
        assert await queue.extend_leases(work, zombie, shop.now, [job.id]) == set()
        late = queue.JobAttemptOutcome(job=job, state=background.JobState.DEAD, at=shop.now, error="late", attempts=1)
        await queue.finish_attempts(work, zombie, [late], shop.now)
    (row,) = await shop.rows()
    assert (row.state, row.attempts) == ("done", 2)


async def test_a_job_that_kills_its_workers_is_finally_abandoned(shop: Shop):
    await shop.put(max_attempts=2)
    who = queue.ClaimingWorker(me="victim", kinds=("note",), lease=timedelta(seconds=10))
    for _ in range(2):
        async with shop.database.write(None) as work:
            assert len(await queue.claim_jobs(work, who, shop.now, "default", 5)) == 1
            shop.now += timedelta(seconds=11)
            await queue.release_expired_jobs(work, shop.now)
    (row,) = await shop.rows()
    assert (row.state, row.last_error) == ("dead", "the worker stopped responding")


async def test_a_job_taken_over_by_another_worker_is_cancelled_here(shop: Shop):
    cancelled = asyncio.Event()

    async def for_ever(job: ClaimedJob) -> None:
        shop.write_down("started")
        try:
            await asyncio.sleep(3600)
        except asyncio.CancelledError:
            cancelled.set()
            raise

    await shop.put()
    worker = shop.worker({"note": for_ever}, lease_s=0.06, poll_s=3600)
    running = asyncio.create_task(worker.run())
    await shop.until(1)
    async with shop.database.write(None) as work:
        await work.run(background.job_table.update().values(owner="somebody else"))
    await asyncio.wait_for(cancelled.wait(), 60)
    await worker.stop()
    await running
    (row,) = await shop.rows()
    assert (row.state, row.owner) == ("running", "somebody else")


async def test_old_finished_jobs_are_deleted(shop: Shop):
    async def give_up(job: ClaimedJob) -> None:
        if job.args == "dead":
            raise PermanentJobFailure

    for name in ("done", "dead"):
        await shop.put(name)
    await shop.worker({"note": give_up}).run_due()
    left = []
    for days in (6, 8, 91):
        async with shop.database.write(None) as work:
            await queue.purge_finished_jobs(work, START + timedelta(days=days))
        left.append([row.state for row in await shop.rows()])
    assert left == [["done", "dead"], ["dead"], []]


async def test_progress_can_be_read(shop: Shop):
    id = await shop.put()
    async with shop.database.write(None) as work:
        await background.record_job_progress(work, id, {"done": 3, "of": 9})
    async with shop.database.read(None) as work:
        row = await background.get_job(work, id)
        assert row is not None
        assert row.progress == {"done": 3, "of": 9}
        assert await background.get_job(work, id + 1) is None


async def test_claiming_and_finishing_have_a_constant_cost(shop: Shop):
    async def counted(number: int) -> int:
        for _ in range(number):
            await shop.put()
        who = queue.ClaimingWorker(me="me", kinds=("note",), lease=timedelta(seconds=10))
        async with shop.database.write(None) as work:
            claimed = await queue.claim_jobs(work, who, shop.now, "default", 50)
            ended = [
                queue.JobAttemptOutcome(job=job, state=background.JobState.DONE, at=shop.now, attempts=1)
                for job in claimed
            ]
            await queue.finish_attempts(work, who, ended, shop.now)
            assert len(claimed) == number
            return work.statements

    assert await counted(1) == await counted(40)


@given(st.integers(1, 10_000), st.floats(-1, 1))
def test_the_retry_delay_doubles_with_jitter_up_to_an_hour(attempts: int, jitter: float):
    exact = min(0.5 * 2 ** min(attempts - 1, 99), 3600)
    assert 0.8 * exact <= backoff_s(attempts, jitter) <= 1.2 * exact
