"""Running an errand: what the handler of a job gets."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from haulier.kernel.application import Application
from haulier.kernel.call import Call
from haulier.kernel.principal import system_principal


@dataclass(frozen=True)
class JobRun:
    """One attempt at an errand: what its handler gets. Each `call()` is a transaction of its own."""

    app: Application
    client_id: int | None
    job_id: int
    attempt: int

    @asynccontextmanager
    async def call(self) -> AsyncGenerator[Call]:
        """A call in a write transaction, on behalf of the client, with the rights of the house itself."""
        async with self.app.database.write(self.client_id) as work:
            business = await self.app.identity.business(work, self.client_id) if self.client_id else None
            yield Call(
                app=self.app,
                principal=system_principal(business),
                work=work,
                now=self.app.clock(),
                language="en",
                request_id=f"job-{self.job_id}",
            )
