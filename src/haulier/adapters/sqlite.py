"""SQLite database with a reader and a writer connection on one WAL file.

A statement takes microseconds, less than handing it to a thread, so statements run on the event loop. Waiting does not
block it: an asyncio lock serializes writers within a process, and retries after short sleeps serialize processes. All
reads in one iteration of the event loop see the same snapshot.
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
# 8 MiB of cached pages for each connection, and no mmap: mapped pages stay resident as the file grows, without a gain
# in speed. A checkpoint every 4000 pages (16 MB): SQLite's default of 1000 makes creating an order a tenth slower
# (docs/decisions/transactions.md).
TABLE_NAMES_SQL = "SELECT name FROM sqlite_schema WHERE type = 'table'"
OUTAGES: Mapping[type[apsw.Error], type[DatabaseOutage]] = {
    apsw.FullError: DatabaseFull,
    apsw.ReadOnlyError: DatabaseReadOnly,
    apsw.IOError: DatabaseUnreachable,
    apsw.CantOpenError: DatabaseUnreachable,
}
UNIQUE_ERROR_CODES = {apsw.SQLITE_CONSTRAINT_UNIQUE, apsw.SQLITE_CONSTRAINT_PRIMARYKEY, apsw.SQLITE_CONSTRAINT_ROWID}


class SQLiteSession(DriverSession):
    """Statements of one unit of work on the writer connection."""

    def __init__(
        self, connection: apsw.Connection, tenant_filtered: Statements, without_tenant_filter: Statements
    ) -> None:
        super().__init__(tenant_filtered, without_tenant_filter)
        self._connection = connection

    def _before_statement(self) -> None:
        """Run before each statement. Does nothing here, as the transaction has begun."""

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
    """Statements of a read-only unit of work."""

    def __init__(
        self, snapshot: "ReadSnapshot", tenant_filtered: Statements, without_tenant_filter: Statements
    ) -> None:
        super().__init__(snapshot.connection, tenant_filtered, without_tenant_filter)
        self._snapshot = snapshot

    def _before_statement(self) -> None:
        self._snapshot.hold()


class ReadSnapshot:
    """Snapshot of the reader connection for one iteration of the event loop.

    All reads within the iteration share it, and so the two file locks that a snapshot costs. It also ends before the
    next commit of this process.
    """

    def __init__(self, connection: apsw.Connection, read_outside_version: Callable[[], int]) -> None:
        self.connection = connection
        self._read_outside_version = read_outside_version
        self._outside_version = 0
        self._open = False

    def hold(self) -> None:
        """Hold the snapshot until the current iteration of the event loop ends."""
        if not self._open:
            asyncio.get_running_loop().call_soon(self.release_snapshot)
            self._outside_version = self._read_outside_version()
            self.connection.execute("BEGIN")
            self._open = True

    def outside_version(self) -> int:
        """Return the version of other processes' commits, never newer than the snapshot.

        A cache that stores data with this version is always invalidated in time.
        """
        return self._outside_version if self._open else self._read_outside_version()

    def release_snapshot(self) -> None:
        """End the snapshot, so that later reads see newer commits.

        A failed statement may already have ended it.
        """
        if self._open:
            self._open = False
            if self.connection.in_transaction:
                self.connection.execute("COMMIT")

    def close(self) -> None:
        """End the snapshot and close the connection."""
        self.release_snapshot()
        self.connection.close()


def _fold(*texts: Any) -> str | None:
    return None if texts[0] is None else fold_search(str(texts[0]))


class SQLite(Database):
    """SQLite database file.

    Several processes can share it. Each has a reader and a writer connection and, while open, a position in the WAL.
    """

    dialect = "sqlite"

    def __init__(self, path: Path | None) -> None:
        """Use the file at `path`, or a temporary file that is deleted on `close`."""
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
            # Released before a commit: SQLite then checkpoints its log, and can only restart it when no reader uses an
            # older state.
            before_commit=self._snapshot.release_snapshot,
            on_committed=self._send_notices,
            on_lost=self._hearers.notify_all,
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
                self._outages.record_write()
            await session.committed()

    def _send_notices(self, session: DriverSession) -> None:
        for channel, payload in session.payloads():
            self._hearers.tell(channel, payload)

    @contextmanager
    def _noting_outages(self) -> Generator[None]:
        """Record an outage when a write fails because of the database file."""
        try:
            yield
        except DatabaseOutage as outage:
            self._outages.note(outage.kind)
            raise
        except apsw.Error as error:  # from BEGIN, COMMIT or a savepoint; errors of statements are already translated
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
        # The writer's counter excludes its own commits, and no other connection of this process commits.
        return self._writer.connection.execute("PRAGMA data_version").fetchall()[0][0]

    async def listen(
        self, channel: str, on_notice: Callable[[str], None], subject: str | None = None
    ) -> Callable[[], None]:
        return self._hearers.add(channel, on_notice, subject)

    async def notify(self, channel: str, *subjects: str) -> None:
        """Notify listeners in this process.

        Other processes poll for changes.
        """
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
    """Return the name of the constraint in an error message of SQLite.

    SQLite lists the columns. The result is the name that PostgreSQL would report.
    """
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
