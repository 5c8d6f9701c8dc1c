"""Cache of recent answers, so that popular timelines need no database access.

It holds public answers, and answers to the accounts that an operation names, each for one caller. An entry expires
after the time that HTTP caches may store it, or when its subject changes: by a notice on the operation's channel or,
where processes share a file, by any commit. Answers are cached on the second request, because most are requested
once.
"""

import time
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping
from contextlib import AsyncExitStack
from typing import Any

from msgspec import Struct

from haulier.kernel.data.unit_of_work import Database
from haulier.kernel.http.answer_store import MAX_BODY_BYTES, AnswerStore
from haulier.kernel.operations.caching import Fingerprint, Http, InvalidatedBy
from haulier.kernel.operations.declaration import Operation, Request

CacheSubject = tuple[str, str]
"""A channel, and the value by which its notices name what changed."""
StoreCallback = Callable[[bytes], None]


class CachedResponse(Struct, frozen=True):
    """An answer as it was sent, with the data needed to check that it is valid."""

    body: bytes
    headers: Mapping[str, str]
    fingerprint: Fingerprint
    subject: CacheSubject
    version: int
    until_s: float


class PendingEntry(Struct, frozen=True):
    """Key of an answer about to be read, with the state of the cache before."""

    key: Hashable
    version: int
    notice_count: int


class ResponseCache:
    """The answers that one process caches."""

    def __init__(self, database: Database, seconds: Callable[[], float] = time.monotonic) -> None:
        self._database = database
        self.seconds = seconds
        self._answers: AnswerStore[CachedResponse] = AnswerStore(self._drop_subject)
        self._keys_by_subject: defaultdict[CacheSubject, set[Hashable]] = defaultdict(set)
        self._channels: set[str] = set()
        self._notice_count = 0

    async def listen(self, operations: Iterable[Operation[Any, Any]], stack: AsyncExitStack) -> None:
        """Listen to the channels of operations until the stack is closed.

        Nothing is cached before.
        """
        cached = [operation.http for operation in operations if operation.http]
        for channel in {http.invalidated_by.channel for http in cached if http.invalidated_by}:
            stack.callback(
                await self._database.listen(channel, lambda payload, of=channel: self.invalidate(of, payload))
            )
            stack.callback(self._channels.discard, channel)
            self._channels.add(channel)

    def get(self, key: Hashable) -> CachedResponse | None:
        """Return the cached answer, unless it is too old or its subject changed."""
        answer = self._answers.get(key)
        if answer is None:
            return None
        if answer.version != self._database.version() or answer.until_s < self.seconds():
            self._answers.drop(key)
            return None
        self._answers.touch(key)
        return answer

    def pending_entry(self, key: Hashable, invalidated_by: InvalidatedBy) -> PendingEntry | None:
        """Return the state before a read, or None if the answer will not be cached."""
        if invalidated_by.channel not in self._channels:
            return None
        if not self._answers.was_requested_before(key):
            return None
        return PendingEntry(key, self._database.version(), self._notice_count)

    def store_callback(
        self, pending: PendingEntry, http: Http, request: Request, headers: Mapping[str, str], fingerprint: Fingerprint
    ) -> StoreCallback:
        """Return a callback that caches the bytes that the interface sends.

        `http` must have an `invalidated_by`.
        """
        invalidated_by: InvalidatedBy = http.invalidated_by  # type: ignore[assignment]

        def store(body: bytes) -> None:
            # An outdated version needs no check here: `get` compares it with the database's.
            if len(body) > MAX_BODY_BYTES or self._notice_count != pending.notice_count:
                return
            value = invalidated_by.notice_value(str(getattr(request, invalidated_by.by)))
            subject = invalidated_by.channel, value
            until_s = self.seconds() + http.cache_s
            self._answers.drop(pending.key)  # its subject may have changed
            self._keys_by_subject[subject].add(pending.key)
            kept = CachedResponse(body, headers, fingerprint, subject, pending.version, until_s)
            self._answers.put(pending.key, kept, len(body))

        return store

    def invalidate(self, channel: str, payload: str) -> None:
        """Remove the answers about some subjects, or all of them (`*`)."""
        self._notice_count += 1
        subjects = list(self._keys_by_subject) if payload == "*" else [(channel, value) for value in payload.split(" ")]
        for subject in subjects:
            for key in tuple(self._keys_by_subject.get(subject, ())):
                self._answers.drop(key)

    def _drop_subject(self, key: Hashable, answer: CachedResponse) -> None:
        about = self._keys_by_subject[answer.subject]
        about.discard(key)
        if not about:
            del self._keys_by_subject[answer.subject]
