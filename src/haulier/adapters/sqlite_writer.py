"""Serialized writes to a SQLite file, with group commit.

A commit copies every changed page into the log, and consecutive units of work change mostly the same pages. A unit that
ends while others wait leaves its commit to the last of them, and its caller is answered after that commit
(docs/decisions/transactions.md).
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
"""Maximum number of units in one commit: the first of them waits for all."""
MAX_OPEN_S = 0.01
"""Time limit for joining a commit, so that units do not wait after a large one."""
LOCKED_AFTER_S = 1.0
"""Time after which an unsuccessful wait for the writer counts as a locked file."""


async def retry_when_busy(step: Callable[[], T]) -> T:
    """Run a step, and retry while another process holds the lock.

    Raises `TransactionRetry` after `BUSY_TIMEOUT_S`.
    """
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
    """Successful unit of work whose commit is pending."""

    session: DriverSession
    committed: asyncio.Future[None]


class SQLiteWriter:
    """Writer connection. Between BEGIN and COMMIT it has exclusive use of the file."""

    def __init__(
        self,
        connection: apsw.Connection,
        *,
        before_commit: Callable[[], None],
        on_committed: Callable[[DriverSession], None],
        on_lost: Callable[[], None],
        on_outage: Callable[[OutageKind], None],
    ) -> None:
        """Set the callbacks.

        `on_committed` receives each unit right after its commit. `on_lost` is called when a commit fails after units
        have ended.
        """
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
        """Run a unit of work, and commit it alone or with others.

        It is rolled back alone if the block raises. The block should not wait for anything, because earlier units in
        the same commit wait with it.
        """
        if self._writes_now is not None and self._writes_now is asyncio.current_task():
            raise RuntimeError("a unit of work that writes was asked for within another one")
        await self._wait_for_turn()
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

    async def _wait_for_turn(self) -> None:
        self._waiting += 1
        try:
            # Yield first: statements do not wait, so consecutive writes would block every other call. Writers that
            # arrive in the same iteration of the event loop are then counted as waiting.
            await asyncio.sleep(0)
            await self._turn.acquire()
        finally:
            self._waiting -= 1

    async def _begin(self) -> None:
        """Continue in the open transaction, or get the file's lock.

        Records an outage if another process has held the lock for too long.
        """
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
        """End a unit: commit it, unless waiting units will join the commit.

        Returns an awaitable for the caller, if any.
        """
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
        return asyncio.sleep(0) if shared else None  # let earlier units continue first

    def _undo(self) -> None:
        """Roll back one unit.

        If SQLite has rolled back the transaction, the units that had ended are lost too.
        """
        if self._ended and self.connection.in_transaction:
            self.connection.execute("ROLLBACK TO unit; RELEASE unit")
        elif self._ended:
            self._lose(TransactionRetry("another unit of work was undone together with this one"))
        elif self.connection.in_transaction:
            self.connection.execute("ROLLBACK")

    def _may_leave_open(self, units: int) -> bool:
        """Return True if waiting units can still join this commit."""
        return bool(self._waiting) and units < MAX_UNITS and time.monotonic() - self._begun_at < MAX_OPEN_S

    def _commit_unless_others_come(self) -> None:
        if not self._ended or self._turn.locked():  # the running unit checks again when it ends
            return
        if self._may_leave_open(len(self._ended)):
            asyncio.get_running_loop().call_soon(self._commit_unless_others_come)
            return
        self.commit_ended()

    def commit_ended(self) -> None:
        """Commit the units that have ended, without the running one.

        Their callers also learn of a failure.
        """
        if self._ended:
            if self._turn.locked():
                self._undo()
            with suppress(apsw.Error):
                self._commit()

    def _commit(self, *sessions: DriverSession) -> None:
        """Commit the transaction with the ended units and `sessions`.

        Raises the errors of SQLite.
        """
        try:
            self._before_commit()
            self.connection.execute("COMMIT")
        except apsw.Error as error:
            self._lose(error)
            raise
        ended, self._ended = self._ended, []
        for unit in ended:  # first, so that callers continue in the next iteration even if a listener fails
            if not unit.committed.done():
                unit.committed.set_result(None)
        for each in (*(unit.session for unit in ended), *sessions):
            self._on_committed(each)

    def _lose(self, error: Exception) -> None:
        """Roll back all units, notify their callers, and clear caches that read from them."""
        ended, self._ended = self._ended, []
        if self.connection.in_transaction:
            self.connection.execute("ROLLBACK")
        if ended:
            self._on_lost()
        for unit in ended:
            if not unit.committed.done():
                unit.committed.set_exception(error)
