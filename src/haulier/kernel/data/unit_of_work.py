"""The unit of work: all statements of one call, in one transaction.

Statements on tenant tables are limited to the client of the call.
"""

from abc import ABC, abstractmethod
from collections.abc import AsyncGenerator, Callable, Collection, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any, TypeVar, overload

from msgspec import Struct
from sqlalchemy import Insert, Table
from sqlalchemy.sql.base import Executable

from haulier.kernel.data.driver_session import CommitCallback, DeferredHandler, DeferredItems, DriverSession
from haulier.kernel.data.notices import EVERYTHING
from haulier.kernel.data.outages import OutageKind
from haulier.kernel.data.statements import NO_LITERALS, PreparedStatement, Row
from haulier.kernel.data.tables import is_sqlite
from haulier.kernel.data.tenancy import CLIENT_PARAM, TenantIsolationError
from haulier.kernel.data.touched_tables import SHARED, TouchedTables

R = TypeVar("R", bound=Row)
ColumnRows = Sequence[Mapping[str, Any]]
ALL_TENANTS = "*"
"""Value for row-level security in a unit of work without the tenant filter."""


class UniqueConflict(Exception):
    """Raised when a row would violate a unique constraint.

    `constraint` is its name on both databases.
    """

    def __init__(self, constraint: str) -> None:
        super().__init__(constraint)
        self.constraint = constraint


class TransactionRetry(Exception):
    """Raised when the transaction must be retried, for example after a deadlock."""


class ReadOnlyUnitOfWork(Exception):
    """Raised for a write in a read-only unit of work."""


class UnitOfWork:
    """A unit of work.

    Statements are SQLAlchemy Core, parameters are keyword arguments, rows have attributes.

    Every method raises `TenantIsolationError` for a statement that would escape the tenant filter,
    `ReadOnlyUnitOfWork` for a write in a read-only unit, `UniqueConflict` for a violated unique constraint, and
    `TransactionRetry` if the transaction must be retried.
    """

    __slots__ = ("_rls_tenant", "_session", "_statements", "client_id", "writable")

    def __init__(
        self, session: DriverSession, client_id: int | None, *, writable: bool, tenant_filtered: bool = True
    ) -> None:
        self._session = session
        self._statements = session.tenant_filtered if tenant_filtered else session.without_tenant_filter
        self._rls_tenant = (
            str(client_id) if tenant_filtered and client_id is not None else None if tenant_filtered else ALL_TENANTS
        )
        self.client_id = client_id
        self.writable = writable

    @property
    def statements(self) -> int:
        """Number of statements that this unit of work has run."""
        return self._session.statements

    @property
    def reads_shared(self) -> bool:
        """True if it read rows that belong to no client."""
        return self._session.reads_shared

    @property
    def reads_beyond(self) -> bool:
        """True if it may have read rows without write notices.

        These are rows of other clients and of `machinery` tables.
        """
        return self._session.reads_beyond

    @property
    def writes_within_with(self) -> bool:
        """True if one statement can contain several writes (`WITH x AS (INSERT …)`).

        False on SQLite and in a dry run.
        """
        return self._statements.dialect.name != "sqlite"

    @property
    def committing(self) -> bool:
        """True once its commit has begun.

        A call that is cut off then has an unknown outcome.
        """
        return self._session.committing

    @overload
    async def all(self, statement: Executable, row_type: type[R], /, **params: Any) -> list[R]: ...
    @overload
    async def all(self, statement: Executable, /, **params: Any) -> list[Any]: ...
    async def all(self, statement: Executable, row_type: type[Row] | None = None, /, **params: Any) -> list[Any]:
        """Return all rows.

        Raises `TypeError` if the statement does not select the columns of `row_type`.
        """
        prepared, values, rls_tenant = self._bind(statement, params)
        if row_type:
            prepared.require_columns(row_type)
        return prepared.rows(await self._session.fetch(prepared, values, rls_tenant))

    @overload
    async def first(self, statement: Executable, row_type: type[R], /, **params: Any) -> R | None: ...
    @overload
    async def first(self, statement: Executable, /, **params: Any) -> Any | None: ...
    async def first(self, statement: Executable, row_type: type[Row] | None = None, /, **params: Any) -> Any | None:
        """Return the first row, or None. The statement should have a limit.

        `row_type` as in `all`.
        """
        prepared, values, rls_tenant = self._bind(statement, params)
        if row_type:
            prepared.require_columns(row_type)
        raw = await self._session.fetch(prepared, values, rls_tenant)
        return prepared.row(raw[0]) if raw else None

    async def value(self, statement: Executable, /, **params: Any) -> Any:
        """Return the first column of the first row, or None."""
        prepared, values, rls_tenant = self._bind(statement, params)
        raw = await self._session.fetch(prepared, values, rls_tenant)
        return prepared.scalar(raw[0]) if raw else None

    @property
    def on_sqlite(self) -> bool:
        """True on SQLite, for the few statements that differ between the databases."""
        return is_sqlite(self._statements.dialect)

    async def run(self, statement: Executable, /, **params: Any) -> int:
        """Run a write and return the number of changed rows."""
        prepared, values, rls_tenant = self._bind(statement, params)
        return await self._session.change(prepared, values, rls_tenant)

    async def run_many(self, statement: Executable, rows: Sequence[Mapping[str, Any]], /) -> None:
        """Run a write once per row of parameters in one round trip.

        Counts as one statement.
        """
        if rows:
            prepared, literals = self._statements.prepare(statement)
            await self._each(prepared, rows, literals)

    async def insert(self, table: Table, /, **values: Any) -> int:
        """Insert a row and return its `id`."""
        prepared = self._statements.prepare_insert(table, tuple(values))
        rls_tenant = self._check(prepared)
        if rls_tenant and rls_tenant is not ALL_TENANTS:
            values[CLIENT_PARAM.key] = self.client_id
        raw = await self._session.fetch_each(prepared, [prepared.bind(values)], rls_tenant)
        return raw[0][0]

    async def insert_many(self, table: Table, rows: Sequence[Mapping[str, Any]], /) -> list[int]:
        """Insert rows with the same columns in one round trip.

        Returns their ids in order, if the table has ids.
        """
        if not rows:
            return []
        prepared = self._statements.prepare_insert(table, tuple(rows[0]), returning="id" in table.c)
        return [raw[0] for raw in await self._each(prepared, rows)]

    async def insert_later(self, table: Table, rows: Sequence[Mapping[str, Any]], /) -> None:
        """Insert rows with the same columns, possibly along with a later statement.

        Later statements of this transaction always see them. Constraint violations may be raised by one of those or
        by the commit, so use `insert_many` for rows whose keys may be taken.
        """
        if rows:
            prepared = self._statements.prepare_insert(table, tuple(rows[0]), returning=False)
            await self._session.insert_later(prepared, *self._bind_each(prepared, rows))

    @overload
    async def insert_new(self, table: Table, rows: Sequence[Mapping[str, Any]], row_type: type[R], /) -> list[R]: ...
    @overload
    async def insert_new(self, table: Table, rows: ColumnRows, /, *, returning: tuple[str, ...] = ()) -> list[Any]: ...
    async def insert_new(
        self, table: Table, rows: ColumnRows, row_type: type[Row] | None = None, /, *, returning: tuple[str, ...] = ()
    ) -> list[Any]:
        """Insert rows with the same columns and return the new ones as stored.

        Returns the columns in `returning`, or all. Rows whose unique key is taken are skipped, after waiting for the
        transaction that took it.
        """
        if not rows:
            return []
        prepared = self._statements.prepare_insert_new(table, tuple(rows[0]), returning)
        if row_type:
            prepared.require_columns(row_type)
        return prepared.rows(await self._each(prepared, rows))

    async def insert_selected(self, statement: Insert, row_type: type[R], /, **params: Any) -> list[R]:
        """Run an INSERT from a SELECT that returns all columns, and return the new rows."""
        return await self.all(statement, row_type, **params)

    async def insert_many_once(self, table: Table, rows: Sequence[Mapping[str, Any]], /) -> bool:
        """Insert all rows, or none if one of them exists already.

        Returns True if they were inserted.
        """
        try:
            async with self.savepoint():
                await self.insert_many(table, rows)
        except UniqueConflict:
            return False
        return True

    async def upsert(self, table: Table, key: Collection[str], /, **values: Any) -> None:
        """Insert a row, or update the one with the same `key`.

        `key` names the columns of a unique constraint, without the client.
        """
        await self.upsert_many(table, key, [values])

    async def upsert_many(self, table: Table, key: Collection[str], rows: Sequence[Mapping[str, Any]], /) -> None:
        """Insert or update rows with the same columns in one round trip. See `upsert`."""
        if rows:
            await self._each(self._statements.prepare_upsert(table, tuple(key), tuple(rows[0])), rows)

    def without_tenant_filter(self, reason: str) -> "UnitOfWork":
        """Return the same transaction without the tenant filter; `reason` documents why.

        For the kernel, identity and tracking.
        """
        if not reason:
            raise ValueError("crossing the tenant filter needs a reason")
        self._session.reads_beyond = True
        return UnitOfWork(self._session, self.client_id, writable=self.writable, tenant_filtered=False)

    def for_tenant(self, client_id: int, reason: str) -> "UnitOfWork":
        """Return the same transaction for another client in which the caller may act.

        `reason` documents why.
        """
        if not reason:
            raise ValueError("crossing the tenant filter needs a reason")
        self._session.reads_beyond = True
        return UnitOfWork(self._session, client_id, writable=self.writable)

    @asynccontextmanager
    async def savepoint(self) -> AsyncGenerator[None]:
        """Open a savepoint. An exception rolls back to it, and the transaction continues."""
        self._require_writable()
        session = self._session
        callbacks, deferred, notices = list(session.callbacks), session.deferred_so_far(), dict(session.notices)
        undo = await session.savepoint()
        try:
            yield
        except Exception:
            session.callbacks, session.deferred, session.notices = callbacks, deferred, notices
            await undo()
            raise
        await session.release()

    def mark_for_rollback(self) -> None:
        """Roll back everything when the unit ends, without an exception."""
        self._session.doomed = True

    def after_commit(self, callback: CommitCallback) -> None:
        """Call this after the transaction was committed; never after a rollback."""
        self._session.callbacks.append(callback)

    def defer_until_commit(self, name: str, item: Any, handler: DeferredHandler) -> None:
        """Collect an item until just before the commit.

        Then `handler` receives all items of the name.
        """
        deferred = self._session.deferred
        kept = deferred.get((name, self.client_id))
        if kept:
            kept.items.append(item)
        else:
            deferred[name, self.client_id] = DeferredItems(handler, [item])

    async def run_deferred(self) -> None:
        """Run the deferred handlers now, if their effects must be known before the commit."""
        await self._session.run_deferred()

    def notify(self, channel: str, *subjects: str) -> None:
        """Send a notice after the commit.

        It reaches the listeners of these subjects or, without subjects, of the whole channel.

        Notices of one channel are combined; see `kernel/data/notices.py`.
        """
        for subject in subjects or (EVERYTHING,):
            self._session.notices[channel, subject] = None

    def announces(self, channel: str) -> bool:
        """Return True if this transaction will send a notice on the channel."""
        return any(each == channel for each, _ in self._session.notices)

    def _bind(
        self, statement: Executable, params: dict[str, Any]
    ) -> tuple[PreparedStatement, tuple[Any, ...], str | None]:
        prepared, literals = self._statements.prepare(statement)
        rls_tenant = self._check(prepared)
        if not params.keys() <= prepared.names:
            raise TypeError(f"unknown parameters: {', '.join(params.keys() - prepared.names)}")
        if rls_tenant and rls_tenant is not ALL_TENANTS:
            params[CLIENT_PARAM.key] = self.client_id
        return prepared, prepared.bind({**literals, **params} if literals else params), rls_tenant

    async def _each(
        self, prepared: PreparedStatement, rows: Sequence[Mapping[str, Any]], literals: Mapping[str, Any] = NO_LITERALS
    ) -> Sequence[Sequence[Any]]:
        return await self._session.fetch_each(prepared, *self._bind_each(prepared, rows, literals))

    def _bind_each(
        self, prepared: PreparedStatement, rows: Sequence[Mapping[str, Any]], literals: Mapping[str, Any] = NO_LITERALS
    ) -> tuple[list[tuple[Any, ...]], str | None]:
        rls_tenant = self._check(prepared)
        if any(row.keys() != rows[0].keys() for row in rows):
            raise TypeError("the rows differ in their columns")
        if not rows[0].keys() <= prepared.names:
            raise TypeError(f"unknown parameters: {', '.join(rows[0].keys() - prepared.names)}")
        own = rls_tenant and rls_tenant is not ALL_TENANTS
        common = {**literals, CLIENT_PARAM.key: self.client_id} if own else literals
        return prepared.bind_each(rows, common), rls_tenant

    def _check(self, prepared: PreparedStatement) -> str | None:
        if prepared.writes:
            self._require_writable()
            for channel in prepared.announced:
                self.notify(channel, self._rls_tenant or EVERYTHING if prepared.tenant else EVERYTHING)
        if prepared.touched:
            self._record_touched(prepared.touched)
        self._session.statements += 1
        if not prepared.tenant:
            return None
        if self._rls_tenant is None:
            raise TenantIsolationError(f"without a client, only shared tables: {prepared.sql}")
        return self._rls_tenant

    def _record_touched(self, touched: TouchedTables) -> None:
        session = self._session
        if touched.writes_of_client:
            session.written.add(self._rls_tenant or EVERYTHING)
        if touched.writes_shared:
            session.written.add(SHARED)
        session.reads_shared = session.reads_shared or touched.reads_shared
        session.reads_beyond = session.reads_beyond or touched.reads_machinery

    def _require_writable(self) -> None:
        if not self.writable:
            raise ReadOnlyUnitOfWork("this unit of work only reads")


class PoolUsage(Struct, frozen=True):
    """Connections of a pool, and calls that wait for one."""

    used: int
    idle: int
    limit: int
    waiting: int


class Database(ABC):
    """A database that provides units of work."""

    dialect: str
    """`sqlite` or `postgresql`."""

    @abstractmethod
    async def open(self) -> None:
        """Connect. Raises the driver's error if the database is unavailable."""

    @abstractmethod
    async def close(self) -> None:
        """Close every connection."""

    @abstractmethod
    def read(self, client_id: int | None, *, replica: bool = False) -> AbstractAsyncContextManager[UnitOfWork]:
        """Open a read-only unit of work. Each statement sees what was committed before it.

        With `replica`, a copy may serve it if it has everything that was committed before the call.
        """

    @abstractmethod
    def write(self, client_id: int | None) -> AbstractAsyncContextManager[UnitOfWork]:
        """Open a unit of work in a transaction.

        It is committed at the end and rolled back on an exception.
        """

    def version(self) -> int:
        """Return a number that changes with every commit of any process.

        Returns 0 if changes are not known immediately.
        """
        return 0

    def outside_version(self) -> int:
        """Return a number that changes with every commit of other processes.

        Returns 0 if those processes send notices.
        """
        return 0

    def pool_usage(self) -> PoolUsage | None:
        """Return the use of the connection pool, or None without one."""
        return None

    @abstractmethod
    async def listen(
        self, channel: str, on_notice: Callable[[str], None], subject: str | None = None
    ) -> Callable[[], None]:
        """Call `on_notice(payload)` for notices on a channel.

        With `subject`, only for notices that name it.

        Returns a function that unsubscribes. Notices of this process arrive right after its commit. If notices of
        others may have been missed, `*` arrives.
        """

    @abstractmethod
    async def notify(self, channel: str, *subjects: str) -> None:
        """Send a notice to the listeners of these subjects, or of the whole channel.

        A notice can be lost with its sender, so listeners also poll from time to time.
        """

    @abstractmethod
    async def table_names(self) -> frozenset[str]:
        """Return the names of all existing tables."""

    @abstractmethod
    async def ping(self) -> None:
        """Query the database.

        Raises `DatabaseOutage`, or `DatabaseReadOnly` if it is not a primary.
        """

    def outage(self) -> OutageKind | None:
        """Return the outage that made recent writes of this process fail, or None."""
        return None
