"""The questions the kernel asks and contexts answer. `app.py` introduces them to each other."""

from datetime import datetime
from typing import Any, Protocol

from haulier.kernel.answers import Answer
from haulier.kernel.data.work import Work
from haulier.kernel.operation import Operation, Request
from haulier.kernel.principal import Business, Principal


class Identity(Protocol):
    """Who is this?"""

    async def identify(self, work: Work, token: str, now: datetime) -> Principal:
        """The principal behind a token. Raises `INVALID_TOKEN` or `TOKEN_EXPIRED`."""
        ...

    async def business(self, work: Work, client_id: int) -> Business:
        """The facts about a client, for jobs that run on its behalf."""
        ...


class Approvals(Protocol):
    """Must a human look at this first?"""

    async def queue(self, call: Any, operation: Operation[Any, Any], request: Request) -> Answer:
        """Keep the request for a human instead of running it; answer with the pending write."""
        ...


class Clock(Protocol):
    """What time is it? Injected, so that tests choose."""

    def __call__(self) -> datetime:
        """Now, aware, in UTC."""
        ...
