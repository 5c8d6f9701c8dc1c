"""Who may write into a SQLite file, one unit of work after another, and one commit for units that came at the same time.

A commit copies every page that was changed into the log, and units that follow each other change mostly the same pages. So
a unit that ends while others wait leaves its commit to the last of them (docs/decisions/transactions.md).
It is told so, and answered, after that commit.
"""

import asyncio
import random
import time
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from typing import Any, NamedTuple, TypeVar

import apsw

from haulier.kernel.data.driver_session import DriverSession
from haulier.kernel.data.outages import OutageKind
from haulier.kernel.data.unit_of_work import TransactionRetry

T = TypeVar("T")

BUSY_TIMEOUT_S = 30.0
MIN_RETRY_PAUSE_S, MAX_RETRY_PAUSE_S = 0.001, 0.05
MAX_UNITS = 16
"""At most so many units share a commit: the first of them waits for all."""
MAX_OPEN_S = 0.01
"""A commit is left to others only for so long: after a large unit nobody waits for the next one."""
LOCKED_AFTER_S = 1.0
"""A file whose writer was waited for longer than this, in vain, counts as locked."""


async def retry_when_busy(step: Callable[[], T]) -> T:
    """Do something for which another process may hold the lock. Raises `Retry` after `PATIENCE_S`."""
    loop = asyncio.get_running_loop()
    deadline, pause_s = loop.time() + BUSY_TIMEOUT_S, MIN_RETRY_PAUSE_S
    while True:
        try:
            return step()
        except apsw.BusyError as error:
            if loop.time() > deadline:
                raise TransactionRetry("another process is writing for too long") from error
        await asyncio.sleep(pause_s * random.uniform(0.5, 1.0))
        pause_s = min(pause_s * 2, MAX_RETRY_PAUSE_S)


class EndedUnit(NamedTuple):
    """A unit of work that ended well, and is not committed yet."""

    session: DriverSession
    committed: asyncio.Future[None]


class SQLiteWriter:
    """The connection that writes. Between BEGIN and COMMIT the file is its own."""

    def __init__(
        self,
        connection: apsw.Connection,
        *,
        before_commit: Callable[[], None],
        on_committed: Callable[[DriverSession], None],
        on_lost: Callable[[], None],
        on_outage: Callable[[OutageKind], None],
    ) -> None:
        """`on_committed` is told of each unit right after its commit; `on_lost` when a commit failed after units had ended."""
        self.connection = connection
        self._before_commit = before_commit
        self._on_committed = on_committed
        self._on_lost = on_lost
        self._on_outage = on_outage
        self._turn = asyncio.Lock()
        self._waiting = 0
        self._ended: list[EndedUnit] = []
        self._begun_at = 0.0
        self._writes_now: asyncio.Task[Any] | None = None

    @asynccontextmanager
    async def unit(self, session: DriverSession) -> AsyncGenerator[None]:
        """A unit of work: committed when this ends, alone or with others; undone alone when the block raises.

        A block should not wait for anything: those who ended before wait with it.
        """
        if self._writes_now is not None and self._writes_now is asyncio.current_task():
            raise RuntimeError("a unit of work that writes was asked for within another one")
        await self._take_turn()
        its_turn: Awaitable[None] | None = None
        try:
            await self._begin()
            self._writes_now = asyncio.current_task()
            try:
                yield
                its_turn = self._end(session)
            except BaseException:
                self._undo()
                raise
            finally:
                self._writes_now = None
        finally:
            self._turn.release()
            if self._ended:
                asyncio.get_running_loop().call_soon(self._commit_unless_others_come)
        if its_turn:
            session.committing = True
            await its_turn

    async def _take_turn(self) -> None:
        self._waiting += 1
        try:
            # Why: statements do not wait, so one write after another would keep every other call waiting. And whoever comes in
            # the same turn of the event loop is counted then.
            await asyncio.sleep(0)
            await self._turn.acquire()
        finally:
            self._waiting -= 1

    async def _begin(self) -> None:
        """Go on where others ended, or get the file's only lock. Whoever gives up after waiting for long met another holder."""
        if self._ended:
            self.connection.execute("SAVEPOINT unit")
            return
        since = time.monotonic()
        try:
            await retry_when_busy(lambda: self.connection.execute("BEGIN IMMEDIATE"))
        except (TransactionRetry, asyncio.CancelledError):
            if time.monotonic() - since > LOCKED_AFTER_S:
                self._on_outage(OutageKind.LOCKED)
            raise
        self._begun_at = time.monotonic()

    def _end(self, session: DriverSession) -> Awaitable[None] | None:
        """End a unit: commit, unless others wait to go on from here. Returns what it has to wait for, if anything."""
        if session.doomed:
            self._undo()
            return None
        shared = bool(self._ended)
        if shared:
            self.connection.execute("RELEASE unit")
        if self._may_leave_open(len(self._ended) + 1):
            committed = asyncio.get_running_loop().create_future()
            self._ended.append(EndedUnit(session, committed))
            return committed
        self._commit(session)
        return asyncio.sleep(0) if shared else None  # those who ended before go on before

    def _undo(self) -> None:
        """Undo a unit alone. Where SQLite has undone the transaction, those who had ended lose theirs, too."""
        if self._ended and self.connection.in_transaction:
            self.connection.execute("ROLLBACK TO unit; RELEASE unit")
        elif self._ended:
            self._lose(TransactionRetry("another unit of work was undone together with this one"))
        elif self.connection.in_transaction:
            self.connection.execute("ROLLBACK")

    def _may_leave_open(self, units: int) -> bool:
        """Whether others go on from here, soon enough for so many units that have ended."""
        return bool(self._waiting) and units < MAX_UNITS and time.monotonic() - self._begun_at < MAX_OPEN_S

    def _commit_unless_others_come(self) -> None:
        if not self._ended or self._turn.locked():  # whoever is at work looks again at the end
            return
        if self._may_leave_open(len(self._ended)):
            asyncio.get_running_loop().call_soon(self._commit_unless_others_come)
            return
        self.commit_ended()

    def commit_ended(self) -> None:
        """Commit for those who have ended, without the unit that is at work; they are told, too, when it fails."""
        if self._ended:
            if self._turn.locked():
                self._undo()
            with suppress(apsw.Error):
                self._commit()

    def _commit(self, *sessions: DriverSession) -> None:
        """Commit the transaction with all that ended in it, and with `sessions` that end now. Raises what SQLite raises."""
        try:
            self._before_commit()
            self.connection.execute("COMMIT")
        except apsw.Error as error:
            self._lose(error)
            raise
        ended, self._ended = self._ended, []
        for unit in ended:  # Why first: they go on in the next turn of the event loop, whatever a hearer does
            if not unit.committed.done():
                unit.committed.set_result(None)
        for each in (*(unit.session for unit in ended), *sessions):
            self._on_committed(each)

    def _lose(self, error: Exception) -> None:
        """Undo everything, and tell those who had ended, and who must forget what they read of it."""
        ended, self._ended = self._ended, []
        if self.connection.in_transaction:
            self.connection.execute("ROLLBACK")
        if ended:
            self._on_lost()
        for unit in ended:
            if not unit.committed.done():
                unit.committed.set_exception(error)
