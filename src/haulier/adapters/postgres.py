"""PostgreSQL behind the data port, by asyncpg: reads without a transaction, writes in READ COMMITTED.

Row-level security repeats the tenant filter of the compiler. Each connection sets its client on the
server (`haulier.client`), but only when that differs from the last one; the pool prefers a connection that is already set to
the client, so most statements need no second exchange.
"""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from typing import Any

import asyncpg
from sqlalchemy import DDL, Table
from sqlalchemy.dialects.postgresql import asyncpg as dialect

from haulier.adapters.postgres_pool import ConnectionPool, NotificationListener, TenantConnection
from haulier.kernel.data.statements import PreparedStatement, Statements, get_statements
from haulier.kernel.data.unit_of_work import Database, DriverSession, TransactionRetry, UniqueConflict, UnitOfWork

DEFAULT_POOL_SIZE = 10


TABLE_NAMES_SQL = """
SELECT relname FROM pg_class
WHERE relnamespace = current_schema()::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition
"""
PARTITION_INFIX = "_part_"
"""Stands in the name of every partition, before its number."""


def row_level_security_ddl(table: Table) -> list[DDL]:
    """The statements that hide a tenant table's rows from connections that are set to another client, or to none.

    It binds the table's owner too (FORCE); superusers are never bound, so the application must not connect as one.
    """
    setting = "current_setting('haulier.client', true)"
    mine = f"CASE WHEN {setting} = '*' THEN true ELSE client_id = nullif({setting}, '')::bigint END"
    name = table.fullname
    return [
        DDL(f'ALTER TABLE "{name}" ENABLE ROW LEVEL SECURITY'),
        DDL(f'ALTER TABLE "{name}" FORCE ROW LEVEL SECURITY'),
        DDL(f'DROP POLICY IF EXISTS tenant ON "{name}"'),
        DDL(f'CREATE POLICY tenant ON "{name}" USING ({mine})'),
    ]


def partition_ddl(table: Table) -> list[DDL]:
    """The statements that make the partitions of a table which asks for some; none for an ordinary one."""
    count: int = table.info.get("partitions", 0)
    of = f'PARTITION OF "{table.fullname}" FOR VALUES WITH (MODULUS {count}, REMAINDER'
    return [
        DDL(f'CREATE TABLE IF NOT EXISTS "{table.fullname}{PARTITION_INFIX}{index:02}" {of} {index})')
        for index in range(count)
    ]


class PostgresSession(DriverSession):
    """Statements of one unit of work on one connection, borrowed when the first statement comes."""

    def __init__(
        self,
        pool: ConnectionPool,
        tenant_filtered: Statements,
        without_tenant_filter: Statements,
        preferred_tenant: str | None,
    ) -> None:
        super().__init__(tenant_filtered, without_tenant_filter)
        self._pool = pool
        self._preferred_tenant = preferred_tenant
        self._link: TenantConnection | None = None

    async def link(self, rls_tenant: str | None) -> TenantConnection:
        """The connection, set to the tenant of this unit of work."""
        link = self._link
        if link is None:
            link = self._link = await self._pool.acquire(rls_tenant or self._preferred_tenant)
        if rls_tenant is not None and link.tenant != rls_tenant:
            await link.set_tenant(rls_tenant)
        return link

    async def fetch(
        self, prepared: PreparedStatement, values: tuple[Any, ...], rls_tenant: str | None
    ) -> Sequence[Sequence[Any]]:
        link = await self.link(rls_tenant)
        try:
            return await link.connection.fetch(prepared.sql, *values)
        except asyncpg.PostgresError as error:
            raise _translated_error(error) from error

    async def change(self, prepared: PreparedStatement, values: tuple[Any, ...], rls_tenant: str | None) -> int:
        link = await self.link(rls_tenant)
        try:
            status = await link.connection.execute(prepared.sql, *values)
        except asyncpg.PostgresError as error:
            raise _translated_error(error) from error
        return int(status.rpartition(" ")[2])

    async def fetch_each(
        self, prepared: PreparedStatement, values: Sequence[tuple[Any, ...]], rls_tenant: str | None
    ) -> Sequence[Sequence[Any]]:
        link = await self.link(rls_tenant)
        try:
            return await link.connection.fetchmany(prepared.sql, values)
        except asyncpg.PostgresError as error:
            raise _translated_error(error) from error

    async def savepoint(self) -> Callable[[], Awaitable[None]]:
        link = await self.link(None)
        tenant = link.tenant
        await link.connection.execute("SAVEPOINT step")

        async def undo() -> None:
            await link.connection.execute("ROLLBACK TO step; RELEASE step")
            link.tenant = tenant  # the rollback on the server undid the setting too

        return undo

    async def release(self) -> None:
        await (await self.link(None)).connection.execute("RELEASE step")

    def return_connection(self, *, broken: bool = False) -> None:
        """Return the connection to the pool; a broken one is thrown away."""
        if self._link is not None:
            self._pool.return_connection(self._link, broken=broken)
            self._link = None


class Postgres(Database):
    """One PostgreSQL database, by a pool of connections."""

    dialect = "postgresql"

    def __init__(self, url: str, *, pool_size: int = DEFAULT_POOL_SIZE) -> None:
        self._pool = ConnectionPool(url, pool_size)
        self._listener = NotificationListener(url)
        self._walled = get_statements(dialect.dialect, tenant_filtered=True)
        self._unwalled = get_statements(dialect.dialect, tenant_filtered=False)

    async def open(self) -> None:
        self._pool.return_connection(await self._pool.acquire(None))

    async def close(self) -> None:
        await self._listener.close()
        await self._pool.close()

    def _session(self, client_id: int | None) -> PostgresSession:
        preferred_tenant = None if client_id is None else str(client_id)
        return PostgresSession(self._pool, self._walled, self._unwalled, preferred_tenant)

    @asynccontextmanager
    async def read(self, client_id: int | None) -> AsyncGenerator[UnitOfWork]:
        session = self._session(client_id)
        try:
            yield UnitOfWork(session, client_id, writable=False)
        except asyncio.CancelledError:
            session.return_connection(broken=True)
            raise
        finally:
            session.return_connection()

    @asynccontextmanager
    async def write(self, client_id: int | None) -> AsyncGenerator[UnitOfWork]:
        session = self._session(client_id)
        try:
            async with _transaction(session):
                yield UnitOfWork(session, client_id, writable=True)
                if not session.doomed:
                    await session.run_deferred()
        finally:
            session.return_connection()
        if not session.doomed:
            for channel, payload in session.notices:
                self._listener.notify_soon(channel, payload)
            await session.committed()

    async def listen(self, channel: str, on_notice: Callable[[str], None]) -> Callable[[], None]:
        return await self._listener.listen(channel, on_notice)

    async def notify(self, channel: str, payload: str = "") -> None:
        self._listener.notify_soon(channel, payload)

    async def table_names(self) -> frozenset[str]:
        rows = await self._fetch_rows(TABLE_NAMES_SQL)
        return frozenset(row[0] for row in rows)

    async def ping(self) -> None:
        await self._fetch_rows("SELECT 1")

    async def _fetch_rows(self, sql: str) -> Sequence[Sequence[Any]]:
        session = self._session(None)
        try:
            return await (await session.link(None)).connection.fetch(sql)
        finally:
            session.return_connection()


@asynccontextmanager
async def _transaction(session: PostgresSession) -> AsyncGenerator[None]:
    """A cancelled task may leave a statement half sent, so its connection is thrown away: the server then rolls back."""
    link = await session.link(None)
    tenant = link.tenant
    try:
        await link.connection.execute("BEGIN")
        yield
        await _commit_or_roll_back(session, link, tenant)
    except Exception as error:
        await _roll_back(session, link, tenant)
        if isinstance(error, asyncpg.PostgresError):
            raise _translated_error(error) from error
        raise
    except BaseException:
        session.return_connection(broken=True)
        raise


async def _commit_or_roll_back(session: PostgresSession, link: TenantConnection, tenant: str | None) -> None:
    if session.doomed:
        await link.connection.execute("ROLLBACK")
        link.tenant = tenant
    elif await link.connection.execute("COMMIT") != "COMMIT":
        link.tenant = tenant
        raise RuntimeError("a statement failed and its error was swallowed, so PostgreSQL rolled back: use a savepoint")


async def _roll_back(session: PostgresSession, link: TenantConnection, tenant: str | None) -> None:
    if not link.connection.is_in_transaction():
        return
    try:
        await link.connection.execute("ROLLBACK")
        link.tenant = tenant  # the rollback on the server undoes the setting too
    except (OSError, asyncpg.PostgresError, asyncpg.InterfaceError):
        session.return_connection(broken=True)
    except BaseException:
        session.return_connection(broken=True)
        raise


RETRYABLE_ERRORS = (asyncpg.SerializationError, asyncpg.DeadlockDetectedError, asyncpg.LockNotAvailableError)


def _translated_error(error: asyncpg.PostgresError) -> Exception:
    if isinstance(error, asyncpg.UniqueViolationError):
        details: Any = error  # its attributes come from the server's message
        return UniqueConflict(details.constraint_name)
    if isinstance(error, RETRYABLE_ERRORS):
        return TransactionRetry(str(error))
    return error
