"""Short-lived cache of database values, invalidated by notices.

A notice invalidates values immediately in the process that wrote and within milliseconds in others. Processes that
share a SQLite file receive no notices from each other, so any commit of another process invalidates everything. A
notice can be lost with its sender, so values also expire.
"""

import time
from abc import ABC, abstractmethod
from collections import defaultdict
from collections.abc import Callable, Hashable
from contextlib import AsyncExitStack
from typing import ClassVar, Generic, TypeVar

from msgspec import Struct

from haulier.kernel.data.notices import EVERYTHING
from haulier.kernel.data.unit_of_work import Database, UnitOfWork

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class StateBeforeRead(Struct, frozen=True):
    """The state of the cache when a read began."""

    notices: int
    outside_version: int


class Entry(Struct, Generic[V], frozen=True):
    """A cached value."""

    value: V
    subject: str
    outside_version: int
    until_s: float


class NotifiedCache(Generic[K, V]):
    """Cached values by key, each with a subject of a channel.

    Nothing is cached before `listen`.
    """

    def __init__(
        self,
        database: Database,
        channel: str,
        *,
        for_s: float,
        at_most: int,
        seconds: Callable[[], float] = time.monotonic,
    ) -> None:
        """Create a cache of the newest `at_most` values."""
        self._database = database
        self._channel = channel
        self._for_s = for_s
        self._at_most = at_most
        self.seconds = seconds
        self._entries: dict[K, Entry[V]] = {}
        self._keys_by_subject: defaultdict[str, set[K]] = defaultdict(set)
        self._notices = 0
        self._listens = False

    async def listen(self, stack: AsyncExitStack) -> None:
        """Listen to the channel and cache values until the stack is closed."""
        stack.callback(await self._database.listen(self._channel, self._on_notice))
        stack.callback(self._stop)
        self._listens = True

    def get(self, key: K) -> V | None:
        """Return the cached value of a key, or None."""
        entry = self._entries.get(key)
        if entry is None:
            return None
        if entry.until_s < self.seconds() or entry.outside_version != self._database.outside_version():
            self._drop(key)
            return None
        return entry.value

    def state(self) -> StateBeforeRead | None:
        """Return the state before a read, to detect changes; None if caching is off."""
        return StateBeforeRead(self._notices, self._database.outside_version()) if self._listens else None

    def keep(self, key: K, value: V, subject: str, before: StateBeforeRead | None) -> None:
        """Cache a value unless a notice arrived since `before`."""
        if before is None or not self._listens or before.notices != self._notices:
            return
        self._drop(key)
        self._entries[key] = Entry(value, subject, before.outside_version, self.seconds() + self._for_s)
        self._keys_by_subject[subject].add(key)
        if len(self._entries) > self._at_most:
            self._drop(next(iter(self._entries)))

    def _on_notice(self, payload: str) -> None:
        self._notices += 1
        if payload == EVERYTHING:
            self._clear()
            return
        for subject in payload.split(" "):
            for key in tuple(self._keys_by_subject.get(subject, ())):
                self._drop(key)

    def _drop(self, key: K) -> None:
        entry = self._entries.pop(key, None)
        if entry is not None:
            keys = self._keys_by_subject[entry.subject]
            keys.discard(key)
            if not keys:
                del self._keys_by_subject[entry.subject]

    def _clear(self) -> None:
        self._entries.clear()
        self._keys_by_subject.clear()

    def _stop(self) -> None:
        self._listens = False
        self._clear()


class ClientCache(ABC, Generic[V]):
    """Cache of settings that most writes need and that rarely change.

    Examples are price lists and custom fields.

    The table they are read from announces its writes on `channel` (`notify_writes`).
    """

    channel: ClassVar[str]
    FOR_S = 5.0
    """Maximum age of a value on a node that missed the notice of a change."""
    AT_MOST = 10_000

    def __init__(self, database: Database) -> None:
        self._known: NotifiedCache[int, tuple[V]] = NotifiedCache(
            database, self.channel, for_s=self.FOR_S, at_most=self.AT_MOST
        )

    async def listen(self, stack: AsyncExitStack) -> None:
        """Start caching until the stack is closed."""
        await self._known.listen(stack)

    async def of(self, work: UnitOfWork) -> V:
        """Return the value for the client of a unit of work, cached or read."""
        client_id = work.client_id
        if client_id is None or work.announces(self.channel):  # what is changed here may yet be rolled back
            return await self.read(work)
        if known := self._known.get(client_id):
            return known[0]
        before = self._known.state()
        found = await self.read(work)
        self._known.keep(client_id, (found,), str(client_id), before)
        return found

    def find(self, client_id: int) -> tuple[V] | None:
        """Return the cached value for a client, or None. Reads nothing."""
        return self._known.get(client_id)

    @abstractmethod
    async def read(self, work: UnitOfWork) -> V:
        """Read the value from the database. Callers must not modify it."""
