"""PostgreSQL connection pool that tracks tenants, and a listener for notices.

With asyncpg's own pool every read opens a transaction to set its client: 743 µs instead of 108 µs a read
(docs/decisions/libraries.md).
"""

import asyncio
import logging
from collections import defaultdict, deque
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import asyncpg

from haulier.adapters.postgres_errors import DRIVER_ERRORS
from haulier.kernel.data.notices import Hearer, Hearers, notice_payloads
from haulier.kernel.data.touched_tables import CLIENT_WRITES_CHANNEL
from haulier.kernel.data.unit_of_work import PoolUsage

CONNECT_TIMEOUT_S = 10
"""Time limit for opening a connection, across all hosts of the address."""
MAX_CACHED_STATEMENTS = 1000
NOTICE_FLUSH_DELAY_S = 0.005
RECONNECT_INTERVAL_S = 1.0
NOTIFY_SQL = "SELECT pg_notify(channel, payload) FROM unnest($1::text[], $2::text[]) AS notice (channel, payload)"
Connection = asyncpg.Connection
log = logging.getLogger("haulier.postgres")


async def open_connection(url: str, *, shared: bool = False) -> Connection:
    """Open a connection whose statements stay prepared.

    A `shared` connection goes through a pooler, which rejects some settings. Citus would look at each table of a query
    on catalogues, so that the driver's first query on a type of arrays takes seconds.
    """
    settings = {"application_name": "haulier", "timezone": "UTC"}
    own = {"jit": "off", "citus.override_table_visibility": "off"}
    return await asyncpg.connect(
        url,
        timeout=CONNECT_TIMEOUT_S,
        statement_cache_size=MAX_CACHED_STATEMENTS,
        max_cached_statement_lifetime=0,
        server_settings=settings if shared else {**settings, **own},
    )


class TenantConnection:
    """Connection with the tenant that row-level security allows.

    The tenant is a client's ID, `*` for all, or None.
    """

    __slots__ = ("connection", "tenant")

    def __init__(self, connection: Connection) -> None:
        self.connection = connection
        self.tenant: str | None = None

    async def set_tenant(self, rls_tenant: str) -> None:
        """Set the tenant on the server.

        Until the server responds, the connection counts as set to no client.
        """
        self.tenant = None
        await self.connection.execute("SELECT set_config('haulier.client', $1, false)", rls_tenant)
        self.tenant = rls_tenant


class ConnectionPool:
    """Pool of at most `size` connections, opened on demand.

    Waiting callers are served in order.
    """

    def __init__(self, url: str, size: int, *, shared: bool = False) -> None:
        """Create the pool.

        `shared` connections belong to a pooler, so their sessions cannot be relied on.
        """
        self._url = url
        self._shared = shared
        self._size = self._free_slots = size
        self._idle: list[TenantConnection] = []
        self._waiting: deque[asyncio.Future[TenantConnection | None]] = deque()

    def usage(self) -> PoolUsage:
        """Return the number of used, idle and waiting connections."""
        idle, waiting = len(self._idle), sum(not waiter.done() for waiter in self._waiting)
        return PoolUsage(self._size - self._free_slots - idle, idle, self._size, waiting)

    async def acquire(self, rls_tenant: str | None) -> TenantConnection:
        """Return a connection, preferably one already set to this tenant."""
        while self._idle:
            tenant_connection = self._pick(rls_tenant)
            if not tenant_connection.connection.is_closed():
                return tenant_connection
            self._free_slots += 1
        if self._free_slots:
            self._free_slots -= 1
            return await self._open_one()
        waiter: asyncio.Future[TenantConnection | None] = asyncio.get_running_loop().create_future()
        self._waiting.append(waiter)
        try:
            tenant_connection = await waiter
        except asyncio.CancelledError:
            self._forward_served(waiter)
            raise
        return tenant_connection or await self._open_one()

    def _pick(self, rls_tenant: str | None) -> TenantConnection:
        for i in range(len(self._idle) - 1, -1, -1):
            if self._idle[i].tenant == rls_tenant:
                return self._idle.pop(i)
        return self._idle.pop()

    async def _open_one(self) -> TenantConnection:
        """Open a connection in the slot that was just reserved."""
        try:
            return TenantConnection(await open_connection(self._url, shared=self._shared))
        except BaseException:
            self._release_slot()
            raise

    def return_connection(self, tenant_connection: TenantConnection, *, broken: bool = False) -> None:
        """Return a connection to the pool.

        A broken one is closed, and its slot goes to the next waiting caller.
        """
        if broken or tenant_connection.connection.is_closed():
            tenant_connection.connection.terminate()
            self._release_slot()
        elif not self._serve_next(tenant_connection):
            self._idle.append(tenant_connection)

    def _release_slot(self) -> None:
        if not self._serve_next(None):
            self._free_slots += 1

    def _serve_next(self, tenant_connection: TenantConnection | None) -> bool:
        """Give a connection to the first waiting caller.

        None gives the caller a slot to open a new connection.
        """
        while self._waiting:
            waiter = self._waiting.popleft()
            if not waiter.done():
                waiter.set_result(tenant_connection)
                return True
        return False

    def _forward_served(self, waiter: "asyncio.Future[TenantConnection | None]") -> None:
        """Pass on a connection that was assigned to a caller as it was cancelled."""
        if waiter.done() and not waiter.cancelled():
            tenant_connection = waiter.result()
            if tenant_connection is not None:
                self.return_connection(tenant_connection)
            else:
                self._release_slot()

    async def close(self) -> None:
        """Close the idle connections."""
        while self._idle:
            tenant_connection = self._idle.pop()
            self._free_slots += 1
            await tenant_connection.connection.close()


class NotificationListener:
    """Connection for notices, which are sent in batches outside any transaction.

    NOTIFY within a transaction would make all committing transactions of the server wait for each other.
    """

    def __init__(self, url: str) -> None:
        self._url = url
        self._connection: Connection | None = None
        self._connection_lock = asyncio.Lock()
        self._hearers = Hearers()
        self._pending: dict[tuple[str, str], None] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._closed = False

    async def listen(self, channel: str, hear: Hearer, subject: str | None = None) -> Callable[[], None]:
        """Call `hear` for every notice that names the subject, or for all notices.

        After a reconnect every listener receives `*`, because notices may have been missed.
        """
        remove = self._hearers.add(channel, hear, subject)
        try:
            async with self._connection_lock:
                connection = await self._connected()
                await connection.add_listener(channel, self._on_notice)
        except BaseException:
            remove()
            raise
        return remove

    def notify_soon(self, channel: str, payload: str) -> None:
        """Send a notice within a few milliseconds.

        Duplicates are sent once. Listeners in this process receive it immediately.
        """
        self._hearers.tell(channel, payload)
        first = not self._pending
        self._pending[channel, payload] = None
        if first and not self._closed:
            self._spawn(self._flush())

    async def close(self) -> None:
        """Stop listening.

        Pending notices are sent first if the connection allows.
        """
        self._closed = True
        for task in tuple(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        if self._connection is not None:
            with suppress(OSError, asyncpg.PostgresError, asyncpg.InterfaceError):
                await self._send_pending(self._connection)
                await self._connection.close()
            self._connection = None

    async def _connected(self) -> Connection:
        """Return the connection, opened if necessary.

        The caller must hold the lock.
        """
        if self._connection is None or self._connection.is_closed():
            is_first = self._connection is None
            connection = await open_connection(self._url)
            connection.add_termination_listener(self._on_connection_lost)
            for channel in self._hearers.channels:
                await connection.add_listener(channel, self._on_notice)
            self._connection = connection
            if not is_first:
                self._notify_all()
        return self._connection

    def _notify_all(self) -> None:
        """Notify all listeners, because notices may have been missed."""
        self._hearers.notify_all()

    def _on_notice(self, connection: Any, pid: int, channel: str, payload: object) -> None:
        if pid != connection.get_server_pid():  # notices of this process were delivered when sent
            self._hearers.tell(channel, str(payload))

    def _on_connection_lost(self, _connection: Any) -> None:
        if not self._closed:
            self._spawn(self._reconnect())

    async def _reconnect(self) -> None:
        while True:
            try:
                async with self._connection_lock:
                    await self._connected()
                return
            except DRIVER_ERRORS:
                log.warning("the connection for notices is lost; trying again")
                await asyncio.sleep(RECONNECT_INTERVAL_S)

    async def _flush(self) -> None:
        """Send pending notices, and retry while the server is unreachable."""
        await asyncio.sleep(NOTICE_FLUSH_DELAY_S)
        while self._pending:
            try:
                async with self._connection_lock:
                    await self._send_pending(await self._connected())
            except DRIVER_ERRORS:
                await asyncio.sleep(RECONNECT_INTERVAL_S)

    async def _send_pending(self, connection: Connection) -> None:
        """Send the pending notices in one statement.

        They become pending again if it fails.
        """
        unsent, self._pending = self._pending, {}
        if not unsent:
            return
        together: defaultdict[str, dict[str, None]] = defaultdict(dict)
        for channel, payload in unsent:
            together[channel].update(dict.fromkeys(payload.split(" ")))
        # Client writes go last: a listener that then rereads has already dropped its other cached data.
        by_channel = sorted(together.items(), key=lambda each: each[0] == CLIENT_WRITES_CHANNEL)
        notices = [(channel, text) for channel, subjects in by_channel for text in notice_payloads(subjects)]
        channels, payloads = zip(*notices, strict=True)
        try:
            await connection.execute(NOTIFY_SQL, list(channels), list(payloads))
        except BaseException:
            self._pending = unsent | self._pending
            raise

    def _spawn(self, work: Any) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
