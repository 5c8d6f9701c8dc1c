"""How far this process has heard of writes, client by client, so that what was read before a write is known to be old.

Every commit tells whose rows it wrote (`touched_tables`). The process that wrote hears it before the writer is answered,
others that use PostgreSQL some milliseconds later. Processes that share a SQLite file hear no notices of each other; there
every commit of another process counts as one of everybody.
"""

from collections import Counter
from contextlib import AsyncExitStack

from msgspec import Struct

from haulier.kernel.data.notices import EVERYTHING
from haulier.kernel.data.touched_tables import CLIENT_WRITES_CHANNEL, SHARED
from haulier.kernel.data.unit_of_work import Database


class ReadAt(Struct, frozen=True):
    """How far the process had heard of the writes that matter to a client, when something of it was read."""

    subject: str
    of_client: int
    of_shared: int
    of_all: int
    outside_version: int


class WriteGenerations:
    """Counts the commits that this process heard of, by whose rows they wrote. Knows nothing until it listens."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._commits: Counter[str] = Counter()
        self._of_all = 0
        self._listens = False

    async def listen(self, stack: AsyncExitStack) -> None:
        """Hear of every write, until the stack is closed."""
        stack.callback(await self._database.listen(CLIENT_WRITES_CHANNEL, self._hear))
        stack.callback(self._stop)
        self._listens = True

    def now(self, client_id: int) -> ReadAt | None:
        """To be asked for before something is read for a client; None where no writes are heard."""
        if not self._listens:
            return None
        subject = str(client_id)
        heard = self._commits
        return ReadAt(subject, heard[subject], heard[SHARED], self._of_all, self._database.outside_version())

    def is_current(self, read_at: ReadAt, *, with_shared: bool) -> bool:
        """Whether no write was heard of since: of the client's rows and, `with_shared`, of those that belong to no client."""
        return (
            self._listens
            and read_at.of_client == self._commits[read_at.subject]
            and (not with_shared or read_at.of_shared == self._commits[SHARED])
            and read_at.of_all == self._of_all
            and read_at.outside_version == self._database.outside_version()
        )

    def _hear(self, payload: str) -> None:
        if payload == EVERYTHING:
            self._of_all += 1
            return
        for subject in payload.split(" "):
            self._commits[subject] += 1

    def _stop(self) -> None:
        self._listens = False
