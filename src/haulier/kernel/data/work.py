"""The unit of work: every statement of one call, in one transaction, behind the tenant wall."""

from abc import ABC, abstractmethod
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from inspect import isawaitable
from typing import Any

from sqlalchemy import Table
from sqlalchemy.sql.base import Executable

from haulier.kernel.data.statement import Prepared, Statements
from haulier.kernel.data.wall import CLIENT, WallBreach

Callback = Callable[[], Awaitable[None] | None]
Settle = Callable[[list[Any]], Awaitable[None]]
EVERYONE = "*"
"""What the second wall, row-level security, is told by a unit of work that crosses the first."""


class Conflict(Exception):
    """A row would break a unique constraint; `constraint` is its name, the same on both databases."""

    def __init__(self, constraint: str) -> None:
        super().__init__(constraint)
        self.constraint = constraint


class Retry(Exception):
    """The database asks to try the whole transaction again: a deadlock, a serialisation failure, a writer too long busy."""


class ReadOnly(Exception):
    """A write in a unit of work that only reads."""


class Session(ABC):
    """What a driver lends to one unit of work: a connection, and what happens when the unit ends.

    `wall` is what row-level security is told before the statement: a client's number, `EVERYONE`, or None for a statement
    that touches no tenant table.
    """

    def __init__(self, walled: Statements, unwalled: Statements) -> None:
        self.walled = walled
        self.unwalled = unwalled
        self.statements = 0
        self.doomed = False
        self.callbacks: list[Callback] = []
        self.notices: dict[tuple[str, str], None] = {}
        self.gathered: list[tuple[tuple[str, int | None], Any, Settle]] = []

    @abstractmethod
    async def fetch(self, prepared: Prepared, values: tuple[Any, ...], wall: str | None) -> Sequence[Sequence[Any]]:
        """Run a statement and return its rows."""

    @abstractmethod
    async def change(self, prepared: Prepared, values: tuple[Any, ...], wall: str | None) -> int:
        """Run a statement and return how many rows it changed."""

    @abstractmethod
    async def fetch_each(
        self, prepared: Prepared, values: Sequence[tuple[Any, ...]], wall: str | None
    ) -> Sequence[Sequence[Any]]:
        """Run a statement once per tuple of values, in one exchange; return all rows in that order."""

    @abstractmethod
    async def savepoint(self) -> Callable[[], Awaitable[None]]:
        """Set a savepoint; returns what rolls back to it and forgets it."""

    @abstractmethod
    async def release(self) -> None:
        """Forget the newest savepoint and keep what happened since."""

    async def settle(self) -> None:
        """See to what was gathered, in this transaction: once for each name and client, with all that came together."""
        while self.gathered:
            first, _, see_to = self.gathered[0]
            together = [item for key, item, _ in self.gathered if key == first]
            self.gathered = [each for each in self.gathered if each[0] != first]
            await see_to(together)

    async def committed(self) -> None:
        """Run what was promised for after the commit."""
        for callback in self.callbacks:
            result = callback()
            if isawaitable(result):
                await result


class Work:
    """A unit of work. Statements are SQLAlchemy Core; parameters are keyword arguments; rows have attributes.

    Every method raises `WallBreach` for a statement that would cross the tenant wall, `ReadOnly` for a write in a unit that
    only reads, `Conflict` when a unique constraint would break, and `Retry` when the database wants the transaction again.
    """

    __slots__ = ("_session", "_statements", "_wall", "client_id", "writable")

    def __init__(self, session: Session, client_id: int | None, *, writable: bool, walled: bool = True) -> None:
        self._session = session
        self._statements = session.walled if walled else session.unwalled
        self._wall = str(client_id) if walled and client_id is not None else None if walled else EVERYONE
        self.client_id = client_id
        self.writable = writable

    @property
    def statements(self) -> int:
        """How many statements this unit of work has run."""
        return self._session.statements

    async def all(self, statement: Executable, /, **params: Any) -> list[Any]:
        """Every row."""
        prepared, values, wall = self._bind(statement, params)
        return prepared.rows(await self._session.fetch(prepared, values, wall))

    async def first(self, statement: Executable, /, **params: Any) -> Any | None:
        """The first row, or None. The statement should limit itself."""
        prepared, values, wall = self._bind(statement, params)
        raw = await self._session.fetch(prepared, values, wall)
        return prepared.row(raw[0]) if raw else None

    async def value(self, statement: Executable, /, **params: Any) -> Any:
        """The first column of the first row, or None."""
        prepared, values, wall = self._bind(statement, params)
        raw = await self._session.fetch(prepared, values, wall)
        return prepared.scalar(raw[0]) if raw else None

    async def run(self, statement: Executable, /, **params: Any) -> int:
        """Run a write; returns how many rows it changed."""
        prepared, values, wall = self._bind(statement, params)
        return await self._session.change(prepared, values, wall)

    async def run_many(self, statement: Executable, rows: Sequence[Mapping[str, Any]], /) -> None:
        """Run a write once per row of parameters, in one exchange with the database; it counts as one statement."""
        if rows:
            prepared, literals = self._statements.prepare(statement)
            await self._each(prepared, [{**literals, **row} for row in rows])

    async def insert(self, table: Table, /, **values: Any) -> int:
        """Insert a row and return its `id`."""
        prepared = self._statements.insertion(table, tuple(values))
        wall = self._check(prepared)
        if wall and wall is not EVERYONE:
            values[CLIENT.key] = self.client_id
        raw = await self._session.fetch(prepared, prepared.bind(values), wall)
        return raw[0][0]

    async def insert_many(self, table: Table, rows: Sequence[Mapping[str, Any]], /) -> list[int]:
        """Insert rows that all have the same columns, in one exchange; returns their `id`s in the order of the rows.

        A table without an `id` gives none.
        """
        if not rows:
            return []
        prepared = self._statements.insertion(table, tuple(rows[0]), returning="id" in table.c)
        return [raw[0] for raw in await self._each(prepared, [dict(row) for row in rows])]

    def unwalled(self, reason: str) -> "Work":
        """The same transaction without the tenant wall. For the kernel, access and tracking; `reason` is for the reader."""
        if not reason:
            raise ValueError("crossing the wall needs a reason")
        return Work(self._session, self.client_id, writable=self.writable, walled=False)

    def within(self, client_id: int, reason: str) -> "Work":
        """The same transaction behind another client's wall: for one who was let in there; `reason` is for the reader."""
        if not reason:
            raise ValueError("crossing the wall needs a reason")
        return Work(self._session, client_id, writable=self.writable)

    @asynccontextmanager
    async def savepoint(self) -> AsyncGenerator[None]:
        """What happens inside is undone alone when it raises; the transaction goes on."""
        self._must_write()
        session = self._session
        promised, gathered = len(session.callbacks), len(session.gathered)
        undo = await session.savepoint()
        try:
            yield
        except Exception:
            del session.callbacks[promised:]
            del session.gathered[gathered:]
            await undo()
            raise
        else:
            await session.release()

    def rollback_only(self) -> None:
        """Undo everything when the unit ends, without an exception: a rehearsal."""
        self._session.doomed = True

    def after_commit(self, callback: Callback) -> None:
        """Call this once the transaction is committed; never when it was rolled back."""
        self._session.callbacks.append(callback)

    def gather(self, name: str, item: Any, see_to: Settle) -> None:
        """Keep an item until just before the commit; then `see_to` gets all that came under the name, in this transaction."""
        self._session.gathered.append(((name, self.client_id), item, see_to))

    async def settle(self) -> None:
        """See to what was gathered now: where somebody wants to know what comes of it before the end."""
        await self._session.settle()

    def notify(self, channel: str, payload: str = "") -> None:
        """Wake whoever listens to a channel, in every process, after the commit. Equal notices are sent once."""
        self._session.notices[channel, payload] = None

    def _bind(self, statement: Executable, params: dict[str, Any]) -> tuple[Prepared, tuple[Any, ...], str | None]:
        prepared, literals = self._statements.prepare(statement)
        wall = self._check(prepared)
        if not params.keys() <= prepared.names:
            raise TypeError(f"unknown parameters: {', '.join(params.keys() - prepared.names)}")
        if wall and wall is not EVERYONE:
            params[CLIENT.key] = self.client_id
        return prepared, prepared.bind({**literals, **params} if literals else params), wall

    async def _each(self, prepared: Prepared, rows: list[dict[str, Any]]) -> Sequence[Sequence[Any]]:
        wall = self._check(prepared)
        if any(row.keys() != rows[0].keys() for row in rows):
            raise TypeError("the rows differ in their columns")
        if not rows[0].keys() <= prepared.names:
            raise TypeError(f"unknown parameters: {', '.join(rows[0].keys() - prepared.names)}")
        if wall and wall is not EVERYONE:
            for row in rows:
                row[CLIENT.key] = self.client_id
        return await self._session.fetch_each(prepared, [prepared.bind(row) for row in rows], wall)

    def _check(self, prepared: Prepared) -> str | None:
        if prepared.writes:
            self._must_write()
        self._session.statements += 1
        if not prepared.tenant:
            return None
        if self._wall is None:
            raise WallBreach(f"without a client, only shared tables: {prepared.sql}")
        return self._wall

    def _must_write(self) -> None:
        if not self.writable:
            raise ReadOnly("this unit of work only reads")


class Database(ABC):
    """A database: gives out units of work."""

    dialect: str
    """`sqlite` or `postgresql`."""

    @abstractmethod
    async def open(self) -> None:
        """Connect. Raises what the driver raises when the database is not there."""

    @abstractmethod
    async def close(self) -> None:
        """Let go of every connection."""

    @abstractmethod
    def read(self, client_id: int | None) -> AbstractAsyncContextManager[Work]:
        """A unit of work that only reads; each statement sees what was committed before it."""

    @abstractmethod
    def write(self, client_id: int | None) -> AbstractAsyncContextManager[Work]:
        """A unit of work in a transaction: committed at the end, rolled back when the block raises."""

    def version(self) -> int:
        """A number that changes with every commit, of other processes too, where that can be told at once; 0 elsewhere."""
        return 0

    @abstractmethod
    async def listen(self, channel: str, hear: Callable[[str], None]) -> Callable[[], None]:
        """Call `hear(payload)` for every notice on a channel, until the function returned is called.

        What this process says itself is heard at once after its commit.
        """

    @abstractmethod
    async def notify(self, channel: str, payload: str = "") -> None:
        """Wake whoever listens to a channel. A notice may be lost with its sender: listeners also look from time to time."""

    @abstractmethod
    async def table_names(self) -> frozenset[str]:
        """The tables that exist, migrated or not."""

    @abstractmethod
    async def ping(self) -> None:
        """Ask the database something trivial. Raises what the driver raises."""
