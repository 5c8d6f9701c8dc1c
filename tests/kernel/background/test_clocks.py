"""Workers on machines with wrong clocks."""

import asyncio
from collections.abc import AsyncIterator
from datetime import timedelta

import pytest
from tests.support.databases import cluster

from haulier.adapters.postgres import Postgres
from haulier.kernel.background import ClaimedJob, Worker, enqueue_job, job_table
from haulier.kernel.data.clock import DatabaseClock, local_clock

LEASE_S = 30.0
PATIENCE_S = 60


@pytest.fixture
async def machines() -> AsyncIterator[list[tuple[Postgres, DatabaseClock]]]:
    """Yield two machines on one PostgreSQL; the clock of the second is a minute ahead."""
    made = []
    for offset_s in (0.0, 60.0):
        database = Postgres(cluster().url())
        await database.open()
        made.append((database, DatabaseClock(database, local=local_clock(offset_s))))
        await made[-1][1].synchronise()
    yield made
    for database, _ in made:
        await database.close()
    cluster().sweep()


async def test_a_worker_with_a_fast_clock_takes_no_live_job_and_runs_none_early(
    machines: list[tuple[Postgres, DatabaseClock]],
) -> None:
    begun: list[int] = []
    all_begun, end = asyncio.Event(), asyncio.Event()

    async def wait(job: ClaimedJob) -> None:
        begun.append(job.args["number"])
        if len(begun) == 4:
            all_begun.set()
        await end.wait()

    (right, right_clock), (ahead, ahead_clock) = machines
    async with right.write(None) as work:
        for number in range(4):
            await enqueue_job(work, "wait", {"number": number}, client_id=None, run_at=right_clock())
    holder = Worker(right, {"wait": wait}, right_clock, lease_s=LEASE_S, poll_s=0.01)
    other = Worker(ahead, {"wait": wait}, ahead_clock, lease_s=LEASE_S, poll_s=0.01)
    running = asyncio.create_task(holder.run())
    async with asyncio.timeout(PATIENCE_S):
        await all_begun.wait()
        async with right.write(None) as work:
            later = right_clock() + timedelta(seconds=30)
            await enqueue_job(work, "wait", {"number": 9}, client_id=None, run_at=later)
        await other._extend_leases()
        await other._turn()
        async with right.read(None) as work:
            owners = {row.owner for row in await work.all(job_table.select()) if row.state == "running"}
        end.set()
        await holder.stop()
        await running
    assert owners == {holder._claiming_worker.me}
    assert sorted(begun) == [0, 1, 2, 3]
