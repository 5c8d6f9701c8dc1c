"""Ports of the kernel that contexts implement.

`app.py` passes in the implementations.
"""

from datetime import datetime
from typing import Any, Protocol

from haulier.kernel.data.unit_of_work import Database, UnitOfWork
from haulier.kernel.operations.declaration import Operation, Request
from haulier.kernel.principal import Business, Principal


class Identity(Protocol):
    """Identifies callers and businesses."""

    async def identify(self, work: UnitOfWork, token: str, now: datetime) -> Principal:
        """Return the principal behind a token. Raises `INVALID_TOKEN` or `TOKEN_EXPIRED`."""
        ...

    async def business(self, work: UnitOfWork, client_id: int) -> Business:
        """Return the facts about a client, for jobs that run on its behalf."""
        ...

    async def record_token_use(self, database: Database, now: datetime) -> int:
        """Record which tokens were used since the last call and return their number.

        Run by a periodic task.
        """
        ...


class Approvals(Protocol):
    """Turns writes that require approval into proposals."""

    def to_proposal(self, operation: Operation[Any, Any], request: Request) -> tuple[Operation[Any, Any], Request]:
        """Return the operation that proposes a pending write, and its request.

        Its answer has an `approval` (the pending write) and a `message`. Raises `CANNOT_WAIT`.
        """
        ...


class Clock(Protocol):
    """The current time. Injected, so that tests can set it."""

    def __call__(self) -> datetime:
        """Return the current time, aware, in UTC."""
        ...
