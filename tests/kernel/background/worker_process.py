"""A worker process to be killed: `python worker_process.py <database> <folder>`.

Each job appends a line to a file with its name when it starts and ends; slow jobs sleep in between.
"""

import asyncio
import sys
from datetime import UTC, datetime
from pathlib import Path

from haulier.adapters.database import database_for
from haulier.kernel.background import ClaimedJob, Worker

LEASE_S = 60.0
"""Long enough that jobs of a slow but living worker are not released."""


def note(folder: Path, job: ClaimedJob, word: str) -> None:
    with (folder / f"{job.args['number']}").open("a") as file:
        file.write(f"{word}\n")


async def main(url: str, folder: Path) -> None:
    async def slow(job: ClaimedJob) -> None:
        note(folder, job, "start")
        await asyncio.sleep(job.args["seconds"])
        note(folder, job, "end")

    database = database_for(url)
    await database.open()
    worker = Worker(
        database, {"slow": slow}, lambda: datetime.now(UTC), lease_s=LEASE_S, poll_s=0.1, queues={"default": 5}
    )
    await worker.run()


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], Path(sys.argv[2])))
