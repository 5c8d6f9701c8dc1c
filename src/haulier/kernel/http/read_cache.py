"""Cached answers to authenticated callers.

An answer is valid until data of its client is written.

Lists and orders are often requested repeatedly without any change in between. Every write of a client invalidates all
its answers (`WriteGenerations`), so no operation has to name what it changes. Answers are cached on the second
request, because most are requested once.
"""

from collections.abc import Callable, Hashable, Mapping
from datetime import datetime, timedelta

from msgspec import Struct

from haulier.kernel.data.write_generations import ReadAt, WriteGenerations
from haulier.kernel.http.answer_store import MAX_BODY_BYTES, AnswerStore

CACHED_FOR = timedelta(seconds=5)
"""Maximum age of an answer. A notice is lost if its node dies within milliseconds of the commit."""


class CachedBody(Struct, frozen=True):
    """An answer as it was sent, with the data needed to check that it is current."""

    body: bytes
    headers: Mapping[str, str]
    read_at: ReadAt
    with_shared: bool
    """True if it also contains rows that belong to no client."""
    at: datetime


class ReadCache:
    """The answers that one process caches for authenticated callers."""

    def __init__(self, writes: WriteGenerations) -> None:
        self.writes = writes
        self._answers: AnswerStore[CachedBody] = AnswerStore()

    def get(self, key: Hashable, now: datetime) -> CachedBody | None:
        """Return the cached answer, unless it is too old or data was written since."""
        answer = self._answers.get(key)
        if answer is None:
            return None
        is_young = timedelta() <= now - answer.at < CACHED_FOR
        if not is_young or not self.writes.is_current(answer.read_at, with_shared=answer.with_shared):
            self._answers.drop(key)
            return None
        self._answers.touch(key)
        return answer

    def before_read(self, key: Hashable, client_id: int) -> ReadAt | None:
        """Return the state before a read, or None if the answer will not be cached."""
        return self.writes.now(client_id) if self._answers.was_requested_before(key) else None

    def store_callback(
        self,
        key: Hashable,
        read_at: ReadAt,
        headers: Mapping[str, str],
        now: datetime,
        *,
        asked_bytes: int,
        with_shared: bool,
    ) -> Callable[[bytes], None]:
        """Return a callback that caches the bytes that the interface sends."""

        def keep(body: bytes) -> None:
            if len(body) > MAX_BODY_BYTES or not self.writes.is_current(read_at, with_shared=with_shared):
                return
            self._answers.put(key, CachedBody(body, headers, read_at, with_shared, now), len(body) + asked_bytes)

        return keep
