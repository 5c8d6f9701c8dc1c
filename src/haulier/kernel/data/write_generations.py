"""Counters of writes per client, used to detect outdated answers.

Every commit announces whose rows it wrote (`touched_tables`). The writing process receives the notice before it
answers, others on PostgreSQL some milliseconds later. Processes that share a SQLite file receive no notices from each
other, so every commit of another process counts as a write of all clients.
"""

from collections import Counter
from contextlib import AsyncExitStack

from msgspec import Struct

from haulier.kernel.data.notices import EVERYTHING
from haulier.kernel.data.touched_tables import CLIENT_WRITES_CHANNEL, SHARED
from haulier.kernel.data.unit_of_work import Database


class ReadAt(Struct, frozen=True):
    """The write counters that were relevant to a client when data was read."""

    subject: str
    of_client: int
    of_shared: int
    of_all: int
    outside_version: int


class WriteGenerations:
    """Counts the commits that this process was notified of, by owner.

    Only active after `listen`.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self._commits: Counter[str] = Counter()
        self._of_all = 0
        self._listens = False

    async def listen(self, stack: AsyncExitStack) -> None:
        """Listen to all writes until the stack is closed."""
        stack.callback(await self._database.listen(CLIENT_WRITES_CHANNEL, self._on_notice))
        stack.callback(self._stop)
        self._listens = True

    def now(self, client_id: int) -> ReadAt | None:
        """Return the counters before a client's data is read; None without notices."""
        if not self._listens:
            return None
        subject = str(client_id)
        heard = self._commits
        return ReadAt(subject, heard[subject], heard[SHARED], self._of_all, self._database.outside_version())

    def is_current(self, read_at: ReadAt, *, with_shared: bool) -> bool:
        """Return True if there was no write since `read_at`.

        `with_shared` also considers rows that belong to no client.
        """
        return (
            self._listens
            and read_at.of_client == self._commits[read_at.subject]
            and (not with_shared or read_at.of_shared == self._commits[SHARED])
            and read_at.of_all == self._of_all
            and read_at.outside_version == self._database.outside_version()
        )

    def _on_notice(self, payload: str) -> None:
        if payload == EVERYTHING:
            self._of_all += 1
            return
        for subject in payload.split(" "):
            self._commits[subject] += 1

    def _stop(self) -> None:
        self._listens = False
