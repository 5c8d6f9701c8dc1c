"""A killed worker loses no job and repeats only those that it was running."""

import asyncio
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from sqlalchemy import func, select
from tests.kernel.background import worker_process

from haulier.kernel import background
from haulier.kernel.data.unit_of_work import Database

JOBS, SLOW_S, QUICK_S = 12, 600.0, 0.05
Start = Callable[[], Awaitable[asyncio.subprocess.Process]]
UNFINISHED = select(func.count()).select_from(background.job_table).where(background.job_table.c.state != "done")


@pytest.fixture
async def start(database_url: str, tmp_path: Path) -> AsyncIterator[Start]:
    started: list[asyncio.subprocess.Process] = []

    async def one() -> asyncio.subprocess.Process:
        process = await asyncio.create_subprocess_exec(
            sys.executable, worker_process.__file__, database_url, str(tmp_path / "notes")
        )
        started.append(process)
        return process

    (tmp_path / "notes").mkdir()
    yield one
    for process in started:
        if process.returncode is None:
            process.kill()
            await process.wait()


async def put(database: Database, numbers: range, seconds: float) -> None:
    async with database.write(None) as work:
        for number in numbers:
            args = {"number": number, "seconds": seconds}
            await background.enqueue_job(work, "slow", args, client_id=None, run_at=datetime.now(UTC))


async def until(true: Callable[[], Awaitable[bool]]) -> None:
    async with asyncio.timeout(180):
        while not await true():  # noqa: ASYNC110 - another process cannot set our events
            await asyncio.sleep(0.02)


def notes(folder: Path) -> dict[int, list[str]]:
    return {int(file.name): file.read_text().split() for file in (folder / "notes").iterdir()}


async def test_no_job_is_lost_and_only_running_ones_are_repeated(database: Database, start: Start, tmp_path: Path):
    async def all_done() -> bool:
        async with database.read(None) as work:
            return await work.value(UNFINISHED) == 0

    async def in_hand() -> bool:
        return sum(map(bool, notes(tmp_path).values())) >= 4  # a file is there before its first line is

    await put(database, range(4), SLOW_S)  # as many as a worker runs at once
    doomed = await start()
    await until(in_hand)
    doomed.kill()
    await doomed.wait()
    assert notes(tmp_path) == {number: ["start"] for number in range(4)}

    over = datetime.now(UTC) - timedelta(seconds=1)
    async with database.write(None) as work:  # its leases are over, and the second attempt need not last as long
        for number in range(4):
            quick = {"number": number, "seconds": QUICK_S}
            await work.run(
                background.job_table.update()
                .where(background.job_table.c.id == number + 1)
                .values(args=quick, lease_until=over)
            )
    await put(database, range(4, JOBS), QUICK_S)
    await asyncio.gather(start(), start())
    await until(all_done)
    repeated = {number: ["start", "start", "end"] for number in range(4)}
    assert notes(tmp_path) == repeated | {number: ["start", "end"] for number in range(4, JOBS)}
