"""PostgreSQL database on asyncpg.

Reads run without a transaction, writes in READ COMMITTED. Row-level security repeats the tenant filter of the compiler:
each connection sets the client in `haulier.client`.

A transaction sets it in the same round trip as BEGIN, for its own duration. A read on a direct connection sets it for
the session, only if the client differs from the last one. The pool prefers a connection that is already set to the
client, so most reads need no second round trip.

Behind a pooler in transaction mode and on Citus, reads are transactions too (docs/decisions/transactions.md). A
statement on rows of clients without the setting raises an error.
"""

import asyncio
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import asynccontextmanager
from typing import Any, TypeVar

from sqlalchemy import DDL, Table
from sqlalchemy.dialects.postgresql import asyncpg as dialect

from haulier.adapters.citus_sessions import DistributedSession
from haulier.adapters.postgres_errors import DRIVER_ERRORS
from haulier.adapters.postgres_pool import ConnectionPool, NotificationListener
from haulier.adapters.postgres_sessions import PostgresSession, TransactionSession, transaction
from haulier.kernel.data.notices import notice_payloads
from haulier.kernel.data.outages import (
    DatabaseOutage,
    DatabaseReadOnly,
    DatabaseUnsafe,
    OutageKind,
    OutageRecord,
)
from haulier.kernel.data.statements import get_statements
from haulier.kernel.data.unit_of_work import Database, PoolUsage, UnitOfWork

DEFAULT_POOL_SIZE = 10
S = TypeVar("S", bound="PostgresSession")


TABLE_NAMES_SQL = """
SELECT relname FROM pg_class
WHERE relnamespace = current_schema()::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition
"""
HAS_CITUS_SQL = "SELECT to_regclass('pg_dist_partition') IS NOT NULL"
STATE_SQL = f"""
SELECT pg_is_in_recovery() OR current_setting('default_transaction_read_only')::bool,
    ({HAS_CITUS_SQL}), current_setting('citus.propagate_set_commands', true) IS NOT DISTINCT FROM 'local'
"""
UNPLACED_SQL = f"""
SELECT string_agg(relname, ', ') FROM ({TABLE_NAMES_SQL}) AS ours
WHERE relname NOT IN ('alembic_version', 'pg_dist_node', 'pg_dist_partition')
    AND NOT EXISTS (SELECT FROM pg_dist_partition WHERE logicalrelid = to_regclass(quote_ident(relname)))
    AND NOT relation_is_a_known_shard(to_regclass(quote_ident(relname)))
"""
"""Tables that Citus does not manage, whose rows would not be committed together with others."""
PARTITION_INFIX = "_part_"
"""Infix before the number in the name of every partition."""


def row_level_security_ddl(table: Table) -> list[DDL]:
    """Return the statements that enable row-level security on a tenant table.

    Rows are hidden from connections that are set to another client, and raise an error on connections that are set to
    none. The policy binds the table's owner too (FORCE). Superusers are never bound, so the application must not
    connect as one. Returns an empty list for a table that opts out and relies on the tenant filter alone
    (`full_text.search_table`).
    """
    if not table.info.get("row_level_security", True):
        return []
    setting = "current_setting('haulier.client')"
    # Citus evaluates both branches before it sends a statement.
    mine = f"CASE WHEN {setting} = '*' THEN true ELSE client_id = nullif({setting}, '*')::bigint END"
    name = table.fullname
    return [
        DDL(f'ALTER TABLE "{name}" ENABLE ROW LEVEL SECURITY'),
        DDL(f'ALTER TABLE "{name}" FORCE ROW LEVEL SECURITY'),
        DDL(f'DROP POLICY IF EXISTS tenant ON "{name}"'),
        DDL(f'CREATE POLICY tenant ON "{name}" USING ({mine})'),
    ]


def partition_ddl(table: Table) -> list[DDL]:
    """Return the statements that create a table's partitions.

    Returns an empty list for a table without partitions.
    """
    count: int = table.info.get("partitions", 0)
    of = f'PARTITION OF "{table.fullname}" FOR VALUES WITH (MODULUS {count}, REMAINDER'
    return [
        DDL(f'CREATE TABLE IF NOT EXISTS "{table.fullname}{PARTITION_INFIX}{index:02}" {of} {index})')
        for index in range(count)
    ]


def unlogged_ddl(table: Table) -> DDL:
    """Return the statement that makes a table unlogged.

    The table is emptied when the server crashes.
    """
    return DDL(f'ALTER TABLE "{table.fullname}" SET UNLOGGED')


class Postgres(Database):
    """PostgreSQL database behind a connection pool."""

    dialect = "postgresql"

    def __init__(self, url: str, *, pool_size: int = DEFAULT_POOL_SIZE, direct_url: str | None = None) -> None:
        """Create the pool.

        With a `direct_url`, `url` is a pooler in transaction mode. Notices need the direct connection.
        """
        self._pool = ConnectionPool(url, pool_size, shared=direct_url is not None)
        self._listener = NotificationListener(direct_url or url)
        self._has_pooler = direct_url is not None
        self._outages = OutageRecord()
        self.distributed: bool | None = None
        """True with Citus. Unknown until the first connection, and then treated as True."""
        self._walled = get_statements(dialect.dialect, tenant_filtered=True)
        self._unwalled = get_statements(dialect.dialect, tenant_filtered=False)

    async def open(self) -> None:
        link = await self._pool.acquire(None)
        self.distributed = await link.connection.fetchval(HAS_CITUS_SQL)
        self._pool.return_connection(link)

    async def close(self) -> None:
        await self._listener.close()
        await self._pool.close()

    def _session(self, kind: type[S], client_id: int | None) -> S:
        preferred_tenant = None if client_id is None else str(client_id)
        return kind(self._pool, self._walled, self._unwalled, preferred_tenant)

    def _write_session(self) -> type[TransactionSession]:
        return TransactionSession if self.distributed is False else DistributedSession

    def _read_session(self) -> type[PostgresSession]:
        return self._write_session() if self._has_pooler or self.distributed is not False else PostgresSession

    @asynccontextmanager
    async def read(self, client_id: int | None, *, replica: bool = False) -> AsyncGenerator[UnitOfWork]:
        session = self._session(self._read_session(), client_id)
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
        session = self._session(self._write_session(), client_id)
        try:
            async with transaction(session):
                yield UnitOfWork(session, client_id, writable=True)
                if not session.doomed:
                    await session.run_deferred()
        except DatabaseOutage as outage:
            self._note(outage)
            raise
        finally:
            session.return_connection()
            if session.committing:  # a commit with a lost response may still have happened
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
        read_only, self.distributed, passes_client = (await self._fetch_rows(STATE_SQL))[0]
        if read_only:
            raise DatabaseReadOnly("connected to a server that only reads")
        if self.distributed and not passes_client:
            raise DatabaseUnsafe("Citus without citus.propagate_set_commands = local: run haulier db distribute")
        if self.distributed and (unplaced := (await self._fetch_rows(UNPLACED_SQL))[0][0]):
            raise DatabaseUnsafe(f"Citus does not manage {unplaced}: run haulier db distribute")

    def pool_usage(self) -> PoolUsage:
        return self._pool.usage()

    def outage(self) -> OutageKind | None:
        return self._outages.current()

    def _note(self, outage: DatabaseOutage) -> None:
        # Only record a full disk: `ping` detects the other outages immediately.
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
