"""Clients take turns, so that one client's bulk jobs do not delay others."""

import asyncio
from collections import Counter
from datetime import UTC, datetime, timedelta

import pytest

from haulier.kernel import background
from haulier.kernel.background import ClaimedJob, Worker, queue
from haulier.kernel.background.worker import share_quota
from haulier.kernel.data.unit_of_work import Database, UnitOfWork

START = datetime(2026, 6, 10, 12, tzinfo=UTC)
BIG, SMALL, OTHER = 1, 2, 3
WORKER = queue.ClaimingWorker(me="me", kinds=("label",), lease=timedelta(seconds=30))


async def put(work: UnitOfWork, client: int | None, count: int = 1, *, minute: int = 0) -> None:
    for number in range(count):
        at = START + timedelta(minutes=minute, milliseconds=number)
        await background.enqueue_job(work, "label", number, client_id=client, run_at=at)


async def claim(
    database: Database, room: int, *, who: queue.ClaimingWorker = WORKER, quota: int = queue.NO_QUOTA
) -> list[int | None]:
    async with database.write(None) as work:
        now = START + timedelta(hours=1)
        return [job.client_id for job in await queue.claim_jobs(work, who, now, "default", room, quota)]


async def test_a_label_is_claimed_before_the_bulk_jobs_of_another_client(database: Database) -> None:
    async with database.write(None) as work:
        await put(work, BIG, 300)
        await put(work, SMALL, 2, minute=30)
        await put(work, None, minute=40)
    assert Counter(await claim(database, 6)) == {BIG: 3, SMALL: 2, None: 1}
    assert await claim(database, 4) == [BIG] * 4


async def test_the_client_with_the_most_running_jobs_is_served_last(database: Database) -> None:
    other = queue.ClaimingWorker(me="other", kinds=("label",), lease=timedelta(seconds=30))
    async with database.write(None) as work:
        await put(work, BIG, 50)
    await claim(database, 10, who=other)
    async with database.write(None) as work:
        await put(work, SMALL, 5, minute=1)
        await put(work, OTHER, 5, minute=1)
    assert Counter(await claim(database, 10)) == {SMALL: 5, OTHER: 5}


async def test_no_client_can_use_every_slot_of_a_worker(database: Database) -> None:
    async with database.write(None) as work:
        await put(work, BIG, 50)
    assert len(await claim(database, 8, quota=6)) == 6
    assert await claim(database, 2, quota=6) == []
    async with database.write(None) as work:
        await put(work, SMALL)
    assert await claim(database, 2, quota=6) == [SMALL]


def test_a_lane_with_one_slot_serves_everyone_and_wider_ones_reserve_a_quarter() -> None:
    assert [share_quota(slots) for slots in (1, 2, 4, 16, 32)] == [1, 1, 3, 12, 24]


async def test_a_label_runs_while_another_clients_bulk_jobs_hang(database: Database) -> None:
    """Fill every slot that the big client may have with a job that does not end."""
    labelled, release = asyncio.Event(), asyncio.Event()
    held: list[int] = []

    async def label(job: ClaimedJob) -> None:
        if job.client_id == SMALL:
            labelled.set()
        else:
            held.append(job.id)
            await release.wait()

    async with database.write(None) as work:
        await put(work, BIG, 200)
    worker = Worker(database, {"label": label}, lambda: START + timedelta(hours=1), poll_s=3600)
    running = asyncio.create_task(worker.run())
    async with asyncio.timeout(60):
        while len(held) < share_quota(16):  # noqa: ASYNC110 - the worker starts them one by one
            await asyncio.sleep(0.01)
        async with database.write(None) as work:
            await put(work, SMALL)
        await labelled.wait()
    assert len(held) == share_quota(16)
    await worker.stop(grace_s=0)
    await running


@pytest.mark.parametrize("clients", [1, 12])
async def test_claiming_takes_two_statements_for_any_number_of_jobs(database: Database, clients: int) -> None:
    async with database.write(None) as work:
        for client in range(1, clients + 1):
            await put(work, client, 20)
    async with database.write(None) as work:
        claimed = await queue.claim_jobs(work, WORKER, START + timedelta(hours=1), "default", 12)
        assert (len(claimed), work.statements) == (12, 2)
    assert set(Counter(job.client_id for job in claimed).values()) == {12 // clients}
