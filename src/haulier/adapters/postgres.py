"""PostgreSQL behind the data port, by asyncpg: reads without a transaction, writes in READ COMMITTED.

Row-level security repeats the tenant filter of the compiler: the server is told the client (`haulier.client`). A transaction
is told in the same exchange that begins it, and forgets it when it ends. A read on a connection of our own tells the session,
but only when the client differs from the last one; the pool prefers a connection that is already set to it, so most reads need
no second exchange. Behind a pooler that lends connections for a transaction, reads are transactions, too (decision 0036).
"""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from typing import Any, TypeVar

import asyncpg
from sqlalchemy import DDL, Table
from sqlalchemy.dialects.postgresql import asyncpg as dialect

from haulier.adapters.postgres_arrays import insert_of_arrays
from haulier.adapters.postgres_errors import DRIVER_ERRORS, translated_error
from haulier.adapters.postgres_later_inserts import Command, LaterInserts
from haulier.adapters.postgres_pool import ConnectionPool, NotificationListener, TenantConnection
from haulier.kernel.data.driver_session import DriverSession
from haulier.kernel.data.notices import notice_payloads
from haulier.kernel.data.outages import (
    CommitOutcomeUnknown,
    DatabaseOutage,
    DatabaseReadOnly,
    DatabaseUnreachable,
    OutageKind,
    OutageRecord,
)
from haulier.kernel.data.statements import PreparedStatement, Statements, get_statements
from haulier.kernel.data.unit_of_work import Database, UnitOfWork

DEFAULT_POOL_SIZE = 10
S = TypeVar("S", bound="PostgresSession")


TABLE_NAMES_SQL = """
SELECT relname FROM pg_class
WHERE relnamespace = current_schema()::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition
"""
READ_ONLY_SQL = "SELECT pg_is_in_recovery() OR current_setting('default_transaction_read_only')::bool"
HAS_CITUS_SQL = "SELECT to_regclass('pg_dist_partition') IS NOT NULL"
PARTITION_INFIX = "_part_"
"""Stands in the name of every partition, before its number."""


def row_level_security_ddl(table: Table) -> list[DDL]:
    """The statements that hide a tenant table's rows from connections that are set to another client, or to none.

    It binds the table's owner too (FORCE); superusers are never bound, so the application must not connect as one.
    None for a table that says why it is under the tenant filter alone (`full_text.search_table`).
    """
    if not table.info.get("row_level_security", True):
        return []
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


def unlogged_ddl(table: Table) -> DDL:
    """The statement that keeps a table out of the log: it is emptied when the server crashes."""
    return DDL(f'ALTER TABLE "{table.fullname}" SET UNLOGGED')


class PostgresSession(DriverSession):
    """Statements of one unit of work on one connection, borrowed when the first statement comes. Each stands alone."""

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
        self.broken = False

    async def link(self, rls_tenant: str | None) -> TenantConnection:
        """The connection, set to the tenant of this unit of work."""
        link = await self._borrowed(rls_tenant)
        if rls_tenant is not None and link.tenant != rls_tenant:
            try:
                await link.set_tenant(rls_tenant)
            except DRIVER_ERRORS as error:
                raise self.translated(error) from error
        return link

    async def _borrowed(self, rls_tenant: str | None) -> TenantConnection:
        if self._link is None:
            try:
                self._link = await self._pool.acquire(rls_tenant or self._preferred_tenant)
            except DRIVER_ERRORS as error:
                raise DatabaseUnreachable(f"{type(error).__name__}: {error}") from error
        return self._link

    def translated(self, error: Exception) -> Exception:
        """The error as the port names it. After an outage the connection is of no use to anybody."""
        if isinstance(error, asyncpg.InterfaceError) and self._link and not self._link.connection.is_closed():
            return error  # the driver was used wrongly
        translated = translated_error(error)
        self.broken = self.broken or isinstance(translated, DatabaseUnreachable | DatabaseReadOnly)
        return translated

    async def fetch(
        self, prepared: PreparedStatement, values: tuple[Any, ...], rls_tenant: str | None
    ) -> Sequence[Sequence[Any]]:
        return await self._fetch(await self.command(prepared, prepared.sql, values, rls_tenant))

    async def _fetch(self, command: Command) -> Sequence[Sequence[Any]]:
        link = await self.link(command.rls_tenant)
        try:
            return await link.connection.fetch(command.sql, *command.values)
        except DRIVER_ERRORS as error:
            raise self.translated(error) from error

    async def change(self, prepared: PreparedStatement, values: tuple[Any, ...], rls_tenant: str | None) -> int:
        command = await self.command(prepared, prepared.sql, values, rls_tenant)
        link = await self.link(command.rls_tenant)
        try:
            status = await link.connection.execute(command.sql, *command.values)
        except DRIVER_ERRORS as error:
            raise self.translated(error) from error
        return int(status.rpartition(" ")[2])

    async def fetch_each(
        self, prepared: PreparedStatement, values: Sequence[tuple[Any, ...]], rls_tenant: str | None
    ) -> Sequence[Sequence[Any]]:
        if len(values) == 1:  # Why: `fetchmany` takes a third more of the processor for one row (decision 0133)
            return await self.fetch(prepared, values[0], rls_tenant)
        if arrays := insert_of_arrays(prepared.sql):
            return await self._fetch(await self.command(prepared, arrays, tuple(zip(*values, strict=True)), rls_tenant))
        await self.before_batch()
        link = await self.link(rls_tenant)
        try:
            return await link.connection.fetchmany(prepared.sql, values)
        except DRIVER_ERRORS as error:
            raise self.translated(error) from error

    async def command(
        self, prepared: PreparedStatement, sql: str, values: tuple[Any, ...], rls_tenant: str | None
    ) -> Command:
        """What is sent for a statement, in a form of it."""
        return Command(sql, values, prepared.tables, rls_tenant)

    async def before_batch(self) -> None:
        """What comes before a statement that is sent once for each row: here nothing."""

    async def savepoint(self) -> Callable[[], Awaitable[None]]:
        raise NotImplementedError("a savepoint needs a transaction")

    async def release(self) -> None:
        raise NotImplementedError("a savepoint needs a transaction")

    def return_connection(self, *, broken: bool = False) -> None:
        """Return the connection to the pool; a broken one is thrown away."""
        if self._link is not None:
            self._pool.return_connection(self._link, broken=broken or self.broken)
            self._link = None


class TransactionSession(PostgresSession):
    """Statements of one transaction. It begins with the first of them, and is told its tenant in the same exchange."""

    _tenant: str | None = None
    """What this transaction was told; its connection's own setting comes back when it ends."""
    _begun = False

    joins_inserts = False
    """Whether inserts whose rows nobody waits for go with other statements."""

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self._later = LaterInserts()

    async def insert_later(
        self, prepared: PreparedStatement, values: Sequence[tuple[Any, ...]], rls_tenant: str | None
    ) -> None:
        sql = prepared.sql if len(values) == 1 else insert_of_arrays(prepared.sql)
        if not self.joins_inserts or sql is None:
            await self.fetch_each(prepared, values, rls_tenant)
            return
        row = values[0] if len(values) == 1 else tuple(zip(*values, strict=True))
        insert = Command(sql, row, prepared.tables, rls_tenant)
        if not self._later.accepts(insert):
            await self._insert_now()
        self._later.add(insert)

    async def command(
        self, prepared: PreparedStatement, sql: str, values: tuple[Any, ...], rls_tenant: str | None
    ) -> Command:
        """What is sent for a statement: what waits goes with it, or before it."""
        command = await super().command(prepared, sql, values, rls_tenant)
        if self._later:
            if joined := self._later.accompany(command):
                return joined
            await self._insert_now()
        return command

    async def before_batch(self) -> None:
        await self._insert_now()

    async def _insert_now(self) -> None:
        if self._later:
            await self._fetch(self._later.take())

    async def link(self, rls_tenant: str | None) -> TenantConnection:
        """The connection, in the transaction, which is set to the tenant."""
        link = await self._borrowed(rls_tenant)
        wanted = rls_tenant or self._tenant or self._preferred_tenant
        steps = [] if self._begun else ["BEGIN"]
        if wanted is not None and wanted != self._tenant:
            # Why SET, not set_config: Citus passes the command on to its workers, but not the function's call.
            steps.append(f"SET LOCAL haulier.client = '{wanted}'")
        if steps:
            self._begun = True
            await self._run_command(link, "; ".join(steps))
            self._tenant = wanted
        return link

    async def _run_command(self, link: TenantConnection, sql: str) -> str:
        """Run a statement that controls the transaction; returns what the server says it did."""
        try:
            return await link.connection.execute(sql)
        except DRIVER_ERRORS as error:
            raise self.translated(error) from error

    async def savepoint(self) -> Callable[[], Awaitable[None]]:
        await self._insert_now()
        link = await self.link(None)
        tenant = self._tenant
        await self._run_command(link, "SAVEPOINT step")

        async def undo() -> None:
            self._later.forget()
            await self._run_command(link, "ROLLBACK TO step; RELEASE step")
            self._tenant = tenant  # the rollback on the server undid the setting too

        return undo

    async def release(self) -> None:
        await self._insert_now()
        await self._run_command(await self.link(None), "RELEASE step")

    async def commit(self) -> None:
        """Commit what happened, if anything did. Raises `CommitOutcomeUnknown` when the connection is lost meanwhile.

        Raises `RuntimeError` where PostgreSQL rolled back instead.
        """
        await self._insert_now()
        if not self._begun:
            return
        link = await self.link(None)
        self.committing = True
        try:
            done = await self._run_command(link, "COMMIT")
        except DatabaseUnreachable as error:
            raise CommitOutcomeUnknown(f"the connection was lost during the commit: {error}") from error
        if done != "COMMIT":
            raise RuntimeError(
                "a statement failed and its error was swallowed, so PostgreSQL rolled back: use a savepoint"
            )

    async def roll_back(self) -> None:
        """Undo what happened. A connection on which that fails is thrown away."""
        if self._link is None or self.broken or not self._link.connection.is_in_transaction():
            return
        try:
            await self._link.connection.execute("ROLLBACK")
        except DRIVER_ERRORS:
            self.return_connection(broken=True)
        except BaseException:
            self.return_connection(broken=True)
            raise


class Postgres(Database):
    """One PostgreSQL database, by a pool of connections."""

    dialect = "postgresql"

    def __init__(self, url: str, *, pool_size: int = DEFAULT_POOL_SIZE, direct_url: str | None = None) -> None:
        """With a `direct_url`, `url` is a pooler's that lends connections for a transaction; notices need the direct one."""
        self._pool = ConnectionPool(url, pool_size, shared=direct_url is not None)
        self._listener = NotificationListener(direct_url or url)
        self._read_session = PostgresSession if direct_url is None else TransactionSession
        self._outages = OutageRecord()
        self._joins_inserts = False
        self._walled = get_statements(dialect.dialect, tenant_filtered=True)
        self._unwalled = get_statements(dialect.dialect, tenant_filtered=False)

    async def open(self) -> None:
        link = await self._pool.acquire(None)
        # Why not there: tables of one statement may lie on different nodes.
        self._joins_inserts = not await link.connection.fetchval(HAS_CITUS_SQL)
        self._pool.return_connection(link)

    async def close(self) -> None:
        await self._listener.close()
        await self._pool.close()

    def _session(self, kind: type[S], client_id: int | None) -> S:
        preferred_tenant = None if client_id is None else str(client_id)
        return kind(self._pool, self._walled, self._unwalled, preferred_tenant)

    @asynccontextmanager
    async def read(self, client_id: int | None, *, replica: bool = False) -> AsyncGenerator[UnitOfWork]:
        session = self._session(self._read_session, client_id)
        try:
            yield UnitOfWork(session, client_id, writable=False)
        except asyncio.CancelledError:
            session.return_connection(broken=True)
            raise
        finally:
            if isinstance(session, TransactionSession):
                await session.roll_back()
            session.return_connection()

    @asynccontextmanager
    async def write(self, client_id: int | None) -> AsyncGenerator[UnitOfWork]:
        session = self._session(TransactionSession, client_id)
        session.joins_inserts = self._joins_inserts
        try:
            async with _transaction(session):
                yield UnitOfWork(session, client_id, writable=True)
                if not session.doomed:
                    await session.run_deferred()
        except DatabaseOutage as outage:
            self._note(outage)
            raise
        finally:
            session.return_connection()
            if session.committing:  # Why here: a commit whose answer was lost may have happened all the same
                self._send_notices(session)
        if not session.doomed:
            if not session.committing:  # nothing was written
                self._send_notices(session)
            await session.committed()

    def _send_notices(self, session: TransactionSession) -> None:
        for channel, payload in session.payloads():
            self._listener.notify_soon(channel, payload)

    async def listen(
        self, channel: str, on_notice: Callable[[str], None], subject: str | None = None
    ) -> Callable[[], None]:
        return await self._listener.listen(channel, on_notice, subject)

    async def notify(self, channel: str, *subjects: str) -> None:
        for payload in notice_payloads(subjects):
            self._listener.notify_soon(channel, payload)

    async def table_names(self) -> frozenset[str]:
        rows = await self._fetch_rows(TABLE_NAMES_SQL)
        return frozenset(row[0] for row in rows)

    async def ping(self) -> None:
        if (await self._fetch_rows(READ_ONLY_SQL))[0][0]:
            raise DatabaseReadOnly("connected to a server that only reads")

    def outage(self) -> OutageKind | None:
        return self._outages.current()

    def _note(self, outage: DatabaseOutage) -> None:
        # Why not the others: `ping` sees at once whether a primary can be reached.
        if outage.kind is OutageKind.FULL:
            self._outages.note(outage.kind)

    async def _fetch_rows(self, sql: str) -> Sequence[Sequence[Any]]:
        session = self._session(PostgresSession, None)
        try:
            return await (await session.link(None)).connection.fetch(sql)
        except DRIVER_ERRORS as error:
            raise session.translated(error) from error
        finally:
            session.return_connection()


@asynccontextmanager
async def _transaction(session: TransactionSession) -> AsyncGenerator[None]:
    """A cancelled task may leave a statement half sent, so its connection is thrown away: the server then rolls back."""
    try:
        yield
        await (session.roll_back() if session.doomed else session.commit())
    except Exception:
        await session.roll_back()
        raise
    except BaseException:
        session.return_connection(broken=True)
        raise
