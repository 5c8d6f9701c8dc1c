"""The house: everything a running instance is made of, put together once by `app.py`."""

from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, TypeVar, cast

from haulier.kernel.data.work import Database
from haulier.kernel.declarations import Module
from haulier.kernel.languages import Catalogues
from haulier.kernel.ports import Approvals, Clock, Identity
from haulier.kernel.principal import the_house_itself
from haulier.kernel.registry import Backstage, Registry
from haulier.kernel.throttle import Throttle

if TYPE_CHECKING:
    from haulier.kernel.call import Call

P = TypeVar("P")


def utc_now() -> datetime:
    """The real clock."""
    return datetime.now(UTC)


@dataclass(kw_only=True)
class House:
    """One running instance: its operations, its database, its words, and what answers its questions."""

    registry: Registry
    backstage: Backstage
    database: Database
    catalogues: Catalogues
    identity: Identity
    base_url: str = "http://127.0.0.1:8000"
    clock: Clock = utc_now
    throttle: Throttle = field(default_factory=Throttle)
    approvals: Approvals | None = None
    modules_missing: frozenset[Module] = frozenset()
    adapters: Mapping[type, Any] = field(default_factory=dict[type, Any])

    def adapter(self, port: type[P]) -> P:
        """The adapter that was introduced for a port."""
        return cast(P, self.adapters[port])


@dataclass(frozen=True)
class Run:
    """One attempt at an errand: what its handler gets. Each `call()` is a transaction of its own."""

    house: House
    client_id: int | None
    job_id: int
    attempt: int

    @asynccontextmanager
    async def call(self) -> AsyncGenerator["Call"]:
        """A call in a write transaction, on behalf of the client, with the rights of the house itself."""
        from haulier.kernel.call import Call  # the call names the house in its type

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
