"""PostgreSQL sessions for the statements of one unit of work."""

from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from typing import Any

import asyncpg

from haulier.adapters.postgres_arrays import columns_of, insert_of_arrays
from haulier.adapters.postgres_errors import DRIVER_ERRORS, translated_error
from haulier.adapters.postgres_later_inserts import LaterInserts, SentStatement, WaitingInsert
from haulier.adapters.postgres_pool import ConnectionPool, TenantConnection
from haulier.kernel.data.driver_session import DriverSession
from haulier.kernel.data.outages import CommitOutcomeUnknown, DatabaseReadOnly, DatabaseUnreachable
from haulier.kernel.data.statements import PreparedStatement, Statements


class PostgresSession(DriverSession):
    """Standalone statements of one unit of work on one connection.

    The connection is borrowed when the first statement runs.
    """

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
        """Return the connection, set to the tenant of this unit of work."""
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
        """Return the data port's error.

        After an outage the connection is marked as broken.
        """
        if isinstance(error, asyncpg.InterfaceError) and self._link and not self._link.connection.is_closed():
            return error  # a misuse of the driver
        translated = translated_error(error)
        self.broken = self.broken or isinstance(translated, DatabaseUnreachable | DatabaseReadOnly)
        return translated

    async def fetch(
        self, prepared: PreparedStatement, values: tuple[Any, ...], rls_tenant: str | None
    ) -> Sequence[Sequence[Any]]:
        return await self._fetch(await self.command(prepared, prepared.sql, values, rls_tenant))

    async def _fetch(self, command: SentStatement) -> Sequence[Sequence[Any]]:
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
        if len(values) == 1:  # `fetchmany` takes a third more processor time for one row
            return await self.fetch(prepared, values[0], rls_tenant)
        if arrays := insert_of_arrays(prepared.sql):
            return await self._insert_rows(prepared, arrays, values, rls_tenant)
        await self.before_batch()
        link = await self.link(rls_tenant)
        try:
            return await link.connection.fetchmany(prepared.sql, values)
        except DRIVER_ERRORS as error:
            raise self.translated(error) from error

    async def _insert_rows(
        self, prepared: PreparedStatement, arrays: str, values: Sequence[tuple[Any, ...]], rls_tenant: str | None
    ) -> Sequence[Sequence[Any]]:
        """Insert several rows in one round trip. `arrays` is the INSERT of arrays."""
        return await self._fetch(await self.command(prepared, arrays, columns_of(values), rls_tenant))

    async def command(
        self, prepared: PreparedStatement, sql: str, values: tuple[Any, ...], rls_tenant: str | None
    ) -> SentStatement:
        """Return the statement to send, with the given form of its SQL."""
        return SentStatement(sql, values, prepared.tables, rls_tenant)

    async def before_batch(self) -> None:
        """Run before a statement that is sent once for each row. Does nothing here."""

    async def savepoint(self) -> Callable[[], Awaitable[None]]:
        raise NotImplementedError("a savepoint needs a transaction")

    async def release(self) -> None:
        raise NotImplementedError("a savepoint needs a transaction")

    def return_connection(self, *, broken: bool = False) -> None:
        """Return the connection to the pool, which closes a broken one."""
        if self._link is not None:
            self._pool.return_connection(self._link, broken=broken or self.broken)
            self._link = None


class TransactionSession(PostgresSession):
    """Statements of one transaction.

    It begins with the first statement, and sets its tenant in the same round trip.
    """

    _tenant: str | None = None
    """Tenant of this transaction. The connection's own setting is restored when it ends."""
    _begun = False

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self._later = LaterInserts()

    async def insert_later(
        self, prepared: PreparedStatement, values: Sequence[tuple[Any, ...]], rls_tenant: str | None
    ) -> None:
        if len(values) > 1 and not insert_of_arrays(prepared.sql):
            await self.fetch_each(prepared, values, rls_tenant)
            return
        insert = WaitingInsert(prepared.sql, list(values), prepared.tables, rls_tenant)
        if not self._later.accepts(insert):
            await self._insert_now()
        self._later.add(insert)

    async def command(
        self, prepared: PreparedStatement, sql: str, values: tuple[Any, ...], rls_tenant: str | None
    ) -> SentStatement:
        """Return the statement to send.

        Pending inserts are sent with it, or before it.
        """
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
        """Return the connection, in the transaction and set to the tenant."""
        link = await self._borrowed(rls_tenant)
        wanted = rls_tenant or self._tenant or self._preferred_tenant
        steps = [] if self._begun else ["BEGIN"]
        if wanted is not None and wanted != self._tenant:
            # SET instead of set_config: Citus propagates the command to its workers, but not the function call.
            steps.append(f"SET LOCAL haulier.client = '{wanted}'")
        if steps:
            self._begun = True
            await self._run_commands(link, steps)
            self._tenant = wanted
        return link

    async def _run_commands(self, link: TenantConnection, commands: Sequence[str]) -> None:
        """Run transaction control statements in one round trip."""
        await self._run_command(link, "; ".join(commands))

    async def _run_command(self, link: TenantConnection, sql: str) -> str:
        """Run a transaction control statement and return the command tag."""
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
            await self._run_commands(link, ["ROLLBACK TO step", "RELEASE step"])
            self._tenant = tenant  # the rollback on the server has restored the setting too

        return undo

    async def release(self) -> None:
        await self._insert_now()
        await self._run_command(await self.link(None), "RELEASE step")

    async def commit(self) -> None:
        """Commit the transaction, if it has begun.

        Raises `CommitOutcomeUnknown` if the connection is lost during the commit, and `RuntimeError` if PostgreSQL
        rolled back instead.
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
        """Roll back the transaction. If that fails, close the connection."""
        if self._link is None or self.broken or not self._link.connection.is_in_transaction():
            return
        try:
            await self._link.connection.execute("ROLLBACK")
        except DRIVER_ERRORS:
            self.return_connection(broken=True)
        except BaseException:
            self.return_connection(broken=True)
            raise


@asynccontextmanager
async def transaction(session: TransactionSession) -> AsyncGenerator[None]:
    """Commit the session on success, and roll it back on error.

    A cancelled task may leave a statement half sent. Its connection is closed, so that the server rolls back.
    """
    try:
        yield
        await (session.roll_back() if session.doomed else session.commit())
    except Exception:
        await session.roll_back()
        raise
    except BaseException:
        session.return_connection(broken=True)
        raise
