"""SQLite behind the data port: reads inline on one connection, one writer at a time on another, WAL between them.

A statement takes microseconds, less than handing it to a thread, so it runs on the event loop. Waiting does not: who may
write is decided by an asyncio lock within a process, and between processes by trying again after a short sleep. Reads of one
turn of the event loop see one snapshot.
"""

import asyncio
import re
import tempfile
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator, Iterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager, contextmanager, nullcontext, suppress
from pathlib import Path
from typing import Any, TypeVar

import apsw
from sqlalchemy import Index, PrimaryKeyConstraint, Table, UniqueConstraint
from sqlalchemy.dialects import sqlite

from haulier.adapters.owner_files import create_owner_file
from haulier.adapters.sqlite_inserts import insert_each, plain_insert
from haulier.adapters.sqlite_writer import SQLiteWriter, retry_when_busy
from haulier.kernel.data.driver_session import DriverSession
from haulier.kernel.data.full_text import INDEX_SUFFIX
from haulier.kernel.data.notices import Hearers, notice_payloads
from haulier.kernel.data.outages import (
    DatabaseFull,
    DatabaseOutage,
    DatabaseReadOnly,
    DatabaseUnreachable,
    OutageKind,
    OutageRecord,
)
from haulier.kernel.data.statements import PreparedStatement, Statements, get_statements
from haulier.kernel.data.tables import metadata
from haulier.kernel.data.unit_of_work import Database, UniqueConflict, UnitOfWork
from haulier.kernel.values.folded_text import FOLD_FUNCTION
from haulier.kernel.values.words import fold_search

T = TypeVar("T")

MAX_CACHED_STATEMENTS = 1000
PRAGMAS = """
PRAGMA journal_mode = WAL;
PRAGMA synchronous = NORMAL;
PRAGMA foreign_keys = ON;
PRAGMA temp_store = MEMORY;
PRAGMA cache_size = -8192;
PRAGMA wal_autocheckpoint = 4000;
"""
# Why 8 MiB of pages for each of two connections, and no mapping of the file: mapped pages stay resident as the file grows, the
# operating system keeps them anyway, and reads and writes cost the same (docs/decisions/transactions.md).
# Why 4000 pages, 16 MB: a write leaves some thirty pages, mostly those of the write before, and each checkpoint copies every
# page once. With SQLite's 1000, creating an order costs a tenth more (docs/decisions/transactions.md).
TABLE_NAMES_SQL = "SELECT name FROM sqlite_schema WHERE type = 'table'"
OUTAGES: Mapping[type[apsw.Error], type[DatabaseOutage]] = {
    apsw.FullError: DatabaseFull,
    apsw.ReadOnlyError: DatabaseReadOnly,
    apsw.IOError: DatabaseUnreachable,
    apsw.CantOpenError: DatabaseUnreachable,
}
UNIQUE_ERROR_CODES = {apsw.SQLITE_CONSTRAINT_UNIQUE, apsw.SQLITE_CONSTRAINT_PRIMARYKEY, apsw.SQLITE_CONSTRAINT_ROWID}


class SQLiteSession(DriverSession):
    """Statements of one unit of work on the connection that writes."""

    def __init__(
        self, connection: apsw.Connection, tenant_filtered: Statements, without_tenant_filter: Statements
    ) -> None:
        super().__init__(tenant_filtered, without_tenant_filter)
        self._connection = connection

    def _before_statement(self) -> None:
        """What comes before each statement: here nothing, for the transaction has begun."""

    async def fetch(
        self, prepared: PreparedStatement, values: tuple[Any, ...], rls_tenant: str | None
    ) -> Sequence[Sequence[Any]]:
        try:
            self._before_statement()
            return self._connection.execute(prepared.sql, values).fetchall()
        except apsw.BusyError:
            return await retry_when_busy(lambda: self._connection.execute(prepared.sql, values).fetchall())
        except apsw.Error as error:
            raise _translated_error(error) from error

    async def change(self, prepared: PreparedStatement, values: tuple[Any, ...], rls_tenant: str | None) -> int:
        await self.fetch(prepared, values, rls_tenant)
        return self._connection.changes()

    async def fetch_each(
        self, prepared: PreparedStatement, values: Sequence[tuple[Any, ...]], rls_tenant: str | None
    ) -> Sequence[Sequence[Any]]:
        insert = plain_insert(prepared.sql) if prepared.returns_as_given else None
        try:
            if insert:
                return list(insert_each(self._connection, insert, values))
            return self._connection.executemany(prepared.sql, values).fetchall()
        except apsw.Error as error:
            raise _translated_error(error) from error

    async def savepoint(self) -> Callable[[], Awaitable[None]]:
        self._connection.execute("SAVEPOINT step")

        async def undo() -> None:
            self._connection.execute("ROLLBACK TO step; RELEASE step")

        return undo

    async def release(self) -> None:
        self._connection.execute("RELEASE step")


class SQLiteReadSession(SQLiteSession):
    """Statements of a unit of work that only reads."""

    def __init__(
        self, snapshot: "ReadSnapshot", tenant_filtered: Statements, without_tenant_filter: Statements
    ) -> None:
        super().__init__(snapshot.connection, tenant_filtered, without_tenant_filter)
        self._snapshot = snapshot

    def _before_statement(self) -> None:
        self._snapshot.hold()


class ReadSnapshot:
    """What the connection that reads sees. It lasts for one turn of the event loop: all who read in it see the same.

    So they share the two locks in the file that a snapshot costs. It ends before our own next commit, too.
    """

    def __init__(self, connection: apsw.Connection, read_outside_version: Callable[[], int]) -> None:
        self.connection = connection
        self._read_outside_version = read_outside_version
        self._outside_version = 0
        self._open = False

    def hold(self) -> None:
        """Hold the snapshot until the turn of the event loop ends."""
        if not self._open:
            asyncio.get_running_loop().call_soon(self.release_snapshot)
            self._outside_version = self._read_outside_version()
            self.connection.execute("BEGIN")
            self._open = True

    def outside_version(self) -> int:
        """The number of commits of others, at most as new as what is read: whoever remembers both forgets in time."""
        return self._outside_version if self._open else self._read_outside_version()

    def release_snapshot(self) -> None:
        """End the snapshot, so that later reads see newer commits. A failed statement may have ended it already."""
        if self._open:
            self._open = False
            if self.connection.in_transaction:
                self.connection.execute("COMMIT")

    def close(self) -> None:
        """Let go of the connection."""
        self.release_snapshot()
        self.connection.close()


def _fold(*texts: Any) -> str | None:
    return None if texts[0] is None else fold_search(str(texts[0]))


class SQLite(Database):
    """One database file. Several processes may share it; each has a reader, a writer and, while open, a place in the WAL."""

    dialect = "sqlite"

    def __init__(self, path: Path | None) -> None:
        """`path` None means a private file that vanishes on `close`."""
        self._path = path
        self._private: tempfile.TemporaryDirectory[str] | None = None
        self._walled = get_statements(sqlite.dialect, tenant_filtered=True)
        self._unwalled = get_statements(sqlite.dialect, tenant_filtered=False)
        self._hearers = Hearers()
        self._snapshot: Any = None
        self._writer: Any = None
        self._outages = OutageRecord()

    async def open(self) -> None:
        if self._path is None:
            self._private = tempfile.TemporaryDirectory(prefix="haulier-")
            self._path = Path(self._private.name, "haulier.db")
        create_owner_file(self._path)
        writer = await self._connect()
        self._snapshot = ReadSnapshot(await self._connect(), self._commits_of_others)
        self._writer = SQLiteWriter(
            writer,
            # Why before: with a commit SQLite copies its log, and begins it anew unless anybody still reads an older state.
            before_commit=self._snapshot.release_snapshot,
            on_committed=self._send_notices,
            on_lost=self._hearers.tell_everything,
            on_outage=self._outages.note,
        )
        self._snapshot.connection.execute("PRAGMA query_only = ON")

    async def _connect(self) -> apsw.Connection:
        connection = apsw.Connection(str(self._path), statementcachesize=MAX_CACHED_STATEMENTS)
        connection.create_scalar_function(FOLD_FUNCTION, _fold, 1, deterministic=True)
        await retry_when_busy(lambda: connection.execute(PRAGMAS).fetchall())
        return connection

    async def close(self) -> None:
        if self._writer is not None:
            self._writer.commit_ended()
            with suppress(apsw.Error):  # statistics for the query planner; another process may be writing
                self._writer.connection.execute("PRAGMA optimize").fetchall()
            self._snapshot.close()
            self._writer.connection.close()
            self._snapshot = self._writer = None
        if self._private is not None:
            self._private.cleanup()
            self._private = self._path = None

    def read(self, client_id: int | None, *, replica: bool = False) -> AbstractAsyncContextManager[UnitOfWork]:
        session = SQLiteReadSession(self._snapshot, self._walled, self._unwalled)
        return nullcontext(UnitOfWork(session, client_id, writable=False))

    @asynccontextmanager
    async def write(self, client_id: int | None) -> AsyncGenerator[UnitOfWork]:
        connection = self._writer.connection
        session = SQLiteSession(connection, self._walled, self._unwalled)
        with self._noting_outages():
            async with self._writer.unit(session):
                changes = connection.total_changes()
                yield UnitOfWork(session, client_id, writable=True)
                if not session.doomed:
                    await session.run_deferred()
                has_written = connection.total_changes() > changes
        if not session.doomed:
            if has_written:
                self._outages.note_write()
            await session.committed()

    def _send_notices(self, session: DriverSession) -> None:
        for channel, payload in session.payloads():
            self._hearers.tell(channel, payload)

    @contextmanager
    def _noting_outages(self) -> Generator[None]:
        """Remember that a write failed, where the file is to blame."""
        try:
            yield
        except DatabaseOutage as outage:
            self._outages.note(outage.kind)
            raise
        except apsw.Error as error:  # of BEGIN, COMMIT or a savepoint; those of statements are translated already
            translated = _translated_error(error)
            if isinstance(translated, DatabaseOutage):
                self._outages.note(translated.kind)
            raise translated from error

    def outage(self) -> OutageKind | None:
        return self._outages.current()

    def version(self) -> int:
        self._snapshot.hold()
        return self._snapshot.connection.execute("PRAGMA data_version").fetchall()[0][0]

    def outside_version(self) -> int:
        return self._snapshot.outside_version()

    def _commits_of_others(self) -> int:
        # Why the writer: it does not count what it commits itself, and no other connection of ours commits.
        return self._writer.connection.execute("PRAGMA data_version").fetchall()[0][0]

    async def listen(
        self, channel: str, on_notice: Callable[[str], None], subject: str | None = None
    ) -> Callable[[], None]:
        return self._hearers.add(channel, on_notice, subject)

    async def notify(self, channel: str, *subjects: str) -> None:
        """Within this process; other processes look from time to time."""
        for payload in notice_payloads(subjects):
            self._hearers.tell(channel, payload)

    async def table_names(self) -> frozenset[str]:
        names = (row[0] for row in self._snapshot.connection.execute(TABLE_NAMES_SQL))
        return frozenset(name for name in names if INDEX_SUFFIX not in name)

    async def ping(self) -> None:
        self._snapshot.connection.execute("SELECT 1").fetchall()


def _translated_error(error: apsw.Error) -> Exception:
    if isinstance(error, apsw.ConstraintError):
        details: Any = error
        return UniqueConflict(constraint_name(str(error))) if details.extendedresult in UNIQUE_ERROR_CODES else error
    return next((ours(str(error)) for theirs, ours in OUTAGES.items() if isinstance(error, theirs)), error)


def constraint_name(message: str) -> str:
    """The name of the constraint that SQLite describes by its columns, as PostgreSQL would give it."""
    if named := re.search(r"index '(\w+)'", message):
        return named[1]
    columns = re.findall(r"(\w+)\.(\w+)", message)
    table = metadata.tables.get(columns[0][0]) if columns else None
    names = {column for _, column in columns}
    for unique in _unique_constraints_of(table) if table is not None else ():
        if {column.name for column in unique.columns} == names:
            return str(unique.name)
    return message


def _unique_constraints_of(table: Table) -> Iterator[UniqueConstraint | PrimaryKeyConstraint | Index]:
    for constraint in table.constraints:
        if isinstance(constraint, UniqueConstraint | PrimaryKeyConstraint):
            yield constraint
    yield from (index for index in table.indexes if index.unique)
