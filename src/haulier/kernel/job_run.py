"""The argument of a job's handler."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from haulier.kernel.application import Application
from haulier.kernel.call import Call, call_as_system


@dataclass(frozen=True)
class JobRun:
    """One attempt at a job, passed to its handler.

    Each `call()` opens a separate transaction.
    """

    app: Application
    client_id: int | None
    job_id: int
    attempt: int

    @asynccontextmanager
    async def call(self) -> AsyncGenerator[Call]:
        """Open a write transaction and call for the client, with system rights."""
        async with self.app.database.write(self.client_id) as work:
            yield await call_as_system(self.app, self.client_id, work, request_id=f"job-{self.job_id}")
