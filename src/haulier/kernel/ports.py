"""What the kernel needs from contexts. `app.py` passes in what implements it."""

from datetime import datetime
from typing import Any, Protocol

from haulier.kernel.data.unit_of_work import Database, UnitOfWork
from haulier.kernel.operations.declaration import Operation, Request
from haulier.kernel.principal import Business, Principal


class Identity(Protocol):
    """Finds the principal behind a token."""

    async def identify(self, work: UnitOfWork, token: str, now: datetime) -> Principal:
        """The principal behind a token. Raises `INVALID_TOKEN` or `TOKEN_EXPIRED`."""
        ...

    async def business(self, work: UnitOfWork, client_id: int) -> Business:
        """The facts about a client, for jobs that run on its behalf."""
        ...

    async def record_token_use(self, database: Database, now: datetime) -> int:
        """Record which tokens were used since the last time; called by a periodic task. Returns how many."""
        ...


class Approvals(Protocol):
    """Decides what happens with a write that a human must approve first."""

    def to_proposal(self, operation: Operation[Any, Any], request: Request) -> tuple[Operation[Any, Any], Request]:
        """What runs instead of a write that has to wait: the operation that proposes it, and what that is asked with.

        Its answer has an `approval`, the pending write, and a `message`. Raises `CANNOT_WAIT`.
        """
        ...


class Clock(Protocol):
    """The current time. Injected, so that tests can set it."""

    def __call__(self) -> datetime:
        """Now, aware, in UTC."""
        ...
