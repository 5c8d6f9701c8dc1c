"""The driver's side of a unit of work: connection and commit callbacks."""

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
"""Name and client of deferred items."""


class DeferredItems(NamedTuple):
    """Items collected until the commit, and the handler that receives them."""

    handler: DeferredHandler
    items: list[Any]


class DriverSession(ABC):
    """The driver's side of a unit of work.

    `rls_tenant` is the value for row-level security: a client id, `ALL_TENANTS`, or None for statements without
    tenant tables.
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
        """Owners of written rows: the subjects of `CLIENT_WRITES_CHANNEL`."""
        self.reads_shared = False
        self.reads_beyond = False

    @abstractmethod
    async def fetch(
        self, prepared: PreparedStatement, values: tuple[Any, ...], rls_tenant: str | None
    ) -> Sequence[Sequence[Any]]:
        """Run a statement and return its rows."""

    @abstractmethod
    async def change(self, prepared: PreparedStatement, values: tuple[Any, ...], rls_tenant: str | None) -> int:
        """Run a statement and return the number of changed rows."""

    @abstractmethod
    async def fetch_each(
        self, prepared: PreparedStatement, values: Sequence[tuple[Any, ...]], rls_tenant: str | None
    ) -> Sequence[Sequence[Any]]:
        """Run a statement once per tuple of values, in one round trip.

        Returns all rows in the order of the values.
        """

    async def insert_later(
        self, prepared: PreparedStatement, values: Sequence[tuple[Any, ...]], rls_tenant: str | None
    ) -> None:
        """Insert rows before the commit at the latest.

        Later statements of this session always see them.
        """
        await self.fetch_each(prepared, values, rls_tenant)

    @abstractmethod
    async def savepoint(self) -> Callable[[], Awaitable[None]]:
        """Set a savepoint and return a function that rolls back to it and releases it."""

    @abstractmethod
    async def release(self) -> None:
        """Release the newest savepoint and keep the changes since."""

    async def run_deferred(self) -> None:
        """Run the deferred handlers in this transaction.

        Each handler runs once per name and client, with all items.
        """
        while self.deferred:
            deferred = self.deferred.pop(next(iter(self.deferred)))
            await deferred.handler(deferred.items)

    def deferred_so_far(self) -> dict[DeferredKey, DeferredItems]:
        """Return a copy of the deferred items."""
        return {key: DeferredItems(handler, [*items]) for key, (handler, items) in self.deferred.items()}

    def payloads(self) -> Iterator[tuple[str, str]]:
        """Yield channel and payload of each notice to send after the commit.

        The owners of written rows come last, so that caches named by other notices are invalidated before anything is
        read again.
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
        """Run the callbacks registered for after the commit."""
        for callback in self.callbacks:
            result = callback()
            if isawaitable(result):
                await result
