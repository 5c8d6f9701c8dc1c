"""Consistent reads from PostgreSQL replicas.

A read never returns data older than the last commit before the call. The primary first reports its log position, and a
replica has a moment to replay up to it. Otherwise the primary serves the read (docs/decisions/nodes.md). Concurrent
calls share one query to the primary and one to each replica.
"""

import asyncio
import itertools
import logging
from collections import Counter
from collections.abc import AsyncGenerator, Coroutine, Sequence
from contextlib import asynccontextmanager
from typing import Any, TypeVar

from msgspec import Struct

from haulier.adapters.postgres import DEFAULT_POOL_SIZE, Postgres
from haulier.adapters.postgres_errors import DRIVER_ERRORS
from haulier.adapters.postgres_pool import Connection, open_connection
from haulier.kernel.data.unit_of_work import UnitOfWork

T = TypeVar("T")

MAX_WAIT_S = 0.05
"""Maximum wait of a read for a replica. The primary would serve most reads faster."""
REST_S = 1.0
"""Pause after a replica was unreachable or late, so that calls do not wait for it."""
PROBE_TIMEOUT_S = 5.0
"""Time limit for a position query, after which its connection is dropped."""
POLL_INTERVAL_S = 0.001
"""Interval of position queries to a replica while a call waits."""
PRIMARY_POSITION_SQL = """
SELECT left(pg_walfile_name(here), 8), (here - '0/0')::bigint FROM (
    SELECT CASE current_setting('synchronous_commit') WHEN 'off' THEN pg_current_wal_insert_lsn()
        ELSE pg_current_wal_flush_lsn() END AS here
) AS log
"""
# A commit is visible once flushed; with synchronous_commit = off, before that.
REPLICA_POSITION_SQL = "SELECT (pg_last_wal_replay_lsn() - '0/0')::bigint WHERE pg_is_in_recovery()"
REPLICA_TIMELINES_SQL = """
SELECT upper(lpad(to_hex(timeline), 8, '0')) FROM (
    SELECT timeline_id FROM pg_control_checkpoint()
    UNION SELECT min_recovery_end_timeline FROM pg_control_recovery()
    UNION SELECT received_tli FROM pg_stat_wal_receiver
) AS known (timeline) WHERE timeline IS NOT NULL
"""
log = logging.getLogger("haulier.replicas")


class LogPosition(Struct, frozen=True):
    """Log position of a primary.

    Positions on different timelines cannot be compared: a failover happened in between.
    """

    timeline: str
    offset: int


class Probe:
    """Connection for one short query at a time, reopened when lost."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._connection: Connection | None = None
        self._lock = asyncio.Lock()

    async def ask(self, sql: str) -> Sequence[Any]:
        """Run a query and return its rows. Raises driver errors."""
        async with self._lock, asyncio.timeout(PROBE_TIMEOUT_S):
            if self._connection is None or self._connection.is_closed():
                self._connection = await open_connection(self._url)
            try:
                return await self._connection.fetch(sql)
            except BaseException:
                self._connection.terminate()
                raise

    async def close(self) -> None:
        if self._connection is not None:
            self._connection.terminate()


class PrimaryLog:
    """Log position of the primary, with one query shared by concurrent callers."""

    def __init__(self, url: str) -> None:
        self._probe = Probe(url)
        self._asking: asyncio.Task[LogPosition] | None = None
        self._next: asyncio.Task[LogPosition] | None = None

    async def position(self) -> LogPosition:
        """Return a position at or after every commit before this call."""
        # Never share a running query: it may predate a commit that its caller already knows of.
        if self._next is None:
            self._next = _shared(self._query_after(self._asking))
        return await asyncio.shield(self._next)

    async def _query_after(self, earlier: asyncio.Task[LogPosition] | None) -> LogPosition:
        if earlier is not None:
            await asyncio.wait([earlier])
        self._asking, self._next = self._next, None
        timeline, offset = (await self._probe.ask(PRIMARY_POSITION_SQL))[0]
        return LogPosition(timeline, offset)

    async def close(self) -> None:
        await self._probe.close()


class Replica:
    """Replica with its connections and last known log position."""

    def __init__(self, url: str, pool_size: int) -> None:
        self.database = Postgres(url, pool_size=pool_size)
        self.database.distributed = False  # only then is it asked
        self._probe = Probe(url)
        self._reached = LogPosition("", -1)
        self._asking: asyncio.Task[None] | None = None
        self._rest_until = 0.0

    @property
    def rests(self) -> bool:
        """Return True if it was recently unreachable or late."""
        return asyncio.get_running_loop().time() < self._rest_until

    def rest(self) -> None:
        """Skip this replica for a moment."""
        self._rest_until = asyncio.get_running_loop().time() + REST_S

    async def reaches(self, position: LogPosition) -> bool:
        """Wait until the replica has replayed the log up to a position.

        Returns False if it follows another primary or none.
        """
        while self._reached.timeline != position.timeline or self._reached.offset < position.offset:
            if self._asking is None or self._asking.done():
                self._asking = _shared(self._look(position.timeline))
            await asyncio.shield(self._asking)
            if self._reached.timeline != position.timeline:
                return False
            if self._reached.offset < position.offset:
                await asyncio.sleep(POLL_INTERVAL_S)
        return True

    async def _look(self, timeline: str) -> None:
        """Update the log position, and after a failover the timeline."""
        if self._reached.timeline != timeline:
            followed = [row[0] for row in await self._probe.ask(REPLICA_TIMELINES_SQL)]
            self._reached = LogPosition(max(followed, default=""), -1)
        rows = await self._probe.ask(REPLICA_POSITION_SQL)
        # Without rows it was promoted, and its data may differ from the primary's.
        self._reached = LogPosition(self._reached.timeline, rows[0][0]) if rows else LogPosition("", -1)

    async def close(self) -> None:
        await self._probe.close()
        await self.database.close()


def _shared(question: Coroutine[Any, Any, T]) -> asyncio.Task[T]:
    """Start a query shared by several callers.

    Its error is always retrieved, since all callers may be gone when it fails.
    """
    task = asyncio.create_task(question)
    task.add_done_callback(lambda done: done.cancelled() or done.exception())
    return task


class ReplicatedPostgres(Postgres):
    """Primary for all writes, with replicas for reads that allow them."""

    def __init__(
        self, url: str, replicas: Sequence[str], *, pool_size: int = DEFAULT_POOL_SIZE, direct_url: str | None = None
    ) -> None:
        super().__init__(url, pool_size=pool_size, direct_url=direct_url)
        self._log = PrimaryLog(direct_url or url)
        self._replicas = [Replica(replica, pool_size) for replica in replicas]
        self._turns = itertools.cycle(range(len(self._replicas)))
        self.reads_by_source = Counter[str]()

    async def close(self) -> None:
        await self._log.close()
        for replica in self._replicas:
            await replica.close()
        await super().close()

    @asynccontextmanager
    async def read(self, client_id: int | None, *, replica: bool = False) -> AsyncGenerator[UnitOfWork]:
        # The workers of Citus have log positions of their own.
        chosen = await self._caught_up() if replica and self.distributed is False else None
        self.reads_by_source["replica" if chosen else "primary"] += 1
        source = chosen.database.read(client_id) if chosen else super().read(client_id)
        async with source as work:
            yield work

    async def _caught_up(self) -> Replica | None:
        """Return the next replica once it has caught up.

        Returns None if the primary should serve the read.
        """
        first = next(self._turns)
        chosen = next((each for each in self._replicas[first:] + self._replicas[:first] if not each.rests), None)
        if chosen is None:
            return None
        try:
            async with asyncio.timeout(MAX_WAIT_S):
                if await chosen.reaches(await self._log.position()):
                    return chosen
        except DRIVER_ERRORS as error:  # TimeoutError is an OSError
            log.info("a replica is left out: %s: %s", type(error).__name__, error)
        chosen.rest()
        return None
