"""Running an errand: what the handler of a job gets."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from haulier.kernel.call import Call
from haulier.kernel.house import House
from haulier.kernel.principal import the_house_itself


@dataclass(frozen=True)
class Run:
    """One attempt at an errand: what its handler gets. Each `call()` is a transaction of its own."""

    house: House
    client_id: int | None
    job_id: int
    attempt: int

    @asynccontextmanager
    async def call(self) -> AsyncGenerator[Call]:
        """A call in a write transaction, on behalf of the client, with the rights of the house itself."""
        async with self.house.database.write(self.client_id) as work:
            business = await self.house.identity.business(work, self.client_id) if self.client_id else None
            yield Call(
                house=self.house,
                principal=the_house_itself(business),
                work=work,
                now=self.house.clock(),
                language="en",
                request_id=f"job-{self.job_id}",
            )
