"""A worker in a process of its own, to be killed: `python a_worker.py <database> <folder>`.

Each job appends a line to a file named after it when it starts and when it ends; a slow one sleeps in between.
"""

import asyncio
import sys
from datetime import UTC, datetime
from pathlib import Path

from haulier.adapters.database import database_for
from haulier.kernel.background import ClaimedJob, Worker

LEASE_S = 60.0
"""Why so long: the jobs of a living worker that a busy machine holds up must not be taken for those of a dead one."""


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
        database, {"slow": slow}, lambda: datetime.now(UTC), lease_s=LEASE_S, poll_s=0.1, lanes={"default": 5}
    )
    await worker.run()


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], Path(sys.argv[2])))
