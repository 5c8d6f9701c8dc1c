"""What a driver lends to one unit of work, and what is to happen around its commit."""

from abc import ABC, abstractmethod
from collections import defaultdict
from collections.abc import Awaitable, Callable, Iterator, Sequence
from inspect import isawaitable
from typing import Any, NamedTuple

from haulier.kernel.data.notices import notice_payloads
from haulier.kernel.data.statements import PreparedStatement, Statements
from haulier.kernel.data.touched_tables import CLIENT_WRITES_CHANNEL

CommitCallback = Callable[[], Awaitable[None] | None]
DeferredHandler = Callable[[list[Any]], Awaitable[None]]
DeferredKey = tuple[str, int | None]
"""The name and the client of what is deferred."""


class DeferredItems(NamedTuple):
    """What is kept until just before the commit, and the handler that gets it all."""

    handler: DeferredHandler
    items: list[Any]


class DriverSession(ABC):
    """What a driver lends to one unit of work: a connection, and what happens when the unit ends.

    `rls_tenant` is what row-level security gets before it: a client's number, `ALL_TENANTS`, or None without a tenant table.
    """

    def __init__(self, tenant_filtered: Statements, without_tenant_filter: Statements) -> None:
        self.tenant_filtered = tenant_filtered
        self.without_tenant_filter = without_tenant_filter
        self.statements = 0
        self.doomed = False
        self.committing = False
        self.callbacks: list[CommitCallback] = []
        self.notices: dict[tuple[str, str], None] = {}
        self.deferred: dict[DeferredKey, DeferredItems] = {}
        self.written: set[str] = set()
        """Whose rows were written: the subjects of `CLIENT_WRITES_CHANNEL`."""
        self.reads_shared = False
        self.reads_beyond = False

    @abstractmethod
    async def fetch(
        self, prepared: PreparedStatement, values: tuple[Any, ...], rls_tenant: str | None
    ) -> Sequence[Sequence[Any]]:
        """Run a statement and return its rows."""

    @abstractmethod
    async def change(self, prepared: PreparedStatement, values: tuple[Any, ...], rls_tenant: str | None) -> int:
        """Run a statement and return how many rows it changed."""

    @abstractmethod
    async def fetch_each(
        self, prepared: PreparedStatement, values: Sequence[tuple[Any, ...]], rls_tenant: str | None
    ) -> Sequence[Sequence[Any]]:
        """Run a statement once per tuple of values, in one exchange; return all rows in that order."""

    async def insert_later(
        self, prepared: PreparedStatement, values: Sequence[tuple[Any, ...]], rls_tenant: str | None
    ) -> None:
        """Insert rows before the commit at the latest. A later statement of this session sees them in any case."""
        await self.fetch_each(prepared, values, rls_tenant)

    @abstractmethod
    async def savepoint(self) -> Callable[[], Awaitable[None]]:
        """Set a savepoint; returns what rolls back to it and forgets it."""

    @abstractmethod
    async def release(self) -> None:
        """Forget the newest savepoint and keep what happened since."""

    async def run_deferred(self) -> None:
        """Run the deferred handlers, in this transaction: once for each name and client, with all their items."""
        while self.deferred:
            deferred = self.deferred.pop(next(iter(self.deferred)))
            await deferred.handler(deferred.items)

    def deferred_so_far(self) -> dict[DeferredKey, DeferredItems]:
        """A copy of what is deferred, which nothing that is deferred later changes."""
        return {key: DeferredItems(handler, [*items]) for key, (handler, items) in self.deferred.items()}

    def payloads(self) -> Iterator[tuple[str, str]]:
        """The channel and the payload of each notice to send after the commit.

        Whose rows were written is told last: whoever reads anew then has forgotten what the other notices name.
        """
        by_channel: defaultdict[str, list[str]] = defaultdict(list)
        for channel, subject in self.notices:
            by_channel[channel].append(subject)
        if self.written:
            by_channel[CLIENT_WRITES_CHANNEL] = sorted(self.written)
        for channel, subjects in by_channel.items():
            for payload in notice_payloads(subjects):
                yield channel, payload

    async def committed(self) -> None:
        """Run what was registered for after the commit."""
        for callback in self.callbacks:
            result = callback()
            if isawaitable(result):
                await result
